// Tiles of FITS images that HCOMPRESS has written: an H-transform, whose bit planes are quadtrees. `fits_tiles.py`.
#include <stdlib.h>
#include <string.h>

#include "fits_bits.hpp"

namespace {
i64 half(i64 n) { return (n + 1) / 2; }

// How often a length is halved until it is one.
int halvings(i64 length) {
  int levels = 0;
  while (((i64)1 << levels) < length) levels++;
  return levels;
}

// Four bits: which of the quarters of a node have something in them.
u32 take_node(Bits& bits) {
  u32 code = bits.take(3);
  if (code < 4) return 1u << code;
  code = code << 1 | bits.take(1);
  constexpr u8 four[] = {3, 5, 10, 12, 15}, five[] = {6, 7, 9, 11, 13};
  if (code < 13) return four[code - 8];
  code = code << 1 | bits.take(1);
  if (code < 31) return five[code - 26];
  return bits.take(1) ? 14 : 0;
}

// Coefficients of the transform, `columns` in a row, and memory to work with.
struct Pyramid {
  i64 rows, columns;
  i64 *values, *line;
  u8 *nodes, *finer;

  // The bits of a part of the coefficients, plane by plane.
  bool quadrant(Bits& bits, i64* at, i64 height, i64 width, int planes) {
    const int levels = halvings(height > width ? height : width);
    for (int plane = planes - 1; plane >= 0 && !bits.over; plane--) {
      const i64 down = half(height), across = half(width);
      const u32 kind = bits.take(4);
      if (kind == 0) {
        for (i64 i = 0; i < down * across; i++) nodes[i] = (u8)bits.take(4);
      } else if (kind == 15) {
        nodes[0] = (u8)take_node(bits);
        for (int level = levels - 1; level > 0 && !bits.over; level--) {
          const i64 tall = (height + ((i64)1 << level) - 1) >> level, wide = (width + ((i64)1 << level) - 1) >> level;
          for (i64 y = 0; y < tall; y++)
            for (i64 x = 0; x < wide; x++)
              finer[y * wide + x] = nodes[y / 2 * half(wide) + x / 2] >> (3 - 2 * (y & 1) - (x & 1)) & 1;
          for (i64 i = tall * wide - 1; i >= 0; i--)
            if (finer[i]) finer[i] = (u8)take_node(bits);
          u8* before = nodes;
          nodes = finer, finer = before;
        }
      } else {
        return false;
      }
      for (i64 y = 0; y < height; y++)
        for (i64 x = 0; x < width; x++)
          at[y * columns + x] |= (i64)(nodes[y / 2 * across + x / 2] >> (3 - 2 * (y & 1) - (x & 1)) & 1) << plane;
    }
    return !bits.over;
  }

  // The first half of a line goes to even places, the second to odd ones.
  void interleave(i64* at, i64 count, i64 step) {
    for (i64 i = 0; i < count; i++) line[i] = at[i * step];
    for (i64 i = 0; i < count; i++) at[i * step] = line[(i & 1 ? half(count) : 0) + i / 2];
  }

  static i64 rounded(i64 value, i64 unit) {
    const i64 up = unit / 2, down = unit > 1 ? up - 1 : 0;
    return (value + (value >= 0 ? up : down)) & -unit;
  }
  static i64 toward_zero(i64 value, i64 step) { return value >= 0 ? value - step : value + step; }

  // Sums and differences of neighbours become the neighbours, from the coarsest level to the finest.
  void invert() {
    const int levels = halvings(rows > columns ? rows : columns);
    values[0] = rounded(values[0], (i64)2 << levels);
    for (int level = levels - 1; level >= 0; level--) {
      const i64 unit = (i64)1 << level, tall = (rows + unit - 1) >> level, wide = (columns + unit - 1) >> level;
      const int shift = level ? 1 : 2;
      for (i64 y = 0; y < tall; y++) interleave(values + y * columns, wide, 1);
      for (i64 x = 0; x < wide; x++) interleave(values + x, tall, columns);
      for (i64 y = 0; y < tall; y += 2)
        for (i64 x = 0; x < wide; x += 2) {
          const bool below = y + 1 < tall, right = x + 1 < wide;
          i64 *one = values + y * columns + x, *under = one + columns, sum = *one;
          if (below && right) {
            i64 dx = rounded(*under, 2 * unit), dy = rounded(one[1], 2 * unit);
            const i64 both = rounded(under[1], unit), low = both & unit;
            dx = toward_zero(dx, low), dy = toward_zero(dy, low);
            const i64 next = (both ^ dx ^ dy) & 2 * unit;
            sum += sum >= 0 ? low - next : low == 0 ? next : low - next;
            under[1] = (sum + dx + dy + both) >> shift, *under = (sum + dx - dy - both) >> shift;
            one[1] = (sum - dx + dy - both) >> shift, *one = (sum - dx - dy + both) >> shift;
          } else if (below || right) {
            i64* other = below ? under : one + 1;
            const i64 difference = rounded(*other, 2 * unit);
            sum = toward_zero(sum, difference & 2 * unit);
            *other = (sum + difference) >> shift, *one = (sum - difference) >> shift;
          } else {
            *one = sum >> shift;
          }
        }
    }
  }
};

u64 take_number(const u8* at, int bytes) {
  u64 value = 0;
  for (int i = 0; i < bytes; i++) value = value << 8 | at[i];
  return value;
}

constexpr i64 WIDEST = (i64)1 << 60;
constexpr i64 HEAD = 25;  // two bytes that every tile begins with, rows, columns, scale, sum, numbers of bit planes

bool expand(const u8* data, i64 size, i32* out, i64 count, Pyramid& part) {
  if (size < HEAD || data[0] != 0xdd || data[1] != 0x99) return false;
  part.rows = (i32)take_number(data + 2, 4), part.columns = (i32)take_number(data + 6, 4);
  const i64 scale = (i32)take_number(data + 10, 4), sum = (i64)take_number(data + 14, 8);
  if (part.rows < 1 || part.columns < 1 || part.rows > count || part.rows * part.columns != count) return false;
  if (sum > WIDEST || sum < -WIDEST) return false;
  int widest = halvings(sum < 0 ? -sum : sum);
  for (int i = 22; i < 25; i++) widest = data[i] > widest ? data[i] : widest;
  if (widest + halvings(scale) + halvings(part.rows > part.columns ? part.rows : part.columns) > 60) return false;  // doubled by each level
  const i64 down = half(part.rows), across = half(part.columns), rest = part.columns - across;
  memset(part.values, 0, (u64)count * sizeof(i64));
  Bits bits{data + HEAD, data + size};
  i64* lower = part.values + down * part.columns;
  if (!part.quadrant(bits, part.values, down, across, data[22]) || !part.quadrant(bits, part.values + across, down, rest, data[23]) ||
      !part.quadrant(bits, lower, part.rows - down, across, data[23]) ||
      !part.quadrant(bits, lower + across, part.rows - down, rest, data[24]) || bits.take(4) != 0)
    return false;
  bits.align();
  for (i64 i = 0; i < count; i++) {
    if (part.values[i] && bits.take(1)) part.values[i] = -part.values[i];
  }
  if (bits.over) return false;
  part.values[0] = sum;
  for (i64 i = 0; i < count && scale > 1; i++) part.values[i] = (i64)((u64)part.values[i] * (u64)scale);
  part.invert();
  for (i64 i = 0; i < count; i++) out[i] = (i32)part.values[i];
  return true;
}
}  // namespace

static i64 pyramid_tiles(Dense<const u8, 1> data, Array<const i64, 1> starts, Array<const i64, 1> sizes, Dense<i32, 1> out,
                         Array<const i64, 1> places, Array<const i64, 1> counts) {
  if (!within(starts, sizes, data.shape[0]) || !within(places, counts, out.shape[0]) || places.shape[0] != starts.shape[0]) return MISFIT;
  i64 most = 1;
  for (i64 t = 0; t < counts.shape[0]; t++) most = counts(t) > most ? counts(t) : most;
  u8* memory = (u8*)malloc((u64)most * (2 * sizeof(i64) + 2));
  if (!memory) return 0;
  i64* values = (i64*)memory;
  i64 damaged = -1;
  for (i64 t = 0; t < starts.shape[0] && damaged < 0; t++) {
    Pyramid part{0, 0, values, values + most, (u8*)(values + 2 * most), (u8*)(values + 2 * most) + most};
    if (!expand(data.data + starts(t), sizes(t), out.data + places(t), counts(t), part)) damaged = t;
  }
  free(memory);
  return damaged;
}
REGISTER(pyramid_tiles)
