// The loop of `linear.py`.
#include <string.h>

#include "arguments.hpp"
#include "vector.hpp"

// to[i] = factor * the sum of weights[n] * from[n * stride + i], added up one after the other.
template <class V> HD void weighted_sum(const float* from, i64 stride, const float* weights, i64 count, float factor, float* to) {
  V sum = 0.f;
  for (i64 n = 0; n < count; n++) sum += read<V>(from + n * stride) * weights[n];
  write(to, sum * factor);
}

// in: (outer, n, inner), out: (outer, rows, inner). Row k of the matrix has `counts[k]` weights, which begin at `starts[k]` and meet the
// elements from `firsts[k]` on.
static i64 transform_axis(Dense<const f32, 3> in, Dense<f32, 3> out, Dense<const f32, 1> weights, Dense<const i64, 1> starts,
                          Dense<const i64, 1> firsts, Dense<const i64, 1> counts, Dense<const f32, 1> factors) {
  const i64 outer = in.shape[0], size = in.shape[1], inner = in.shape[2], rows = out.shape[1];
  if (out.shape[0] != outer || out.shape[2] != inner || starts.shape[0] != rows || firsts.shape[0] != rows || counts.shape[0] != rows ||
      factors.shape[0] != rows)
    return MISFIT;
  for (i64 k = 0; k < rows; k++) {
    const i64 count = counts.data[k], first = firsts.data[k], start = starts.data[k];
    if (count < 0 || first < 0 || count > size - first || start < 0 || count > weights.shape[0] - start) return MISFIT;
  }
  for (i64 o = 0; o < outer; o++)
    for (i64 k = 0; k < rows; k++) {
      const i64 count = counts.data[k];
      const float *from = in.data + (o * size + firsts.data[k]) * inner, *row = weights.data + starts.data[k], factor = factors.data[k];
      float* to = out.data + (o * rows + k) * inner;
      i64 i = 0;
      for (; i + 64 <= inner; i += 64) weighted_sum<Vector<f32, 64>>(from + i, inner, row, count, factor, to + i);
      for (; i + 16 <= inner; i += 16) weighted_sum<f32x16>(from + i, inner, row, count, factor, to + i);
      for (; i < inner; i++) weighted_sum<f32>(from + i, inner, row, count, factor, to + i);
    }
  return 0;
}
REGISTER(transform_axis)
