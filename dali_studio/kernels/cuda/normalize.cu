// Normalisation by means and deviations that differ along some axes. Macros: IN and OUT, the types of the elements; AXES.
#include "../include/division.hpp"
#include "../include/normalize.hpp"

struct Item {
  const void* from;
  void* to;
  const float *mean, *factor;
  i64 count, extents[AXES], strides[AXES];  // elements; along which axes, and how far apart, means and factors differ
};

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
  ((float*)item.to)[i] = !inverted ? mean : weight > 0 && deviation > 0 ? scale / deviation : 0.f;
}

extern "C" __global__ void __launch_bounds__(256) normalize(const Item* __restrict__ items, float shift) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  i64 rest = i, at = 0;
#pragma unroll
  for (int axis = AXES - 1; axis >= 0; axis--) {
    const i64 above = axis ? quotient(rest, item.extents[axis]) : 0;
    at += (rest - above * item.extents[axis]) * item.strides[axis];
    rest = above;
  }
  const float made = Normalize<float>{item.mean[at], item.factor[at]}(to_float(((const IN*)item.from)[i]));
  ((OUT*)item.to)[i] = from_float<OUT>(shift != 0 ? made + shift : made);
}
