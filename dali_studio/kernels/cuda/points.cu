// Points, vectors and boxes. Macros: IN and OUT, the types of the components for `transform_points`; others take floats.
#include "../include/boxes.hpp"
#include "../include/points.hpp"

struct Item {
  const void* from;
  void* to;
  i64 count;
};

// M v + t; a thread makes one vector.
extern "C" __global__ void __launch_bounds__(256) transform_points(
    const Item* __restrict__ items, const float* __restrict__ matrices, const float* __restrict__ offsets, i64 rows, i64 columns) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x, sample = blockIdx.y;
  if (i >= item.count) return;
  const IN* from = (const IN*)item.from + i * columns;
  OUT* to = (OUT*)item.to + i * rows;
  transform_all(from, to, 1, matrices + sample * rows * columns, offsets + sample * rows, rows, columns);
}

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
