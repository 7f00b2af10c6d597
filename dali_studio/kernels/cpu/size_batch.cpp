// Loops of `size_batch.py`.
#include "arguments.hpp"

enum Mode { DEFAULT, STRETCH, NOT_LARGER, NOT_SMALLER };
enum Whole { ROUND, TRUNCATE, CEIL };
const int MOST_AXES = 32;

HD float magnitude(float x) { return __builtin_fabsf(x); }
HD float sign(float x) { return x < 0.f ? -1.f : 1.f; }

// The n-th root of x > 0; Newton's method beyond square roots.
static double root(double x, i64 n) {
  if (n < 2) return x;
  if (n == 2) return __builtin_sqrt(x);
  double y = 1;
  for (int k = 0; k < 200; k++) {
    double power = 1;
    for (i64 i = 1; i < n; i++) power *= y;
    const double next = ((double)(n - 1) * y + x / power) / (double)n;
    if (next == y) break;
    y = next;
  }
  return y;
}

// Completes the wanted size of `axes` axes by mode and limit. `extents` are those of the region; those of 0 say nothing about the others.
static void adjust(float* wanted, const float* extents, int mode, const float* limits, i64 axes) {
  float scales[MOST_AXES], product = 1.f;
  double common = 0;  // a float, but where a limit decides
  i64 given = 0;
  for (i64 i = 0; i < axes; i++) {
    scales[i] = magnitude(wanted[i]) / (extents[i] > 0.f ? extents[i] : 1.f);
    if (wanted[i] == 0.f || extents[i] == 0.f) continue;
    common = given++ == 0 ? scales[i] : mode == NOT_LARGER ? least<double>(common, scales[i]) : most<double>(common, scales[i]);
    product *= scales[i];
  }
  if (mode >= NOT_LARGER) {
    if (given == 0) common = 1;
    for (i64 i = 0; i < axes; i++) common = least((double)limits[i] / (extents[i] > 0.f ? extents[i] : 1.f), common);
    for (i64 i = 0; i < axes; i++)  // an axis that says what the scale is keeps the size that was asked for
      if (wanted[i] == 0.f || scales[i] != common) wanted[i] = (float)((double)(sign(wanted[i]) * extents[i]) * common);
    return;
  }
  const float other = given > 1 ? (float)root(product, given) : product;
  for (i64 i = 0; i < axes; i++) {
    const float missing = mode == STRETCH ? extents[i] : extents[i] * other;
    wanted[i] = sign(wanted[i]) * least(limits[i], wanted[i] == 0.f ? missing : magnitude(wanted[i]));
  }
}

// Size, begin and end of one axis. What the whole size makes of the region stays at `pivot`, 0 at its begin, 1 at its end.
static void region(f64 low, f64 high, float wanted, bool exact, Whole whole, f64 pivot, i64& size, f64& begin, f64& end) {
  if (wanted < 0.f) {
    f64 first = low;
    low = high;
    high = first;
  }
  float size_of = magnitude(wanted) + (whole == ROUND ? 0.5f : 0.f);  // halves are rounded away from zero
  i64 rounded = size_of < 0x1p62f ? (i64)size_of : size_of == size_of ? 1ll << 62 : 1;  // too large is refused in turn
  if (whole == CEIL && (float)rounded < size_of) rounded++;
  rounded = most<i64>(rounded, 1);
  if (exact) {
    // nvidia.dali takes less than a tenth of a pixel for a tenth, also what has become 0 in single precision
    f64 factor = (f64)rounded / most(least((f64)magnitude(wanted), 0x1p62), (f64)0.1f);
    f64 centre = pivot == 0.5 ? (low + high) / 2 : low + (high - low) * pivot;
    low = (f64)(float)(centre + (low - centre) * factor);
    high = (f64)(float)(centre + (high - centre) * factor);
  }
  size = rounded;
  begin = low;
  end = high;
}

// In single precision, as nvidia.dali: it decides which pixel is the nearest at ties. `rois` has all begins before all ends.
static i64 output_sizes(Array<const f64, 2> lows, Array<const f64, 2> highs, Array<const f32, 2> requested, int mode,
                        Array<const f32, 2> limits, bool exact, int whole, Array<const f32, 2> pivots, Array<i64, 2> sizes,
                        Array<f64, 2> rois) {
  const i64 count = sizes.shape[0], axes = sizes.shape[1];
  if (axes > MOST_AXES || rois.shape[1] != 2 * axes) return MISFIT;
  for (i64 i = 0; i < count; i++) {
    float wanted[MOST_AXES], extents[MOST_AXES], limit[MOST_AXES];
    for (i64 k = 0; k < axes; k++) {
      wanted[k] = requested(i, k), limit[k] = limits(i, k);
      extents[k] = magnitude((float)(highs(i, k) - lows(i, k)));
    }
    adjust(wanted, extents, mode, limit, axes);
    for (i64 k = 0; k < axes; k++)
      region(lows(i, k), highs(i, k), wanted[k], exact, (Whole)whole, (f64)pivots(i, k), sizes(i, k), rois(i, k), rois(i, axes + k));
  }
  return 0;
}
REGISTER_SHORT(output_sizes)
