// Reductions of the samples of a batch: LANES threads add up one of the `parts` of an output, each every LANES-th element, in
// the order of the axes; then they halve their sums. Macros: IN and OUT, the types of the input and of the result; PART, COMBINE,
// LANES, FINISH.
#include "../include/division.hpp"
#include "../include/reduction.hpp"

enum { AXES = 16, AS_IS = 0, MEAN = 1 };
struct Axes {
  i64 count, elements, extents[AXES], strides[AXES];
};
struct Item {
  const IN* from;
  OUT* to;
  const f32* means;
  Axes gone, kept;
  f32 factor;
  i32 zero;
};

__device__ __forceinline__ i64 place(const Axes& axes, i64 rest) {
  i64 at = 0;
  for (int axis = (int)axes.count - 1; axis >= 0; axis--) {
    const i64 above = axis ? quotient(rest, axes.extents[axis]) : 0;
    at += (rest - above * axes.extents[axis]) * axes.strides[axis];
    rest = above;
  }
  return at;
}

template <class P> __device__ __forceinline__ P part_for(const f32*, i64) { return P(); }
template <> __device__ __forceinline__ SquaredDeviation part_for<SquaredDeviation>(const f32* means, i64 out) {
  return SquaredDeviation{means[out]};
}

__device__ __forceinline__ OUT finished(OUT sum, f32 factor) {
#if FINISH == 0
  return sum;
#else
  f32 result = __fmul_rn((f32)sum, factor);
  if (FINISH != MEAN) result = sqrtf(result);
  if constexpr (same<OUT, f32>::value) return result;
  else if constexpr (same<OUT, u64>::value) return cut_u64(result);
  else return (OUT)cut_i64(result);
#endif
}

extern "C" __global__ void __launch_bounds__(256) reduce(const Item* __restrict__ items, i64 parts) {
  const Item& item = items[blockIdx.y];
  const i64 number = ((i64)blockIdx.x * 256 + threadIdx.x) / LANES;
  const i64 out = parts == 1 ? number : quotient(number, parts);
  const int lane = threadIdx.x % LANES;
  OUT sum = COMBINE::neutral<OUT>();
  if (out < item.kept.elements) {
    const i64 elements = item.gone.elements, share = (elements + parts - 1) / parts, begin = (number - out * parts) * share;
    const i64 end = min(begin + share, elements);
    const IN* from = item.from + place(item.kept, out);
    const PART part = part_for<PART>(item.means, out);
    if (item.gone.count <= 1) {
      const i64 step = item.gone.count ? item.gone.strides[0] : 0;
#pragma unroll 8
      for (i64 i = begin + lane; i < end; i += LANES) sum = COMBINE::of(sum, part.template operator()<OUT>(from[i * step]));
    } else {
#pragma unroll 4
      for (i64 i = begin + lane; i < end; i += LANES)
        sum = COMBINE::of(sum, part.template operator()<OUT>(from[place(item.gone, i)]));
    }
  }
#if LANES > 1
  __shared__ OUT sums[256];
  sums[threadIdx.x] = sum;
  for (int half = LANES / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) sums[threadIdx.x] = COMBINE::of(sums[threadIdx.x], sums[threadIdx.x + half]);
  }
  sum = sums[threadIdx.x];
#endif
  if (out < item.kept.elements && lane == 0) item.to[number] = item.zero ? (OUT)0 : finished(sum, item.factor);
}
