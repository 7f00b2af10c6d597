// The loop of `grid_mask.py`.
#include "../include/grid_mask.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"

// CHANNELS elements of each pixel, or `channels`.
template <int CHANNELS, class T> static void cover(const T* from, T* to, const float* kept, i64 width, i64 channels) {
  if (CHANNELS) channels = CHANNELS;
  for (i64 x = 0; x < width; x++)
    for (i64 c = 0; c < channels; c++) to[x * channels + c] = from[x * channels + c] * (T)kept[x];  // a product: -0 and NaN stay
}

// (H, W, C) arrays, of which `kept` has room for a row.
template <class T>
i64 grid_mask(Dense<const T, 3> src, Dense<T, 3> out, f32 cosine, f32 sine, f32 shift_x, f32 shift_y, f32 ratio, Dense<f32, 1> kept) {
  const GridMask mask = {cosine, sine, shift_x, shift_y, ratio};
  const i64 height = out.shape[0], width = out.shape[1], channels = out.shape[2];
  if (kept.shape[0] < width || src.size() != out.size()) return MISFIT;
  for (i64 y = 0; y < height; y++) {
    const float from_x = mask.row_x(y), from_y = mask.row_y(y);
    for (i32 x = 0; x < (i32)width; x++) kept.data[x] = mask.covers(from_x, from_y, x) ? 0.f : 1.f;
    const T* from = src.data + y * width * channels;
    T* to = out.data + y * width * channels;
    if (channels == 1) cover<1>(from, to, kept.data, width, channels);
    else if (channels == 3) cover<3>(from, to, kept.data, width, channels);
    else cover<0>(from, to, kept.data, width, channels);
  }
  return 0;
}
REGISTER_EACH(grid_mask, GridMaskTypes)
