// The loops of `warp.py`, which sees to it that the input has a pixel, that rows are packed, and that the channels are the same.
#include "instantiations.hpp"
#include "picture.hpp"

// Pixels of 3 or 4 channels, four at once, up to less than four before `end`.
template <int CHANNELS, class I, class O> HD i64 fours(const Picture<I>& src, O* to, i64 i, i64 end, Point& point, Point step) {
  for (; i + 4 <= end; i += 4) {
    const Point a = point, b = a.moved(step), c = b.moved(step), d = c.moved(step);
    store_four<CHANNELS>(to, i, four_pixels<CHANNELS>(src, f32x4{a.x, b.x, c.x, d.x} - 0.5f, f32x4{a.y, b.y, c.y, d.y} - 0.5f));
    point = d.moved(step);
  }
  return i;
}

template <class I, class O> void warp_linear(Array<const I, 3> image, Array<O, 3> out, Dense<const f32, 2> matrix, bool filled, float fill) {
  const Picture<I> src = picture_of(image, filled, fill);
  const Point step = {matrix.data[0], matrix.data[3]};
  for (i64 j = 0; j < out.shape[0]; j++) {
    O* to = out.data + j * out.strides[0];
    Point block = warp_point(matrix.data, (i64)0, j);
    for (i64 i = 0; i < out.shape[1]; block = block.moved(step, WARP_BLOCK)) {
      Point point = block;
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
        point = point.moved(step);
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
      else if constexpr (same<I, O>::value) pixel[c] = from[c];
      else store1<AWAY>(pixel + c, load1(from + c));
    }
    point = point.moved(step);
  }
}

template <class I, class O> void warp_nearest(Array<const I, 3> image, Array<O, 3> out, Dense<const f32, 2> matrix, bool filled, float fill) {
  const Picture<I> src = picture_of(image, filled, fill);
  const Point step = {matrix.data[0], matrix.data[3]};
  O outside;
  store1<AWAY>(&outside, fill);
  for (i64 j = 0; j < out.shape[0]; j++) {
    O* to = out.data + j * out.strides[0];
    Point block = warp_point(matrix.data, (i64)0, j);
    for (i64 i = 0; i < out.shape[1]; i += WARP_BLOCK, block = block.moved(step, WARP_BLOCK)) {
      const i64 end = least(i + WARP_BLOCK, out.shape[1]);
      if (src.channels == 3) nearest<3>(src, to, i, end, block, step, outside);
      else if (src.channels == 1) nearest<1>(src, to, i, end, block, step, outside);
      else if (src.channels == 4) nearest<4>(src, to, i, end, block, step, outside);
      else nearest<0>(src, to, i, end, block, step, outside);
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
