// Normalisation of one row of pixels, for `normalize.cpp` and for loops that make the row themselves.
#pragma once
#include "../include/normalize.hpp"
#include "vector.hpp"

HD Normalize<f32x16> normalize16(const f32* mean, const f32* factor, i64 channel) { return {mean[channel], factor[channel]}; }

// Three interleaved channels, 16 pixels at a time, into interleaved ones or, where out_x is 1, planes. `width` >= 16; the last
// vector overlaps the one before it, so that `src` and `out` must not be the same memory.
template <class I, class O>
HD void normalize_interleaved(const I* src, O* out, i64 out_x, i64 out_c, i64 width, const f32* mean, const f32* factor, bool mirrored) {
  auto f0 = normalize16(mean, factor, 0), f1 = normalize16(mean, factor, 1), f2 = normalize16(mean, factor, 2);
  for (i64 x = 0; x < width; x += 16) {
    x = least(x, width - 16);
    Colors p = load16x3(src + 3 * x);
    p = {f0(p.red), f1(p.green), f2(p.blue)};
    O* to = out + (mirrored ? width - 16 - x : x) * out_x;
    if (mirrored) p = {reversed(p.red), reversed(p.green), reversed(p.blue)};
    if (out_x == 1) {
      store<AWAY, 16>(to, p.red);
      store<AWAY, 16>(to + out_c, p.green);
      store<AWAY, 16>(to + 2 * out_c, p.blue);
    } else {
      store16x3<AWAY>(to, p);
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
  if (channels == 3 && step_x == 3 && step_c == 1 && width >= 16 && (out_x == 1 || (out_x == 3 && out_c == 1))) {
    normalize_interleaved(src, out, out_x, out_c, width, mean, factor, mirrored);
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
