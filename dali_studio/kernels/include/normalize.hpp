// Normalisation: (x - mean) * factor in float32, in this order, so that rounded results equal nvidia.dali's. V is a float, or a
// vector of them.
#pragma once
#include "numbers.hpp"

template <class V> struct Normalize {
  V mean, factor;
  HD V operator()(V x) const { return (x - mean) * factor; }
};
