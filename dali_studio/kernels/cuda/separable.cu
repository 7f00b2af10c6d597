// Convolution of one axis of many arrays of (outer, size, inner) elements. A thread computes one element. Without weights
// it is itself. Macros: IN, OUT; SUMMED: the result is scaled, and added to another.
#include "../include/convolution.hpp"

struct Line {
  const IN* from;
  OUT* to;
  i64 count, first, size, inner, taps;  // elements of all; where the weights begin
#if SUMMED
  const f32* before;  // null for nothing
  f32 scale;
  i32 unused;
#endif
};

extern "C" __global__ void __launch_bounds__(256) separable(const Line* __restrict__ lines, const float* __restrict__ weights) {
  typedef typename Between<IN>::type S;
  const Line line = lines[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x, radius = line.taps / 2;
  if (i >= line.count) return;
  const i64 inner = line.inner, size = line.size;
  const i64 y = line.count < (1ll << 31) ? (u32)i / (u32)inner % (u32)size : i / inner % size;
  const IN *column = line.from + (i - y * inner), *window = line.from + (i - radius * inner);
  const Convolution<f32> sum = {weights + line.first, line.taps};
  const auto inside = [=](i64 k) { return Cast<S, IN>::of(window[k * inner]); };
  const auto across = [=](i64 k) { return Cast<S, IN>::of(column[reflected(y + k - radius, size) * inner]); };
  f32 made = y >= radius && y + radius < size ? sum(inside) : sum(across);
  if (!line.taps) made = Cast<f32, IN>::of(line.from[i]);
#if SUMMED
  made = line.before ? line.before[i] + made * line.scale : made * line.scale;
#endif
  line.to[i] = Cast<OUT, f32>::of(made);
}
