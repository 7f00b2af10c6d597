// Loops of `audio.py`.
#include "../include/audio.hpp"

#include "../include/elementary.hpp"
#include "../include/silence.hpp"
#include "arguments.hpp"
#include "instantiations.hpp"
#include "vector.hpp"

static const int LANES = 4;
enum { MAX_LOBES = 64, STEPS = 32 };  // those of quality 100; values of the table from one sample to the next (`_FINENESS`)

// The filter's table once more: row r has every STEPS-th value from the r-th on, so that the weights of neighbouring samples are
// neighbours.
struct PhasedWindow {
  const SincWindow& window;
  const Dense<const f32, 2>& rows;

  // The weights of four samples at distances `x`, which are 1 apart but for rounding.
  f32x4 operator()(f32x4 x) const {
    typedef Vector<i32, 4> Four;
    const f32x4 place = x * window.scale + window.centre;
    const Four index = __builtin_convertvector(place, Four);
    const i32 first = index[0];
    if (first >= 0 && first + 3 * STEPS < window.size && __builtin_reduce_and(index == first + Four{0, STEPS, 2 * STEPS, 3 * STEPS})) {
      const float* row = rows.data + first % STEPS * rows.shape[1] + first / STEPS;
      const f32x4 low = read<f32x4>(row), high = read<f32x4>(row + rows.shape[1]);
      return low + (place - __builtin_convertvector(index, f32x4)) * (high - low);
    }
    return f32x4{window(x[0]), window(x[1]), window(x[2]), window(x[3])};
  }
};

// The weighted sum of one channel: partial sums of every fourth sample, and the rest one by one. Distances are counted on from the
// first one, whose rounding all then have, in nvidia.dali as here.
static float filtered(const PhasedWindow& phased, const float* in, i64 first, i64 end, float place) {
  f32x4 sums = 0.f, x = f32x4{(float)first, (float)(first + 1), (float)(first + 2), (float)(first + 3)} - place;
  i64 i = first;
  for (; i + LANES <= end; i += LANES) sums += read<f32x4>(in + i) * phased(x), x += (float)LANES;
  float sum = (sums[0] + sums[2]) + (sums[1] + sums[3]), rest = (float)i - place;
  for (; i < end; i++, rest += 1) sum += in[i] * phased.window(rest);
  return sum;
}

// in, out: (samples, channels); step: input samples for one of the output.
static i64 resample_audio(Dense<const f32, 2> in, Dense<f32, 2> out, f64 step, Dense<const f32, 1> table, Dense<const f32, 2> rows,
                          i64 lobes) {
  const i64 count = in.shape[0], made = out.shape[0], channels = in.shape[1], size = table.shape[0];
  if (out.shape[1] != channels || size < 4 || lobes < 1 || lobes > MAX_LOBES || !(step > 0) || rows.shape[0] != STEPS + 1 ||
      rows.shape[1] * STEPS < size + 3 * STEPS)
    return MISFIT;
  const SincWindow window = sinc_window(table.data, size, lobes);
  const PhasedWindow phased = {window, rows};
  for (i64 begin = 0; begin < made; begin += RESAMPLED_BLOCK) {
    const double exact = (double)begin * step;
    const i64 origin = exact < (double)count ? whole_below(exact) : count;
    const float* from = in.data + origin * channels;
    float place = (float)(exact - (double)origin);
    for (i64 j = begin; j < least(begin + RESAMPLED_BLOCK, made); j++, place += (float)step) {
      const i64 nearest = place < (float)(2 * count + 2) ? ceiling_of(place) : 2 * count + 2;
      const i64 first = most(nearest - lobes, -origin), end = least(nearest + lobes, count - origin);
      float* to = out.data + j * channels;
      if (channels == 1) {
        *to = filtered(phased, from, first, end, place);
        continue;
      }
      float weights[2 * MAX_LOBES], x = (float)first - place;
      for (i64 i = first; i < end; i++, x += 1) weights[i - first] = window(x);
      for (i64 c = 0; c < channels; c++) {
        float sum = 0;
        for (i64 i = first; i < end; i++) sum += from[i * channels + c] * weights[i - first];
        to[c] = sum;
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

// Samples as floats: of a signed type that is to become an unsigned one (1) moved up, the other way round (2) moved down.
template <class T> i64 to_sound(Dense<const T, 1> in, Dense<f32, 1> out, int moved) {
  if (out.shape[0] != in.shape[0]) return MISFIT;
  for (i64 i = 0; i < in.shape[0]; i++) out.data[i] = moved_sample(in.data[i], moved);
  return 0;
}
REGISTER_EACH(to_sound, ToSoundTypes)

template <class T> i64 from_sound(Dense<const f32, 1> in, Dense<T, 1> out) {
  if (out.shape[0] != in.shape[0]) return MISFIT;
  for (i64 i = 0; i < in.shape[0]; i++) out.data[i] = from_unit<T>(in.data[i]);
  return 0;
}
REGISTER_EACH(from_sound, FromSoundTypes)

// ------------------------------------------------------------------------------------------------------------- emphasis

template <class T> i64 preemphasis(Dense<const T, 1> in, Dense<typename Emphasized<T>::type, 1> out, f32 coefficient, int border) {
  typedef typename Emphasized<T>::type S;
  const i64 count = in.shape[0];
  if (out.shape[0] != count) return MISFIT;
  if (count == 0) return 0;
  const S before = border == BORDER_ZERO ? (S)0 : (S)in.data[border == BORDER_REFLECT && count > 1];
  out.data[0] = preemphasized((S)in.data[0], before, coefficient);
  for (i64 i = 1; i < count; i++) out.data[i] = preemphasized((S)in.data[i], (S)in.data[i - 1], coefficient);
  return 0;
}
REGISTER_EACH(preemphasis, PreemphasisTypes)

// Of float sounds, by their addresses and how many samples they have.
static i64 preemphasis_of_all(Array<const i64, 1> sounds, Array<const i64, 1> counts, Array<const i64, 1> out, Array<const f32, 1> coefficients,
                              int border) {
  const i64 samples = sounds.shape[0];
  if (counts.shape[0] != samples || out.shape[0] != samples || coefficients.shape[0] != samples) return MISFIT;
  for (i64 i = 0; i < samples; i++) {
    Dense<const f32, 1> in;
    Dense<f32, 1> to;
    in.data = (const f32*)(u64)sounds(i), to.data = (f32*)(u64)out(i);
    in.shape[0] = to.shape[0] = counts(i);
    preemphasis<f32>(in, to, coefficients(i), border);
  }
  return 0;
}
REGISTER(preemphasis_of_all)

// ------------------------------------------------------------------------------------------------------------- decibels

// Of the largest element where there is no reference (0).
static i64 to_decibels(Dense<const f32, 1> in, Dense<f32, 1> out, f32 factor, f32 reference, f32 smallest) {
  if (out.shape[0] != in.shape[0]) return MISFIT;
  float largest = 0;
  if (reference == 0)
    for (i64 i = 0; i < in.shape[0]; i++) largest = in.data[i] > largest ? in.data[i] : largest;
  const float against = reference == 0 ? largest : reference;
  const Decibels decibels = {factor, against == 1 ? 1 : 1 / against, smallest};
  for (i64 i = 0; i < in.shape[0]; i++) out.data[i] = decibels(in.data[i]);
  return 0;
}
REGISTER(to_decibels)

// Of samples, by their addresses and how many numbers they have.
static i64 decibels_of_all(Array<const i64, 1> in, Array<const i64, 1> counts, Array<const i64, 1> out, f32 factor, f32 reference, f32 smallest) {
  const i64 samples = in.shape[0];
  if (counts.shape[0] != samples || out.shape[0] != samples) return MISFIT;
  for (i64 i = 0; i < samples; i++) {
    Dense<const f32, 1> from;
    Dense<f32, 1> to;
    from.data = (const f32*)(u64)in(i), to.data = (f32*)(u64)out(i);
    from.shape[0] = to.shape[0] = counts(i);
    to_decibels(from, to, factor, reference, smallest);
  }
  return 0;
}
REGISTER(decibels_of_all)

// -------------------------------------------------------------------------------------------------------------- silence

// All windows of a sound by exact sums, which may be taken in any order: what a tile adds is found at once, and then summed up. Gives the
// largest mean: that of the largest sum, since neither the conversion nor the product changes their order.
template <class S, class T> static float exact_mean_squares(const T* in, i64 windows, i64 width, float* out) {
  enum { TILE = 1024 };
  const float factor = 1.f / (float)width;
  S sum = 0, sums[TILE];
  for (i64 i = 0; i < width; i++) sum += (S)square(in[i]);
  S largest = sum;
  out[0] = (float)sum * factor;
  for (i64 begin = 1; begin < windows; begin += TILE) {
    const i64 tile = least<i64>(TILE, windows - begin);
    const T *gone = in + begin - 1, *come = gone + width;
    for (i64 i = 0; i < tile; i++) sums[i] = (S)square(come[i]) - (S)square(gone[i]);
    for (i64 i = 0; i < tile; i++) sums[i] = sum += sums[i];
    for (i64 i = 0; i < tile; i++) largest = most(largest, sums[i]), out[begin + i] = (float)sums[i] * factor;
  }
  return (float)largest * factor;
}

// All windows of a sound, whose sums, where they are rounded, are computed anew every `interval` samples. Gives the largest mean.
template <class T> static float all_mean_squares(const T* in, i64 count, i64 width, i64 interval, float* out) {
  const i64 windows = count - width + 1;
  if constexpr (same<typename SquareSum<T>::type, i64>::value) {
    if (sizeof(T) == 1 && width < 1 << 15) return exact_mean_squares<i32>(in, windows, width, out);  // of squares below 2^16
    return exact_mean_squares<i64>(in, windows, width, out);
  }
  // the first sums end with sample `interval`, all others after as many windows
  i64 begin = least(interval - width + 1, windows);
  mean_squares<1>(in, begin, width, 0, out);
  for (; begin + 4 * interval <= windows; begin += 4 * interval) mean_squares<4>(in + begin, interval, width, interval, out + begin);
  for (; begin < windows; begin += interval) mean_squares<1>(in + begin, least(interval, windows - begin), width, 0, out + begin);
  float largest = out[0];
  for (i64 i = 1; i < windows; i++) largest = out[i] > largest ? out[i] : largest;
  return largest;
}

// Begin and length of what is not silent: of the windows, the first and the last whose mean square reaches `ratio` times the
// reference, or, where that is 0, times the largest. means: room for one of each window.
template <class T>
static void region_of(const T* in, i64 count, i64 width, i64 interval, f32 ratio, f32 reference, float* means, i32* first, i32* length) {
  const i64 windows = count - width + 1;
  const float largest = all_mean_squares(in, count, width, interval, means), cutoff = (reference == 0 ? largest : reference) * ratio;
  i64 begin = 0, end = windows - 1;
  while (begin < windows && !(means[begin] >= cutoff)) begin++;
  *first = *length = 0;
  if (begin == windows) return;
  while (end > begin && !(means[end] >= cutoff)) end--;
  *first = (i32)begin, *length = (i32)(end - begin + width);
}

// Of sounds, by their addresses and how many samples they have; results go to addresses, too. interval: 0 for never.
template <class T>
i64 nonsilent_regions(Array<const i64, 1> sounds, Array<const i64, 1> counts, Array<const i64, 1> firsts, Array<const i64, 1> lengths,
                      i64 width, i64 interval, f32 ratio, f32 reference, Dense<f32, 1> means) {
  const i64 samples = sounds.shape[0];
  if (counts.shape[0] != samples || firsts.shape[0] != samples || lengths.shape[0] != samples || width < 1 || (interval && interval < width)) return MISFIT;
  for (i64 i = 0; i < samples; i++)
    if (counts(i) < 1 || means.shape[0] < counts(i) - least(width, counts(i)) + 1) return MISFIT;
  for (i64 i = 0; i < samples; i++)
    region_of((const T*)(u64)sounds(i), counts(i), least(width, counts(i)), interval ? interval : counts(i), ratio, reference, means.data,
              (i32*)(u64)firsts(i), (i32*)(u64)lengths(i));
  return 0;
}
REGISTER_EACH(nonsilent_regions, NonsilentRegionsTypes)
