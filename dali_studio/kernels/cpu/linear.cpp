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

// in: (outer, columns, inner), out: (outer, rows, inner).
static void transform_lines(const Matrix& matrix, const float* in, i64 outer, i64 columns, i64 inner, float* out, i64 rows, float* memory) {
  i64 o = 0;
  if (inner == 1)
    for (; o + 8 <= outer; o += 8) transform_rows(matrix, in + o * columns, columns, out + o * rows, rows, memory);
  for (; o < outer; o++)
    for (i64 k = 0; k < rows; k++) matrix.row(k, in + o * columns * inner, inner, inner, out + (o * rows + k) * inner);
}

// Of each sample, (outer, columns, inner) in `extents`, at these addresses. Returns the bytes of scratch memory that it needs, if
// there are fewer.
static i64 transform_axis(Array<const i64, 1> in, Array<const i64, 2> extents, Array<const i64, 1> out, Dense<const f32, 1> weights,
                          Dense<const i64, 1> starts, Dense<const i64, 1> firsts, Dense<const i64, 1> counts, Dense<const f32, 1> factors,
                          Dense<u8, 1> scratch) {
  const i64 samples = in.shape[0], rows = starts.shape[0];
  const Matrix matrix = {weights, starts, firsts, counts, factors};
  if (extents.shape[0] != samples || extents.shape[1] != 3 || out.shape[0] != samples) return MISFIT;
  if (samples == 0) return 0;
  const i64 columns = extents(0, 1), needed = 64 + (columns + 8 + rows) * (i64)sizeof(f32x8);
  if (!matrix.fits(rows, columns)) return MISFIT;
  for (i64 i = 1; i < samples; i++)
    if (extents(i, 1) != columns) return MISFIT;
  if (scratch.shape[0] < needed) return needed;
  for (i64 i = 0; i < samples; i++)
    transform_lines(matrix, (const float*)(u64)in(i), extents(i, 0), columns, extents(i, 2), (float*)(u64)out(i), rows, (float*)scratch.data);
  return 0;
}
REGISTER(transform_axis)
