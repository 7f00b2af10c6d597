// Contrast-limited adaptive equalisation of histograms, and the colour space L*a*b* in whole numbers, as OpenCV computes them.
#pragma once
#include "border.hpp"
#include "rounding.hpp"

enum { LEVELS = 256 };

// How many tiles there are, and their pixels: the plane is mirrored at its lower and right edges to hold them.
struct Tiles {
  i64 across, down, height, width;
};
HD Tiles tiles_of(i64 height, i64 width, i64 across, i64 down) {
  const bool fits = width % across == 0 && height % down == 0;
  return {across, down, fits ? height / down : height / down + 1, fits ? width / across : width / across + 1};
}

// How many pixels of a tile may count for a level: `limit` times the mean of all levels; 0 where that is no limit.
HD i64 most_pixels(double limit, const Tiles& tiles) {
  const double most_of_one = limit * (double)(tiles.height * tiles.width) / LEVELS;
  return limit > 0 ? most<i64>(cut_i32((float)between(most_of_one, 0., 1e9)), 1) : 0;
}

// Rounded to the nearest byte, halves to even.
HD u8 byte_of(float x) { return (u8)bits_of(between(x, 0.f, 255.f) + 12582912.f); }

// For each level what it becomes in a tile, of whose pixels `counts` have each level. No more than `limit` count for a level, if that
// is not 0; the others are shared out among all.
HD void equalizing_tile_table(i32* counts, i32 limit, const Tiles& tiles, u8* table) {
  if (limit) {
    i32 clipped = 0;
    for (int i = 0; i < LEVELS; i++) clipped += most(counts[i] - limit, 0), counts[i] = least(counts[i], limit);
    i32 rest = clipped % LEVELS;
    for (int i = 0; i < LEVELS; i++) counts[i] += clipped / LEVELS;
    if (rest)
      for (i32 i = 0, step = most(LEVELS / rest, 1); i < LEVELS && rest > 0; i += step, rest--) counts[i]++;
  }
  const float scale = (float)(LEVELS - 1) / (float)(i32)(tiles.height * tiles.width);
  i32 sum = 0;
  for (int i = 0; i < LEVELS; i++) sum += counts[i], table[i] = byte_of((float)sum * scale);
}

// Between which two tiles pixel `i` lies along an axis, and how far behind the centre of the first.
struct Between { i64 first, second; float behind; };
HD Between between_tiles(i64 i, i64 tile, i64 count) {
  const float at = (float)(i32)i * (1.f / (float)(i32)tile) - 0.5f;
  const i64 first = (i64)at - ((float)(i64)at > at);
  return {most<i64>(first, 0), least<i64>(first + 1, count - 1), at - (float)first};
}

// What the tables of four tiles make of a level. V is a float, or a vector of them.
template <class V> HD V among_tiles(V a, V b, V c, V d, V across, float down) {
  const V rest = 1.f - across;
  return (a * rest + b * across) * (1.f - down) + (c * rest + d * across) * down;
}

// ------------------------------------------------------------------------------------------------------- L*a*b* in whole numbers

enum { XYZ_BITS = 12, ROOT_BITS = 15, LINEAR_BITS = 14, LOWEST_XZ = -8145, LINEAR_LEVELS = 4096, ROOTS = 3072, XZ = 36864 };

HD i32 descaled(i32 x, int bits) { return (x + (1 << (bits - 1))) >> bits; }
// A row of a matrix times a vector.
HD i32 product(const i32* row, i32 x, i32 y, i32 z, int bits) { return descaled(row[0] * x + row[1] * y + row[2] * z, bits); }

// L*, a* and b* of the roots of x, y and z.
HD i32 lightness(i32 y) {
  return between(descaled((116 * 255 + 50) / 100 * y - (16 * 255 * (1 << ROOT_BITS) + 50) / 100, ROOT_BITS), 0, 255);
}
HD i32 redness(i32 x, i32 y) { return between(descaled(500 * (x - y) + (128 << ROOT_BITS), ROOT_BITS), 0, 255); }
HD i32 yellowness(i32 y, i32 z) { return between(descaled(200 * (y - z) + (128 << ROOT_BITS), ROOT_BITS), 0, 255); }

// Where the cubes have x and z, of the root of y and a* or b*.
HD i32 place_of_x(i32 root, i32 a) { return root + ((5 * a * 53687 + (1 << 7)) >> 13) - (128 << LINEAR_BITS) / 500 - LOWEST_XZ; }
HD i32 place_of_z(i32 root, i32 b) { return root - (((b * 41943 + (1 << 4)) >> 9) - (128 << LINEAR_BITS) / 200 + 1) - LOWEST_XZ; }

// A channel of linear light, as the place of its byte.
HD i32 linear_level(const i32* row, i32 x, i32 y, i32 z) { return between(product(row, x, y, z, LINEAR_BITS), 0, LINEAR_LEVELS - 1); }

// Tables that `clahe.py` makes.
struct Lab {
  const i32 *light, *roots, *luma, *cubes, *bytes;  // 256 levels; ROOTS; two of 256; XZ; LINEAR_LEVELS
  const i32 *to_xyz, *to_rgb;                      // matrices
};
