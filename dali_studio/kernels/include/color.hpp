// Functors of colours: float32 without fused multiply-add, in a fixed order, so that rounded results equal nvidia.dali's.
//
// A functor's fields are floats. It is called with one element, or, if its operator says `rgb`, with the number of an output
// channel and the three channels of a pixel. V is a float, or a vector of them.
#pragma once
#include "numbers.hpp"

// x * multiply + add
struct Scale {
  float multiply, add;
  template <class V> HD V operator()(V x) const { return x * multiply + add; }
};

// Rows are output channels: red, green, blue, and what is added.
struct ColorMatrix {
  float m[12];
  template <class V> HD V operator()(int channel, V red, V green, V blue) const {
    const float* w = m + 4 * channel;
    return ((w[0] * red + w[1] * green) + w[2] * blue) + w[3];
  }
};

// Rows as above, of channels from which `shift` has been taken.
struct ColorSpace {
  float shift[3], m[12];
  template <class V> HD V operator()(int channel, V a, V b, V c) const {
    const float* w = m + 4 * channel;
    return ((w[0] * (a - shift[0]) + w[1] * (b - shift[1])) + w[2] * (c - shift[2])) + w[3];
  }
};
// The same of channels from the last to the first.
struct ReversedColorSpace {
  ColorSpace space;
  template <class V> HD V operator()(int channel, V a, V b, V c) const { return space(channel, c, b, a); }
};
