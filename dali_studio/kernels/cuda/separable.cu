// Convolution of one axis of many arrays of (outer, size, inner) elements. A thread computes one element.
#include "../include/convolution.hpp"

struct Line {
  const IN* from;
  OUT* to;
  i64 count, first, size, inner, taps;  // elements of all; where the weights begin
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
  const f32 made = y >= radius && y + radius < size ? sum([=](i64 k) { return Cast<S, IN>::of(window[k * inner]); })
                                                  : sum([=](i64 k) { return Cast<S, IN>::of(column[reflected(y + k - radius, size) * inner]); });
  line.to[i] = Cast<OUT, f32>::of(made);
}
