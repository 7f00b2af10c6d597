// What JPEG compression does to pictures: the same bits as `kernels/jpeg/distortion.cpp`.
#include "../include/dct.hpp"
#include "../include/division.hpp"
#include "../include/jpeg_quality.hpp"
#include "bytes.cuh"

struct Item {
  const u8* from;
  u8 *to, *planes;  // luma, and two planes of chroma of half the pitch, of whole blocks
  i64 height, width, pitch, rows, chroma_rows, quality;

  __device__ u8* chroma(int plane) const { return planes + pitch * rows + plane * (pitch / 2) * chroma_rows; }
};

// ------------------------------------------------------------------------------------------------- colours, and blocks there and back

// A block of threads has so many pixels, of which a thread takes one block of 8 x 8 samples.
enum { TILE_ROWS = 64, TILE_COLUMNS = 128, CHROMA_PITCH = TILE_COLUMNS / 2 + 8 };  // rows of blocks begin in different banks
enum { GROUPS = TILE_COLUMNS / 4 };  // of four pixels that a thread takes
enum { LUMA_BLOCKS = TILE_ROWS / 8 * (TILE_COLUMNS / 8), CHROMA_BLOCKS = LUMA_BLOCKS / 4 };

struct Tile {
  u32 luma[TILE_ROWS * TILE_COLUMNS / 4];
  u32 chroma[2][TILE_ROWS / 2 * CHROMA_PITCH / 4];
  i32 steps[2][64];
  float inverses[2][64];
};

__device__ __forceinline__ u32 upper_half(i32 sum) { return (u32)sum >> 16; }

// Four pixels of a row from column x on, a word each; those beyond the picture are its last ones.
__device__ __forceinline__ void pixels_at(const Item& item, i32 y, i32 x, u32 (&pixels)[4]) {
  const u32 row = (u32)y * (u32)item.width;
  if (x + 3 < (i32)item.width) {
    const uint4 four = four_pixels(item.from, row + x);
    pixels[0] = four.x, pixels[1] = four.y, pixels[2] = four.z, pixels[3] = four.w;
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const u8* p = item.from + 3 * (u64)(row + least(x + k, (i32)item.width - 1));
    pixels[k] = (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16;
  }
}

__device__ __forceinline__ u32 lumas(const u32 (&pixels)[4]) {
  u32 made = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    made |= upper_half(luma_of<i32>((i32)(pixels[k] & 255), (i32)(pixels[k] >> 8 & 255), (i32)(pixels[k] >> 16 & 255))) << 8 * k;
  return made;
}

// Adds what pixels give to the sums of two neighbours in each plane.
__device__ __forceinline__ void add_chroma(const u32 (&pixels)[4], u32 (&sums)[2][2]) {
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const i32 r = (i32)(pixels[k] & 255), g = (i32)(pixels[k] >> 8 & 255), b = (i32)(pixels[k] >> 16 & 255);
    sums[0][k / 2] += upper_half(blue_chroma_of<i32>(r, g, b)), sums[1][k / 2] += upper_half(red_chroma_of<i32>(r, g, b));
  }
}

__device__ __forceinline__ void put_lumas(const u32 (&upper)[4], const u32 (&lower)[4], int pair, int group, Tile& tile) {
  tile.luma[2 * pair * GROUPS + group] = lumas(upper), tile.luma[(2 * pair + 1) * GROUPS + group] = lumas(lower);
}
__device__ __forceinline__ void put_chroma(const u32 (&upper)[4], const u32 (&lower)[4], int pair, int group, Tile& tile) {
  u32 sums[2][2] = {{1, 2}, {1, 2}};  // halves are rounded down and up in turns
  add_chroma(upper, sums), add_chroma(lower, sums);
#pragma unroll
  for (int plane = 0; plane < 2; plane++)
    ((u16*)tile.chroma[plane])[pair * (CHROMA_PITCH / 2) + group] = (u16)(sums[plane][0] >> 2 | sums[plane][1] >> 2 << 8);
}

// The samples of a tile, whose first pixel is (top, left). What lies beyond the picture repeats its last pixels.
__device__ __forceinline__ void split(const Item& item, i32 top, i32 left, Tile& tile) {
  const i32 height = (i32)item.height, width = (i32)item.width, last = (height + 1) / 2 - 1;
  const int group = threadIdx.x % GROUPS, first = threadIdx.x / GROUPS;
  enum { PAIRS = TILE_ROWS / 2, STEP = 256 / GROUPS, AT_ONCE = 2 };
  if (top + TILE_ROWS <= height && left + TILE_COLUMNS <= width) {  // without branches, so that several reads are under way
    const u32 begin = (u32)top * (u32)width + (u32)(left + 4 * group);
#pragma unroll 1
    for (int pair = first; pair < PAIRS; pair += AT_ONCE * STEP) {
      uint4 rows[AT_ONCE][2];
#pragma unroll
      for (int k = 0; k < 2 * AT_ONCE; k++)
        rows[k / 2][k % 2] = four_pixels(item.from, begin + (u32)(2 * (pair + k / 2 * STEP) + k % 2) * (u32)width);
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++) {
        const u32 upper[4] = {rows[k][0].x, rows[k][0].y, rows[k][0].z, rows[k][0].w};
        const u32 lower[4] = {rows[k][1].x, rows[k][1].y, rows[k][1].z, rows[k][1].w};
        put_lumas(upper, lower, pair + k * STEP, group, tile), put_chroma(upper, lower, pair + k * STEP, group, tile);
      }
    }
    return;
  }
#pragma unroll 1
  for (int pair = first; pair < PAIRS; pair += STEP) {
    const i32 y = top / 2 + pair, x = left + 4 * group;
    if (y >= (i32)item.chroma_rows || x >= (i32)item.pitch) continue;
    u32 upper[4], lower[4];
    pixels_at(item, least(2 * y, height - 1), x, upper), pixels_at(item, least(2 * y + 1, height - 1), x, lower);
    put_lumas(upper, lower, pair, group, tile);
    if (y > last) pixels_at(item, 2 * last, x, upper), pixels_at(item, least(2 * last + 1, height - 1), x, lower);
    put_chroma(upper, lower, pair, group, tile);
  }
}

// One pass of a transform over all rows, or columns, of a block.
template <bool FORWARD, bool FIRST, bool ROWS> __device__ __forceinline__ void transform_lines(i32 (&block)[8][8]) {
#pragma unroll
  for (int i = 0; i < 8; i++) {
    i32 x[8];
#pragma unroll
    for (int k = 0; k < 8; k++) x[k] = ROWS ? block[i][k] : block[k][i];
    if constexpr (FORWARD) forward_dct<FIRST>(x);
    else inverse_dct<FIRST>(x);
#pragma unroll
    for (int k = 0; k < 8; k++) (ROWS ? block[i][k] : block[k][i]) = x[k];
  }
}

// A block there and back, from shared memory to that of the device.
__device__ __forceinline__ void distort_block(const u8* from, int pitch, u8* to, i64 to_pitch, const i32* steps, const float* inverses) {
  i32 block[8][8];
#pragma unroll
  for (int y = 0; y < 8; y++) {
    const uint2 line = *(const uint2*)(from + y * pitch);
#pragma unroll
    for (int x = 0; x < 8; x++) block[y][x] = (i32)((x < 4 ? line.x : line.y) >> (8 * (x & 3)) & 255) - 128;
  }
  transform_lines<true, true, true>(block);
  transform_lines<true, false, false>(block);
#pragma unroll
  for (int k = 0; k < 64; k++) block[k / 8][k % 8] = quantized(block[k / 8][k % 8], steps[k], inverses[k]);
  transform_lines<false, true, false>(block);
  transform_lines<false, false, true>(block);
#pragma unroll
  for (int y = 0; y < 8; y++) {
    uint2 line = {0, 0};
#pragma unroll
    for (int x = 0; x < 8; x++) (x < 4 ? line.x : line.y) |= (u32)between(block[y][x] + 128, 0, 255) << (8 * (x & 3));
    *(uint2*)(to + y * to_pitch) = line;
  }
}

extern "C" __global__ void __launch_bounds__(256, 2) distort(const Item* __restrict__ items) {
  __shared__ Tile tile;
  const Item item = items[blockIdx.y];
  const i32 across = ((i32)item.width + TILE_COLUMNS - 1) / TILE_COLUMNS, row = (i32)blockIdx.x / across;
  const i32 top = row * TILE_ROWS, left = ((i32)blockIdx.x - row * across) * TILE_COLUMNS;
  if (top >= (i32)item.height) return;
  if (threadIdx.x < 128) {
    const int kind = threadIdx.x / 64, at = threadIdx.x % 64;
    const i32 step = step_at(kind ? CHROMA_STEPS[at] : LUMA_STEPS[at], (i32)item.quality);
    tile.steps[kind][at] = step, tile.inverses[kind][at] = 0.125f / (float)step;
  }
  split(item, top, left, tile);
  __syncthreads();
  // luma, then both planes of chroma, which have half its rows and columns
  const int i = threadIdx.x, kind = i >= LUMA_BLOCKS, plane = (i - LUMA_BLOCKS) / CHROMA_BLOCKS, at = kind ? (i - LUMA_BLOCKS) % CHROMA_BLOCKS : i;
  if (plane > 1) return;
  const int wide = TILE_COLUMNS / 8 >> kind, y = at / wide * 8, x = at % wide * 8;
  if (top + (y << kind) >= (i32)item.height || left + (x << kind) >= (i32)item.width) return;
  const int pitch = kind ? CHROMA_PITCH : TILE_COLUMNS;
  const i64 to_pitch = item.pitch >> kind;
  u8* to = kind ? item.chroma(plane) : item.planes;
  distort_block((const u8*)(kind ? tile.chroma[plane] : tile.luma) + y * pitch + x, pitch, to + ((top >> kind) + y) * to_pitch + (left >> kind) + x,
                to_pitch, tile.steps[kind], tile.inverses[kind]);
}

// ------------------------------------------------------------------------------------------------------------------------- together

// Pixels of a row that a warp makes at a time, eight a thread.
enum { RUN = 256 };

// Samples of a plane of chroma in two lines, `above` and `below`, from column `first` - 1 on, of `count` columns; what lies beyond
// them is the nearest one.
struct Chroma {
  u32 above[6], below[6];

  __device__ __forceinline__ Chroma(const u8* upper, const u8* lower, i32 first, i32 count) {
    get(upper, first, count, above), get(lower, first, count, below);
  }

 private:
  __device__ __forceinline__ static void get(const u8* line, i32 first, i32 count, u32 (&made)[6]) {
    const u32 four = *(const u32*)(line + first);
#pragma unroll
    for (int k = 0; k < 4; k++) made[1 + k] = four >> 8 * k & 255;
    made[0] = first ? line[first - 1] : made[1], made[5] = line[least(first + 4, count - 1)];
#pragma unroll
    for (int k = 1; k < 4; k++)
      if (first + k >= count) made[1 + k] = made[k];
  }
};

// What is added to luma, times 2^16, for eight pixels: chroma at `near` and at `far` is weighed, a triangle, between lines and between
// columns. Of one or two columns each is repeated instead.
__device__ __forceinline__ void interpolate(const u32 (&near)[6], const u32 (&far)[6], bool repeated, i32 (&made)[8]) {
  u32 line[6];
#pragma unroll
  for (int k = 0; k < 6; k++) line[k] = 3 * near[k] + far[k];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    const int at = 1 + k / 2;
    const u32 both = (3 * line[at] + line[k & 1 ? at + 1 : at - 1] + (k & 1 ? 7 : 8)) >> 4;
    made[k] = (i32)(repeated ? near[at] : both) - 128;
  }
}

__device__ __forceinline__ u32 byte_of_sum(u32 luma, i32 added) { return (u32)between((i32)luma + (added >> 16), 0, 255); }

// Eight pixels: six words.
__device__ __forceinline__ void mix(uint2 luma, const i32 (&blue)[8], const i32 (&red)[8], u32* words) {
#pragma unroll
  for (int half = 0; half < 2; half++) {
    u32 bytes[12];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const u32 y = (half ? luma.y : luma.x) >> 8 * k & 255;
      const i32 b = blue[4 * half + k], r = red[4 * half + k];
      bytes[3 * k] = byte_of_sum(y, red_of<i32>(r)), bytes[3 * k + 1] = byte_of_sum(y, green_of<i32>(b, r));
      bytes[3 * k + 2] = byte_of_sum(y, blue_of<i32>(b));
    }
#pragma unroll
    for (int k = 0; k < 3; k++)
      words[3 * half + k] = bytes[4 * k] | bytes[4 * k + 1] << 8 | bytes[4 * k + 2] << 16 | bytes[4 * k + 3] << 24;
  }
}

// Stores `count` bytes of a warp, which has them in shared memory: whole words wherever they begin.
__device__ __forceinline__ void put_bytes(u8* to, const u32* words, int count) {
  const int lane = threadIdx.x & 31, head = (int)(-(u64)to & 3), whole = (count - head) >> 2;
  if (lane < least(head, count)) to[lane] = ((const u8*)words)[lane];
  u32* p = (u32*)(to + head);
#pragma unroll
  for (int i = lane; i < RUN * 3 / 4; i += 32)
    if (i < whole) p[i] = __funnelshift_r(words[i], words[i + 1], 8 * head);
  const int rest = head + 4 * whole + lane;
  if (whole >= 0 && lane < 4 && rest < count) to[rest] = ((const u8*)words)[rest];
}

// A warp makes a run of pixels in two rows, the second of which has an even number: both lie between the same rows of chroma.
extern "C" __global__ void __launch_bounds__(256) join_planes(const Item* __restrict__ items) {
  __shared__ u32 memory[8][2][RUN * 3 / 4 + 1];
  const Item item = items[blockIdx.y];
  const i32 width = (i32)item.width, height = (i32)item.height, count = (width + 1) / 2, last = (height + 1) / 2 - 1;
  const i32 runs = (width + RUN - 1) / RUN, number = (i32)(blockIdx.x * 8 + threadIdx.x / 32), pair = number / runs, lane = threadIdx.x & 31;
  const i32 begin = (number - pair * runs) * RUN, x = begin + 8 * lane;
  if (2 * pair - 1 >= height) return;
  u32(&words)[2][RUN * 3 / 4 + 1] = memory[threadIdx.x / 32];
  if (x < width) {
    const i32 upper = most(pair - 1, 0), lower = least(pair, last), half = (i32)item.pitch / 2;
    const u8 *blue = item.chroma(0), *red = item.chroma(1);
    const Chroma b(blue + (i64)upper * half, blue + (i64)lower * half, x / 2, count), r(red + (i64)upper * half, red + (i64)lower * half, x / 2, count);
    const u8* luma = item.planes + (i64)(2 * pair) * item.pitch + x;
    i32 blues[8], reds[8];
    if (pair) {
      interpolate(b.above, b.below, count <= 2, blues), interpolate(r.above, r.below, count <= 2, reds);
      mix(*(const uint2*)(luma - item.pitch), blues, reds, words[0] + 6 * lane);
    }
    if (2 * pair < height) {
      interpolate(b.below, b.above, count <= 2, blues), interpolate(r.below, r.above, count <= 2, reds);
      mix(*(const uint2*)luma, blues, reds, words[1] + 6 * lane);
    }
  }
  __syncwarp();
  const int bytes = 3 * least(width - begin, (i32)RUN);
  u8* to = item.to + 3 * ((i64)(2 * pair) * width + begin);
  if (pair) put_bytes(to - 3 * (i64)width, words[0], bytes);
  if (2 * pair < height) put_bytes(to, words[1], bytes);
}
