// Numbers of classes.
#pragma once
#include "numbers.hpp"

// The class that a number stands for: real ones are cut, and what no 64 bits hold is none.
template <class I> HD i64 class_of(I x) {
  if constexpr (same<I, f32>::value || same<I, f64>::value) return whole((double)x);
  else if constexpr (same<I, u64>::value) return x >> 63 ? -1 : (i64)x;
  else return (i64)x;
}
