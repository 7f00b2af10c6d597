// Sounds at another rate: what `resample_audio` of `kernels/cpu/audio.cpp` does. A thread makes SAMPLES samples of one channel that
// follow each other, of which RESAMPLED_BLOCK is a multiple.
// Macros: IN and OUT, the types of the samples.
#include "../include/audio.hpp"
#include "../include/division.hpp"

struct Item {
  const IN* from;
  OUT* to;
  i64 count, made, channels;  // samples of the input and of the output
  double step;                // samples of the input for one of the output
};

enum { SAMPLES = 4 };

// `SincWindow` with its table in shared memory: each number, and how much the next one differs from it.
struct Window {
  const float2* values;
  float scale, centre, size;
  int lobes;

  __device__ __forceinline__ float operator()(float x) const {
    const float place = x * scale + centre, floor = __fadd_rd(between(place, 0.f, size), 8388608.f);  // in its last places
    const float2 value = values[__float_as_uint(floor) - 0x4B000000u];
    return value.x + (place - (floor - 8388608.f)) * value.y;
  }
};

// The sample at a place behind `from`, the sample `origin` of `count`.
__device__ __forceinline__ float sample_at(const IN* from, i64 channels, float place, i64 origin, i64 count, const Window& window, int moved) {
  const i64 nearest = place < (float)(2 * count + 2) ? ceiling_of(place) : 2 * count + 2;
  const i64 first = most(nearest - window.lobes, -origin), end = least(nearest + window.lobes, count - origin);
  const int taps = (int)(end - first);
  float sum = 0;
  int n = 0;
  from += first * channels;
  if (channels == 1) {  // four sums, as there
    float sums[4] = {0, 0, 0, 0}, x[4];
    for (int k = 0; k < 4; k++) x[k] = (float)(first + k) - place;
    for (; n + 4 <= taps; n += 4)
      for (int k = 0; k < 4; k++) sums[k] += moved_sample(from[n + k], moved) * window(x[k]), x[k] += 4;
    sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }
  for (float x = (float)(first + n) - place; n < taps; n++, x += 1) sum += moved_sample(from[n * channels], moved) * window(x);
  return sum;
}

// `table` has `size` numbers for a filter of so many `lobes`; `moved`: see `moved_sample`.
extern "C" __global__ void __launch_bounds__(256) resample_audio(
    const Item* __restrict__ items, const float* __restrict__ table, i64 size, i64 lobes, i64 moved) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x, channels = most(item.channels, 1ll), count = item.count;
  const i64 group = quotient(i, channels), channel = i - group * channels, j = group * SAMPLES, begin = j / RESAMPLED_BLOCK * RESAMPLED_BLOCK;
  const SincWindow given = sinc_window(table, size, lobes);
  extern __shared__ float4 memory[];
  float2* values = (float2*)memory;
  for (int k = threadIdx.x; k < (int)size - 1; k += 256) values[k] = make_float2(table[k], table[k + 1] - table[k]);
  __syncthreads();
  if (j >= item.made || !item.channels) return;
  const Window window = {values, given.scale, given.centre, (float)given.size, given.lobes};
  const double exact = (double)begin * item.step;
  const i64 origin = exact < (double)count ? whole_below(exact) : count;
  const float step = (float)item.step;
  float place = (float)(exact - (double)origin);
  for (int k = (int)(j - begin); k; k--) place += step;
  const IN* from = item.from + origin * channels + channel;
  for (int made = 0; made < SAMPLES && j + made < item.made; made++, place += step)
    item.to[(j + made) * channels + channel] = from_unit<OUT>(sample_at(from, channels, place, origin, count, window, (int)moved));
}
