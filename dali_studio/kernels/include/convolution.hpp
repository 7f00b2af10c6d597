// Convolution along one axis: one product after the other is added to a float32, without fused multiply-add, so that results
// equal nvidia.dali's. Products of float64 data are float64.
#pragma once
#include "exponential.hpp"
#include "numbers.hpp"

// The position that lies at position i of an axis of `size` that is mirrored at the centres of its first and last pixels.
HD i64 reflected(i64 i, i64 size) {
  if (size < 2) return 0;
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * size - 2 - i;
  return i;
}

// What elements are between the axes.
template <class T> struct Between { typedef f32 type; };
template <> struct Between<f64> { typedef f64 type; };

// The sum over a window; at(k) is the element, or a vector of them, under weight k. V is a float, or a vector of them.
template <class V> struct Convolution {
  const float* weights;
  i64 taps;
  template <class AT> HD V operator()(AT at) const {
    V sum = 0;
    for (i64 k = 0; k < taps; k++) sum = (V)(sum + at(k) * weights[k]);
    return sum;
  }
};

// The 2 * radius + 1 weights of a Gaussian, whose sum is 1.
HD void gaussian_window(float sigma, i64 radius, float* weights) {
  const float scale = 0.5f / (sigma * sigma);
  float sum = 0;
  for (i64 k = 0; k < radius; k++) sum += weights[k] = (float)exponential(-((float)((radius - k) * (radius - k)) * scale));
  weights[radius] = 1.f / (sum * 2.f + 1.f);
  for (i64 k = 0; k < radius; k++) weights[2 * radius - k] = weights[k] *= weights[radius];
}
