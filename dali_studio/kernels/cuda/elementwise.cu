// One functor over the elements of a batch, whose operands are broadcast and converted on the way: the loops of
// `kernels/cpu/elementwise.hpp`. Macros: FUNCTOR, OPERANDS, the types IN_A, IN_B, IN_C of the operands, those in which it
// computes, COMPUTE_A and so on, and OUT.
#include "../include/arithmetic.hpp"

enum { AXES = 8 };
struct Item {
  const void* from[3];
  OUT* to;
  i64 count;
  i64 extents[AXES], strides[3][AXES];
  i64 axes;
};

template <class T, class I> __device__ __forceinline__ T element(const Item& item, int k, i64 at) {
  return Plain<T, I>::of(((const I*)item.from[k])[at]);
}

template <class R> __device__ __forceinline__ OUT converted(R result) { return Plain<OUT, R>::of(result); }

extern "C" __global__ void __launch_bounds__(256) elementwise(const Item* __restrict__ items) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  i64 rest = i, at[3] = {0, 0, 0};
  for (int axis = (int)item.axes - 1; axis >= 0; axis--) {
    const i64 index = axis ? rest % item.extents[axis] : rest;
    for (int k = 0; k < OPERANDS; k++) at[k] += index * item.strides[k][axis];
    if (axis) rest /= item.extents[axis];
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
