// Frames of videos, as decoders give them, as pixels: nvidia.dali's formulas for the frames of a GPU's decoder, in float32, with
// its fused multiply-adds, so that pixels are equal.
#pragma once
#include "numbers.hpp"

// To red, green and blue of 0 to 1, and beyond: `luma_offset` and 0.5 are taken away before luma and chroma are weighed.
struct FrameColors { float luma_offset, luma, red_of_red, green_of_blue, green_of_red, blue_of_blue; };

// Luma, and the two kinds of chroma, wherever they lie. Numbers times `unit` are from 0 to 255.
template <class T> struct FramePlanes {
  const T *luma, *blue, *red;
  i64 height, width, luma_pitch;  // pitches count elements
  i64 chroma_height, chroma_width, chroma_pitch, chroma_step;  // step: from one chroma to the next of its row
  i32 down, across;                                            // whether chroma has half as many rows, columns
  i32 as_they_are;                                             // whether the pixels are luma and chroma
  float unit;
  FrameColors colors;

  // Chroma is interpolated between its samples, which lie in the middle of the pixels that share them.
  HD float chroma(const T* plane, i64 y, i64 x) const {
    const i64 row = least(y >> down, chroma_height - 1), column = least(x >> across, chroma_width - 1);
    const i64 other_row = down ? between<i64>(row + (y & 1 ? 1 : -1), 0, chroma_height - 1) : row;
    const i64 other_column = across ? between<i64>(column + (x & 1 ? 1 : -1), 0, chroma_width - 1) : column;
    const T *near = plane + row * chroma_pitch, *far = plane + other_row * chroma_pitch;
    const i64 here = column * chroma_step, beside = other_column * chroma_step;
    const i32 sum = 9 * near[here] + 3 * ((i32)near[beside] + far[here]) + far[beside];
    return (float)sum * (unit * 0.0625f);  // exact
  }

  // The pixel at (y, x).
  HD void pixel(i64 y, i64 x, float* to) const {
    const float one = 1.f / 255.f;
    const float a = (float)luma[y * luma_pitch + x] * unit, b = chroma(blue, y, x), c = chroma(red, y, x);
    if (as_they_are) {
      to[0] = a * one, to[1] = b * one, to[2] = c * one;
      return;
    }
    const float weighed = fused(a, one, -colors.luma_offset) * colors.luma, u = fused(b, one, -0.5f), v = fused(c, one, -0.5f);
    to[0] = fused(v, colors.red_of_red, weighed);
    to[1] = fused(v, colors.green_of_red, fused(u, colors.green_of_blue, weighed));
    to[2] = fused(u, colors.blue_of_blue, weighed);
  }
};

// A channel as an element of the result, times `scale`: bytes, rounded half to even, or floats.
HD void put_channel(float v, float scale, u8* to) { *to = (u8)bits_of(between(v * scale, 0.f, 255.f) + 12582912.f); }
HD void put_channel(float v, float scale, float* to) { *to = v * scale; }
