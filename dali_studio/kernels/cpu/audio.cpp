// Loops of `audio.py`.
#include "../include/audio.hpp"

#include "arguments.hpp"

// Positions of outputs are added up in single precision within such blocks, as nvidia.dali does.
static const i64 BLOCK = 256;
static const int LANES = 4;

static i64 floor_of(double x) {
  const i64 cut = (i64)x;
  return cut - ((double)cut > x);
}
static i64 ceiling_of(float x) {
  const i64 cut = (i64)x;
  return cut + ((float)cut < x);
}

// The weighted sum of one channel: partial sums of every fourth sample, and the rest one by one. Distances are counted on from the
// first one, whose rounding all then have, in nvidia.dali as here.
static float filtered(const SincWindow& window, const float* in, i64 first, i64 end, float place) {
  float sums[LANES] = {}, x[LANES];
  for (int lane = 0; lane < LANES; lane++) x[lane] = (float)(first + lane) - place;
  i64 i = first;
  for (; i + LANES <= end; i += LANES)
    for (int lane = 0; lane < LANES; lane++) sums[lane] += in[i + lane] * window(x[lane]), x[lane] += LANES;
  float sum = (sums[0] + sums[2]) + (sums[1] + sums[3]), rest = (float)i - place;
  for (; i < end; i++, rest += 1) sum += in[i] * window(rest);
  return sum;
}

// in, out: (samples, channels); step: input samples for one of the output.
static i64 resample_audio(Dense<const f32, 2> in, Dense<f32, 2> out, f64 step, Dense<const f32, 1> table, i64 lobes) {
  const i64 count = in.shape[0], made = out.shape[0], channels = in.shape[1], size = table.shape[0];
  if (out.shape[1] != channels || size < 4 || lobes < 1 || lobes > size || !(step > 0)) return MISFIT;
  const i32 middle = (i32)(size - 6) / 2 + 1;  // a zero before the filter, which has an odd number of values, five behind
  const SincWindow window = {table.data, (float)(middle - 1) / (float)lobes, (float)middle, (i32)lobes, (i32)size - 2};
  for (i64 begin = 0; begin < made; begin += BLOCK) {
    const double exact = (double)begin * step;
    const i64 origin = exact < (double)count ? floor_of(exact) : count;
    const float* from = in.data + origin * channels;
    float place = (float)(exact - (double)origin);
    for (i64 j = begin; j < least(begin + BLOCK, made); j++, place += (float)step) {
      const i64 nearest = place < (float)(2 * count + 2) ? ceiling_of(place) : 2 * count + 2;
      const i64 first = most(nearest - lobes, -origin), end = least(nearest + lobes, count - origin);
      float* to = out.data + j * channels;
      if (channels == 1) {
        *to = filtered(window, from, first, end, place);
        continue;
      }
      for (i64 c = 0; c < channels; c++) to[c] = 0;
      float x = (float)first - place;
      for (i64 i = first; i < end; i++, x += 1) {
        const float weight = window(x);
        for (i64 c = 0; c < channels; c++) to[c] += from[i * channels + c] * weight;
      }
    }
  }
  return 0;
}
REGISTER(resample_audio)

// The mean of the channels.
static i64 downmix(Dense<const f32, 2> in, Dense<f32, 1> out) {
  const i64 channels = in.shape[1];
  if (out.shape[0] != in.shape[0] || channels < 1) return MISFIT;
  const float weight = 1.f / (float)channels;
  for (i64 i = 0; i < in.shape[0]; i++) {
    float sum = 0;
    for (i64 c = 0; c < channels; c++) sum += in.data[i * channels + c] * weight;
    out.data[i] = sum;
  }
  return 0;
}
REGISTER(downmix)

template <class T> static i64 integers_of_sound(Dense<const f32, 1> in, Dense<T, 1> out) {
  if (out.shape[0] != in.shape[0]) return MISFIT;
  for (i64 i = 0; i < in.shape[0]; i++) out.data[i] = from_unit<T>(in.data[i]);
  return 0;
}
static i64 int16_of_sound(Dense<const f32, 1> in, Dense<i16, 1> out) { return integers_of_sound(in, out); }
REGISTER(int16_of_sound)
static i64 int32_of_sound(Dense<const f32, 1> in, Dense<i32, 1> out) { return integers_of_sound(in, out); }
REGISTER(int32_of_sound)
