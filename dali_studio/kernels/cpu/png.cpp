// Undoes the row filters of PNG files (specification, section 9), for `png.py`, which sees to it that rows are whole pixels.
#include "arguments.hpp"
#include "vector.hpp"

// Paeth's predictor: equal to the specification's three distances, but with fewer steps behind `left`, for which each pixel waits.
// Selections, not branches: which neighbour wins is hardly predictable.
template <class V> HD V paeth(V left, V up, V corner) {
  V between = 3 * corner - up - left, low = __builtin_elementwise_min(left, up), high = __builtin_elementwise_max(left, up);
  V guess = high <= between ? low : corner;
  return between <= low ? high : guess;
}

// A row in which each byte adds to what `predicted` makes of those to the left, above and above left, STEP bytes to a pixel: a
// chain from pixel to pixel, so that the bytes of one pixel are what can be done at once.
template <int STEP, class F> HD void undo(const u8* line, u8* row, const u8* above, i64 width, F predicted) {
  if constexpr (STEP == 1) {  // numbers are sooner there than vectors of one lane
    int left = 0, corner = 0;
    for (i64 i = 0; i < width; i++) {
      int up = above[i];
      row[i] = (u8)(left = (line[i] + predicted(left, up, corner)) & 255);
      corner = up;
    }
    return;
  }
  constexpr int LANES = STEP <= 4 ? 4 : 8;
  typedef Vector<u8, LANES> Bytes;
  typedef Vector<i16, LANES> V;
  auto pixel = [](const u8* p) {
    Bytes bytes = 0;
    memcpy(&bytes, p, STEP);
    return __builtin_convertvector(bytes, V);
  };
  V left = 0, corner = 0;
  for (i64 i = 0; i + STEP <= width; i += STEP) {
    V up = pixel(above + i);
    left = (pixel(line + i) + predicted(left, up, corner)) & 255;
    corner = up;
    Bytes made = __builtin_convertvector(left, Bytes);
    memcpy(row + i, &made, STEP);
  }
}

HD void add_rows(const u8* line, u8* row, const u8* above, i64 width) {
  typedef Vector<u8, 32> V;
  i64 i = 0;
  for (; i + 32 <= width; i += 32) write(row + i, read<V>(line + i) + read<V>(above + i));
  for (; i < width; i++) row[i] = (u8)(line[i] + above[i]);
}

// Rows of `source` begin with the number of their filter; the first row of `target`, which has one more, is there before. False
// for an unknown filter.
template <int STEP> HD bool undo_all(Dense<const u8, 2> source, Dense<u8, 2> target) {
  const i64 width = target.shape[1];
  for (i64 y = 0; y < source.shape[0]; y++) {
    const u8 *line = &source(y, 1), *above = &target(y, 0);
    u8* row = &target(y + 1, 0);
    switch (source(y, 0)) {
      case 0: memcpy(row, line, width); break;
      case 1: undo<STEP>(line, row, above, width, [](auto left, auto, auto) { return left; }); break;
      case 2: add_rows(line, row, above, width); break;
      case 3: undo<STEP>(line, row, above, width, [](auto left, auto up, auto) { return (left + up) >> 1; }); break;
      case 4: undo<STEP>(line, row, above, width, [](auto left, auto up, auto corner) { return paeth(left, up, corner); }); break;
      default: return false;
    }
  }
  return true;
}

static i64 unfilter(Dense<const u8, 2> source, Dense<u8, 2> target, i64 step) {
  switch (step) {
    case 1: return undo_all<1>(source, target);
    case 2: return undo_all<2>(source, target);
    case 3: return undo_all<3>(source, target);
    case 4: return undo_all<4>(source, target);
    case 6: return undo_all<6>(source, target);
    default: return undo_all<8>(source, target);
  }
}
REGISTER(unfilter)
