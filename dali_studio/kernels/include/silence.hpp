// The power of a sound at its places: mean squares of windows.
#pragma once
#include "numbers.hpp"

// Sums of squares: exact for integers of up to 16 bits, in float32 for all others.
template <class T> struct SquareSum { typedef f32 type; };
template <> struct SquareSum<u8> { typedef i64 type; };
template <> struct SquareSum<i8> { typedef i64 type; };
template <> struct SquareSum<u16> { typedef i64 type; };
template <> struct SquareSum<i16> { typedef i64 type; };

template <class T> HD typename SquareSum<T>::type square(T x) { return (typename SquareSum<T>::type)x * (typename SquareSum<T>::type)x; }

// The mean square of `windows` windows of `width` samples, the first of which is computed and the others follow one by one; of COUNT
// such parts, which begin `step` samples after each other. They do not depend on each other: taken at once, none waits for its sums.
template <int COUNT, class T> HD void mean_squares(const T* in, i64 windows, i64 width, i64 step, float* out) {
  const float factor = 1.f / (float)width;
  typename SquareSum<T>::type sums[COUNT] = {};
  for (i64 i = 0; i < width; i++)
    for (int k = 0; k < COUNT; k++) sums[k] += square(in[k * step + i]);
  for (int k = 0; k < COUNT; k++) out[k * step] = (float)sums[k] * factor;
  for (i64 i = 1; i < windows; i++)
    for (int k = 0; k < COUNT; k++) {
      sums[k] -= square(in[k * step + i - 1]);  // in this order, as nvidia.dali does: float32 rounds
      sums[k] += square(in[k * step + i + width - 1]);
      out[k * step + i] = (float)sums[k] * factor;
    }
}
