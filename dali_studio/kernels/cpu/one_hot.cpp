// The loop of `one_hot.py`.
#include "../include/one_hot.hpp"

#include "arguments.hpp"

typedef Array<const i64, 1> Numbers;

// Of each sample, `outer` times `inner` numbers become `classes` rows of `inner` elements. T has the size of an element, and
// `values` are what stands where the class is not that of the row, and where it is.
template <class I, class T>
i64 one_hot(Numbers src, Numbers outer, Numbers inner, i64 classes, Array<const T, 1> values, Numbers out) {
  const i64 samples = src.shape[0];
  if (outer.shape[0] != samples || inner.shape[0] != samples || out.shape[0] != samples || values.shape[0] != 2) return MISFIT;
  const T off = values(0), on = values(1);
  for (i64 sample = 0; sample < samples; sample++) {
    const I* from = (const I*)(u64)src(sample);
    T* to = (T*)(u64)out(sample);
    const i64 rows = outer(sample), width = inner(sample), size = rows * width * classes;
    for (i64 i = 0; i < size; i++) to[i] = off;
    for (i64 row = 0; row < rows; row++, from += width, to += classes * width)
      for (i64 i = 0; i < width; i++) {
        const i64 found = class_of(from[i]);
        if (found >= 0 && found < classes) to[found * width + i] = on;
      }
  }
  return 0;
}
typedef Types<u8, i8, u16, i16, u32, i32, u64, i64, f32, f64> OneHotInputs;
typedef Types<u8, u16, u32, u64> OneHotWords;
REGISTER_PAIRS(one_hot, OneHotInputs, OneHotWords)
