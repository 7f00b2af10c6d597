// Loops of `transforms.py`.
#include "../include/points.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"

enum { MAX_AXES = 6 };

// Row-major (axes, axes + 1) matrices, to which a last row (0, ..., 0, 1) belongs.
struct Affine {
  float at[MAX_AXES + 1][MAX_AXES + 1];
  void read(const float* from, int axes) {
    for (int i = 0; i < axes; i++)
      for (int j = 0; j <= axes; j++) at[i][j] = *from++;
    for (int j = 0; j <= axes; j++) at[axes][j] = j == axes;
  }
  void times(const Affine& a, const Affine& b, int axes) {
    for (int i = 0; i <= axes; i++)
      for (int j = 0; j <= axes; j++) {
        float sum = a.at[i][0] * b.at[0][j];
        for (int k = 1; k <= axes; k++) sum += a.at[i][k] * b.at[k][j];
        at[i][j] = sum;
      }
  }
};

// Of each sample (column): the product of all matrices (rows), each to the left of those before it, or `reversed`, to the right.
static i64 combine_transforms(Array<const i64, 2> matrices, i64 axes, bool reversed, Array<const i64, 1> out) {
  const i64 count = matrices.shape[0], samples = matrices.shape[1];
  if (axes < 1 || axes > MAX_AXES || count < 1 || out.shape[0] != samples) return MISFIT;
  for (i64 s = 0; s < samples; s++) {
    Affine made, next, product;
    made.read((const float*)(u64)matrices(0, s), (int)axes);
    for (i64 k = 1; k < count; k++) {
      next.read((const float*)(u64)matrices(k, s), (int)axes);
      if (reversed) product.times(made, next, (int)axes);
      else product.times(next, made, (int)axes);
      made = product;
    }
    float* to = (float*)(u64)out(s);
    for (i64 i = 0; i < axes; i++)
      for (i64 j = 0; j <= axes; j++) *to++ = made.at[i][j];
  }
  return 0;
}
REGISTER_SHORT(combine_transforms)

// M v + t for the vectors of each sample.
template <class I, class O>
i64 transform_points(Array<const i64, 1> in, Array<const i64, 1> counts, Dense<const f32, 3> matrices, Dense<const f32, 2> offsets,
                     Array<const i64, 1> out) {
  const i64 samples = in.shape[0], rows = matrices.shape[1], columns = matrices.shape[2];
  if (counts.shape[0] != samples || out.shape[0] != samples || matrices.shape[0] != samples || offsets.shape[0] != samples ||
      offsets.shape[1] != rows || rows < 1 || columns < 1)
    return MISFIT;
  for (i64 s = 0; s < samples; s++) {
    const float *matrix = matrices.data + s * rows * columns, *offset = offsets.data + s * rows;
    const I* from = (const I*)(u64)in(s);
    O* to = (O*)(u64)out(s);
    if (rows == 2 && columns == 2) transform_all(from, to, counts(s), matrix, offset, 2, 2);
    else if (rows == 3 && columns == 3) transform_all(from, to, counts(s), matrix, offset, 3, 3);
    else transform_all(from, to, counts(s), matrix, offset, rows, columns);
  }
  return 0;
}
REGISTER_PAIRS(transform_points, TransformPointsInputs, TransformPointsOutputs)

// The vectors of each sample with some components mirrored: `sums` are twice the centres, where `mirrored` says so.
static i64 mirror_points(Array<const i64, 1> in, Array<const i64, 1> counts, Dense<const f32, 2> sums, Dense<const b8, 2> mirrored,
                         Array<const i64, 1> out) {
  const i64 samples = in.shape[0], axes = sums.shape[1];
  if (counts.shape[0] != samples || out.shape[0] != samples || sums.shape[0] != samples || mirrored.shape[0] != samples ||
      mirrored.shape[1] != axes)
    return MISFIT;
  for (i64 s = 0; s < samples; s++) {
    const float* from = (const float*)(u64)in(s);
    float* to = (float*)(u64)out(s);
    for (i64 p = 0; p < counts(s); p++)
      for (i64 axis = 0; axis < axes; axis++, from++, to++) *to = mirrored(s, axis).value ? sums(s, axis) - *from : *from;
  }
  return 0;
}
REGISTER(mirror_points)
