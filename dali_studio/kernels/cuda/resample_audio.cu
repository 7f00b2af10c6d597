// Sounds at another rate: what `resample_audio` of `kernels/cpu/audio.cpp` does. A thread makes one sample of one channel.
// Macros: IN and OUT, the types of the samples.
#include "../include/audio.hpp"

struct Item {
  const IN* from;
  OUT* to;
  i64 count, made, channels;  // samples of the input and of the output
  double step;                // samples of the input for one of the output
};

// `table` has `size` numbers for a filter of so many `lobes`; `moved`: see `moved_sample`.
extern "C" __global__ void __launch_bounds__(256) resample_audio(
    const Item* __restrict__ items, const float* __restrict__ table, i64 size, i64 lobes, i64 moved) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x, channels = item.channels, count = item.count;
  if (i >= item.made * channels) return;
  const SincWindow window = sinc_window(table, size, lobes);
  const i64 j = i / channels, begin = j / RESAMPLED_BLOCK * RESAMPLED_BLOCK;
  const double exact = (double)begin * item.step;
  const i64 origin = exact < (double)count ? whole_below(exact) : count;
  float place = (float)(exact - (double)origin);
  for (i64 k = begin; k < j; k++) place += (float)item.step;
  const i64 nearest = place < (float)(2 * count + 2) ? ceiling_of(place) : 2 * count + 2;
  const i64 first = most(nearest - lobes, -origin), end = least(nearest + lobes, count - origin);
  const IN* from = item.from + origin * channels + i % channels;
  float sum = 0;
  i64 n = first;
  if (channels == 1) {  // four sums, as there
    float sums[4] = {0, 0, 0, 0}, x[4];
    for (int k = 0; k < 4; k++) x[k] = (float)(first + k) - place;
    for (; n + 4 <= end; n += 4)
      for (int k = 0; k < 4; k++) sums[k] += moved_sample(from[n + k], (int)moved) * window(x[k]), x[k] += 4;
    sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }
  for (float x = (float)n - place; n < end; n++, x += 1) sum += moved_sample(from[n * channels], (int)moved) * window(x);
  item.to[i] = from_unit<OUT>(sum);
}
