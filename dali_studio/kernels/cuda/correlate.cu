// Correlation of (outer, depth, height, width, inner) elements with filters of three axes: a thread computes one element. Macros:
// IN, OUT; BORDER as in border.hpp.
#include "../include/border.hpp"
#include "narrowed.cuh"

struct Item {
  const IN* from;
  OUT* to;
  const f32* filter;
  const IN* fill;  // one element, or null for 0
  i64 count, inner;
  i32 depth, height, width;              // of the data
  i32 out_depth, out_height, out_width;
  i32 deep, high, wide;                  // of the filter
  i32 front, above, left;                // which of its elements lies on the one that is computed
};

extern "C" __global__ void __launch_bounds__(256) correlate(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= t.count) return;
  i64 rest = i / t.inner;
  const i64 channel = i - rest * t.inner;
  const int x = (int)(rest % t.out_width);
  rest /= t.out_width;
  const int y = (int)(rest % t.out_height);
  rest /= t.out_height;
  const int z = (int)(rest % t.out_depth);
  const i64 outer = rest / t.out_depth;
  const f32 outside = t.fill ? to_float(*t.fill) : 0.f;
  const f32* weight = t.filter;
  f32 sum = 0, element = 0;
  bool any = false;
  for (int a = 0; a < t.deep; a++) {
    const i64 slice = bordered(z - t.front + a, t.depth, (Border)BORDER);
    for (int b = 0; b < t.high; b++) {
      const i64 row = bordered(y - t.above + b, t.height, (Border)BORDER);
      const IN* line = t.from + ((outer * t.depth + slice) * t.height + row) * t.width * t.inner + channel;
      for (int c = 0; c < t.wide; c++, weight++) {
        const bool last = weight == t.filter + (i64)t.deep * t.high * t.wide - 1;
        if (*weight == 0 && (any || !last)) continue;  // so that infinities beneath them do no harm
        const i64 column = bordered(x - t.left + c, t.width, (Border)BORDER);
        element = BORDER == CONSTANT && (slice < 0 || row < 0 || column < 0) ? outside : to_float(line[column * t.inner]);
        sum = fused(element, *weight, sum);
        any = true;
      }
    }
  }
  t.to[i] = narrowed<OUT>(sum);
}
