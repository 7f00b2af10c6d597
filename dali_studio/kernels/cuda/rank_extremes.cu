// Smallest and largest elements of boxes of planes, of rows first and then of columns. Macros: IN, an unsigned integer; KIND: 0 for
// the smallest, 1 for the largest; BORDER as in border.hpp, which hides what is nowhere; TAPS as in strip.cuh.
#include "../include/border.hpp"
#include "../include/division.hpp"
#include "strip.cuh"

struct Item {
  const IN* from;
  IN* to;
  Strips strips;
  i32 high, wide;  // of the box
};

static const i32 NOTHING = KIND ? 0 : (i32)limits<IN>::high;

struct Extreme {
  __device__ __forceinline__ void begin(int) {}
  __device__ __forceinline__ i32 operator()(i32 found, i32 element, int) const { return KIND ? max(found, element) : min(found, element); }
};

__device__ __forceinline__ void find(const i32* at, int step, int taps, i32 (&made)[RUN]) {
#pragma unroll
  for (int r = 0; r < RUN; r++) made[r] = NOTHING;
  fold(at, step, taps, made, Extreme{});
}

extern "C" __global__ void __launch_bounds__(256) rank_extremes(const Item* __restrict__ items) {
  extern __shared__ float4 memory[];
  const Item& t = items[blockIdx.y];
  const Strips s = t.strips;
  if (blockIdx.x >= s.blocks) return;
  const Strip here = strip_of(s, blockIdx.x);
  const i64 line = (i64)s.width * s.inner, plane = here.plane * s.height * line;
  const IN* from = t.from + plane;
  IN* to = t.to + plane + (i64)here.x * s.inner;
  const int high = t.high, wide = t.wide;
  const auto take = [=](i64 row, int column) { return (i32)element_or(from, row, column, (IN)NOTHING); };
  const auto across = [=](int, const i32* at, i32(&made)[RUN]) { find(at, s.inner, wide, made); };
  const auto down = [=](const i32* at, int step, int, int y, int element, int rows) {
    i32 found[RUN];
    find(at, step, high, found);
    IN* made = to + y * line + element;
#pragma unroll
    for (int r = 0; r < RUN; r++)
      if (r < rows) made[r * line] = (IN)found[r];
  };
  along<1, i32>(s, here, memory, take, across, down);
}
