// Contrast-limited adaptive equalisation of histograms: what `kernels/cpu/clahe.cpp` does.
#include "../include/clahe.hpp"
#include "../include/division.hpp"

// A channel, whose bytes lie `step` apart, and a table for each tile.
struct Plane {
  const u8* from;
  u8 *to, *tables;
  i64 height, width, step;
};
// RGB pixels, and one after the other the planes of their L*, a* and b*.
struct Colours {
  const u8* from;
  u8 *to, *lab;
  i64 count;
};

extern "C" __global__ void __launch_bounds__(256) to_lab(const Colours* __restrict__ items, const Lab* __restrict__ tables) {
  const Colours& item = items[blockIdx.y];
  const Lab& lab = *tables;
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  const u8* rgb = item.from + 3 * i;
  const i32 r = lab.light[rgb[0]], g = lab.light[rgb[1]], b = lab.light[rgb[2]];
  const i32 x = lab.roots[product(lab.to_xyz, r, g, b, XYZ_BITS)], y = lab.roots[product(lab.to_xyz + 3, r, g, b, XYZ_BITS)];
  const i32 z = lab.roots[product(lab.to_xyz + 6, r, g, b, XYZ_BITS)];
  u8* to = item.lab + i;
  to[0] = (u8)lightness(y), to[item.count] = (u8)redness(x, y), to[2 * item.count] = (u8)yellowness(y, z);
}

extern "C" __global__ void __launch_bounds__(256) to_rgb(const Colours* __restrict__ items, const Lab* __restrict__ tables) {
  const Colours& item = items[blockIdx.y];
  const Lab& lab = *tables;
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  const u8* from = item.lab + i;
  const i32 y = lab.luma[2 * from[0]], root = lab.luma[2 * from[0] + 1];
  const i32 x = lab.cubes[place_of_x(root, from[item.count])], z = lab.cubes[place_of_z(root, from[2 * item.count])];
  for (int c = 0; c < 3; c++) item.to[3 * i + c] = (u8)lab.bytes[linear_level(lab.to_rgb + 3 * c, x, y, z)];
}

// A block makes the table of a tile.
extern "C" __global__ void __launch_bounds__(256) tile_tables(const Plane* __restrict__ items, i64 across, i64 down, double limit) {
  __shared__ i32 counts[LEVELS];
  __shared__ u8 table[LEVELS];
  const Plane& item = items[blockIdx.y];
  const Tiles tiles = tiles_of(item.height, item.width, across, down);
  const i64 row = blockIdx.x / across, column = blockIdx.x % across, area = tiles.height * tiles.width;
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (i64 i = threadIdx.x; i < area; i += 256) {
    const i64 line = quotient(i, tiles.width), y = row * tiles.height + line, x = column * tiles.width + i - line * tiles.width;
    const i64 place = bordered(y, item.height, REFLECT_101) * item.width + bordered(x, item.width, REFLECT_101);
    atomicAdd((u32*)counts + item.from[place * item.step], 1u);
  }
  __syncthreads();
  if (threadIdx.x == 0) equalizing_tile_table(counts, (i32)most_pixels(limit, tiles), tiles, table);
  __syncthreads();
  item.tables[(i64)blockIdx.x * LEVELS + threadIdx.x] = table[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(256) equalise(const Plane* __restrict__ items, i64 across, i64 down) {
  const Plane& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x, y = quotient(i, item.width);
  if (y >= item.height) return;
  const Tiles tiles = tiles_of(item.height, item.width, across, down);
  const Between columns = between_tiles(i - y * item.width, tiles.width, across), rows = between_tiles(y, tiles.height, down);
  const u8* tables = item.tables + item.from[i * item.step];
  const u8 *upper = tables + rows.first * across * LEVELS, *lower = tables + rows.second * across * LEVELS;
  const i64 left = columns.first * LEVELS, right = columns.second * LEVELS;
  const float level = among_tiles((float)upper[left], (float)upper[right], (float)lower[left], (float)lower[right], columns.behind, rows.behind);
  item.to[i * item.step] = byte_of(level);
}
