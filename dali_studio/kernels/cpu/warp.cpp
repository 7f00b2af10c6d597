// The loops of `warp.py`, which sees to it that the input has a pixel, that rows are packed, and that the channels are the same.
#include "../include/warp.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"
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
// The pixel at a point, of 3 or 4 channels; the point moves on.
template <int CHANNELS, class T> HD f32x4 bilinear_at(const Picture<T>& src, Point& point, Point step) {
  Place at = place_of(point.x - 0.5f, point.y - 0.5f);
  point = {point.x + step.x, point.y + step.y};
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

// Pixels of 3 or 4 channels, four at once, up to less than four before `end`.
template <int CHANNELS, class I, class O> HD i64 fours(const Picture<I>& src, O* to, i64 i, i64 end, Point& point, Point step) {
  typedef Vector<i32, 4> Whole;
  typedef Vector<i64, 4> Long;
  // as in `bilinear_at`; whole numbers up to this are floats
  const i64 most_exact = 1 << 24;
  [[maybe_unused]] const float beyond_x = (float)least(src.width - 5 + CHANNELS, most_exact), beyond_y = (float)least(src.height - 1, most_exact);
  for (; i + 4 <= end; i += 4) {
    if constexpr (sizeof(I) <= WIDEST) {
      const Point a = point, b = {a.x + step.x, a.y + step.y}, c = {b.x + step.x, b.y + step.y}, d = {c.x + step.x, c.y + step.y};
      const f32x4 x = f32x4{a.x, b.x, c.x, d.x} - 0.5f, y = f32x4{a.y, b.y, c.y, d.y} - 0.5f;
      const f32x4 left = __builtin_elementwise_floor(x), top = __builtin_elementwise_floor(y);
      if (__builtin_reduce_and((left >= 0.f) & (top >= 0.f) & (left < beyond_x) & (top < beyond_y))) {
        const Long rows = __builtin_convertvector(__builtin_convertvector(top, Whole), Long);
        const Long columns = __builtin_convertvector(__builtin_convertvector(left, Whole), Long);
        store_four<CHANNELS>(to, i, Inside<CHANNELS, I>{src.data, src.row, rows * src.row + columns * CHANNELS, x - left, y - top}.pixels());
        point = {d.x + step.x, d.y + step.y};
        continue;
      }
    }
    const f32x4 p = bilinear_at<CHANNELS>(src, point, step), q = bilinear_at<CHANNELS>(src, point, step);
    const f32x4 r = bilinear_at<CHANNELS>(src, point, step), s = bilinear_at<CHANNELS>(src, point, step);
    store_four<CHANNELS>(to, i, CHANNELS == 3 ? join3(p, q, r, s) : join4(p, q, r, s));
  }
  return i;
}

template <class I> HD Picture<I> picture_of(Array<const I, 3> src, bool filled, float fill) {
  return {src.data, src.strides[0], src.shape[0], src.shape[1], src.shape[2], filled, fill};
}

template <class I, class O> void warp_linear(Array<const I, 3> image, Array<O, 3> out, Dense<const f32, 2> matrix, bool filled, float fill) {
  const Picture<I> src = picture_of(image, filled, fill);
  const Point step = {matrix.data[0], matrix.data[3]};
  for (i64 j = 0; j < out.shape[0]; j++) {
    O* to = out.data + j * out.strides[0];
    for (i64 i = 0; i < out.shape[1];) {
      Point point = warp_point(matrix.data, i, j);
      const i64 end = least(i + WARP_BLOCK, out.shape[1]);
      if (src.channels == 3) i = fours<3>(src, to, i, end, point, step);
      else if (src.channels == 4) i = fours<4>(src, to, i, end, point, step);
      for (; i < end; i++) {
        Place at = place_of(point.x - 0.5f, point.y - 0.5f);
        O* pixel = to + i * src.channels;
        if (at.x >= 0 && at.y >= 0 && at.y + 1 < src.height && at.x + 1 < src.width) {
          const I *upper = src.data + at.y * src.row + at.x * src.channels, *lower = upper + src.row;
          for (i64 c = 0; c < src.channels; c++)
            store1<AWAY>(pixel + c, warp_bilinear(load1(upper + c), load1(upper + src.channels + c), load1(lower + c),
                                                  load1(lower + src.channels + c), at.right, at.low));
        } else {
          for (i64 c = 0; c < src.channels; c++) store1<AWAY>(pixel + c, src.bilinear1(at, c));
        }
        point = {point.x + step.x, point.y + step.y};
      }
    }
  }
}
REGISTER_PAIRS(warp_linear, WarpLinearInputs, WarpLinearOutputs)

// Pixels `i` to end - 1. CHANNELS is 0 where there are others than the usual ones.
template <int CHANNELS, class I, class O> HD void nearest(const Picture<I>& src, O* to, i64 i, i64 end, Point point, Point step, O fill) {
  const i64 channels = CHANNELS ? CHANNELS : src.channels;
  for (; i < end; i++) {
    i64 x = cut_or_least(floor_of(point.x)), y = cut_or_least(floor_of(point.y));
    O* pixel = to + i * channels;
    const bool outside = src.outside(y, x);
    const I* from = outside ? src.nearest(y, x) : src.data + y * src.row + x * channels;
    for (i64 c = 0; c < channels; c++) {
      if (outside && src.filled) pixel[c] = fill;
      else if constexpr (same<I, O>::value && !same<I, i32>::value) pixel[c] = from[c];  // 32 bits go through float, as in DALI
      else store1<AWAY>(pixel + c, load1(from + c));
    }
    point = {point.x + step.x, point.y + step.y};
  }
}

template <class I, class O> void warp_nearest(Array<const I, 3> image, Array<O, 3> out, Dense<const f32, 2> matrix, bool filled, float fill) {
  const Picture<I> src = picture_of(image, filled, fill);
  const Point step = {matrix.data[0], matrix.data[3]};
  O outside;
  store1<AWAY>(&outside, fill);
  for (i64 j = 0; j < out.shape[0]; j++) {
    O* to = out.data + j * out.strides[0];
    for (i64 i = 0; i < out.shape[1]; i += WARP_BLOCK) {
      const Point point = warp_point(matrix.data, i, j);
      const i64 end = least(i + WARP_BLOCK, out.shape[1]);
      if (src.channels == 3) nearest<3>(src, to, i, end, point, step, outside);
      else if (src.channels == 1) nearest<1>(src, to, i, end, point, step, outside);
      else if (src.channels == 4) nearest<4>(src, to, i, end, point, step, outside);
      else nearest<0>(src, to, i, end, point, step, outside);
    }
  }
}
REGISTER_PAIRS(warp_nearest, WarpNearestInputs, WarpNearestOutputs)

static void rotated_boxes(Array<const f64, 1> cosines, Array<const f64, 1> sines, Array<const i64, 1> rows, Array<const i64, 1> columns,
                          bool parity, Array<i64, 2> made) {
  // the margin keeps the rounding errors of a right angle from adding a pixel
  auto up = [](f64 x) { i64 whole = cut_i64(x - 1e-2); return whole + (whole < x - 1e-2); };
  for (i64 i = 0; i < made.shape[0]; i++) {
    f64 cosine = magnitude_of(cosines(i)), sine = magnitude_of(sines(i));
    i64 height = rows(i), width = columns(i);
    i64 box_h = up(height * cosine + width * sine), box_w = up(width * cosine + height * sine);
    bool turned = sine > cosine;
    made(i, 0) = box_h + (parity ? (box_h - (turned ? width : height)) & 1 : 0);
    made(i, 1) = box_w + (parity ? (box_w - (turned ? height : width)) & 1 : 0);
  }
}
REGISTER_SHORT(rotated_boxes)

static void rotations(Array<const f32, 1> cosines, Array<const f32, 1> sines, Array<const f32, 1> in_h, Array<const f32, 1> in_w,
                      Array<const f32, 1> out_h, Array<const f32, 1> out_w, Dense<f32, 2> made) {
  for (i64 i = 0; i < made.shape[0]; i++) warp_rotation(cosines(i), sines(i), in_h(i), in_w(i), out_h(i), out_w(i), made.data + 6 * i);
}
REGISTER_SHORT(rotations)

static void inverses(Dense<const f32, 2> matrices, Dense<f32, 2> made) {
  for (i64 i = 0; i < made.shape[0]; i++) warp_inverse(matrices.data + 6 * i, made.data + 6 * i);
}
REGISTER_SHORT(inverses)
