// Affine warp of volumes. A block computes a tile of the planes of a piece, a thread a voxel of each. Macros: IN, OUT; NN chooses the
// filter, FILLED the border, INVERTED maps from input to output points.
#include "../include/warp.hpp"

// Voxels of a block; a warp has compact patches of WIDE columns, so that neighbours share what they read.
enum { COLUMNS = 32, ROWS = 8, PLANES = 4, WIDE = 8 };

struct Item {
  const IN* from;
  OUT* to;
  const float* matrix;
  i32 depth, height, width, channels, out_depth, out_height, out_width;
  float fill;
};

// I is an integer type that counts the elements of the volume.
template <class I> __device__ __forceinline__ float tap(const Item& t, I z, I y, I x, i32 c) {
  if (FILLED && (x < 0 || y < 0 || z < 0 || x >= t.width || y >= t.height || z >= t.depth)) return t.fill;
  z = between<I>(z, 0, t.depth - 1), y = between<I>(y, 0, t.height - 1), x = between<I>(x, 0, t.width - 1);
  return to_float(t.from[((z * t.height + y) * t.width + x) * t.channels + c]);
}

template <class I> __device__ __forceinline__ void voxel(const Item& t, const Point3& p, OUT* to) {
  const float far = 1e9f, half = NN ? 0.f : 0.5f;  // far outside is as good as very far outside
  const float x = between(p.x - half, -far, far), y = between(p.y - half, -far, far), z = between(p.z - half, -far, far);
  const float left = floorf(x), top = floorf(y), front = floorf(z);
  const Voxel at = {(i32)left, (i32)top, (i32)front, x - left, y - top, z - front};
  const i32 next = NN ? 0 : 1;
  if (left >= 0 && top >= 0 && front >= 0 && left < (float)(t.width - next) && top < (float)(t.height - next) &&
      front < (float)(t.depth - next)) {
    const I column = t.channels, row = t.width * column, plane = t.height * row;
    const IN* from = t.from + ((I)at.z * plane + (I)at.y * row + (I)at.x * column);
    for (i32 c = 0; c < t.channels; c++) {
      const auto near = [&](i64 k, i64 j, i64 n) {
        return to_float(from[(I)(k - at.z) * plane + (I)(j - at.y) * row + (I)(n - at.x) * column + c]);
      };
      to[c] = from_float<OUT>(NN ? to_float(from[c]) : warp_trilinear(at, near));
    }
    return;
  }
  for (i32 c = 0; c < t.channels; c++)
    to[c] = from_float<OUT>(NN ? tap<I>(t, (I)at.z, (I)at.y, (I)at.x, c)
                               : warp_trilinear(at, [&](i64 k, i64 j, i64 n) { return tap<I>(t, (I)k, (I)j, (I)n, c); }));
}

extern "C" __global__ void __launch_bounds__(256) warp_volume(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];
  const u32 across = (t.out_width + COLUMNS - 1) / COLUMNS, down = (t.out_height + ROWS - 1) / ROWS;
  const u32 line = blockIdx.x / across, piece = line / down;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const i32 column = (i32)((blockIdx.x - line * across) * COLUMNS + warp % 4 * WIDE + lane % WIDE);
  const i32 row = (i32)((line - piece * down) * ROWS + warp / 4 * 4 + lane / WIDE), first = (i32)(piece * PLANES);
  if (column >= t.out_width || row >= t.out_height || first >= t.out_depth) return;
  float m[12];
#if INVERTED
  warp_inverse3(t.matrix, m);
#else
  for (int k = 0; k < 12; k++) m[k] = t.matrix[k];
#endif
  const i64 plane = (i64)t.out_height * t.out_width;
  OUT* to = t.to + (first * plane + (i64)row * t.out_width + column) * t.channels;
  const bool few = (i64)t.depth * t.height * t.width * t.channels < (1ll << 31);
  for (i32 z = first; z < least(first + PLANES, t.out_depth); z++, to += plane * t.channels) {
    const Point3 p = warp_point(m, column, row, z);
    if (few) voxel<i32>(t, p, to);
    else voxel<i64>(t, p, to);
  }
}
