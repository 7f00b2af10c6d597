// Where sounds are not silent: what `kernels/cpu/audio.cpp` does. Macro: IN, the type of the samples.
#include "../include/silence.hpp"

struct Item {
  const IN* from;
  float *means, *largest;  // of all windows, and of the windows of each block
  i32 *begin, *length;
  i64 windows, width;
  i64 first, step, blocks;  // windows of the first block and of another, and how many blocks they make
};

struct Larger { template <class T> static HD T of(T a, T b) { return b > a ? b : a; } };
struct Smaller { template <class T> static HD T of(T a, T b) { return b < a ? b : a; } };
struct Sum { template <class T> static HD T of(T a, T b) { return a + b; } };

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

// Windows that are made at once, and of those each thread's, or, one after the other, of a step.
enum { TILE = 2048, EACH = TILE / 256, AT_ONCE = 8 };

// Mean squares by sums that are rounded: each follows from the one before, so that one thread adds, and the others bring what it adds.
template <class T> __device__ float rounded_means(const T* in, i64 windows, i64 width, float* out) {
  __shared__ float gone[TILE], come[TILE];
  const float factor = 1.f / (float)width;
  float sum = 0, largest = from_bits(0xFF800000u);
  for (i64 begin = 0; begin < width; begin += TILE) {
    const int count = (int)least<i64>(TILE, width - begin);
    for (int i = threadIdx.x; i < count; i += 256) come[i] = square(in[begin + i]);
    __syncthreads();
    if (threadIdx.x == 0)
      for (int i = 0; i < count; i++) sum += come[i];
    __syncthreads();
  }
  if (threadIdx.x == 0) largest = out[0] = sum * factor;
  for (i64 begin = 1; begin < windows; begin += TILE) {
    const int count = (int)least<i64>(TILE, windows - begin);
    for (int i = threadIdx.x; i < count; i += 256) gone[i] = square(in[begin + i - 1]), come[i] = square(in[begin + i + width - 1]);
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int i = 0; i < count; i += AT_ONCE) {  // what lies behind the last one is there, and of no use
        float left[AT_ONCE], added[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) left[k] = gone[i + k], added[k] = come[i + k];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
          if (i + k < count) sum -= left[k], sum += added[k];
          gone[i + k] = sum * factor;
        }
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += 256) out[begin + i] = gone[i], largest = Larger::of(largest, gone[i]);
    __syncthreads();
  }
  return largest;
}

// Mean squares by exact sums: threads add up differences of neighbouring windows.
template <class T> __device__ float exact_means(const T* in, i64 windows, i64 width, float* out) {
  __shared__ i64 steps[TILE], before[256];
  __shared__ float made[TILE];
  const float factor = 1.f / (float)width;
  i64 sum = 0;
  for (i64 i = threadIdx.x; i < width; i += 256) sum += square(in[i]);
  sum = together<Sum>(sum);
  float largest = (float)sum * factor;
  if (threadIdx.x == 0) out[0] = largest;
  for (i64 begin = 1; begin < windows; begin += TILE) {
    const int count = (int)least<i64>(TILE, windows - begin);
    for (int i = threadIdx.x; i < TILE; i += 256)
      steps[i] = i < count ? square(in[begin + i + width - 1]) - square(in[begin + i - 1]) : 0;
    __syncthreads();
    i64 own = 0;
    for (int k = 0; k < EACH; k++) own += steps[threadIdx.x * EACH + k];
    before[threadIdx.x] = own;
    for (int distance = 1; distance < 256; distance *= 2) {
      __syncthreads();
      const i64 other = threadIdx.x >= distance ? before[threadIdx.x - distance] : 0;
      __syncthreads();
      before[threadIdx.x] += other;
    }
    __syncthreads();
    i64 now = sum + before[threadIdx.x] - own;
    for (int k = 0; k < EACH; k++) now += steps[threadIdx.x * EACH + k], made[threadIdx.x * EACH + k] = (float)now * factor;
    sum += before[255];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += 256) out[begin + i] = made[i], largest = Larger::of(largest, made[i]);
    __syncthreads();
  }
  return largest;
}

// A block computes `step` windows, the first one `first`.
extern "C" __global__ void __launch_bounds__(256) powers(const Item* __restrict__ items) {
  const Item& item = items[blockIdx.y];
  const i64 begin = blockIdx.x ? item.first + (blockIdx.x - 1) * item.step : 0;
  const i64 windows = least(blockIdx.x ? item.step : item.first, item.windows - begin);
  if (windows <= 0) return;
  float largest;
  if constexpr (same<typename SquareSum<IN>::type, i64>::value) largest = exact_means(item.from + begin, windows, item.width, item.means + begin);
  else largest = rounded_means(item.from + begin, windows, item.width, item.means + begin);
  largest = together<Larger>(largest);
  if (threadIdx.x == 0) item.largest[blockIdx.x] = largest;
}

// A block finds the region of a sample.
extern "C" __global__ void __launch_bounds__(256) region(const Item* __restrict__ items, float ratio, float reference) {
  const Item& item = items[blockIdx.y];
  const i64 windows = item.windows;
  float against = reference;
  if (reference == 0) {
    float largest = item.means[0];  // stays what it is where it is not a number, as on the CPU
    for (i64 i = threadIdx.x; i < item.blocks; i += 256) largest = Larger::of(largest, item.largest[i]);
    against = together<Larger>(largest);
  }
  const float cutoff = against * ratio;
  i64 first = windows, last = -1;
  for (i64 begin = 0; begin < windows && first == windows; begin += TILE) {  // from the front,
    i64 mine = windows;
#pragma unroll
    for (int k = EACH - 1; k >= 0; k--) {
      const i64 i = begin + k * 256 + threadIdx.x;
      if (i < windows && item.means[i] >= cutoff) mine = i;
    }
    first = together<Smaller>(mine);
  }
  for (i64 end = windows; first < windows && last < 0; end -= TILE) {  // and from the end
    i64 mine = -1;
#pragma unroll
    for (int k = EACH - 1; k >= 0; k--) {
      const i64 i = end - 1 - k * 256 - threadIdx.x;
      if (i >= 0 && item.means[i] >= cutoff) mine = i;
    }
    last = together<Larger>(mine);
  }
  if (threadIdx.x != 0) return;
  *item.begin = last < 0 ? 0 : (i32)first;
  *item.length = last < 0 ? 0 : (i32)(last - first + item.width);
}
