// Pixels at points of an image, between four of its pixels or beyond its edges.
#pragma once
#include "../include/warp.hpp"
#include "arguments.hpp"
#include "vector.hpp"

// A pixel, and how far to the right of it and below it a point lies.
struct Place {
  i64 x, y;
  float right, low;
};
HD Place place_of(float x, float y) {
  float left = floor_of(x), top = floor_of(y);
  return {cut_or_least(left), cut_or_least(top), x - left, y - top};
}

template <class T> struct Picture {
  const T* data;
  i64 row, height, width, channels;
  bool filled;  // outside lies `fill`, otherwise the nearest pixel
  float fill;

  HD bool outside(i64 y, i64 x) const { return x < 0 || y < 0 || x >= width || y >= height; }
  HD const T* nearest(i64 y, i64 x) const { return data + between<i64>(y, 0, height - 1) * row + between<i64>(x, 0, width - 1) * channels; }
  HD float tap(i64 y, i64 x, i64 c) const { return filled && outside(y, x) ? fill : load1(nearest(y, x) + c); }

  // One element, of a pixel some of whose neighbours may lie outside.
  HD float bilinear1(Place at, i64 c) const {
    return warp_bilinear(tap(at.y, at.x, c), tap(at.y, at.x + 1, c), tap(at.y + 1, at.x, c), tap(at.y + 1, at.x + 1, c), at.right, at.low);
  }
};

// One pixel of 3 or 4 channels as four lanes.
template <int CHANNELS, class T> HD f32x4 pixel_of(const Picture<T>& src, i64 y, i64 x) {
  if (src.filled && src.outside(y, x)) return src.fill;
  y = between<i64>(y, 0, src.height - 1);
  x = between<i64>(x, 0, src.width - 1);
  const T* p = src.data + y * src.row + x * CHANNELS;
  if (CHANNELS == 3 && y == src.height - 1 && x == src.width - 1)  // four lanes would end behind the image
    return {load1(p), load1(p + 1), load1(p + 2), load1(p + 2)};
  return load<4>(p);
}
template <int CHANNELS, class T> __attribute__((noinline)) f32x4 at_edge(const Picture<T>& src, i64 y, i64 x, float right, float low) {
  return warp_bilinear(pixel_of<CHANNELS>(src, y, x), pixel_of<CHANNELS>(src, y, x + 1), pixel_of<CHANNELS>(src, y + 1, x),
                       pixel_of<CHANNELS>(src, y + 1, x + 1), right, low);
}
// The pixel at a point, of 3 or 4 channels.
template <int CHANNELS, class T> HD f32x4 bilinear_pixel(const Picture<T>& src, Place at) {
  // four lanes are read: of three channels the last one belongs to the next pixel, which must exist
  if (at.x >= 0 && at.y >= 0 && at.y + 1 < src.height && at.x + 5 - CHANNELS < src.width) {
    const T *upper = src.data + at.y * src.row + at.x * CHANNELS, *lower = upper + src.row;
    return warp_bilinear(load<4>(upper), load<4>(upper + CHANNELS), load<4>(lower), load<4>(lower + CHANNELS), at.right, at.low);
  }
  if (src.filled && (at.x < -1 || at.y < -1 || at.x >= src.width || at.y >= src.height)) return src.fill;
  const Picture<T> copy = src;  // so that the original, whose address nobody has, can stay in registers
  return at_edge<CHANNELS>(copy, at.y, at.x, at.right, at.low);
}

// Four pixels of 3 or 4 channels, without gaps.
template <int CHANNELS, class O> HD void store_four(O* to, i64 i, f32x16 made) {
  if (CHANNELS == 3) store12<AWAY>(to + 3 * i, made);
  else store<AWAY, 16>(to + 4 * i, made);
}

// The pixels at four points, all of whose neighbours lie inside: what `warp_bilinear` makes of them, in wider vectors.
template <int CHANNELS, class T> struct Inside {
  const T* data;
  i64 row;
  Vector<i64, 4> offsets;
  f32x4 right, low;

  // Between two neighbours in the upper row, and in the lower one. Eight elements are read of each: of three channels, the last two
  // belong to the next pixel but one.
  template <int N> HD Vector<float, 8> between_sides(f32x4 left) const {
    const T* upper = data + offsets[N];
    const auto taps = __builtin_shufflevector(read<Vector<T, 8>>(upper), read<Vector<T, 8>>(upper + row), 0, 1, 2, 3, 8, 9, 10, 11, CHANNELS,
                                              CHANNELS + 1, CHANNELS + 2, CHANNELS + 3, CHANNELS + 8, CHANNELS + 9, CHANNELS + 10, CHANNELS + 11);
    const f32x16 parts = widened<16, T>(taps) * __builtin_shufflevector(left, right, N, N, N, N, N, N, N, N, N + 4, N + 4, N + 4, N + 4, N + 4,
                                                                        N + 4, N + 4, N + 4);
    return __builtin_shufflevector(parts, parts, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(parts, parts, 8, 9, 10, 11, 12, 13, 14, 15);
  }

  HD f32x16 pixels() const {
    const f32x4 left = 1.f - right;
    const auto p = between_sides<0>(left), q = between_sides<1>(left), r = between_sides<2>(left), s = between_sides<3>(left);
    const auto pq = __builtin_shufflevector(p, q, 0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
    const auto rs = __builtin_shufflevector(r, s, 0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15);
    const auto above = __builtin_shufflevector(pq, rs, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    const auto below = __builtin_shufflevector(pq, rs, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    const f32x16 made = above + (below - above) * __builtin_shufflevector(low, low, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return CHANNELS == 4 ? made : __builtin_shufflevector(made, made, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0);
  }
};

#if defined(__AVX512F__)
enum { WIDEST = 2 };  // bytes of elements for which that is faster
#else
enum { WIDEST = 0 };
#endif

// The pixels at four points, of 3 or 4 channels, without gaps. A point is given by how far it lies from the centre of pixel (0, 0).
template <int CHANNELS, class T> HD f32x16 four_pixels(const Picture<T>& src, f32x4 x, f32x4 y) {
  if constexpr (sizeof(T) <= WIDEST) {
    typedef Vector<i32, 4> Whole;
    typedef Vector<i64, 4> Long;
    // as in `bilinear_pixel`; whole numbers up to this are floats
    const i64 most_exact = 1 << 24;
    const float beyond_x = (float)least(src.width - 5 + CHANNELS, most_exact), beyond_y = (float)least(src.height - 1, most_exact);
    const f32x4 left = __builtin_elementwise_floor(x), top = __builtin_elementwise_floor(y);
    if (__builtin_reduce_and((left >= 0.f) & (top >= 0.f) & (left < beyond_x) & (top < beyond_y))) {
      const Long rows = __builtin_convertvector(__builtin_convertvector(top, Whole), Long);
      const Long columns = __builtin_convertvector(__builtin_convertvector(left, Whole), Long);
      return Inside<CHANNELS, T>{src.data, src.row, rows * src.row + columns * CHANNELS, x - left, y - top}.pixels();
    }
  }
  const f32x4 p = bilinear_pixel<CHANNELS>(src, place_of(x[0], y[0])), q = bilinear_pixel<CHANNELS>(src, place_of(x[1], y[1]));
  const f32x4 r = bilinear_pixel<CHANNELS>(src, place_of(x[2], y[2])), s = bilinear_pixel<CHANNELS>(src, place_of(x[3], y[3]));
  return CHANNELS == 3 ? join3(p, q, r, s) : join4(p, q, r, s);
}

template <class T> HD Picture<T> picture_of(const Array<const T, 3>& src, bool filled, float fill) {
  return {src.data, src.strides[0], src.shape[0], src.shape[1], src.shape[2], filled, fill};
}

// Pixels of an image of `pixels`, from their numbers, which are negative where `fill` is meant, one value for each channel.
template <int CHANNELS, class T>
HD void copy_each(const T* data, i64 pixels, i64 many, const i32* from, i64 count, const T* fill, T* to) {
  const i64 channels = CHANNELS ? CHANNELS : many;
  // a word is moved for three bytes: the fourth belongs to the next pixel, which must exist, and is written over
  const bool words = CHANNELS == 3 && sizeof(T) == 1;
  const u32 most_words = (u32)most<i64>(pixels - 1, 0);
  for (i64 i = 0; i < count; i++, to += channels) {
    if (words && (u32)from[i] < most_words && i + 1 < count) {
      write(to, read<u32>(data + from[i] * 3ll));
      continue;
    }
    const T* pixel = from[i] < 0 ? fill : data + from[i] * channels;
    for (i64 c = 0; c < channels; c++) to[c] = pixel[c];
  }
}
template <class T> HD void copy_pixels(const T* data, i64 pixels, i64 channels, const i32* from, i64 count, const T* fill, T* to) {
  if (channels == 3) copy_each<3>(data, pixels, channels, from, count, fill, to);
  else if (channels == 1) copy_each<1>(data, pixels, channels, from, count, fill, to);
  else if (channels == 4) copy_each<4>(data, pixels, channels, from, count, fill, to);
  else copy_each<0>(data, pixels, channels, from, count, fill, to);
}
