// Where the output pixels of one axis of a separable filter read, and how much of it. Filters are tables that are read with
// linear interpolation, as in nvidia.dali. float32 without fused multiply-add, in a fixed order.
#pragma once
#include "numbers.hpp"

// Input pixels that an output pixel reads, at most: nvidia.dali narrows filters that antialiasing has made wider than this, so
// that a very large reduction takes what lies in the middle.
const i32 MAX_TAPS = 8192;

enum Interpolation { NEAREST, LINEAR, CUBIC, LANCZOS3, TRIANGULAR, GAUSSIAN };

// One axis of one sample; `axis_batch.py` has the same layout.
struct Axis {
  i32* starts;  // first input pixel of every output pixel
  float* weights;  // `taps` for every output pixel
  float low, scale;  // where the output begins in the input, and the input's pixels for one of the output
  i32 in_size, out_size, kind;
  i32 taps;  // input pixels that an output pixel reads: fewer than the filter is wide where the input is small
  i32 wide;
  i32 accumulate;
  float radius;   // of the filter: how far its table begins before an output pixel's centre
  float support;  // input pixels that the whole table covers
};
struct Filter {
  const float* values;
  i32 size;

  // The table at position x >= 0; it falls to 0 one step after its end.
  HD float operator()(float x) const {
    if (!(x >= 0.f && x < (float)size)) return 0.f;
    i32 index = (i32)x;
    float here = values[index], after = index + 1 < size ? values[index + 1] : 0.f;
    return here + (x - (float)index) * (after - here);
  }
};

// The whole number at or above x, and at or below it, of a position in an image. What is no number lies at its end.
HD i64 ceiling(float x) {
  i64 whole = (i64)between(x, -1e12f, 1e12f);
  return whole + ((float)whole < x);
}
HD i64 floored(float x) {
  i64 whole = (i64)between(x, -1e12f, 1e12f);
  return whole - ((float)whole > x);
}

HD float widest(float scale) {
  float size = scale < 0.f ? -scale : scale;
  return size > 1.f ? size : 1.f;
}

// filters: all tables one after the other; places: (first, size) of each kind's.
HD Filter filter_of(const Axis& axis, const float* filters, const i32* places) {
  return {filters + places[2 * axis.kind], places[2 * axis.kind + 1]};
}

// What all output pixels of an axis share. [low, high) is the part of the input that the output covers; low > high flips.
HD Axis axis_of(i64 in_size, i64 out_size, f64 low, f64 high, int shrinking, int growing, bool antialias, bool rows) {
  Axis axis = {};
  f64 extent = high - low;
  axis.kind = (extent < 0 ? -extent : extent) > (f64)out_size ? shrinking : growing;
  axis.in_size = (i32)in_size;
  axis.out_size = (i32)out_size;
  axis.low = (float)low;
  axis.scale = ((float)high - axis.low) / (float)out_size;
  axis.accumulate = rows;
  float natural = axis.kind == CUBIC ? 2.f : axis.kind == LANCZOS3 ? 3.f : 1.f;
  axis.radius = antialias ? natural * widest(axis.scale) : natural;
  float wide = axis.support = 2.f * axis.radius;
  if (axis.kind == GAUSSIAN) {  // is cut where it is at 2 %, so that the last bits decide about a pixel there: nvidia.dali's detours
    float sigma = (float)((f64)axis.radius * 0.5 / 1.4142135623730951);
    axis.support = 5.656854249492381f * sigma;
    wide = 1.f / (1.f / axis.support);
    axis.radius = 0.5f * wide;
  }
  if (!(wide <= MAX_TAPS)) {
    axis.radius = MAX_TAPS / 2;
    wide = axis.support = MAX_TAPS;
  }
  axis.wide = (i32)ceiling(wide);
  axis.taps = axis.kind == NEAREST ? 1 : least(axis.wide, axis.in_size);
  return axis;
}

// The nearest input pixel. Positions of rows are added up from the first one's, with the rounding errors of that, as in nvidia.dali.
HD float nearest_position(const Axis& axis, i64 i) { return axis.low + ((float)i + 0.5f) * axis.scale; }
HD i32 nearest_pixel(const Axis& axis, float position, i64 origin = 0) {
  return (i32)between<i64>(origin + floored(position), 0, axis.in_size - 1);
}

// Where the table begins for output pixel i, in input pixels.
HD float table_begin(const Axis& axis, i64 i) { return (float)i * axis.scale + (axis.low + 0.5f * axis.scale - 0.5f - axis.radius); }

// weights[0..taps) of output pixel i; returns the first input pixel. Taps beyond the edge are added to the edge pixel's.
// Positions in the table are products: sums of steps would drift over thousands of taps.
HD i32 weigh(const Axis& axis, Filter filter, i64 i, float* weights) {
  float step = (float)(filter.size - 1) / axis.support;
  float edge = table_begin(axis, i);
  i64 leftmost = ceiling(edge);
  float begin = (float)leftmost - edge, total = 0.f;
  if (leftmost >= 0 && leftmost + axis.wide <= axis.in_size) {
    for (i32 k = 0; k < axis.wide; k++) total += weights[k] = filter((begin + (float)k) * step);
    for (i32 k = 0; k < axis.wide; k++) weights[k] /= total;
    return (i32)leftmost;
  }
  i32 start = (i32)between<i64>(leftmost, 0, axis.in_size - axis.taps);
  for (i32 k = 0; k < axis.wide; k++) total += filter((begin + (float)k) * step);
  for (i32 k = 0; k < axis.taps; k++) weights[k] = 0.f;
  for (i32 k = 0; k < axis.wide; k++)
    weights[between<i64>(leftmost + k, 0, axis.in_size - 1) - start] += filter((begin + (float)k) * step) / total;
  return start;
}
