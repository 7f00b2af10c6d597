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

// A matrix as `linear.py` has it: row k has `counts[k]` weights, which begin at `starts[k]` and meet the elements from `firsts[k]` on.
struct Matrix {
  const Dense<const f32, 1>& weights;
  const Dense<const i64, 1>&starts, &firsts, &counts;
  const Dense<const f32, 1>& factors;
  bool fits(i64 rows, i64 columns) const {
    if (starts.shape[0] != rows || firsts.shape[0] != rows || counts.shape[0] != rows || factors.shape[0] != rows) return false;
    for (i64 k = 0; k < rows; k++) {
      const i64 count = counts.data[k], first = firsts.data[k], start = starts.data[k];
      if (count < 0 || first < 0 || count > columns - first || start < 0 || count > weights.shape[0] - start) return false;
    }
    return true;
  }
  // Row k of the result, for `width` neighbouring vectors whose elements are `stride` apart.
  void row(i64 k, const float* vectors, i64 stride, i64 width, float* to) const {
    const i64 count = counts.data[k];
    const float *from = vectors + firsts.data[k] * stride, *row = weights.data + starts.data[k], factor = factors.data[k];
    i64 i = 0;
    for (; i + 64 <= width; i += 64) weighted_sum<Vector<f32, 64>>(from + i, stride, row, count, factor, to + i);
    for (; i + 8 <= width; i += 8) weighted_sum<f32x8>(from + i, stride, row, count, factor, to + i);
    for (; i < width; i++) weighted_sum<f32>(from + i, stride, row, count, factor, to + i);
  }
};

// Vectors that lie one after the other are taken eight at once, side by side.
static void transform_rows(const Matrix& matrix, const float* in, i64 columns, float* out, i64 rows, float* memory) {
  f32x8 *turned = (f32x8*)(((u64)memory + 63) / 64 * 64), *made = turned + columns + 8;
  for (i64 n = 0; n < columns; n += 8) {
    f32x8 lines[8];
    const i64 there = least<i64>(8, columns - n);
    for (int lane = 0; lane < 8; lane++) {
      lines[lane] = 0.f;
      if (there == 8) lines[lane] = read<f32x8>(in + lane * columns + n);
      else memcpy(&lines[lane], in + lane * columns + n, there * sizeof(float));
    }
    transpose(lines);
    memcpy(turned + n, lines, sizeof lines);
  }
  for (i64 k = 0; k < rows; k++) matrix.row(k, (const float*)turned, 8, 8, (float*)(made + k));
  for (i64 k = 0; k < rows; k += 8) {
    f32x8 lines[8];
    const i64 there = least<i64>(8, rows - k);
    for (i64 i = 0; i < 8; i++) lines[i] = made[k + least(i, there - 1)];
    transpose(lines);
    for (int lane = 0; lane < 8; lane++) memcpy(out + lane * rows + k, &lines[lane], there * sizeof(float));
  }
}

// in: (outer, columns, inner), out: (outer, rows, inner). Returns the bytes of scratch memory that it needs, if there are fewer.
static i64 transform_axis(Dense<const f32, 3> in, Dense<f32, 3> out, Dense<const f32, 1> weights, Dense<const i64, 1> starts,
                          Dense<const i64, 1> firsts, Dense<const i64, 1> counts, Dense<const f32, 1> factors, Dense<u8, 1> scratch) {
  const i64 outer = in.shape[0], columns = in.shape[1], inner = in.shape[2], rows = out.shape[1];
  const Matrix matrix = {weights, starts, firsts, counts, factors};
  if (out.shape[0] != outer || out.shape[2] != inner || !matrix.fits(rows, columns)) return MISFIT;
  const i64 needed = 64 + (columns + 8 + rows) * (i64)sizeof(f32x8);
  if (scratch.shape[0] < needed) return needed;
  i64 o = 0;
  if (inner == 1)
    for (; o + 8 <= outer; o += 8)
      transform_rows(matrix, in.data + o * columns, columns, out.data + o * rows, rows, (float*)scratch.data);
  for (; o < outer; o++)
    for (i64 k = 0; k < rows; k++) matrix.row(k, in.data + o * columns * inner, inner, inner, out.data + (o * rows + k) * inner);
  return 0;
}
REGISTER(transform_axis)
