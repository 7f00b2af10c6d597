// Formulas of sound: resampling by a windowed sinc, integers for -1 .. 1, decibels. float32 without fused multiply-add.
#pragma once
#include "rounding.hpp"

// A table of the filter, one zero before its `size` values and more behind, which is read with linear interpolation.
struct SincWindow {
  const float* values;
  float scale, centre;  // steps of the table for one sample of the input, and where the filter's middle is
  i32 lobes, size;

  // The weight of an input sample that lies `x` samples behind the output's.
  HD float operator()(float x) const {
    const float place = x * scale + centre;
    const i32 index = between((i32)place, 0, size);
    return values[index] + (place - (float)index) * (values[index + 1] - values[index]);
  }
};

// A table of `size` numbers: a zero before the filter, which has an odd number of values, five behind.
HD SincWindow sinc_window(const float* table, i64 size, i64 lobes) {
  const i32 middle = (i32)(size - 6) / 2 + 1;
  return {table, (float)(middle - 1) / (float)lobes, (float)middle, (i32)lobes, (i32)size - 2};
}

// Positions of outputs are added up in single precision within such blocks, as nvidia.dali does.
enum { RESAMPLED_BLOCK = 256 };
HD i64 whole_below(double x) {
  const i64 cut = (i64)x;
  return cut - ((double)cut > x);
}
HD i64 ceiling_of(float x) {
  const i64 cut = (i64)x;
  return cut + ((float)cut < x);
}

// A sample from -1 to 1 as an integer over its whole range: rounded half away from zero, saturated, NaN becomes 0. And back.
template <class T> HD T from_unit(float x) {
  if constexpr (same<T, f32>::value) return x;
  else return from_float<T>(x * (float)limits<T>::high);
}
template <class T> HD float to_unit(T x) {
  if constexpr (same<T, f32>::value) return x;
  else return (float)x * (1.f / (float)limits<T>::high);
}

// A sample as a float: of a signed type that is to become an unsigned one (1) moved up, the other way round (2) moved down.
template <class T> HD float moved_sample(T sample, int moved) {
  const float x = to_unit(sample);
  return moved == 1 ? (x + 1) * 0.5f : moved == 2 ? x * 2 - 1 : x;
}

// What stands before the first sample: 0, the first sample, or the second (`BORDERS` of audio.py).
enum Border { BORDER_ZERO, BORDER_CLAMP, BORDER_REFLECT };
// The type in which a part is taken: float64 has its own, all others float32.
template <class T> struct Emphasized { typedef f32 type; };
template <> struct Emphasized<f64> { typedef f64 type; };

// An element of a sound from which a part of the one before is taken.
template <class V> HD V preemphasized(V x, V before, float coefficient) { return x - coefficient * before; }

// The logarithm to base 2 of a positive number, to one or two units in the last place. Without branches, so that loops become vectors.
HD float binary_logarithm(float x) {
  // x = m 2^k with m from sqrt(1/2) to sqrt(2); what is below the smallest normal number, a whole number of 2^-149, is
  // made larger first, without calculating with it (see `multiple`)
  const bool tiny = bits_of(x) < 0x00800000u;
  const float large = tiny ? (float)(i32)bits_of(x) * 0x1p-126f : x;
  const u32 bits = bits_of(large) - 0x3F3504F3u;
  const i32 k = ((i32)bits >> 23) - (tiny ? 23 : 0);
  const float y = from_bits((bits & 0x007FFFFFu) + 0x3F3504F3u) - 1, z = y * y;
  float p = 7.0376836292e-2f;
  p = p * y - 1.1514610310e-1f, p = p * y + 1.1676998740e-1f, p = p * y - 1.2420140846e-1f, p = p * y + 1.4249322787e-1f;
  p = p * y - 1.6668057665e-1f, p = p * y + 2.0000714765e-1f, p = p * y - 2.4999993993e-1f, p = p * y + 3.3333331174e-1f;
  const float rest = y * z * p - 0.5f * z, log2e = 0.44269504088896340735992f;  // log2(e) - 1
  return ((rest * log2e + y * log2e) + rest) + y + (float)k;
}

// A number as a multiple of a reference. CuPy compiles kernels so that numbers below the smallest normal one count as 0;
// they are taken as what they are, whole numbers of 2^-149, and the result is rounded once, as on the CPU.
HD float multiple(float x, float inverse_reference) {
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
  const u32 bits = bits_of(x);
  if ((bits & 0x7F800000u) == 0) {
    const float size = (float)(bits & 0x007FFFFFu) * 0x1p-75f * inverse_reference * 0x1p-74f;
    return bits >> 31 ? -size : size;
  }
#endif
  return x * inverse_reference;
}

// Magnitudes in decibels of a reference, at least those of a smallest ratio.
struct Decibels {
  float factor, inverse_reference, smallest;  // the factor is that of the logarithm to base 2
  HD float operator()(float x) const {
    const float ratio = multiple(x, inverse_reference);
    // as whole numbers, which have the order of positive floats, also of those below the smallest normal one
    const bool larger = ratio == ratio && (i32)bits_of(ratio) > (i32)bits_of(smallest);
    return factor * binary_logarithm(larger ? ratio : smallest);
  }
};
