// Normalisation of one row of pixels, for `normalize.cpp` and for loops that make the row themselves.
#pragma once
#include "../include/normalize.hpp"
#include "vector.hpp"

HD Normalize<f32x16> normalize16(const f32* mean, const f32* factor, i64 channel) { return {mean[channel], factor[channel]}; }

// Three interleaved channels, 16 pixels at a time, into planes. `width` >= 16; the last vector overlaps the one before it, so that
// `src` and `out` must not be the same memory.
template <class I, class O>
HD void normalize_to_planes(const I* src, O* out, i64 out_c, i64 width, const f32* mean, const f32* factor, bool mirrored) {
  auto f0 = normalize16(mean, factor, 0), f1 = normalize16(mean, factor, 1), f2 = normalize16(mean, factor, 2);
  for (i64 x = 0; x < width; x += 16) {
    x = least(x, width - 16);
    Colors p = load16x3(src + 3 * x);
    p = {f0(p.red), f1(p.green), f2(p.blue)};
    O* to = out + (mirrored ? width - 16 - x : x);
    if (mirrored) p = {reversed(p.red), reversed(p.green), reversed(p.blue)};
    store<AWAY, 16>(to, p.red);
    store<AWAY, 16>(to + out_c, p.green);
    store<AWAY, 16>(to + 2 * out_c, p.blue);
  }
}

// For 16 interleaved elements of which the first is one of channel FIRST.
template <int FIRST> HD f32x16 repeated(const f32* values) {
  const f32x4 v = {values[0], values[1], values[2], 0};
  constexpr int A = FIRST, B = (FIRST + 1) % 3, C = (FIRST + 2) % 3;
  return __builtin_shufflevector(v, v, A, B, C, A, B, C, A, B, C, A, B, C, A, B, C, A);
}
template <int FIRST> HD Normalize<f32x16> normalize16x3(const f32* mean, const f32* factor) {
  return {repeated<FIRST>(mean), repeated<FIRST>(factor)};
}
// The same into interleaved channels: elements stay in their order, or that of pixels is reversed. Of bytes, five pixels in a vector.
template <class I, class O>
HD void normalize_interleaved(const I* src, O* out, i64 width, const f32* mean, const f32* factor, bool mirrored) {
  auto f0 = normalize16x3<0>(mean, factor), f1 = normalize16x3<1>(mean, factor), f2 = normalize16x3<2>(mean, factor);
  if (mirrored && sizeof(O) == 1) {
    for (i64 x = 0; x < width - 5; x += 5)
      write(out + 3 * x, turned_after_one<O>(narrowed<O, AWAY, 16>(f2(load<16>(src + 3 * (width - 5 - x) - 1)))));
    write15(out + 3 * (width - 5), turned<O>(narrowed<O, AWAY, 16>(f0(load<16>(src)))));
    return;
  }
  for (i64 x = 0; x < width; x += 16) {
    x = least(x, width - 16);
    const I* p = src + 3 * x;
    auto a = narrowed<O, AWAY, 16>(f0(load<16>(p))), b = narrowed<O, AWAY, 16>(f1(load<16>(p + 16))), c = narrowed<O, AWAY, 16>(f2(load<16>(p + 32)));
    if (mirrored) {
      write_turned<O>(out + 3 * (width - 16 - x), a, b, c);
    } else {
      write(out + 3 * x, a);
      write(out + 3 * x + 16, b);
      write(out + 3 * x + 32, c);
    }
  }
}

// One row of one channel whose pixels lie one after the other, in both. `width` >= 16.
template <class I, class O>
HD void normalize_plane(const I* src, O* out, i64 width, Normalize<f32x16> f, bool mirrored) {
  for (i64 x = 0; x < width; x += 16) {
    x = least(x, width - 16);
    f32x16 value = f(load<16>(src + x));
    if (mirrored) store<AWAY, 16>(out + width - 16 - x, reversed(value));
    else store<AWAY, 16>(out + x, value);
  }
}

// One row: step_x and step_c, out_x and out_c are the elements from one pixel, and from one channel, to the next.
template <class I, class O>
HD void normalize_row(const I* src, i64 step_x, i64 step_c, O* out, i64 out_x, i64 out_c, i64 width, i64 channels, const f32* mean,
                      const f32* factor, bool mirrored) {
  const bool interleaved = channels == 3 && step_x == 3 && step_c == 1 && width >= 16;
  if (interleaved && out_x == 1) {
    normalize_to_planes(src, out, out_c, width, mean, factor, mirrored);
  } else if (interleaved && out_x == 3 && out_c == 1) {
    normalize_interleaved(src, out, width, mean, factor, mirrored);
  } else if (step_x == 1 && out_x == 1 && width >= 16) {
    for (i64 c = 0; c < channels; c++)
      normalize_plane(src + c * step_c, out + c * out_c, width, normalize16(mean, factor, c), mirrored);
  } else {
    for (i64 c = 0; c < channels; c++) {
      const Normalize<float> f{mean[c], factor[c]};
      for (i64 x = 0; x < width; x++)
        store1<AWAY>(out + (mirrored ? width - 1 - x : x) * out_x + c * out_c, f(load1(src + x * step_x + c * step_c)));
    }
  }
}
