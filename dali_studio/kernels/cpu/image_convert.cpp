// The loops of `image_convert.py`, which sees to it that there are three channels. Colours may have any strides.
#include "../include/inks.hpp"
#include "../include/color.hpp"

#include "arguments.hpp"
#include "vector.hpp"

// 16 pixels of three channels side by side: where they are, or copied to `block`. `more`: a pixel follows in the row.
#define COLORS4(AT) AT, AT + 1, AT + 2, AT + 4, AT + 5, AT + 6, AT + 8, AT + 9, AT + 10, AT + 12, AT + 13, AT + 14
template <class T> HD const T* sixteen(const T* p, i64 step, i64 channel, bool more, T* block) {
  if (step == 3 && channel == 1) return p;
  if (step == 4 && channel == 1 && more) {  // colours before transparency
    auto v = read<Vector<T, 64>>(p);
    write(block, __builtin_shufflevector(v, v, COLORS4(0), COLORS4(16), COLORS4(32), COLORS4(48), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    return block;
  }
  for (int i = 0; i < 16; i++)
    for (int c = 0; c < 3; c++) block[3 * i + c] = p[i * step + c * channel];
  return block;
}

// Weighs the channels in fixed point: the weights are 2^shift together.
template <class T>
void weigh(Array<const T, 3> rgb, Dense<T, 3> out, u32 red, u32 green, u32 blue, u32 shift, u32 rounding) {
  typedef Vector<u32, 16> W;
  const i64 width = rgb.shape[1], step = rgb.strides[1], channel = rgb.strides[2];
  for (i64 y = 0; y < rgb.shape[0]; y++) {
    const T* from = &rgb(y, 0, 0);
    T* to = &out(y, 0, 0);
    T block[64];
    i64 x = 0;
    for (; x + 16 <= width; x += 16) {
      Channels<T> p = read16x3(sixteen(from + x * step, step, channel, x + 16 < width, block));
      W sum = __builtin_convertvector(p.red, W) * red + __builtin_convertvector(p.green, W) * green +
              __builtin_convertvector(p.blue, W) * blue + rounding;
      typedef Vector<T, 16> V;
      write(to + x, __builtin_convertvector(sum >> shift, V));
    }
    for (; x < width; x++) {
      const T* p = from + x * step;
      to[x] = (T)((p[0] * red + p[channel] * green + p[2 * channel] * blue + rounding) >> shift);
    }
  }
}
typedef Types<u8, u16> Depths;
REGISTER_EACH(weigh, Depths)

// The same of light: both tables hold a number for each that T can be, and none that T cannot.
template <class T>
void weigh_light(Array<const T, 3> rgb, Dense<T, 3> out, u32 red, u32 green, u32 blue, u32 shift, Dense<const u32, 1> to_light,
                 Dense<const u32, 1> from_light) {
  const i64 channel = rgb.strides[2];
  for (i64 y = 0; y < rgb.shape[0]; y++)
    for (i64 x = 0; x < rgb.shape[1]; x++) {
      const T *p = &rgb(y, x, 0), r = p[0], g = p[channel], b = p[2 * channel];
      u32 light = to_light.data[r] * red + to_light.data[g] * green + to_light.data[b] * blue + (1u << (shift - 1));
      out(y, x, 0) = r == g && r == b ? r : (T)from_light.data[light >> shift];
    }
}
REGISTER_EACH(weigh_light, Depths)

// As many channels as the matrix has rows, from three. Its last column is added.
template <class I, class O> void mix(Array<const I, 3> rgb, Dense<O, 3> out, Dense<const f32, 2> matrix) {
  const i64 width = rgb.shape[1], step = rgb.strides[1], channel = rgb.strides[2], made = out.shape[2];
  ColorMatrix f;
  memcpy(f.m, matrix.data, made * 4 * sizeof(f32));
  for (i64 y = 0; y < rgb.shape[0]; y++) {
    const I* from = &rgb(y, 0, 0);
    O* to = &out(y, 0, 0);
    I block[64];
    i64 x = 0;
    for (; x + 16 <= width; x += 16) {
      Colors p = load16x3(sixteen(from + x * step, step, channel, x + 16 < width, block));
      f32x16 first = f(0, p.red, p.green, p.blue);
      if (made == 3) store16x3<AWAY>(to + 3 * x, {first, f(1, p.red, p.green, p.blue), f(2, p.red, p.green, p.blue)});
      else store<AWAY, 16>(to + x, first);
    }
    for (; x < width; x++) {
      const I* p = from + x * step;
      for (i64 c = 0; c < made; c++) store1<AWAY>(to + x * made + c, f((int)c, load1(p), load1(p + channel), load1(p + 2 * channel)));
    }
  }
}
// Four channels to three.
static i64 rgb_of_inks(Dense<const u8, 3> inks, Dense<u8, 3> out, bool inverted) {
  if (inks.shape[2] != 4 || out.shape[2] != 3 || inks.shape[0] != out.shape[0] || inks.shape[1] != out.shape[1]) return MISFIT;
  inks_to_rgb(inks.data, out.data, inks.shape[0] * inks.shape[1], inverted);
  return 0;
}
REGISTER(rgb_of_inks)

typedef Types<u8, u16, f32> MixInputs;
typedef Types<u8, f32> MixOutputs;
REGISTER_PAIRS(mix, MixInputs, MixOutputs)
