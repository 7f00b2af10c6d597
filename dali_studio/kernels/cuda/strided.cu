// Elements that lie at any distances, copied into arrays without gaps: what `kernels/cpu/strided.cpp` and `copy_window.cpp` do.
// A thread copies COUNT neighbours. Macros: the element types IN and OUT; AXES; WINDOWED, whether an element may lie outside the
// input; BORDER, what is there then; NORMALIZED, whether elements are normalised by two numbers of their channel.
#include "../include/border.hpp"
#include "../include/division.hpp"
#include "../include/normalize.hpp"
#include "clamp.cuh"
#include "neighbours.cuh"

enum { LAST = AXES - 1 };
struct Item {
  const IN* from;  // the element at 0, 0, ...
  OUT* to;
  i64 count, fill, period;  // elements of the result; its values for what lies outside begin at `fill`, and as many take turns
  i64 extents[AXES], steps[AXES];  // of the result, and from an element of the input to its neighbour
  i64 firsts[AXES], sizes[AXES], channels[AXES];  // begin of the window, extents of the input, distances of the values outside
};
// Of each channel: what lies outside, and the numbers of the formula.
struct Channels {
  const OUT* __restrict__ fills;
  const float *__restrict__ means, *__restrict__ factors;
  __device__ __forceinline__ OUT value(IN x, i64 channel) const {
#if NORMALIZED
    return from_float<OUT>(Normalize<float>{__ldg(means + channel), __ldg(factors + channel)}(to_float(x)));
#else
    return Clamp<OUT, IN>::of(x);
#endif
  }
};

// Which element of the input an index of the result shows.
__device__ __forceinline__ i64 place_along(const Item& item, int axis, i64 index) {
  if (!WINDOWED) return index;
  const i64 place = index + item.firsts[axis];
  return BORDER == CONSTANT ? place : bordered(place, item.sizes[axis], (Border)BORDER);
}

// Neighbours that lie in one row of the result.
__device__ __forceinline__ void row(const Item& item, const Channels& channels, const i64 (&index)[AXES], Neighbours& made) {
  const i64 first = WINDOWED ? index[LAST] + item.firsts[LAST] : index[LAST], step = item.steps[LAST], size = item.sizes[LAST];
  i64 at = 0, channel = item.fill;
  bool inside = true;
#pragma unroll
  for (int axis = 0; axis < LAST; axis++) {
    const i64 place = place_along(item, axis, index[axis]);
    at += place * item.steps[axis];
    if (!WINDOWED) continue;
    inside = inside && place >= 0 && place < item.sizes[axis];
    channel += index[axis] * item.channels[axis];
  }
  const IN* from = item.from + at;
  if (!WINDOWED || (inside && first >= 0 && first + COUNT <= size)) {
    from += first * step;
    if (step == 1 && !NORMALIZED) return load(from, made, [](IN x) { return Clamp<OUT, IN>::of(x); });
    u32 turn = NORMALIZED ? (u32)(index[LAST] % item.period) : 0;
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
      made.values[k] = channels.value(from[k * step], channel + turn);
      if (NORMALIZED && ++turn == (u32)item.period) turn = 0;
    }
    return;
  }
  u32 turn = (u32)(index[LAST] - quotient(index[LAST], item.period) * item.period);
  if (BORDER == CONSTANT && (!inside || first + COUNT <= 0 || first >= size)) {  // all of them lie outside
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
      made.values[k] = channels.fills[channel + turn];
      if (++turn == (u32)item.period) turn = 0;
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < COUNT; k++) {
    const i64 place = place_along(item, LAST, index[LAST] + k);
    const bool there = inside && place >= 0 && place < size;
    made.values[k] = there ? channels.value(from[place * step], channel + turn) : channels.fills[channel + turn];
    if (++turn == (u32)item.period) turn = 0;
  }
}

__device__ __forceinline__ OUT element(const Item& item, const Channels& channels, const i64 (&index)[AXES]) {
  i64 at = 0, channel = item.fill + (WINDOWED ? index[LAST] % item.period : 0);
  bool inside = true;
#pragma unroll
  for (int axis = 0; axis < AXES; axis++) {
    const i64 place = place_along(item, axis, index[axis]);
    at += place * item.steps[axis];
    if (!WINDOWED) continue;
    inside = inside && place >= 0 && place < item.sizes[axis];
    channel += index[axis] * item.channels[axis];
  }
  return inside ? channels.value(item.from[at], channel) : channels.fills[channel];
}

// U is an unsigned type that has all numbers of elements: divisions of short ones are faster.
template <class U> __device__ __forceinline__ void copy(const Item& item, const Channels& channels, i64 begin) {
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
  if (index[LAST] + COUNT <= item.extents[LAST]) {
    row(item, channels, index, made);
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
      if (k < count) made.values[k] = element(item, channels, index);
      bool over = true;
#pragma unroll
      for (int axis = LAST; axis >= 0; axis--) {
        index[axis] += over;
        over = over && axis && index[axis] == item.extents[axis];
        if (over) index[axis] = 0;
      }
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

extern "C" __global__ void __launch_bounds__(256) strided(
    const Item* __restrict__ items, const OUT* __restrict__ fills, const float* __restrict__ means, const float* __restrict__ factors) {
  const Item& item = items[blockIdx.y];
  const i64 begin = ((i64)blockIdx.x * 256 + threadIdx.x) * COUNT;
  if (begin >= item.count) return;
  if (item.count < (1ll << 31)) copy<u32>(item, {fills, means, factors}, begin);
  else copy<u64>(item, {fills, means, factors}, begin);
}
