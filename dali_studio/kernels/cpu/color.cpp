// Loops of `color.py`. A full vector never overlaps another one, so that `src` and `out` may be the same memory.
#include "../include/color.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"
#include "vector.hpp"

// Rows of `count` elements; src_row and out_row are the elements from one row to the next.
template <class I, class O>
void scale(Array<const I, 3> src, Array<O, 3> out, i64 rows, i64 count, i64 src_row, i64 out_row, float multiply, float add) {
  const Scale f{multiply, add};
  for (i64 row = 0; row < rows; row++) {
    const I* from = src.data + row * src_row;
    O* to = out.data + row * out_row;
    i64 i = 0;
    for (; i + 32 <= count; i += 32) {
      f32x16 first = load<16>(from + i), second = load<16>(from + i + 16);
      store<AWAY, 16>(to + i, f(first));
      store<AWAY, 16>(to + i + 16, f(second));
    }
    for (; i < count; i++) store1<AWAY>(to + i, f(load1(from + i)));
  }
}
REGISTER_PAIRS(scale, ScaleInputs, ScaleOutputs)

// Rows of packed pixels of three channels.
template <class I, class O>
void linear_color(Array<const I, 3> src, Array<O, 3> out, i64 rows, i64 pixels, i64 src_row, i64 out_row, Dense<const f32, 2> matrix) {
  ColorMatrix f;
  memcpy(f.m, matrix.data, sizeof f.m);
  for (i64 row = 0; row < rows; row++) {
    const I* from = src.data + row * src_row;
    O* to = out.data + row * out_row;
    i64 x = 0;
    for (; x + 16 <= pixels; x += 16) {
      Colors p = load16x3(from + 3 * x);
      store16x3<AWAY>(to + 3 * x, {f(0, p.red, p.green, p.blue), f(1, p.red, p.green, p.blue), f(2, p.red, p.green, p.blue)});
    }
    for (; x < pixels; x++) {
      float red = load1(from + 3 * x), green = load1(from + 3 * x + 1), blue = load1(from + 3 * x + 2);
      for (int c = 0; c < 3; c++) store1<AWAY>(to + 3 * x + c, f(c, red, green, blue));
    }
  }
}
REGISTER_PAIRS(linear_color, LinearColorInputs, LinearColorOutputs)

// left @ [[gain, 0, 0], [0, cosine, sine], [0, -sine, cosine]] @ right for each sample, with factor and gain in cosine and sine.
static void turned(Array<const f64, 1> cosines, Array<const f64, 1> sines, Array<const f32, 1> factors, Array<const f32, 1> gains,
                   Array<const f64, 2> left, Array<const f64, 2> right, Array<f32, 3> made) {
  for (i64 i = 0; i < made.shape[0]; i++) {
    f64 factor = factors(i), gain = gains(i), cosine = cosines(i) * factor * gain, sine = sines(i) * factor * gain;
    for (int row = 0; row < 3; row++) {
      f64 x = left(row, 0) * gain, y = left(row, 1) * cosine - left(row, 2) * sine, z = left(row, 1) * sine + left(row, 2) * cosine;
      for (int column = 0; column < 3; column++)
        made(i, row, column) = (f32)(x * right(0, column) + y * right(1, column) + z * right(2, column));
    }
  }
}
REGISTER_SHORT(turned)
