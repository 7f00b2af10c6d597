// What lies beyond the ends of an axis.
#pragma once
#include "numbers.hpp"

// A given value; the first and last elements; those mirrored, with the first and last ones doubled or not; the axis once more.
enum Border { CONSTANT, CLAMP, REFLECT_1001, REFLECT_101, WRAP };

// The position that stands for position i of an axis of `size`; -1 for a given value.
HD i64 bordered(i64 i, i64 size, Border border) {
  if (i >= 0 && i < size) return i;
  if (border == CONSTANT || size < 1) return -1;
  if (border == CLAMP || size == 1) return i < 0 ? 0 : size - 1;
  const i64 period = border == WRAP ? size : border == REFLECT_1001 ? 2 * size : 2 * size - 2;
  i64 within = i % period;
  if (within < 0) within += period;
  if (within < size) return within;
  return border == REFLECT_1001 ? period - 1 - within : period - within;
}
