// Undoes the row filters of PNG files (specification, section 9), for `png.py`, which sees to it that rows are whole pixels.
#include "png_file.hpp"
#include "vector.hpp"

template <int N> struct Count { static constexpr int value = N; };

// Paeth's predictor: equal to the specification's three distances, but with fewer steps behind `left`, for which each pixel waits.
// Selections, not branches: which neighbour wins is hardly predictable.
template <class V> HD V paeth(V left, V up, V corner) {
  V between = 3 * corner - up - left, low = __builtin_elementwise_min(left, up), high = __builtin_elementwise_max(left, up);
  V guess = high <= between ? low : corner;
  return between <= low ? high : guess;
}

// The mask of a byte, of whose value the compiler knows nothing: it would otherwise add bytes, between two conversions for which
// the next pixel waits. That is sooner done only where nothing but a sum is waited for.
HD i16 byte_mask() {
  int mask = 255;
  __asm__("" : "+r"(mask));
  return (i16)mask;
}

// The bytes of pixels, each lane one byte of a pixel: as many lanes as the next power of two above the bytes of a pixel.
template <int STEP> struct Lanes { static constexpr int count = STEP <= 4 ? 4 : 8; };
template <int STEP> using Pixel = Vector<i16, Lanes<STEP>::count>;
template <int STEP> using Pixels = Vector<i16, 2 * Lanes<STEP>::count>;  // of two rows

// `COUNT` bytes: those of the pixel, or as many as there are lanes, which is sooner done but needs bytes behind the pixel.
template <int COUNT, class V> HD V read_pixel(const u8* p) {
  Vector<u8, sizeof(V) / 2> bytes = 0;
  memcpy(&bytes, p, COUNT);
  return __builtin_convertvector(bytes, V);
}
template <int COUNT, class V> HD void write_pixel(u8* p, V pixel) {
  typedef Vector<u8, sizeof(V) / 2> Bytes;
  Bytes bytes = __builtin_convertvector(pixel, Bytes);
  memcpy(p, &bytes, COUNT);
}

// A row in which each byte adds to what `predicted` makes of those to the left, above and above left, STEP bytes to a pixel: a
// chain from pixel to pixel, so that the bytes of one pixel are what can be done at once.
template <int STEP, class F> HD void undo(const u8* line, u8* row, const u8* above, i64 width, i16 mask, F predicted) {
  if constexpr (STEP == 1) {  // numbers are sooner there than vectors of one lane
    int left = 0, corner = 0;
    for (i64 i = 0; i < width; i++) {
      int up = above[i];
      row[i] = (u8)(left = (line[i] + predicted(left, up, corner)) & 255);
      corner = up;
    }
    return;
  }
  typedef Pixel<STEP> V;
  V left = 0, corner = 0;
  auto next = [&](auto count, i64 i) {
    V up = read_pixel<count.value, V>(above + i);
    left = (read_pixel<count.value, V>(line + i) + predicted(left, up, corner)) & mask;
    corner = up;
    write_pixel<count.value>(row + i, left);
  };
  i64 i = 0;
  for (; i + Lanes<STEP>::count <= width; i += STEP) next(Count<Lanes<STEP>::count>{}, i);
  for (; i < width; i += STEP) next(Count<STEP>{}, i);
}

// Two rows at once, the lower one a pixel behind the upper one: its neighbours above have just been made, and the two chains
// take hardly longer than one.
template <int STEP> HD void undo_two_of_paeth(const u8* line, u8* row, const u8* above, i64 width, i16 mask) {
  typedef Pixel<STEP> V;
  typedef Pixels<STEP> W;
  constexpr int LANES = Lanes<STEP>::count;
  auto both = [](V a, V b) {
    if constexpr (LANES == 4) return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    else return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  };
  auto first = [](W w) {
    if constexpr (LANES == 4) return __builtin_shufflevector(w, w, 0, 1, 2, 3);
    else return __builtin_shufflevector(w, w, 0, 1, 2, 3, 4, 5, 6, 7);
  };
  auto second = [](W w) {
    if constexpr (LANES == 4) return __builtin_shufflevector(w, w, 4, 5, 6, 7);
    else return __builtin_shufflevector(w, w, 8, 9, 10, 11, 12, 13, 14, 15);
  };
  const u8* line_below = line + width + 1;  // behind the number of its filter
  u8* row_below = row + width;
  W left = 0, corner = 0;
  auto next = [&](V up_first, V added_first, V added_second) {
    W up = both(up_first, first(left));
    left = (both(added_first, added_second) + paeth(left, up, corner)) & mask;
    corner = up;
  };
  next(read_pixel<STEP, V>(above), read_pixel<STEP, V>(line), (V)0);
  write_pixel<STEP>(row, first(left));
  i64 i = STEP;
  for (; i + LANES <= width; i += STEP) {
    next(read_pixel<LANES, V>(above + i), read_pixel<LANES, V>(line + i), read_pixel<LANES, V>(line_below + i - STEP));
    write_pixel<LANES>(row + i, first(left));
    write_pixel<STEP>(row_below + i - STEP, second(left));
  }
  for (; i < width; i += STEP) {
    next(read_pixel<STEP, V>(above + i), read_pixel<STEP, V>(line + i), read_pixel<STEP, V>(line_below + i - STEP));
    write_pixel<STEP>(row + i, first(left));
    write_pixel<STEP>(row_below + i - STEP, second(left));
  }
  next((V)0, (V)0, read_pixel<STEP, V>(line_below + i - STEP));
  write_pixel<STEP>(row_below + i - STEP, second(left));
}

HD void add_rows(const u8* line, u8* row, const u8* above, i64 width) {
  typedef Vector<u8, 32> V;
  i64 i = 0;
  for (; i + 32 <= width; i += 32) write(row + i, read<V>(line + i) + read<V>(above + i));
  for (; i < width; i++) row[i] = (u8)(line[i] + above[i]);
}

// Rows of `source` begin with the number of their filter; `above` lies above the first one. False for an unknown filter.
template <int STEP> HD bool undo_all(Dense<const u8, 2> source, Dense<u8, 2> target, const u8* above) {
  const i64 width = target.shape[1];
  const i16 mask = byte_mask();
  for (i64 y = 0; y < source.shape[0]; y++) {
    const u8* line = &source(y, 1);
    u8* row = &target(y, 0);
    if (STEP > 1 && width && y + 1 < source.shape[0] && source(y, 0) == 4 && source(y + 1, 0) == 4) {
      undo_two_of_paeth<STEP>(line, row, above, width, mask);
      above = &target(++y, 0);
      continue;
    }
    switch (source(y, 0)) {
      case 0: memcpy(row, line, width); break;
      case 1: undo<STEP>(line, row, above, width, 255, [](auto left, auto, auto) { return left; }); break;
      case 2: add_rows(line, row, above, width); break;
      case 3: undo<STEP>(line, row, above, width, mask, [](auto left, auto up, auto) { return (left + up) >> 1; }); break;
      case 4: undo<STEP>(line, row, above, width, mask, [](auto left, auto up, auto corner) { return paeth(left, up, corner); }); break;
      default: return false;
    }
    above = row;
  }
  return true;
}

bool undo_filters(const Dense<const u8, 2>& source, const Dense<u8, 2>& target, const u8* above, i64 step) {
  switch (step) {
    case 1: return undo_all<1>(source, target, above);
    case 2: return undo_all<2>(source, target, above);
    case 3: return undo_all<3>(source, target, above);
    case 4: return undo_all<4>(source, target, above);
    case 6: return undo_all<6>(source, target, above);
    default: return undo_all<8>(source, target, above);
  }
}

static i64 unfilter(Dense<const u8, 2> source, Dense<u8, 2> target, Dense<const u8, 1> above, i64 step) {
  return undo_filters(source, target, above.data, step);
}
REGISTER(unfilter)
