// Formulas of sound: resampling by a windowed sinc, and integers for -1 .. 1. float32 without fused multiply-add.
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

// A sample from -1 to 1 as an integer over its whole range: rounded half away from zero, saturated, NaN becomes 0.
template <class T> HD T from_unit(float x) { return from_float<T>(x * (float)limits<T>::high); }
