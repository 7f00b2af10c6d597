// Elements that lie at any distances, copied into arrays without gaps: what `kernels/cpu/strided.cpp` and `copy_window.cpp` do.
// A thread copies COUNT neighbours. Macros: the element types IN and OUT; AXES; WINDOWED, whether an element may lie outside the
// input; BORDER, what is there then.
#include "../include/border.hpp"
#include "clamp.cuh"

struct Item {
  const IN* from;  // the element at 0, 0, ...
  OUT* to;
  i64 count, fill;  // elements of the result; where its values for what lies outside begin
  i64 extents[AXES], steps[AXES];  // of the result, and from an element of the input to its neighbour
  i64 firsts[AXES], sizes[AXES], channels[AXES];  // begin of the window, extents of the input, distances of the values outside
};
struct alignas(COUNT * sizeof(OUT)) Neighbours { OUT values[COUNT]; };

__device__ __forceinline__ OUT element(const Item& item, const OUT* __restrict__ fills, const i64 (&index)[AXES]) {
  i64 at = 0, channel = item.fill;
  bool inside = true;
#pragma unroll
  for (int axis = 0; axis < AXES; axis++) {
    i64 place = WINDOWED ? index[axis] + item.firsts[axis] : index[axis];
    if (WINDOWED && BORDER != CONSTANT) place = bordered(place, item.sizes[axis], (Border)BORDER);
    at += place * item.steps[axis];
    if (!WINDOWED) continue;
    inside = inside && place >= 0 && place < item.sizes[axis];
    channel += index[axis] * item.channels[axis];
  }
  return inside ? Clamp<OUT, IN>::of(item.from[at]) : fills[channel];
}

// U is an unsigned type that has all numbers of elements: divisions of short ones are faster.
template <class U> __device__ __forceinline__ void copy(const Item& item, const OUT* __restrict__ fills, i64 begin) {
  i64 index[AXES];
  U rest = (U)begin;
#pragma unroll
  for (int axis = AXES - 1; axis > 0; axis--) {
    const U extent = (U)item.extents[axis];
    index[axis] = (i64)(rest % extent), rest /= extent;
  }
  index[0] = (i64)rest;
  Neighbours made;
  const int count = (int)min((i64)COUNT, item.count - begin);
#pragma unroll
  for (int k = 0; k < COUNT; k++) {
    if (k < count) made.values[k] = element(item, fills, index);
    bool over = true;
#pragma unroll
    for (int axis = AXES - 1; axis >= 0; axis--) {
      index[axis] += over;
      over = over && axis && index[axis] == item.extents[axis];
      if (over) index[axis] = 0;
    }
  }
  OUT* to = item.to + begin;
  if (count == COUNT && (u64)to % sizeof(Neighbours) == 0) {
    *(Neighbours*)to = made;
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; k++)
      if (k < count) to[k] = made.values[k];
  }
}

extern "C" __global__ void __launch_bounds__(256) strided(const Item* __restrict__ items, const OUT* __restrict__ fills) {
  const Item& item = items[blockIdx.y];
  const i64 begin = ((i64)blockIdx.x * 256 + threadIdx.x) * COUNT;
  if (begin >= item.count) return;
  if (item.count < (1ll << 31)) copy<u32>(item, fills, begin);
  else copy<u64>(item, fills, begin);
}
