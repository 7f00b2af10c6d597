// The loop of `color_space.py`.
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
