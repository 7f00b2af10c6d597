// Which pixels a grid of squares covers.
#pragma once
#include "numbers.hpp"

// The grid is turned about its corner and shifted; all lengths count in tiles. Single precision, in nvidia.dali's order.
struct GridMask {
  float cosine, sine;  // a pixel's step along the grid's axes
  float shift_x, shift_y;
  float ratio;  // side of the square that is covered of each tile

  HD static float part(float x) {
    const float cut = x >= -0x1p23f && x < 0x1p23f ? (float)(i32)x : x;  // from there on there are no fractions
    return x - (cut - (float)(cut > x));
  }
  // Where a row begins on the grid.
  HD float row_x(i64 y) const { return -shift_x + (float)y * -sine; }
  HD float row_y(i64 y) const { return -shift_y + (float)y * cosine; }
  HD bool covers(float from_x, float from_y, i32 x) const {
    return part(from_x + (float)x * cosine) < ratio && part(from_y + (float)x * sine) < ratio;
  }
};
