// Affine warp of volumes. A thread computes one voxel. Macros: IN, OUT; NN chooses the filter, FILLED the border, INVERTED maps
// from input to output points.
#include "../include/warp.hpp"

struct Item {
  const IN* from;
  OUT* to;
  const float* matrix;
  i32 depth, height, width, channels, out_depth, out_height, out_width;
  float fill;
};

__device__ __forceinline__ float tap(const Item& t, i64 z, i64 y, i64 x, i32 c) {
  if (FILLED && (x < 0 || y < 0 || z < 0 || x >= t.width || y >= t.height || z >= t.depth)) return t.fill;
  z = between<i64>(z, 0, t.depth - 1), y = between<i64>(y, 0, t.height - 1), x = between<i64>(x, 0, t.width - 1);
  return to_float(t.from[((z * t.height + y) * t.width + x) * t.channels + c]);
}

extern "C" __global__ void __launch_bounds__(256) warp_volume(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= (i64)t.out_depth * t.out_height * t.out_width) return;
  float m[12];
#if INVERTED
  warp_inverse3(t.matrix, m);
#else
  for (int k = 0; k < 12; k++) m[k] = t.matrix[k];
#endif
  const i64 row = i / t.out_width;
  const Point3 p = warp_point(m, (i32)(i % t.out_width), (i32)(row % t.out_height), (i32)(row / t.out_height));
  const float far = 1e9f, half = NN ? 0.f : 0.5f;  // far outside is as good as very far outside
  const float x = between(p.x - half, -far, far), y = between(p.y - half, -far, far), z = between(p.z - half, -far, far);
  const float left = floorf(x), top = floorf(y), front = floorf(z);
  const Voxel at = {(i64)left, (i64)top, (i64)front, x - left, y - top, z - front};
  OUT* to = t.to + i * t.channels;
  for (i32 c = 0; c < t.channels; c++)
    to[c] = from_float<OUT>(NN ? tap(t, at.z, at.y, at.x, c)
                                    : warp_trilinear(at, [&](i64 k, i64 j, i64 n) { return tap(t, k, j, n, c); }));
}
