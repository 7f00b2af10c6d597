// Where displaced pixels come from: float32 without fused multiply-add, in nvidia.dali's order.
#pragma once
#include "elementary.hpp"
#include "warp.hpp"

// An image seen through a glass ball: points move away from the centre, the more the farther they are.
struct Sphere {
  float middle_x, middle_y, radius;

  HD static Sphere of(i64 height, i64 width) {
    const float x = (float)width * 0.5f, y = (float)height * 0.5f;
    return {x, y, (float)(i32)(x > y ? x : y)};  // a whole number, 0 for one pixel
  }
  HD Point operator()(float column, float row) const {
    const float x = column + 0.5f - middle_x, y = row + 0.5f - middle_y;
    const float distance = square_root(x * x + y * y) / radius;
    return {middle_x + distance * x, middle_y + distance * y};
  }
};

// A pixel of the neighbourhood: whole numbers from -(degree / 2) on, `degree` many, of two words that are drawn.
struct Jitter {
  i32 degree;

  HD i32 step(u32 word) const {
    const u32 size = (u32)degree;
    return -(degree >> 1) + (i32)((size & (size - 1)) ? (u32)((u64)word * size >> 32) : word & (size - 1));
  }
};
