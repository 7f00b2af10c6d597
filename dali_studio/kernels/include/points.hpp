// Maps of points and vectors.
#pragma once
#include "rounding.hpp"

// M v + t of `count` vectors; M has `rows` and `columns`. With constants for these the compiler unrolls the loops.
template <class I, class O>
HD void transform_all(const I* from, O* to, i64 count, const float* matrix, const float* offset, i64 rows, i64 columns) {
  for (i64 p = 0; p < count; p++, from += columns, to += rows)
    for (i64 i = 0; i < rows; i++) {
      float sum = matrix[i * columns] * to_float(from[0]);
      for (i64 j = 1; j < columns; j++) sum += matrix[i * columns + j] * to_float(from[j]);
      to[i] = from_float<O>(sum + offset[i]);
    }
}
