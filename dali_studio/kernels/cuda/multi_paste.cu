// Regions of images, one over the other, on canvases that are 0 elsewhere. Macros: IN and OUT, the types of the elements; COUNT,
// the neighbours that a thread makes.
#include "../include/division.hpp"
#include "neighbours.cuh"

struct Region {
  const IN* from;   // its first element
  i64 width;        // of its image
  i64 begin[2], end[2];  // rows and columns of the canvas
};
struct Item {
  OUT* to;
  i64 count, width, channels;  // elements; of the canvas
  i64 first, regions;
};

// Element `at` of row `y` of the canvas; a row's elements are those of its pixels, one after the other.
__device__ __forceinline__ OUT element(const Item& item, const Region* __restrict__ regions, i64 y, i64 at) {
  for (i64 number = item.first + item.regions - 1; number >= item.first; number--) {
    const Region& region = regions[number];
    const i64 begin = region.begin[1] * item.channels, end = region.end[1] * item.channels;
    if (y < region.begin[0] || y >= region.end[0] || at < begin || at >= end) continue;
    return Cast<OUT, IN>::of(region.from[(y - region.begin[0]) * region.width * item.channels + at - begin]);
  }
  return Cast<OUT, u8>::of(0);
}

// Neighbours that one region covers, or none; false: they are to be looked up one by one.
__device__ __forceinline__ bool together(const Item& item, const Region* __restrict__ regions, i64 y, i64 at, Neighbours& made) {
  for (i64 number = item.first + item.regions - 1; number >= item.first; number--) {
    const Region& region = regions[number];
    const i64 begin = region.begin[1] * item.channels, end = region.end[1] * item.channels;
    if (y < region.begin[0] || y >= region.end[0] || at + COUNT <= begin || at >= end) continue;
    if (at < begin || at + COUNT > end) return false;
    const IN* from = region.from + (y - region.begin[0]) * region.width * item.channels + at - begin;
    load(from, made, [](IN x) { return Cast<OUT, IN>::of(x); });
    return true;
  }
#pragma unroll
  for (int k = 0; k < COUNT; k++) made.values[k] = Cast<OUT, u8>::of(0);
  return true;
}

extern "C" __global__ void __launch_bounds__(256) multi_paste(const Item* __restrict__ items, const Region* __restrict__ regions) {
  const Item& item = items[blockIdx.y];
  const i64 begin = ((i64)blockIdx.x * 256 + threadIdx.x) * COUNT;
  if (begin >= item.count) return;
  const i64 row = item.width * item.channels;
  i64 y = quotient(begin, row), at = begin - y * row;
  const int count = (int)min((i64)COUNT, item.count - begin);
  Neighbours made;
  OUT* to = item.to + begin;
  if (at + COUNT > row || !together(item, regions, y, at, made)) {
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
      if (k < count) made.values[k] = element(item, regions, y, at);
      if (++at == row) at = 0, y++;
    }
  }
  if (count == COUNT && (u64)to % sizeof(made) == 0) {
    *(Neighbours*)to = made;
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; k++)
      if (k < count) to[k] = made.values[k];
  }
}
