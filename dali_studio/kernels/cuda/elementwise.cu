// One functor over the elements of a batch, whose operands are broadcast and converted on the way: the loops of
// `kernels/cpu/elementwise.hpp`. Macros: FUNCTOR, OPERANDS, the types IN_A, IN_B, IN_C of the operands, those in which it
// computes, COMPUTE_A and so on, and OUT; COUNT, the elements that a thread takes together, and ROUNDS, how often it does.
#include "../include/arithmetic.hpp"
#include "../include/division.hpp"

enum { AXES = 8 };
struct Item {
  const void* from[3];
  OUT* to;
  i64 count;
  i64 extents[AXES], strides[3][AXES];
  i64 axes;
};

template <class T> struct alignas(COUNT * sizeof(T)) Neighbours { T values[COUNT]; };

template <class I> __device__ __forceinline__ Neighbours<I> neighbours(const Item& item, int k, i64 begin) {
  const I* from = (const I*)item.from[k];
  const i64 stride = item.strides[k][0];
  Neighbours<I> made;
  if (stride == 1 && (u64)(from + begin) % sizeof(made) == 0) return *(const Neighbours<I>*)(from + begin);
#pragma unroll
  for (int one = 0; one < COUNT; one++) made.values[one] = from[(begin + one) * stride];
  return made;
}

template <class T, class I> __device__ __forceinline__ T element(const Item& item, int k, i64 at) {
  return Plain<T, I>::of(((const I*)item.from[k])[at]);
}

template <class R> __device__ __forceinline__ OUT converted(R result) { return Plain<OUT, R>::of(result); }

__device__ __forceinline__ void one(const Item& item, i64 i) {
  i64 rest = i, at[3] = {0, 0, 0};
  for (int axis = (int)item.axes - 1; axis >= 0; axis--) {
    const i64 above = axis ? quotient(rest, item.extents[axis]) : 0;
    for (int k = 0; k < OPERANDS; k++) at[k] += (rest - above * item.extents[axis]) * item.strides[k][axis];
    rest = above;
  }
#if OPERANDS == 1
  const auto result = FUNCTOR::of(element<COMPUTE_A, IN_A>(item, 0, at[0]));
#elif OPERANDS == 2
  const auto result = FUNCTOR::of(element<COMPUTE_A, IN_A>(item, 0, at[0]), element<COMPUTE_B, IN_B>(item, 1, at[1]));
#else
  const auto result = FUNCTOR::of(element<COMPUTE_A, IN_A>(item, 0, at[0]), element<COMPUTE_B, IN_B>(item, 1, at[1]),
                                  element<COMPUTE_C, IN_C>(item, 2, at[2]));
#endif
  item.to[i] = converted(result);
}

// Of operands without gaps, or with one element.
__device__ __forceinline__ Neighbours<OUT> together(const Item& item, i64 begin) {
  Neighbours<OUT> made;
  const Neighbours<IN_A> a = neighbours<IN_A>(item, 0, begin);
#if OPERANDS > 1
  const Neighbours<IN_B> b = neighbours<IN_B>(item, 1, begin);
#endif
#if OPERANDS > 2
  const Neighbours<IN_C> c = neighbours<IN_C>(item, 2, begin);
#endif
#pragma unroll
  for (int k = 0; k < COUNT; k++)
#if OPERANDS == 1
    made.values[k] = converted(FUNCTOR::of(Plain<COMPUTE_A, IN_A>::of(a.values[k])));
#elif OPERANDS == 2
    made.values[k] = converted(FUNCTOR::of(Plain<COMPUTE_A, IN_A>::of(a.values[k]), Plain<COMPUTE_B, IN_B>::of(b.values[k])));
#else
    made.values[k] = converted(FUNCTOR::of(Plain<COMPUTE_A, IN_A>::of(a.values[k]), Plain<COMPUTE_B, IN_B>::of(b.values[k]),
                                           Plain<COMPUTE_C, IN_C>::of(c.values[k])));
#endif
  return made;
}

__device__ __forceinline__ void put(OUT* to, const Neighbours<OUT>& made) {
  if ((u64)to % sizeof(made) == 0) {
    *(Neighbours<OUT>*)to = made;
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; k++) to[k] = made.values[k];
  }
}

extern "C" __global__ void __launch_bounds__(256) elementwise(const Item* __restrict__ items) {
  const Item& item = items[blockIdx.y];
  const i64 first = ((i64)blockIdx.x * (256 * ROUNDS) + threadIdx.x) * COUNT, step = 256 * COUNT;
  if (item.axes <= 1 && first + (ROUNDS - 1) * step + COUNT <= item.count) {
    Neighbours<OUT> made[ROUNDS];  // all are read before the first is written, so that several reads are under way
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) made[k] = together(item, first + k * step);
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) put(item.to + first + k * step, made[k]);
    return;
  }
#pragma unroll 1
  for (i64 begin = first; begin < least(first + ROUNDS * step, item.count); begin += step) {
    if (item.axes <= 1 && begin + COUNT <= item.count) put(item.to + begin, together(item, begin));
    else
      for (i64 i = begin; i < least(begin + COUNT, item.count); i++) one(item, i);
  }
}
