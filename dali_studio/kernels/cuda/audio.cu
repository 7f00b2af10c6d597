// Emphasis and decibels of sounds. Macros: IN and OUT, the types of the samples; floats for decibels.
#include "../include/audio.hpp"
#include "../include/reduction.hpp"

struct Item {
  const void* from;
  void* to;
  i64 count;
  union {
    float part;            // of the sample before that is taken
    const float* largest;  // number, where decibels have no other reference
  };
};

// Elements that a thread makes, each 256 behind the other, so that several are on their way at once.
enum { EACH = 4 };

extern "C" __global__ void __launch_bounds__(256) preemphasis(const Item* __restrict__ items, i64 border) {
  typedef typename Emphasized<IN>::type S;
  const Item& item = items[blockIdx.y];
  const i64 begin = (i64)blockIdx.x * 256 * EACH, left = item.count - begin;
  const IN* const from = (const IN*)item.from + begin;
  OUT* const to = (OUT*)item.to + begin;
  IN x[EACH], before[EACH];
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    const int i = k * 256 + threadIdx.x;
    if (i < left) x[k] = from[i], before[k] = from[begin + i > 0 ? i - 1 : border == BORDER_REFLECT && item.count > 1];
  }
#pragma unroll
  for (int k = 0; k < EACH; k++) {
    const int i = k * 256 + threadIdx.x;
    if (i >= left) break;
    const bool zero = begin + i == 0 && border == BORDER_ZERO, as_is = item.part == 0 || (zero && !same<OUT, S>::value);
    to[i] = as_is ? Cast<OUT, IN>::of(x[k]) : Cast<OUT, S>::of(preemphasized((S)x[k], zero ? (S)0 : (S)before[k], item.part));
  }
}

__device__ __forceinline__ void make_decibels(const Item& item, const Decibels& decibels, i64 begin) {
  const float* __restrict__ from = (const float*)item.from + begin;
  float* __restrict__ to = (float*)item.to + begin;
  if (begin + 4 <= item.count && ((u64)from | (u64)to) % 16 == 0) {
    const float4 x = *(const float4*)from;
    *(float4*)to = make_float4(decibels(x.x), decibels(x.y), decibels(x.z), decibels(x.w));
  } else {
    for (i64 k = 0; k < least<i64>(4, item.count - begin); k++) to[k] = decibels(from[k]);
  }
}
__device__ __forceinline__ Decibels decibels_of(float factor, float reference, float smallest) {
  return Decibels{factor, reference == 1 ? 1 : 1 / reference, smallest};
}

extern "C" __global__ void __launch_bounds__(256) decibels(
    const Item* __restrict__ items, float factor, float reference, float smallest) {
  const Item& item = items[blockIdx.y];
  const i64 begin = ((i64)blockIdx.x * 256 + threadIdx.x) * 4;
  if (begin >= item.count) return;
  make_decibels(item, decibels_of(factor, item.largest ? most(0.f, *item.largest) : reference, smallest), begin);
}

// The same of a sample's own largest number, by one block.
enum { BLOCK = 1024 };
extern "C" __global__ void __launch_bounds__(BLOCK) decibels_of_largest(const Item* __restrict__ items, float factor, float smallest) {
  __shared__ float largest[BLOCK];
  const Item& item = items[blockIdx.y];
  float own = Maximum::neutral<float>();
#pragma unroll 8
  for (i64 i = threadIdx.x; i < item.count; i += BLOCK) own = Maximum::of(own, ((const float*)item.from)[i]);
  largest[threadIdx.x] = own;
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) largest[threadIdx.x] = Maximum::of(largest[threadIdx.x], largest[threadIdx.x + half]);
  }
  __syncthreads();
  const Decibels decibels = decibels_of(factor, most(0.f, largest[0]), smallest);
#pragma unroll 4
  for (i64 begin = threadIdx.x * 4; begin < item.count; begin += 4 * BLOCK) make_decibels(item, decibels, begin);
}
