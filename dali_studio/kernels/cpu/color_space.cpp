// Loops of `color_space.py`.
#include "../include/color.hpp"

#include "arguments.hpp"
#include "vector.hpp"

// 16 pixels. Of one channel there are three equal ones.
template <int IN, int OUT> HD void sixteen(const ColorSpace& f, bool reversed, const u8* from, u8* to) {
  Colors p;
  if constexpr (IN == 3) p = load16x3(from);
  else p.red = p.green = p.blue = load<16>(from);
  if (reversed) {
    f32x16 first = p.red;
    p.red = p.blue, p.blue = first;
  }
  f32x16 first = f(0, p.red, p.green, p.blue);
  if constexpr (OUT == 3) store16x3<AWAY>(to, {first, f(1, p.red, p.green, p.blue), f(2, p.red, p.green, p.blue)});
  else store<AWAY, 16>(to, first);
}

template <int IN, int OUT> static void each_pixel(const ColorSpace& f, bool reversed, const u8* from, u8* to, i64 count) {
  i64 i = 0;
  for (; i + 16 <= count; i += 16) sixteen<IN, OUT>(f, reversed, from + i * IN, to + i * OUT);
  if (i == count) return;
  u8 last[16 * IN] = {}, made[16 * OUT];
  memcpy(last, from + i * IN, (count - i) * IN);
  sixteen<IN, OUT>(f, reversed, last, made);
  memcpy(to + i * OUT, made, (count - i) * OUT);
}

// `fields` are those of ColorSpace. `reversed`: the channels of the input are taken from the last to the first.
static i64 convert_colors(Dense<const u8, 2> src, Dense<u8, 2> out, Dense<const f32, 1> fields, bool reversed) {
  const i64 count = src.shape[0], in = src.shape[1], made = out.shape[1];
  ColorSpace f;
  if (out.shape[0] != count || fields.shape[0] * sizeof(f32) != sizeof f) return MISFIT;
  memcpy(&f, fields.data, sizeof f);
  if (in == 3 && made == 3) each_pixel<3, 3>(f, reversed, src.data, out.data, count);
  else if (in == 3 && made == 1) each_pixel<3, 1>(f, reversed, src.data, out.data, count);
  else if (in == 1 && made == 3) each_pixel<1, 3>(f, reversed, src.data, out.data, count);
  else if (in == 1 && made == 1) each_pixel<1, 1>(f, reversed, src.data, out.data, count);
  else return MISFIT;
  return 0;
}
REGISTER(convert_colors)

// Red and blue change places. Five pixels at once, in a vector that reaches into the next one.
static i64 swap_colors(Dense<const u8, 2> src, Dense<u8, 2> out) {
  const i64 size = src.size();
  if (src.shape[1] != 3 || out.shape[1] != 3 || out.shape[0] != src.shape[0]) return MISFIT;
  i64 i = 0;
  for (; i + 16 <= size; i += 15) {
    auto v = read<Vector<u8, 16>>(src.data + i);
    write(out.data + i, __builtin_shufflevector(v, v, 2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 15));
  }
  for (; i < size; i += 3) out.data[i] = src.data[i + 2], out.data[i + 1] = src.data[i + 1], out.data[i + 2] = src.data[i];
  return 0;
}
REGISTER(swap_colors)

// Three equal channels.
static i64 repeat_gray(Dense<const u8, 2> src, Dense<u8, 2> out) {
  const i64 count = src.size();
  if (src.shape[1] != 1 || out.shape[1] != 3 || out.shape[0] != count) return MISFIT;
  i64 i = 0;
  for (; i + 16 <= count; i += 16) {
    auto v = read<Vector<u8, 16>>(src.data + i);
    write(out.data + 3 * i, __builtin_shufflevector(v, v, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5));
    write(out.data + 3 * i + 16, __builtin_shufflevector(v, v, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10));
    write(out.data + 3 * i + 32, __builtin_shufflevector(v, v, 10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15));
  }
  for (; i < count; i++) out.data[3 * i] = out.data[3 * i + 1] = out.data[3 * i + 2] = src.data[i];
  return 0;
}
REGISTER(repeat_gray)
