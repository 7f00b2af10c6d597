// Resampling along one axis; a thread makes one element. Macros: IN and OUT, the types of the elements.
#include "../include/division.hpp"

struct Item {
  const IN* from;
  OUT* to;
  const i32* starts;     // of each element along the axis: the first that it reads,
  const float* weights;  // and `taps` weights
  i64 count, inner, in_size, out_size, taps;  // of the result, those below the axis, and extents of the axis
};

extern "C" __global__ void __launch_bounds__(256) resample_axis(const Item* __restrict__ items) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  const i64 line = quotient(i, item.inner), outer = quotient(line, item.out_size), at = line - outer * item.out_size;
  const IN* from = item.from + (outer * item.in_size + item.starts[at]) * item.inner + i - line * item.inner;
  const float* weights = item.weights + at * item.taps;
  float sum = 0;
  for (i64 k = 0; k < item.taps; k++) sum = fmaf(to_float(from[k * item.inner]), weights[k], sum);
  item.to[i] = from_float_even<OUT>(sum);
}
