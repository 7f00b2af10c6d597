// Points, vectors and boxes. Macros: IN and OUT, the types of the components for `transform_points`, and ROWS and COLUMNS of its
// matrix; others take floats.
#include "../include/boxes.hpp"
#include "../include/points.hpp"

struct Item {
  const void* from;
  void* to;
  i64 count;
};

#ifdef ROWS
enum { VECTORS = 4 };

// Components of VECTORS vectors, by words where they begin at one.
template <class T, int COUNT> union Components {
  u32 words[COUNT * sizeof(T) / 4];
  T values[COUNT];
  __device__ __forceinline__ Components() {}
};

// M v + t; a thread makes VECTORS vectors.
extern "C" __global__ void __launch_bounds__(256) transform_points(
    const Item* __restrict__ items, const float* __restrict__ matrices, const float* __restrict__ offsets) {
  const i64 i = ((i64)blockIdx.x * 256 + threadIdx.x) * VECTORS, sample = blockIdx.y, left = items[sample].count - i;
  if (left <= 0) return;
  const IN* from = (const IN*)items[sample].from + i * COLUMNS;
  OUT* to = (OUT*)items[sample].to + i * ROWS;
  matrices += sample * (ROWS * COLUMNS), offsets += sample * ROWS;
  if (left < VECTORS || ((u64)from | (u64)to) % 4) {
    transform_all(from, to, least(left, (i64)VECTORS), matrices, offsets, ROWS, COLUMNS);
    return;
  }
  Components<IN, VECTORS * COLUMNS> given;
  Components<OUT, VECTORS * ROWS> made;
#pragma unroll
  for (int k = 0; k < (int)(sizeof given.words / 4); k++) given.words[k] = ((const u32*)from)[k];
#pragma unroll
  for (int k = 0; k < VECTORS; k++) transform_all(given.values + k * COLUMNS, made.values + k * ROWS, 1, matrices, offsets, ROWS, COLUMNS);
#pragma unroll
  for (int k = 0; k < (int)(sizeof made.words / 4); k++) ((u32*)to)[k] = made.words[k];
}
#endif

// Components are mirrored where `mirrored` says so; `sums` are twice the centres.
extern "C" __global__ void __launch_bounds__(256) mirror_points(
    const Item* __restrict__ items, const float* __restrict__ sums, const u8* __restrict__ mirrored, i64 axes) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x, axis = blockIdx.y * axes + i % axes;
  if (i >= item.count) return;
  const float x = ((const float*)item.from)[i];
  ((float*)item.to)[i] = mirrored[axis] ? sums[axis] - x : x;
}

extern "C" __global__ void __launch_bounds__(256) mirror_boxes(
    const Item* __restrict__ items, const i32* __restrict__ horizontal, const i32* __restrict__ vertical, i64 corners) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  Box<2> box = read_box((const float*)item.from + 4 * i, corners);
  if (horizontal[blockIdx.y]) mirror(box, 0);
  if (vertical[blockIdx.y]) mirror(box, 1);
  write_box(box, corners, (float*)item.to + 4 * i);
}
