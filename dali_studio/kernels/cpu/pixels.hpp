// Loops of functors over images (`pixels.py`). A full vector never overlaps another one, so that `src` and `out` may be the same
// memory. src_row and out_row are the elements from one row to the next.
#pragma once
#include "arguments.hpp"
#include "vector.hpp"

template <class F> bool from_fields(F& f, Dense<const f32, 1> fields) {
  if (fields.shape[0] * sizeof(float) != sizeof(F)) return false;
  memcpy(&f, fields.data, sizeof f);
  return true;
}

// Rows of `count` elements.
template <class F, class I, class O>
i64 each_element(Array<const I, 3> src, Array<O, 3> out, i64 rows, i64 count, i64 src_row, i64 out_row, Dense<const f32, 1> fields) {
  F f;
  if (!from_fields(f, fields)) return MISFIT;
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
  return 0;
}

// Rows of `count` packed pixels of three channels.
template <class F, class I, class O>
i64 each_rgb(Array<const I, 3> src, Array<O, 3> out, i64 rows, i64 count, i64 src_row, i64 out_row, Dense<const f32, 1> fields) {
  F f;
  if (!from_fields(f, fields)) return MISFIT;
  for (i64 row = 0; row < rows; row++) {
    const I* from = src.data + row * src_row;
    O* to = out.data + row * out_row;
    i64 x = 0;
    for (; x + 16 <= count; x += 16) {
      Colors p = load16x3(from + 3 * x);
      store16x3<AWAY>(to + 3 * x, {f(0, p.red, p.green, p.blue), f(1, p.red, p.green, p.blue), f(2, p.red, p.green, p.blue)});
    }
    for (; x < count; x++) {
      float red = load1(from + 3 * x), green = load1(from + 3 * x + 1), blue = load1(from + 3 * x + 2);
      for (int c = 0; c < 3; c++) store1<AWAY>(to + 3 * x + c, f(c, red, green, blue));
    }
  }
  return 0;
}

#define REGISTER_FUNCTOR(LOOP, NAME, INPUTS, OUTPUTS)                                                     \
  struct NAME##_kernel { template <class I, class O> static constexpr auto of() { return &LOOP<NAME, I, O>; } }; \
  static const bool NAME##_registered = add_pairs<NAME##_kernel>(#NAME, false, INPUTS{}, OUTPUTS{});
