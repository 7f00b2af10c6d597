// The loop of `strided.py`: arrays whose elements lie at any distances, copied into arrays without gaps.
#include <string.h>

#include "arguments.hpp"

enum { MAX_AXES = 32, TILE = 32 };

static i64 magnitude(i64 x) { return x < 0 ? -x : x; }

// The axes of a sample that are longer than 1, outermost first; neighbours that lie as one axis count as one.
struct Axes {
  int count;
  i64 extents[MAX_AXES], steps[MAX_AXES], elements;
};

static void begin(Axes& axes, const Array<const i64, 2>& extents, const Array<const i64, 2>& steps, i64 i) {
  axes.count = 0, axes.elements = 1;
  for (i64 axis = 0; axis < extents.shape[1]; axis++) {
    const i64 extent = extents(i, axis), step = steps(i, axis);
    axes.elements *= extent;
    if (extent == 1) continue;
    const int last = axes.count - 1;
    if (last >= 0 && axes.steps[last] == step * extent) {
      axes.extents[last] *= extent, axes.steps[last] = step;
    } else {
      axes.extents[axes.count] = extent, axes.steps[axes.count++] = step;
    }
  }
}

template <class T> void copy_row(const char* from, i64 step, i64 count, T* to) {
  if (step == sizeof(T) && count >= 16) {
    memcpy(to, from, (u64)count * sizeof(T));
  } else if (step == sizeof(T)) {
    for (i64 i = 0; i < count; i++) to[i] = ((const T*)from)[i];
  } else if (step == 0) {
    const T value = *(const T*)from;
    for (i64 i = 0; i < count; i++) to[i] = value;
  } else {
    for (i64 i = 0; i < count; i++) to[i] = *(const T*)(from + i * step);
  }
}

// Rows and columns of an output whose input may have them the other way around: in tiles, so that what is read stays in cache.
template <class T> void copy_plane(const char* from, i64 rows, i64 row_step, i64 columns, i64 column_step, T* to, i64 pitch) {
  const i64 tile = magnitude(row_step) < magnitude(column_step) ? TILE : columns;
  for (i64 left = 0; left < columns; left += tile) {
    const i64 width = least(tile, columns - left);
    for (i64 row = 0; row < rows; row++)
      copy_row(from + row * row_step + left * column_step, column_step, width, to + row * pitch + left);
  }
}

template <class T> void copy_sample(const Axes& axes, const char* from, T* to) {
  if (axes.elements == 0) return;
  const int last = axes.count - 1;
  if (last <= 0) return last < 0 ? copy_row(from, 0, 1, to) : copy_row(from, axes.steps[0], axes.extents[0], to);
  i64 pitches[MAX_AXES], pitch = 1;
  for (int axis = last; axis >= 0; axis--) pitches[axis] = pitch, pitch *= axes.extents[axis];
  int row = last - 1;  // the axis whose elements lie closest, if it is not the last
  for (int axis = 0; axis < last; axis++)
    if (magnitude(axes.steps[axis]) < magnitude(axes.steps[row])) row = axis;
  if (magnitude(axes.steps[row]) >= magnitude(axes.steps[last])) row = last - 1;
  i64 index[MAX_AXES] = {};
  while (true) {
    copy_plane(from, axes.extents[row], axes.steps[row], axes.extents[last], axes.steps[last], to, pitches[row]);
    int axis = last - 1;
    for (; axis >= 0; axis--) {
      if (axis == row) continue;
      from += axes.steps[axis], to += pitches[axis];
      if (++index[axis] < axes.extents[axis]) break;
      from -= axes.steps[axis] * axes.extents[axis], to -= pitches[axis] * axes.extents[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

static void copy_elements(const Axes& axes, i64 size, i64 src, i64 out) {
  const char* from = (const char*)(u64)src;
  void* to = (void*)(u64)out;
  switch (size) {
    case 1: return copy_sample(axes, from, (u8*)to);
    case 2: return copy_sample(axes, from, (u16*)to);
    case 4: return copy_sample(axes, from, (u32*)to);
    default: return copy_sample(axes, from, (u64*)to);
  }
}

// `steps` are bytes, `size` is that of an element.
static i64 copy_strided(Array<const i64, 1> src, Array<const i64, 2> extents, Array<const i64, 2> steps, i64 size, Array<const i64, 1> out) {
  const i64 samples = src.shape[0];
  if (out.shape[0] != samples || extents.shape[0] != samples || steps.shape[0] != samples || steps.shape[1] != extents.shape[1] ||
      extents.shape[1] > MAX_AXES)
    return MISFIT;
  Axes axes;
  for (i64 i = 0; i < samples; i++) {
    begin(axes, extents, steps, i);
    copy_elements(axes, size, src(i), out(i));
  }
  return 0;
}
REGISTER(copy_strided)

// The same for one sample, row `index` of the tables.
static i64 copy_strided_one(i64 src, Array<const i64, 2> extents, Array<const i64, 2> steps, i64 index, i64 size, i64 out) {
  if (index < 0 || index >= extents.shape[0] || steps.shape[0] != extents.shape[0] || steps.shape[1] != extents.shape[1] ||
      extents.shape[1] > MAX_AXES)
    return MISFIT;
  Axes axes;
  begin(axes, extents, steps, index);
  copy_elements(axes, size, src, out);
  return 0;
}
REGISTER(copy_strided_one)

// Elements of `size` bytes that lie one after the other, in another order; each may come several times.
static i64 copy_rows(i64 src, Array<const i64, 1> order, i64 size, i64 out) {
  for (i64 i = 0; i < order.shape[0]; i++) memcpy((char*)(u64)out + i * size, (const char*)(u64)src + order(i) * size, (u64)size);
  return 0;
}
REGISTER(copy_rows)
