// The loop of `clahe.py`: equalised histograms of tiles, and bytes of the colour space L*a*b*, as OpenCV computes them.
#include "../include/border.hpp"
#include "arguments.hpp"
#include "vector.hpp"

enum { LEVELS = 256, BLOCK = 64 };

// One of `channels` interleaved channels.
struct Plane {
  const u8* data;
  i64 height, width, channels;
};
struct Tiles {
  i64 across, down, height, width;  // how many, and their pixels: the plane is mirrored at its lower and right edges to hold them
};

HD u8 byte_of(float x) { return (u8)(i32)rounded<EVEN>(between(x, 0.f, 255.f)); }

// For each level what it becomes in a tile. No more than `most_pixels` of a tile count for a level, if that is not 0; the others are
// shared out among all.
static void tile_table(const Plane& src, const Tiles& tiles, i64 down, i64 across, i64 most_pixels, u8* table) {
  i32 counts[4][LEVELS] = {};
  for (i64 y = down * tiles.height; y < (down + 1) * tiles.height; y++) {
    const u8* row = src.data + bordered(y, src.height, REFLECT_101) * src.width * src.channels;
    const i64 begin = across * tiles.width, end = begin + tiles.width, inside = between(src.width, begin, end);
    i64 x = begin;
    for (; x + 4 <= inside; x += 4)
      for (int k = 0; k < 4; k++) counts[k][row[(x + k) * src.channels]]++;
    for (; x < end; x++) counts[0][row[bordered(x, src.width, REFLECT_101) * src.channels]]++;
  }
  for (int i = 0; i < LEVELS; i++) counts[0][i] += counts[1][i] + counts[2][i] + counts[3][i];
  if (most_pixels) {
    const i32 limit = (i32)most_pixels;
    i32 clipped = 0;
    for (int i = 0; i < LEVELS; i++) clipped += most(counts[0][i] - limit, 0), counts[0][i] = least(counts[0][i], limit);
    i32 rest = clipped % LEVELS;
    for (int i = 0; i < LEVELS; i++) counts[0][i] += clipped / LEVELS;
    if (rest)
      for (i32 i = 0, step = most(LEVELS / rest, 1); i < LEVELS && rest > 0; i += step, rest--) counts[0][i]++;
  }
  const float scale = (float)(LEVELS - 1) / (float)(i32)(tiles.height * tiles.width);
  i32 sum = 0;
  for (int i = 0; i < LEVELS; i++) sum += counts[0][i], table[i] = byte_of((float)sum * scale);
}

// Between which two tiles pixel `i` lies along an axis, and how far behind the centre of the first.
struct Between { i64 first, second; float behind; };
HD Between between_tiles(i64 i, i64 tile, i64 count) {
  const float at = (float)(i32)i * (1.f / (float)(i32)tile) - 0.5f, first = floor_of(at);
  return {most<i64>((i64)first, 0), least<i64>((i64)first + 1, count - 1), at - first};
}

static void equalise(const Plane& src, const Tiles& tiles, i64 most_pixels, u8* tables, u8* to) {
  for (i64 j = 0; j < tiles.down; j++)
    for (i64 i = 0; i < tiles.across; i++) tile_table(src, tiles, j, i, most_pixels, tables + (j * tiles.across + i) * LEVELS);
  for (i64 x = 0; x < src.width; x += BLOCK) {
    const i64 count = least<i64>(BLOCK, src.width - x);
    i64 left[BLOCK] = {}, right[BLOCK] = {};
    float behind[BLOCK] = {};
    for (i64 i = 0; i < count; i++) {
      const Between at = between_tiles(x + i, tiles.width, tiles.across);
      left[i] = at.first * LEVELS, right[i] = at.second * LEVELS, behind[i] = at.behind;
    }
    for (i64 y = 0; y < src.height; y++) {
      const Between at = between_tiles(y, tiles.height, tiles.down);
      const u8 *upper = tables + at.first * tiles.across * LEVELS, *lower = tables + at.second * tiles.across * LEVELS;
      const u8* from = src.data + (y * src.width + x) * src.channels;
      u8 a[BLOCK] = {}, b[BLOCK] = {}, d[BLOCK] = {}, e[BLOCK] = {}, made[BLOCK];
      for (i64 i = 0; i < count; i++) {
        const i64 level = from[i * src.channels];
        a[i] = upper[left[i] + level], b[i] = upper[right[i] + level], d[i] = lower[left[i] + level], e[i] = lower[right[i] + level];
      }
      for (int i = 0; i < BLOCK; i += 16) {
        const f32x16 x1 = read<f32x16>(behind + i), x0 = 1.f - x1;
        const f32x16 above = load<16>(a + i) * x0 + load<16>(b + i) * x1, below = load<16>(d + i) * x0 + load<16>(e + i) * x1;
        store<EVEN, 16>(made + i, above * (1.f - at.behind) + below * at.behind);
      }
      u8* out = to + (y * src.width + x) * src.channels;
      for (i64 i = 0; i < count; i++) out[i * src.channels] = made[i];
    }
  }
}

// ------------------------------------------------------------------------------------------------------- L*a*b* in whole numbers

enum { XYZ_BITS = 12, ROOT_BITS = 15, LINEAR_BITS = 14, LOWEST_XZ = -8145, LINEAR_LEVELS = 4096, ROOTS = 3072, XZ = 36864 };

HD i32 descaled(i32 x, int bits) { return (x + (1 << (bits - 1))) >> bits; }

// Tables that `clahe.py` makes.
struct Lab {
  const i32 *light, *roots, *luma, *cubes, *bytes;  // 256 levels; ROOTS; two of 256; XZ; LINEAR_LEVELS
  const i32 *to_xyz, *to_rgb;                      // matrices
};

// Rows of `count` pixels at most BLOCK.
static void to_lab(const Lab& lab, const u8* rgb, i64 count, u8* light, u8* green, u8* blue) {
  i32 r[BLOCK] = {}, g[BLOCK] = {}, b[BLOCK] = {}, x[BLOCK], y[BLOCK], z[BLOCK];
  const i32* m = lab.to_xyz;
  for (i64 i = 0; i < count; i++) r[i] = lab.light[rgb[3 * i]], g[i] = lab.light[rgb[3 * i + 1]], b[i] = lab.light[rgb[3 * i + 2]];
  for (int i = 0; i < BLOCK; i++) {
    x[i] = descaled(r[i] * m[0] + g[i] * m[1] + b[i] * m[2], XYZ_BITS);
    y[i] = descaled(r[i] * m[3] + g[i] * m[4] + b[i] * m[5], XYZ_BITS);
    z[i] = descaled(r[i] * m[6] + g[i] * m[7] + b[i] * m[8], XYZ_BITS);
  }
  for (i64 i = 0; i < count; i++) x[i] = lab.roots[x[i]], y[i] = lab.roots[y[i]], z[i] = lab.roots[z[i]];
  const i32 scale = (116 * 255 + 50) / 100, shift = -((16 * 255 * (1 << ROOT_BITS) + 50) / 100), middle = 128 << ROOT_BITS;
  for (int i = 0; i < BLOCK; i++) {
    r[i] = between(descaled(scale * y[i] + shift, ROOT_BITS), 0, 255);
    g[i] = between(descaled(500 * (x[i] - y[i]) + middle, ROOT_BITS), 0, 255);
    b[i] = between(descaled(200 * (y[i] - z[i]) + middle, ROOT_BITS), 0, 255);
  }
  for (i64 i = 0; i < count; i++) light[i] = (u8)r[i], green[i] = (u8)g[i], blue[i] = (u8)b[i];
}

static void to_rgb(const Lab& lab, const u8* light, const u8* green, const u8* blue, i64 count, u8* rgb) {
  i32 x[BLOCK] = {}, y[BLOCK] = {}, z[BLOCK] = {}, r[BLOCK], g[BLOCK], b[BLOCK];
  const i32* m = lab.to_rgb;
  const i32 base = 1 << LINEAR_BITS;
  for (i64 i = 0; i < count; i++) {
    const i32 root = lab.luma[2 * light[i] + 1];
    y[i] = lab.luma[2 * light[i]];
    x[i] = lab.cubes[root + ((5 * green[i] * 53687 + (1 << 7)) >> 13) - 128 * base / 500 - LOWEST_XZ];
    z[i] = lab.cubes[root - (((blue[i] * 41943 + (1 << 4)) >> 9) - 128 * base / 200 + 1) - LOWEST_XZ];
  }
  for (int i = 0; i < BLOCK; i++) {
    r[i] = between(descaled(m[0] * x[i] + m[1] * y[i] + m[2] * z[i], LINEAR_BITS), 0, LINEAR_LEVELS - 1);
    g[i] = between(descaled(m[3] * x[i] + m[4] * y[i] + m[5] * z[i], LINEAR_BITS), 0, LINEAR_LEVELS - 1);
    b[i] = between(descaled(m[6] * x[i] + m[7] * y[i] + m[8] * z[i], LINEAR_BITS), 0, LINEAR_LEVELS - 1);
  }
  for (i64 i = 0; i < count; i++) {
    rgb[3 * i] = (u8)lab.bytes[r[i]], rgb[3 * i + 1] = (u8)lab.bytes[g[i]], rgb[3 * i + 2] = (u8)lab.bytes[b[i]];
  }
}

// Returns the bytes of scratch memory that it needs, if there are fewer.
static i64 clahe(Dense<const u8, 3> src, Dense<u8, 3> out, i64 tiles_x, i64 tiles_y, double limit, bool luma, Dense<const i32, 1> light,
                 Dense<const i32, 1> roots, Dense<const i32, 1> luminance, Dense<const i32, 1> cubes, Dense<const i32, 1> bytes,
                 Dense<const i32, 1> to_xyz, Dense<const i32, 1> from_xyz, Dense<u8, 1> scratch) {
  for (int axis = 0; axis < 3; axis++)
    if (src.shape[axis] != out.shape[axis]) return MISFIT;
  const i64 height = src.shape[0], width = src.shape[1], channels = src.shape[2], pixels = height * width, most_pixels = 1ll << 30;
  if (tiles_x < 1 || tiles_y < 1 || tiles_x > 1 << 15 || tiles_y > 1 << 15 || pixels > most_pixels) return MISFIT;
  if (luma && (channels != 3 || light.shape[0] != LEVELS || roots.shape[0] != ROOTS || luminance.shape[0] != 2 * LEVELS || cubes.shape[0] != XZ ||
               bytes.shape[0] != LINEAR_LEVELS || to_xyz.shape[0] != 9 || from_xyz.shape[0] != 9))
    return MISFIT;
  if (!src.size()) return 0;
  const bool fits = width % tiles_x == 0 && height % tiles_y == 0;
  const Tiles tiles = {tiles_x, tiles_y, fits ? height / tiles_y : height / tiles_y + 1, fits ? width / tiles_x : width / tiles_x + 1};
  const i64 tables = tiles_x * tiles_y * LEVELS, needed = tables + (luma ? 3 * pixels : 0);
  if (scratch.shape[0] < needed) return needed;
  const i64 area = tiles.height * tiles.width;
  const i64 most_of_one = limit > 0 ? most<i64>(cut_i32((float)between(limit * (double)area / LEVELS, 0., 1e9)), 1) : 0;
  if (!luma) {
    for (i64 c = 0; c < channels; c++) equalise({src.data + c, height, width, channels}, tiles, most_of_one, scratch.data, out.data + c);
    return 0;
  }
  const Lab lab = {light.data, roots.data, luminance.data, cubes.data, bytes.data, to_xyz.data, from_xyz.data};
  u8 *l = scratch.data + tables, *a = l + pixels, *b = a + pixels;
  for (i64 i = 0; i < pixels; i += BLOCK) to_lab(lab, src.data + 3 * i, least<i64>(BLOCK, pixels - i), l + i, a + i, b + i);
  equalise({l, height, width, 1}, tiles, most_of_one, scratch.data, l);
  for (i64 i = 0; i < pixels; i += BLOCK) to_rgb(lab, l + i, a + i, b + i, least<i64>(BLOCK, pixels - i), out.data + 3 * i);
  return 0;
}
REGISTER(clahe)
