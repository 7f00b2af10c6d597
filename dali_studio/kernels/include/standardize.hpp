#pragma once
#include "numbers.hpp"

// The distance from a mean, in units that a factor gives.
struct Standardize {
  template <class T> static HD T of(T x, T mean, T factor) { return (x - mean) * factor; }
};
