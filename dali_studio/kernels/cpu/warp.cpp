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

// Pixels of 3 or 4 channels, four at once, up to less than four before `end`.
template <int CHANNELS, class I, class O> HD i64 fours(const Picture<I>& src, O* to, i64 i, i64 end, Point& point, Point step) {
  for (; i + 4 <= end; i += 4) {
    f32x4 p = bilinear_at<CHANNELS>(src, point, step), q = bilinear_at<CHANNELS>(src, point, step);
    f32x4 r = bilinear_at<CHANNELS>(src, point, step), s = bilinear_at<CHANNELS>(src, point, step);
    if (CHANNELS == 3) store12<AWAY>(to + 3 * i, join3(p, q, r, s));
    else store<AWAY, 16>(to + 4 * i, join4(p, q, r, s));
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
