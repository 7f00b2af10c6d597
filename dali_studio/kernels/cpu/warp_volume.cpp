// The loop of `warp_volume.py`, which sees to it that the input has a voxel.
#include "../include/warp.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"
#include "vector.hpp"

template <class I> struct Volume {
  const I* data;
  i64 depth, height, width, channels;
  bool filled;  // outside lies `fill`, otherwise the nearest voxel
  float fill;

  HD bool outside(i64 z, i64 y, i64 x) const { return x < 0 || y < 0 || z < 0 || x >= width || y >= height || z >= depth; }
  HD const I* nearest(i64 z, i64 y, i64 x) const {
    z = between<i64>(z, 0, depth - 1), y = between<i64>(y, 0, height - 1), x = between<i64>(x, 0, width - 1);
    return data + ((z * height + y) * width + x) * channels;
  }
  HD float tap(i64 z, i64 y, i64 x, i64 c) const { return filled && outside(z, y, x) ? fill : load1(nearest(z, y, x) + c); }
};

template <class I, class O>
static i64 warped(const Dense<const I, 4>& image, const Dense<O, 4>& out, const Dense<const f32, 2>& matrix, bool nearest, bool filled, float fill) {
  const Volume<I> src = {image.data, image.shape[0], image.shape[1], image.shape[2], image.shape[3], filled, fill};
  if (out.shape[3] != src.channels || matrix.shape[0] != 3 || matrix.shape[1] != 4) return MISFIT;
  const float* m = matrix.data;
  const Point3 step = {m[0], m[4], m[8]};
  O *to = out.data, outside;
  store1<AWAY>(&outside, fill);
  for (i64 slice = 0; slice < out.shape[0]; slice++)
    for (i64 row = 0; row < out.shape[1]; row++) {
      Point3 block = warp_point(m, (i64)0, row, slice), point = block;
      for (i64 column = 0; column < out.shape[2]; column++, to += src.channels) {
        if (column && column % WARP_BLOCK == 0) point = block = block.moved(step, WARP_BLOCK);
        if (nearest) {
          const i64 x = cut_or_least(floor_of(point.x)), y = cut_or_least(floor_of(point.y)), z = cut_or_least(floor_of(point.z));
          const bool beyond = filled && src.outside(z, y, x);
          const I* from = src.nearest(z, y, x);
          for (i64 c = 0; c < src.channels; c++) {
            if (beyond) to[c] = outside;
            else if constexpr (same<I, O>::value) to[c] = from[c];
            else store1<AWAY>(to + c, load1(from + c));
          }
        } else {
          const float x = point.x - 0.5f, y = point.y - 0.5f, z = point.z - 0.5f;
          const float left = floor_of(x), top = floor_of(y), front = floor_of(z);
          const Voxel at = {cut_or_least(left), cut_or_least(top), cut_or_least(front), x - left, y - top, z - front};
          for (i64 c = 0; c < src.channels; c++)
            store1<AWAY>(to + c, warp_trilinear(at, [&](i64 k, i64 j, i64 i) { return src.tap(k, j, i, c); }));
        }
        point = point.moved(step);
      }
    }
  return 0;
}
template <class T>
i64 volume_same(Dense<const T, 4> src, Dense<T, 4> out, Dense<const f32, 2> matrix, bool nearest, bool filled, float fill) {
  return warped(src, out, matrix, nearest, filled, fill);
}
template <class T>
i64 volume_real(Dense<const T, 4> src, Dense<f32, 4> out, Dense<const f32, 2> matrix, bool nearest, bool filled, float fill) {
  return warped(src, out, matrix, nearest, filled, fill);
}
template <class T>
i64 volume_of_real(Dense<const f32, 4> src, Dense<T, 4> out, Dense<const f32, 2> matrix, bool nearest, bool filled, float fill) {
  return warped(src, out, matrix, nearest, filled, fill);
}
REGISTER_EACH(volume_same, WarpVolumeTypes)
REGISTER_EACH(volume_real, WarpVolumeTypes)
REGISTER_EACH(volume_of_real, WarpVolumeTypes)

static i64 volume_inverses(Dense<const f32, 2> matrices, Dense<f32, 2> made) {
  if (matrices.shape[1] != 12 || made.shape[1] != 12 || matrices.shape[0] != made.shape[0]) return MISFIT;
  for (i64 i = 0; i < made.shape[0]; i++) warp_inverse3(matrices.data + 12 * i, made.data + 12 * i);
  return 0;
}
REGISTER_SHORT(volume_inverses)
