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

// Red and blue change places. Five pixels at once, in a vector that reaches into the next one.
static void swap_colors(const u8* from, u8* to, i64 count) {
  i64 i = 0;
  for (; i + 16 <= 3 * count; i += 15) {
    auto v = read<Vector<u8, 16>>(from + i);
    write(to + i, __builtin_shufflevector(v, v, 2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 15));
  }
  for (; i < 3 * count; i += 3) to[i] = from[i + 2], to[i + 1] = from[i + 1], to[i + 2] = from[i];
}

// Three equal channels.
static void repeat_gray(const u8* from, u8* to, i64 count) {
  i64 i = 0;
  for (; i + 16 <= count; i += 16) {
    auto v = read<Vector<u8, 16>>(from + i);
    write(to + 3 * i, __builtin_shufflevector(v, v, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5));
    write(to + 3 * i + 16, __builtin_shufflevector(v, v, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10));
    write(to + 3 * i + 32, __builtin_shufflevector(v, v, 10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15));
  }
  for (; i < count; i++) to[3 * i] = to[3 * i + 1] = to[3 * i + 2] = from[i];
}

enum { MATRIX, REVERSED_MATRIX, SWAP, REPEAT };  // as `color_space.py` numbers them

// Pictures of so many pixels at these addresses. `fields` are those of ColorSpace; REVERSED: the channels of the input are taken from
// the last to the first.
static i64 convert_colors(Array<const i64, 1> sources, Array<const i64, 1> outs, Array<const i64, 1> pixels, i64 in, i64 made, int method,
                          Dense<const f32, 1> fields) {
  const i64 count = sources.shape[0];
  ColorSpace f;
  const bool three = in == 3 && made == 3, wide = in == 1 && made == 3, narrow = in == 3 && made == 1, one = in == 1 && made == 1;
  if (outs.shape[0] != count || pixels.shape[0] != count || fields.shape[0] * sizeof(f32) != sizeof f || method < MATRIX || method > REPEAT ||
      !(three || wide || narrow || one) || (method == SWAP && !three) || (method == REPEAT && !wide))
    return MISFIT;
  memcpy(&f, fields.data, sizeof f);
  for (i64 i = 0; i < count; i++) {
    const u8* from = (const u8*)(u64)sources(i);
    u8* to = (u8*)(u64)outs(i);
    const bool reversed = method == REVERSED_MATRIX;
    if (method == SWAP) swap_colors(from, to, pixels(i));
    else if (method == REPEAT) repeat_gray(from, to, pixels(i));
    else if (three) each_pixel<3, 3>(f, reversed, from, to, pixels(i));
    else if (narrow) each_pixel<3, 1>(f, reversed, from, to, pixels(i));
    else if (wide) each_pixel<1, 3>(f, reversed, from, to, pixels(i));
    else each_pixel<1, 1>(f, reversed, from, to, pixels(i));
  }
  return 0;
}
REGISTER(convert_colors)
