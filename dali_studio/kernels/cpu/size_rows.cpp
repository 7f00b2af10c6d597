// Loops of `size_rows.py`.
#include "arguments.hpp"

enum Mode { DEFAULT, STRETCH, NOT_LARGER, NOT_SMALLER };
struct Size { float height, width; };

HD float magnitude(float x) { return __builtin_fabsf(x); }
HD float sign(float x) { return x < 0.f ? -1.f : 1.f; }

// The wanted size with a missing side filled in, by mode and limit. `extent` is that of the region.
static Size adjusted(Size wanted, Size extent, int mode, Size limit) {
  Size safe = {extent.height > 0.f ? extent.height : 1.f, extent.width > 0.f ? extent.width : 1.f};
  float scale_h = magnitude(wanted.height) / safe.height, scale_w = magnitude(wanted.width) / safe.width;
  bool no_height = wanted.height == 0.f, no_width = wanted.width == 0.f;
  if (mode >= NOT_LARGER) {
    float common;
    if (no_height && no_width) common = 1.f;
    else if (no_height || no_width) common = no_height ? scale_w : scale_h;
    else common = mode == NOT_LARGER ? least(scale_w, scale_h) : most(scale_h, scale_w);
    common = least(limit.width / safe.width, least(limit.height / safe.height, common));
    return {sign(wanted.height) * extent.height * common, sign(wanted.width) * extent.width * common};
  }
  float other = (no_height ? 1.f : scale_h) * (no_width ? 1.f : scale_w);
  Size missing = mode == STRETCH ? extent : Size{extent.height * other, extent.width * other};
  float made_h = least(limit.height, no_height ? missing.height : magnitude(wanted.height));
  float made_w = least(limit.width, no_width ? missing.width : magnitude(wanted.width));
  return {sign(wanted.height) * made_h, sign(wanted.width) * made_w};
}

// Size, begin and end of one axis.
static void region(f64 low, f64 high, float wanted, bool exact, i64& size, f64& begin, f64& end) {
  if (wanted < 0.f) {
    f64 first = low;
    low = high;
    high = first;
  }
  float half_up = magnitude(wanted) + 0.5f;  // halves are rounded away from zero
  i64 rounded = half_up < 0x1p62f ? most<i64>((i64)half_up, 1) : half_up == half_up ? 1ll << 62 : 1;  // too large is refused in turn
  if (exact) {
    // nvidia.dali takes less than a tenth of a pixel for a tenth, also what has become 0 in single precision
    f64 factor = (f64)rounded / most(least((f64)magnitude(wanted), 0x1p62), (f64)0.1f);
    f64 centre = (low + high) / 2;
    low = (f64)(float)(centre + (low - centre) * factor);
    high = (f64)(float)(centre + (high - centre) * factor);
  }
  size = rounded;
  begin = low;
  end = high;
}

// In single precision, as nvidia.dali: it decides which pixel is the nearest at ties.
static void output_sizes(Array<const f64, 2> lows, Array<const f64, 2> highs, Array<const f32, 2> requested, int mode,
                         Array<const f32, 2> limits, bool exact, Array<i64, 2> sizes, Array<f64, 2> rois) {
  for (i64 i = 0; i < sizes.shape[0]; i++) {
    Size extent = {magnitude((float)(highs(i, 0) - lows(i, 0))), magnitude((float)(highs(i, 1) - lows(i, 1)))};
    Size wanted = adjusted({requested(i, 0), requested(i, 1)}, extent, mode, {limits(i, 0), limits(i, 1)});
    region(lows(i, 0), highs(i, 0), wanted.height, exact, sizes(i, 0), rois(i, 0), rois(i, 2));
    region(lows(i, 1), highs(i, 1), wanted.width, exact, sizes(i, 1), rois(i, 1), rois(i, 3));
  }
}
REGISTER_SHORT(output_sizes)
