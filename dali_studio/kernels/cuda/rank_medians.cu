// Middle elements of boxes of planes of bytes; beyond the edges lie the bytes beside them. A thread makes two of neighbouring rows,
// one in each half of a word. Macros: BORDER, which repeats bytes, and TAPS as in strip.cuh.
#include "../include/border.hpp"
#include "../include/division.hpp"
#include "strip.cuh"

struct Item {
  const u8* from;
  u8* to;
  Strips strips;
  i32 high, wide;  // of the box, odd
};

// Two rows, one beneath the other.
struct Rows {
  i64 upper, lower;
};

// Bit by bit, from the highest: the largest number that no more than half of all are less than. `at`: the first of a box.
__device__ __forceinline__ u32 middles(const u32* at, int pitch, int inner, int high, int wide) {
  const u32 half = (u32)(high * wide / 2) * 0x00010001u;
  u32 found = 0;
  for (int bit = 7; bit >= 0; bit--) {
    const u32 tried = found | 0x00010001u << bit, above = tried + 0x00FF00FFu;  // 255 more: its difference to a byte is positive
    u32 less = 0;
    for (int j = 0; j < high; j++) {
      const u32* element = at + j * pitch;
      u32 some = 0;  // 256 for each; at most 255 of them
#pragma unroll 4
      for (int k = 0; k < wide; k++, element += inner) some += (above - *element) & 0x01000100u;
      less += some >> 8 & 0x00FF00FFu;
    }
    found |= ((half | 0x80008000u) - less & 0x80008000u) >> (15 - bit);
  }
  return found;
}

extern "C" __global__ void __launch_bounds__(256) rank_medians(const Item* __restrict__ items) {
  extern __shared__ float4 memory[];
  const Item t = items[blockIdx.y];
  const Strips& s = t.strips;
  if (blockIdx.x >= s.blocks) return;
  const Strip here = strip_of(s, blockIdx.x);
  const int lane = threadIdx.x % LANES, y = 2 * (threadIdx.x / LANES), width = here.pixels * s.inner, pitch = pitch_of(line_of(s));
  const i64 line = (i64)s.width * s.inner, plane = here.plane * s.height * line;
  i32* columns = (i32*)memory;
  u32* tile = (u32*)columns + line_of(s);
  find_columns(s, here, columns);
  __syncthreads();
  const u8* from = t.from + plane;
  const int top = here.y - s.above;
  const auto rows = [&](int j) { return Rows{row_of(s, top + j), row_of(s, top + j + 1)}; };
  const auto take = [=](const Rows& rows, int column) { return from[rows.upper + column] | (u32)from[rows.lower + column] << 16; };
  bring(tile, pitch, here.rows + t.high - 1, (here.pixels + s.left + s.right) * s.inner, columns, rows, take);
  __syncthreads();
  if (y >= here.rows) return;
  u8* to = t.to + plane + (here.y + y) * line + (i64)here.x * s.inner;
  for (int i = lane; i < width; i += LANES) {
    const u32 found = middles(tile + y * pitch + i, pitch, s.inner, t.high, t.wide);
    to[i] = (u8)found;
    if (y + 1 < here.rows) to[line + i] = (u8)(found >> 16);
  }
}
