// The loop of `clahe.py`: equalised histograms of tiles, and bytes of the colour space L*a*b*, as OpenCV computes them.
#include "../include/clahe.hpp"

#include "arguments.hpp"
#include "vector.hpp"

enum { BLOCK = 64 };

// One of `channels` interleaved channels.
struct Plane {
  const u8* data;
  i64 height, width, channels;
};

static void tile_table(const Plane& src, const Tiles& tiles, i64 down, i64 across, i64 limit, u8* table) {
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
  equalizing_tile_table(counts[0], (i32)limit, tiles, table);
}

static void equalise(const Plane& src, const Tiles& tiles, i64 limit, u8* tables, u8* to) {
  for (i64 j = 0; j < tiles.down; j++)
    for (i64 i = 0; i < tiles.across; i++) tile_table(src, tiles, j, i, limit, tables + (j * tiles.across + i) * LEVELS);
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
        const f32x16 across = read<f32x16>(behind + i);
        store<EVEN, 16>(made + i, among_tiles(load<16>(a + i), load<16>(b + i), load<16>(d + i), load<16>(e + i), across, at.behind));
      }
      u8* out = to + (y * src.width + x) * src.channels;
      for (i64 i = 0; i < count; i++) out[i * src.channels] = made[i];
    }
  }
}

// Rows of `count` pixels at most BLOCK.
static void to_lab(const Lab& lab, const u8* rgb, i64 count, u8* light, u8* red, u8* yellow) {
  i32 r[BLOCK] = {}, g[BLOCK] = {}, b[BLOCK] = {}, x[BLOCK], y[BLOCK], z[BLOCK];
  const i32* m = lab.to_xyz;
  for (i64 i = 0; i < count; i++) r[i] = lab.light[rgb[3 * i]], g[i] = lab.light[rgb[3 * i + 1]], b[i] = lab.light[rgb[3 * i + 2]];
  for (int i = 0; i < BLOCK; i++) {
    x[i] = product(m, r[i], g[i], b[i], XYZ_BITS);
    y[i] = product(m + 3, r[i], g[i], b[i], XYZ_BITS);
    z[i] = product(m + 6, r[i], g[i], b[i], XYZ_BITS);
  }
  for (i64 i = 0; i < count; i++) x[i] = lab.roots[x[i]], y[i] = lab.roots[y[i]], z[i] = lab.roots[z[i]];
  for (int i = 0; i < BLOCK; i++) r[i] = lightness(y[i]), g[i] = redness(x[i], y[i]), b[i] = yellowness(y[i], z[i]);
  for (i64 i = 0; i < count; i++) light[i] = (u8)r[i], red[i] = (u8)g[i], yellow[i] = (u8)b[i];
}

static void to_rgb(const Lab& lab, const u8* light, const u8* red, const u8* yellow, i64 count, u8* rgb) {
  i32 x[BLOCK] = {}, y[BLOCK] = {}, z[BLOCK] = {}, r[BLOCK], g[BLOCK], b[BLOCK];
  const i32* m = lab.to_rgb;
  for (i64 i = 0; i < count; i++) {
    const i32 root = lab.luma[2 * light[i] + 1];
    y[i] = lab.luma[2 * light[i]];
    x[i] = lab.cubes[place_of_x(root, red[i])];
    z[i] = lab.cubes[place_of_z(root, yellow[i])];
  }
  for (int i = 0; i < BLOCK; i++) {
    r[i] = linear_level(m, x[i], y[i], z[i]);
    g[i] = linear_level(m + 3, x[i], y[i], z[i]);
    b[i] = linear_level(m + 6, x[i], y[i], z[i]);
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
  const i64 height = src.shape[0], width = src.shape[1], channels = src.shape[2], pixels = height * width;
  if (tiles_x < 1 || tiles_y < 1 || tiles_x > 1 << 15 || tiles_y > 1 << 15 || pixels > 1ll << 30) return MISFIT;
  if (luma && (channels != 3 || light.shape[0] != LEVELS || roots.shape[0] != ROOTS || luminance.shape[0] != 2 * LEVELS || cubes.shape[0] != XZ ||
               bytes.shape[0] != LINEAR_LEVELS || to_xyz.shape[0] != 9 || from_xyz.shape[0] != 9))
    return MISFIT;
  if (!src.size()) return 0;
  const Tiles tiles = tiles_of(height, width, tiles_x, tiles_y);
  const i64 tables = tiles_x * tiles_y * LEVELS, needed = tables + (luma ? 3 * pixels : 0);
  if (scratch.shape[0] < needed) return needed;
  const i64 most_of_one = most_pixels(limit, tiles);
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
