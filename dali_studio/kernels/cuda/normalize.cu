// Normalisation by means and deviations that differ along some axes. Macros: IN and OUT, the types of the elements; AXES;
// COUNT, the neighbours that a thread makes.
#include "../include/division.hpp"
#include "../include/normalize.hpp"

struct Item {
  const void* from;
  void* to;
  const float *mean, *factor;
  i64 count, extents[AXES], strides[AXES];  // elements; along which axes, and how far apart, means and factors differ
};

template <class T> struct alignas(COUNT * sizeof(T)) Neighbours { T values[COUNT]; };
template <class T> __device__ __forceinline__ void load(const T* from, int count, Neighbours<T>& into) {
  if (count == COUNT && (u64)from % sizeof(into) == 0) {
    into = *(const Neighbours<T>*)from;
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; k++) into.values[k] = from[min(k, count - 1)];
  }
}
template <class T> __device__ __forceinline__ void store(const Neighbours<T>& made, int count, T* to) {
  if (count == COUNT && (u64)to % sizeof(made) == 0) {
    *(Neighbours<T>*)to = made;
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; k++)
      if (k < count) to[k] = made.values[k];
  }
}

// What follows from sums, of `parts` each: with a weight a mean, or (`inverted`) the factor for distances from the mean.
extern "C" __global__ void __launch_bounds__(256) statistics(
    const Item* __restrict__ items, const float* __restrict__ weights, i64 parts, i64 inverted, float epsilon, float scale) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  double sum = 0;
  for (i64 part = 0; part < parts; part++) sum += ((const float*)item.from)[part * item.count + i];
  const float weight = weights[blockIdx.y], mean = (float)sum * weight;
  const float deviation = inverted ? sqrtf(mean + epsilon) : 0.f;
  ((float*)item.to)[i] = !inverted ? mean : weight > 0 && deviation != 0 ? scale / deviation : 0.f;
}

extern "C" __global__ void __launch_bounds__(256) normalize(const Item* __restrict__ items, float shift) {
  const Item& item = items[blockIdx.y];
  const i64 begin = ((i64)blockIdx.x * 256 + threadIdx.x) * COUNT;
  if (begin >= item.count) return;
  i64 rest = begin, index[AXES], at = 0;
#pragma unroll
  for (int axis = AXES - 1; axis >= 0; axis--) {
    const i64 above = axis ? quotient(rest, item.extents[axis]) : 0;
    index[axis] = rest - above * item.extents[axis];
    at += index[axis] * item.strides[axis];
    rest = above;
  }
  const int count = (int)min((i64)COUNT, item.count - begin);
  Neighbours<IN> data;
  Neighbours<OUT> made;
  load(((const IN*)item.from) + begin, count, data);
#pragma unroll
  for (int k = 0; k < COUNT; k++) {
    if (k >= count) break;
    const float value = Normalize<float>{item.mean[at], item.factor[at]}(to_float(data.values[k]));
    made.values[k] = from_float<OUT>(shift != 0 ? value + shift : value);
    bool over = true;
#pragma unroll
    for (int axis = AXES - 1; axis >= 0; axis--) {
      if (!over) break;
      index[axis]++;
      at += item.strides[axis];
      over = axis && index[axis] == item.extents[axis];
      if (over) at -= index[axis] * item.strides[axis], index[axis] = 0;
    }
  }
  store(made, count, ((OUT*)item.to) + begin);
}
