// Affine warp of volumes. A block computes a tile of the planes of a piece, a thread a voxel of each. Macros: IN, OUT; NN chooses the
// filter, FILLED the border, INVERTED maps from input to output points; FEW says that all volumes have fewer than 2^31 elements and
// extents below 2^22, ONE that they have one channel.
#include "../include/warp.hpp"

// Voxels of a block; a warp has compact patches of WIDE columns, so that neighbours share what they read.
enum { COLUMNS = 32, ROWS = 8, PLANES = 4, WIDE = 16 };

#if FEW
typedef i32 I;  // counts the elements of a volume
#else
typedef i64 I;
#endif

struct Item {
  const IN* from;
  OUT* to;
  const float* matrix;
  i32 depth, height, width, channels, out_depth, out_height, out_width;
  float fill;
};

// A float below 2^22 in size, taken down to a whole number; conversion instructions are slow, and adding 1.5 * 2^23 downwards leaves
// that number in the last places.
struct Floor {
  float value;
  i32 whole;
  __device__ __forceinline__ explicit Floor(float x) {
    const float raised = __fadd_rd(x, 12582912.f);
    value = raised - 12582912.f, whole = (i32)(__float_as_uint(raised) - 0x4b400000u);
  }
};

// As `to_float`, for the same reason.
__device__ __forceinline__ float read(const IN* at) {
  if (sizeof(IN) == 1 && (IN)-1 > 0) return __uint_as_float(0x4b000000u | (u32)*at) - 8388608.f;
  return to_float(*at);
}

__device__ __forceinline__ bool beyond(const Item& t, I z, I y, I x) {
  return FILLED && (x < 0 || y < 0 || z < 0 || x >= t.width || y >= t.height || z >= t.depth);
}
__device__ __forceinline__ const IN* nearest(const Item& t, I z, I y, I x, i32 c) {
  z = between<I>(z, 0, t.depth - 1), y = between<I>(y, 0, t.height - 1), x = between<I>(x, 0, t.width - 1);
  return t.from + ((z * t.height + y) * t.width + x) * t.channels + c;
}
__device__ __forceinline__ float tap(const Item& t, I z, I y, I x, i32 c) {
  return beyond(t, z, y, x) ? t.fill : read(nearest(t, z, y, x, c));
}

// A voxel taken as it is; what is of the same type does not go through float, which holds 24 bits of it.
template <class O, class E> struct Taken {
  static __device__ __forceinline__ O of(const E* at) { return from_float<O>(read(at)); }
};
template <class E> struct Taken<E, E> {
  static __device__ __forceinline__ E of(const E* at) { return *at; }
};

__device__ __forceinline__ void voxel(const Item& t, const Voxel& at, OUT* to) {
  const i32 next = NN ? 0 : 1, channels = ONE ? 1 : t.channels;
  const bool inside = at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < t.width - next && at.y < t.height - next && at.z < t.depth - next;
  const I column = channels, row = t.width * column, plane = t.height * row;
  const IN* from = t.from + ((I)at.z * plane + (I)at.y * row + (I)at.x * column);
  if (inside) {
#pragma unroll 1
    for (i32 c = 0; c < channels; c++, from++) {
      const auto near = [&](i64 k, i64 j, i64 n) {
        return read(from + ((I)(k - at.z) * plane + (I)(j - at.y) * row + (I)(n - at.x) * column));
      };
      to[c] = NN ? Taken<OUT, IN>::of(from) : from_float<OUT>(warp_trilinear(at, near));
    }
    return;
  }
#pragma unroll 1
  for (i32 c = 0; c < channels; c++) {
    const I z = (I)at.z, y = (I)at.y, x = (I)at.x;
    if (NN) to[c] = beyond(t, z, y, x) ? from_float<OUT>(t.fill) : Taken<OUT, IN>::of(nearest(t, z, y, x, c));
    else to[c] = from_float<OUT>(warp_trilinear(at, [&](i64 k, i64 j, i64 n) { return tap(t, (I)k, (I)j, (I)n, c); }));
  }
}

// Where a point lies: between voxels, or in the nearest one.
__device__ __forceinline__ Voxel voxel_at(const Point3& p) {
  // Far outside is as good as very far outside.
  const float far = FEW ? 4194000.f : 1e9f, half = NN ? 0.f : 0.5f;
  const float x = between(p.x - half, -far, far), y = between(p.y - half, -far, far), z = between(p.z - half, -far, far);
#if FEW
  const Floor left(x), top(y), front(z);
  return {left.whole, top.whole, front.whole, x - left.value, y - top.value, z - front.value};
#else
  const float left = floorf(x), top = floorf(y), front = floorf(z);
  return {(i32)left, (i32)top, (i32)front, x - left, y - top, z - front};
#endif
}

extern "C" __global__ void __launch_bounds__(256, 6) warp_volume(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];
  const u32 across = (t.out_width + COLUMNS - 1) / COLUMNS, down = (t.out_height + ROWS - 1) / ROWS;
  const u32 line = blockIdx.x / across, piece = line / down;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const i32 column = (i32)((blockIdx.x - line * across) * COLUMNS + warp % 2 * WIDE + lane % WIDE);
  const i32 row = (i32)((line - piece * down) * ROWS + warp / 2 * 2 + lane / WIDE), first = (i32)(piece * PLANES);
  if (column >= t.out_width || row >= t.out_height || first >= t.out_depth) return;
  float m[12];
#if INVERTED
  warp_inverse3(t.matrix, m);
#else
  for (int k = 0; k < 12; k++) m[k] = t.matrix[k];
#endif
  const i64 plane = (i64)t.out_height * t.out_width;
  OUT* to = t.to + (first * plane + (i64)row * t.out_width + column) * t.channels;
  for (i32 z = first; z < least(first + PLANES, t.out_depth); z++, to += plane * t.channels)
    voxel(t, voxel_at(warp_point(m, column, row, z)), to);
}
