// Sounds at another rate: what `resample_audio` of `kernels/cpu/audio.cpp` does. A thread makes the sample of one place, of all
// channels, a block those of RESAMPLED_BLOCK places; `resample_by_phases` takes weights that were computed before. Macros: IN and
// OUT, the types of the samples.
#include "../include/audio.hpp"

struct Item {
  const IN* from;
  OUT* to;
  i64 count, made, channels;  // samples of the input and of the output
  double step;                // samples of the input for one of the output
};

// Samples of one channel that a block holds as floats: each is taken by many threads.
enum { HELD = 2048 };
struct Held {
  const float* first;
  __device__ float operator[](int n) const { return first[n]; }
};
struct Given {
  const IN* first;
  i64 channels;
  int moved;
  __device__ float operator[](int n) const { return moved_sample(first[n * channels], moved); }
};

// The weight of a sample, as `SincWindow` has it; `table`, in shared memory, has each of its values and what leads to the next one. The
// scale is a power of two, so that the product is exact. Places INSIDE need not be brought into the table.
template <bool INSIDE> __device__ float weight_at(const float2* table, const SincWindow& window, float x) {
  const float place = fmaf(x, window.scale, window.centre);
  const i32 index = INSIDE ? (i32)place : between((i32)place, 0, window.size);
  const float2 value = table[index];
  return value.x + (place - (float)index) * value.y;
}

// The weighted sum of `taps` samples, the first one at distance `x`. Of one channel it is four sums, as there.
template <bool INSIDE, class SAMPLES>
__device__ float filtered(SAMPLES samples, int taps, float x, const float (&distances)[4], bool alone, float last,
                          const float2* table, const SincWindow& window) {
  float sum = 0;
  int n = 0;
  if (alone) {
    float sums[4] = {0, 0, 0, 0}, at[4] = {distances[0], distances[1], distances[2], distances[3]};
    for (; n + 4 <= taps; n += 4)
#pragma unroll
      for (int k = 0; k < 4; k++) sums[k] += samples[n + k] * weight_at<INSIDE>(table, window, at[k]), at[k] += 4;
    sum = (sums[0] + sums[2]) + (sums[1] + sums[3]), x = last;
  }
  for (; n < taps; n++, x += 1) sum += samples[n] * weight_at<INSIDE>(table, window, x);
  return sum;
}

// `given` is the table for a filter of so many `lobes`, whose window has `size` numbers; `moved`: see `moved_sample`.
extern "C" __global__ void __launch_bounds__(256) resample_audio(
    const Item* __restrict__ items, const float2* __restrict__ given, i64 size, i64 lobes, i64 moved) {
  __shared__ float places[RESAMPLED_BLOCK], held[HELD];
  extern __shared__ float4 memory[];
  float2* table = (float2*)memory;
  const Item& item = items[blockIdx.y];
  const i64 channels = item.channels, count = item.count, begin = (i64)blockIdx.x * RESAMPLED_BLOCK;
  if (begin >= item.made) return;
  const double exact = (double)begin * item.step;
  const i64 origin = exact < (double)count ? whole_below(exact) : count;
  const float step = (float)item.step, reach = RESAMPLED_BLOCK * step;
  const IN* from = item.from + origin * channels;
  // what the block takes lies from `low` on, as seen from the origin
  const bool holds = channels == 1 && reach < (float)(HELD - 2 * lobes - 8);
  const i64 low = most(-lobes, -origin), high = holds ? least((i64)reach + lobes + 4, count - origin) : low;
  if (threadIdx.x == 0) {  // places are added up one after the other
    float place = (float)(exact - (double)origin);
    for (int k = 0; k < RESAMPLED_BLOCK; k++, place += step) places[k] = place;
  } else if (threadIdx.x >= 32) {
    for (i64 n = low + threadIdx.x - 32; n < high; n += RESAMPLED_BLOCK - 32) held[n - low] = moved_sample(from[n], (int)moved);
  }
  for (int k = threadIdx.x; k < (int)size - 1; k += RESAMPLED_BLOCK) table[k] = given[k];
  __syncthreads();
  const i64 j = begin + threadIdx.x;
  if (j >= item.made) return;
  const float place = places[threadIdx.x];
  const i64 nearest = place < (float)(2 * count + 2) ? ceiling_of(place) : 2 * count + 2;
  const i64 first = most(nearest - lobes, -origin), end = least(nearest + lobes, count - origin);
  const int taps = (int)most<i64>(end - first, 0);
  float distances[4];
  for (int k = 0; k < 4; k++) distances[k] = (float)(first + k) - place;
  const float last = (float)(first + taps / 4 * 4) - place;
  const bool inside = distances[0] >= -(float)lobes && (float)(end - 1) - place <= (float)lobes;
  const SincWindow window = sinc_window(nullptr, size, lobes);
  for (i64 c = 0; c < channels; c++) {
    const Given samples{from + first * channels + c, channels, (int)moved};
    const float x = distances[0];
    const float sum = !inside ? filtered<false>(samples, taps, x, distances, channels == 1, last, table, window)
                      : holds ? filtered<true>(Held{held + (first - low)}, taps, x, distances, true, last, table, window)
                              : filtered<true>(samples, taps, x, distances, channels == 1, last, table, window);
    item.to[j * channels + c] = from_unit<OUT>(sum);
  }
}

// The same for sounds of one channel that all have the same step, by which blocks have few phases: parts of a sample at which their
// places begin. There are weights `given` of each phase and tap, of RESAMPLED_BLOCK places side by side; which sample is the first to be
// weighed, and the place itself, of each phase and place.
extern "C" __global__ void __launch_bounds__(256) resample_by_phases(
    const Item* __restrict__ items, const float2* __restrict__ table, i64 size, i64 lobes, i64 moved,
    const i32* __restrict__ phases, const float* __restrict__ given, const i32* __restrict__ firsts, const float* __restrict__ places) {
  __shared__ float held[HELD];
  const Item& item = items[blockIdx.y];
  const i64 count = item.count, begin = (i64)blockIdx.x * RESAMPLED_BLOCK;
  if (begin >= item.made) return;
  const double exact = (double)begin * item.step;
  const i64 origin = exact < (double)count ? whole_below(exact) : count;
  const i64 low = most(-lobes, -origin), high = least((i64)(RESAMPLED_BLOCK * (float)item.step) + lobes + 4, count - origin);
  for (i64 n = low + threadIdx.x; n < high; n += RESAMPLED_BLOCK) held[n - low] = moved_sample(item.from[origin + n], (int)moved);
  __syncthreads();
  const i64 j = begin + threadIdx.x;
  if (j >= item.made) return;
  const int taps = (int)(2 * lobes), phase = phases[blockIdx.x], mine = phase * RESAMPLED_BLOCK + threadIdx.x;
  i64 first = firsts[mine];
  float sum = 0;
  if (first >= -origin && first + taps <= count - origin) {
    const float *samples = held + (first - low), *weights = given + (i64)phase * taps * RESAMPLED_BLOCK + threadIdx.x;
    float sums[4] = {0, 0, 0, 0};
    int n = 0;
#pragma unroll 4
    for (; n + 4 <= taps; n += 4, weights += 4 * RESAMPLED_BLOCK)
#pragma unroll
      for (int k = 0; k < 4; k++) sums[k] += samples[n + k] * __ldg(weights + k * RESAMPLED_BLOCK);
    sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    for (; n < taps; n++, weights += RESAMPLED_BLOCK) sum += samples[n] * __ldg(weights);
  } else {  // at the ends of the sound
    const float place = places[mine];
    const i64 end = least(first + taps, count - origin);
    first = most(first, -origin);
    const int some = (int)most<i64>(end - first, 0);
    float distances[4];
    for (int k = 0; k < 4; k++) distances[k] = (float)(first + k) - place;
    const Given samples{item.from + (origin + first), 1, (int)moved};
    sum = filtered<false>(samples, some, distances[0], distances, true, (float)(first + some / 4 * 4) - place, table,
                          sinc_window(nullptr, size, lobes));
  }
  item.to[j] = from_unit<OUT>(sum);
}
