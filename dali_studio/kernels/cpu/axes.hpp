// The weights of a whole axis, for loops of the CPU.
#pragma once
#include "../include/weights.hpp"

// The window of `count` output pixels that begins at `first`, in reverse order if `mirrored`. Positions of nearest pixels are
// counted from the input pixel `origin`, which decides their last bits.
inline void fill_axis(Axis axis, Filter filter, i64 first, i64 count, bool mirrored, i32* starts, float* weights, i64 origin = 0) {
  if (axis.kind == NEAREST) axis.low -= (float)origin;
  float running = nearest_position(axis, 0);
  if (axis.kind == NEAREST && axis.accumulate)
    for (i64 i = 0; i < first; i++) running += axis.scale;
  for (i64 i = 0; i < count; i++) {
    i64 at = mirrored ? count - 1 - i : i;
    if (axis.kind == NEAREST) {
      starts[at] = nearest_pixel(axis, axis.accumulate ? running : nearest_position(axis, first + i), origin);
      weights[at] = 1.f;
      running += axis.scale;
    } else {
      starts[at] = weigh(axis, filter, first + i, weights + at * axis.taps);
    }
  }
}
