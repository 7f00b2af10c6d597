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

// Elements beyond an axis that follow each other: `count` of them show the element `begin` and the next ones, `step` apart.
struct Stretch {
  i64 begin, step, count;
};

// Those from position i on, which lies outside of [0, size); `border` is not CONSTANT.
HD Stretch continued(i64 i, i64 size, Border border) {
  const i64 endless = (i64)1 << 62;
  if (border == CLAMP || size == 1) return {i < 0 ? 0 : size - 1, 0, i < 0 ? -i : endless};
  const i64 between = border == REFLECT_101 ? size - 2 : border == REFLECT_1001 ? size : 0, period = size + between;
  i64 within = i % period;
  if (within < 0) within += period;
  if (within < size) return {within, 1, size - within};
  return {bordered(i, size, border), -1, period - within};
}
