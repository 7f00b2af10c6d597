// Where sounds are not silent: what `kernels/cpu/audio.cpp` does. Macro: IN, the type of the samples.
#include "../include/silence.hpp"

struct Item {
  const IN* from;
  float* means;  // as many as there are windows
  i32 *begin, *length;
  i64 windows, width;
  i64 step;  // windows whose sums follow from each other
};

// A thread computes `step` windows.
extern "C" __global__ void __launch_bounds__(256) powers(const Item* __restrict__ items) {
  const Item& item = items[blockIdx.y];
  const i64 begin = ((i64)blockIdx.x * 256 + threadIdx.x) * item.step;
  if (begin < item.windows)
    mean_squares<1>(item.from + begin, least(item.step, item.windows - begin), item.width, item.step, item.means + begin);
}

struct Larger { template <class T> static HD T of(T a, T b) { return b > a ? b : a; } };
struct Smaller { template <class T> static HD T of(T a, T b) { return b < a ? b : a; } };

// What all threads of a block find together.
template <class COMBINE, class T> __device__ T together(T mine) {
  __shared__ T all[256];
  __syncthreads();
  all[threadIdx.x] = mine;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) all[threadIdx.x] = COMBINE::of(all[threadIdx.x], all[threadIdx.x + half]);
  }
  __syncthreads();
  return all[0];
}

// A block finds the region of a sample.
extern "C" __global__ void __launch_bounds__(256) region(const Item* __restrict__ items, float ratio, float reference) {
  const Item& item = items[blockIdx.y];
  float against = reference;
  if (reference == 0) {
    float largest = item.means[0];  // stays what it is where it is not a number, as on the CPU
    for (i64 i = threadIdx.x; i < item.windows; i += 256) largest = Larger::of(largest, item.means[i]);
    against = together<Larger>(largest);
  }
  const float cutoff = against * ratio;
  i64 first = item.windows, last = -1;
  for (i64 i = threadIdx.x; i < item.windows; i += 256)
    if (item.means[i] >= cutoff) first = least(first, i), last = i;
  first = together<Smaller>(first), last = together<Larger>(last);
  if (threadIdx.x != 0) return;
  *item.begin = last < 0 ? 0 : (i32)first;
  *item.length = last < 0 ? 0 : (i32)(last - first + item.width);
}
