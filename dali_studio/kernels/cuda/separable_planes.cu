// Convolution of planes along both axes at once; the sums of `separable.cu`. Macros: IN, OUT; TERMS: how many results are added up;
// SUMMED: they are scaled; BORDER and TAPS as in strip.cuh.
#include "../include/convolution.hpp"
#include "../include/border.hpp"
#include "../include/division.hpp"
#include "strip.cuh"

// Of a window: where its weights begin, which are padded with zeros to a multiple of RUN, and how many there are.
struct Window {
  i32 first, taps;
};
struct Term {
  Window rows, columns;
  f32 scale;
  i32 unused;
};
struct Item {
  const IN* from;
  OUT* to;
  Strips strips;
  Term terms[TERMS];
};

// Adds products one after the other, as `Convolution` does.
struct Weighed {
  const float4* weights;
  f32 here[RUN];
  __device__ __forceinline__ void begin(int first) {
    const float4 a = __ldg(weights + first / 4), b = __ldg(weights + first / 4 + 1);
    here[0] = a.x, here[1] = a.y, here[2] = a.z, here[3] = a.w, here[4] = b.x, here[5] = b.y, here[6] = b.z, here[7] = b.w;
  }
  __device__ __forceinline__ f32 operator()(f32 sum, f32 element, int k) const { return sum + element * here[k]; }
};

// An axis without a window is left alone.
__device__ __forceinline__ void convolve(const f32* at, int step, const float4* weights, const Window& window, f32 (&made)[RUN]) {
#pragma unroll
  for (int r = 0; r < RUN; r++) made[r] = window.taps ? 0.f : at[r * step];
  fold(at, step, window.taps, made, Weighed{weights + window.first / 4, {}});
}

extern "C" __global__ void __launch_bounds__(256) separable_planes(const Item* __restrict__ items, const float4* __restrict__ weights) {
  extern __shared__ float4 memory[];
  const Item& t = items[blockIdx.y];
  const Strips s = t.strips;
  if (blockIdx.x >= s.blocks) return;
  const Strip here = strip_of(s, blockIdx.x);
  const i64 line = (i64)s.width * s.inner, plane = here.plane * s.height * line;
  const IN* from = t.from + plane;
  OUT* to = t.to + plane + (i64)here.x * s.inner;
  const auto take = [=](i64 row, int column) { return Cast<f32, IN>::of(from[row + column]); };
  const auto across = [&](int term, const f32* at, f32(&made)[RUN]) {
    const Window window = t.terms[term].columns;
    convolve(at + (s.left - window.taps / 2) * s.each(), s.each(), weights, window, made);
  };
  const auto down = [&](const f32* at, int step, int next, int y, int element, int rows) {
    f32 sums[RUN];
#pragma unroll
    for (int term = 0; term < TERMS; term++) {
      const Window window = t.terms[term].rows;
      f32 made[RUN];
      convolve(at + term * next + (s.above - window.taps / 2) * step, step, weights, window, made);
#pragma unroll
      for (int r = 0; r < RUN; r++) {
        const f32 scaled = SUMMED ? made[r] * t.terms[term].scale : made[r];
        sums[r] = term ? sums[r] + scaled : scaled;
      }
    }
    OUT* made = to + y * line + element;
    if (rows == RUN) {  // nearly always: without a branch for each
#pragma unroll
      for (int r = 0; r < RUN; r++, made += line) *made = Cast<OUT, f32>::of(sums[r]);
      return;
    }
#pragma unroll
    for (int r = 0; r < RUN; r++)
      if (r < rows) made[r * line] = Cast<OUT, f32>::of(sums[r]);
  };
  along<TERMS, f32>(s, here, memory, take, across, down);
}
