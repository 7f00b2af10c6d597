// Emphasis and decibels of sounds. Macros: IN and OUT, the types of the samples; floats for decibels.
#include "../include/audio.hpp"

struct Item {
  const void* from;
  void* to;
  i64 count;
  const float* largest;  // of the sample, where decibels have no other reference
  float part;            // of the sample before that is taken
  i32 unused;
};

extern "C" __global__ void __launch_bounds__(256) preemphasis(const Item* __restrict__ items, i64 border) {
  typedef typename Emphasized<IN>::type S;
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  const IN *from = (const IN*)item.from, x = from[i];
  const bool first = i == 0, as_is = item.part == 0 || (first && border == BORDER_ZERO && !same<OUT, S>::value);
  const S before = !first ? (S)from[i - 1] : border == BORDER_ZERO ? (S)0 : (S)from[border == BORDER_REFLECT && item.count > 1];
  ((OUT*)item.to)[i] = as_is ? Cast<OUT, IN>::of(x) : Cast<OUT, S>::of(preemphasized((S)x, before, item.part));
}

extern "C" __global__ void __launch_bounds__(256) decibels(
    const Item* __restrict__ items, float factor, float reference, float smallest) {
  const Item& item = items[blockIdx.y];
  const i64 begin = ((i64)blockIdx.x * 256 + threadIdx.x) * 4;
  if (begin >= item.count) return;
  const float against = item.largest ? most(0.f, *item.largest) : reference;
  const Decibels decibels{factor, against == 1 ? 1 : 1 / against, smallest};
  const float* from = (const float*)item.from + begin;
  float* to = (float*)item.to + begin;
  if (begin + 4 <= item.count && ((u64)from | (u64)to) % 16 == 0) {
    const float4 x = *(const float4*)from;
    *(float4*)to = make_float4(decibels(x.x), decibels(x.y), decibels(x.z), decibels(x.w));
  } else {
    for (i64 k = 0; k < least<i64>(4, item.count - begin); k++) to[k] = decibels(from[k]);
  }
}
