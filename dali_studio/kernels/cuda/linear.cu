// Linear maps along one axis: what `kernels/cpu/linear.cpp` does. A thread makes one element.
#include "../include/division.hpp"

struct Item {
  const float* from;
  float* to;
  i64 count, inner, rows, columns;  // elements of the result, those below the axis, and extents of the axis
  i64 first;                        // row of the tables that is the first of the sample's matrix
};

// Of each row: where its weights begin, which element meets the first of them, and how many there are.
extern "C" __global__ void __launch_bounds__(256) transform_axis(
    const Item* __restrict__ items, const float* __restrict__ weights, const i64* __restrict__ starts,
    const i64* __restrict__ firsts, const i64* __restrict__ counts, const float* __restrict__ factors) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  const i64 line = quotient(i, item.inner), outer = quotient(line, item.rows), row = item.first + line - outer * item.rows;
  const float* from = item.from + (outer * item.columns + firsts[row]) * item.inner + i - line * item.inner;
  const float* weight = weights + starts[row];
  float sum = 0;
  for (i64 n = 0; n < counts[row]; n++) sum += from[n * item.inner] * weight[n];
  item.to[i] = sum * factors[row];
}
