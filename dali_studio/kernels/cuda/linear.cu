// Linear maps along one axis: what `kernels/cpu/linear.cpp` does.
#include "../include/division.hpp"

struct Item {
  const float* from;
  float* to;
  i64 count, inner, rows, columns;  // elements of the result, those below the axis, and extents of the axis
  i64 first;                        // row of the tables that is the first of the sample's matrix
};
// Of each row: where its weights begin, which element meets the first of them, and how many there are.
struct Rows {
  const float* weights;
  const i64 *starts, *firsts, *counts;
};

// What N elements become that lie 32 apart, of which the last ones may be missing.
template <int N> __device__ __forceinline__ void sums_of(const Rows& rows, i64 row, const float* from, i64 inner, int there, float (&sum)[N]) {
  const float* weight = rows.weights + rows.starts[row];
  from += rows.firsts[row] * inner;
  for (int n = 0, taps = (int)rows.counts[row]; n < taps; n++, from += inner) {
    const float own = weight[n];
#pragma unroll
    for (int k = 0; k < N; k++)
      if (k < there) sum[k] += from[32 * k] * own;
  }
}

// A thread makes one element.
extern "C" __global__ void __launch_bounds__(256) transform_axis(
    const Item* __restrict__ items, const float* __restrict__ weights, const i64* __restrict__ starts,
    const i64* __restrict__ firsts, const i64* __restrict__ counts, const float* __restrict__ factors) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  const i64 line = quotient(i, item.inner), outer = quotient(line, item.rows), row = item.first + line - outer * item.rows;
  float sum[1] = {};
  sums_of(Rows{weights, starts, firsts, counts}, row, item.from + outer * item.columns * item.inner + i - line * item.inner, item.inner, 1, sum);
  item.to[i] = sum[0] * factors[row];
}

// The same along the first axis: a warp makes 128 neighbouring elements of a row, so that a weight is read once for four of them.
extern "C" __global__ void __launch_bounds__(256) transform_rows(
    const Item* __restrict__ items, const float* __restrict__ weights, const i64* __restrict__ starts,
    const i64* __restrict__ firsts, const i64* __restrict__ counts, const float* __restrict__ factors) {
  enum { EACH = 4 };
  const Item& item = items[blockIdx.y];
  const i64 parts = (item.inner + 32 * EACH - 1) / (32 * EACH), warp = (i64)blockIdx.x * 8 + threadIdx.x / 32;
  if (warp >= item.rows * parts) return;
  const i64 row = quotient(warp, parts), begin = (warp - row * parts) * 32 * EACH + threadIdx.x % 32;
  const int there = (int)least<i64>(EACH, (item.inner - begin + 31) / 32);
  const Rows rows = {weights, starts, firsts, counts};
  const float* const from = item.from + begin;
  const float factor = factors[row];
  float* const to = item.to + row * item.inner + begin;
  float sum[EACH] = {};
  if (there == EACH)
    sums_of(rows, row, from, item.inner, EACH, sum);
  else
    sums_of(rows, row, from, item.inner, there, sum);
#pragma unroll
  for (int k = 0; k < EACH; k++)
    if (k < there) to[32 * k] = sum[k] * factor;
}
