// Baseline JPEG decoded by kernels, to the pixels of libjpeg-turbo with its accurate integer transform, and with
// repeated or interpolated chroma samples. Macro FEW_PARTS: threads for a picture of one segment. The transform is that of
// Loeffler, Ligtenberg and Moschytz with 13 bits of fraction, where SIMD code keeps 16 bits between its steps, as here.

#include "../include/jpeg.hpp"
#include "jpeg_bytes.cuh"
#include "jpeg_entropy.cuh"

// ------------------------------------------------------------------------------------------------------- coefficients

// For pictures of several segments.
extern "C" __global__ void __launch_bounds__(THREADS) measure(const Picture* __restrict__ pictures, Result* results) {
  const Picture& picture = pictures[blockIdx.y];
  if (picture.segments > 1 && blockIdx.x < picture.segments) unstuff_segment<false>(picture, results[blockIdx.y]);
}

extern "C" __global__ void __launch_bounds__(THREADS) unstuff(const Picture* __restrict__ pictures, Result* results) {
  const Picture& picture = pictures[blockIdx.y];
  if (blockIdx.x < picture.segments) unstuff_segment<true>(picture, results[blockIdx.y]);
}

extern "C" __global__ void __launch_bounds__(PARTS) huffman(const Picture* __restrict__ pictures, Result* results, u32 turn, u32 turns) {
  decode_segment<PARTS>(pictures, results, turn, turns);
}

// The same for pictures of one segment: of blocks of fewer threads more fit on the GPU at the same time.
extern "C" __global__ void __launch_bounds__(FEW_PARTS) huffman_few(const Picture* __restrict__ pictures, Result* results) {
  decode_segment<FEW_PARTS>(pictures, results, 0, 1);
}

// ----------------------------------------------------------------------------------------------------------- transform

__device__ __forceinline__ i32 saturated(i32 x) { return min(max(x, -32768), 32767); }

// One dimension of the transform over eight numbers of 16 bits; results are rounded and shifted by `shift` bits.
template <int shift> __device__ __forceinline__ void transform_line(i32* x, i32 step) {
  i32 a = (i16)(x[0] + x[4 * step]) * 8192, b = (i16)(x[0] - x[4 * step]) * 8192;
  i32 middle = (x[2 * step] + x[6 * step]) * 4433;
  i32 c = middle - x[6 * step] * 15137, d = middle + x[2 * step] * 6270;
  i32 even[4] = {a + d, b + c, b - c, a - d};
  i32 p = x[7 * step], q = x[5 * step], r = x[3 * step], s = x[step];
  i32 z3 = (i16)(p + r), z4 = (i16)(q + s), z5 = (z3 + z4) * 9633;
  i32 z1 = (p + s) * -7373, z2 = (q + r) * -20995;
  z3 = z5 - z3 * 16069, z4 = z5 - z4 * 3196;
  i32 odd[4] = {s * 12299 + z1 + z4, r * 25172 + z2 + z3, q * 16819 + z2 + z4, p * 2446 + z1 + z3};
  const i32 half = 1 << (shift - 1);
#pragma unroll
  for (i32 i = 0; i < 4; i++) {
    x[i * step] = saturated((even[i] + odd[i] + half) >> shift);
    x[(7 - i) * step] = saturated((even[i] - odd[i] + half) >> shift);
  }
}

// The samples of a block, eight bytes of each row, for `put(row, low, high)`.
template <class Put> __device__ __forceinline__ void samples(const i16* coefficients, const u16* quant, Put put) {
  const uint4* given = (const uint4*)coefficients;
  i32 x[64];
  u32 below = 0;  // the first row
#pragma unroll
  for (i32 i = 0; i < 8; i++) {
    uint4 eight = given[i];
    u32 pairs[4] = {eight.x, eight.y, eight.z, eight.w};
    if (i) below |= eight.x | eight.y | eight.z | eight.w;
#pragma unroll
    for (i32 j = 0; j < 4; j++) {
      x[8 * i + 2 * j] = (i16)((i32)(i16)pairs[j] * quant[8 * i + 2 * j]);
      x[8 * i + 2 * j + 1] = (i16)((i32)(i16)(pairs[j] >> 16) * quant[8 * i + 2 * j + 1]);
    }
  }
#pragma unroll
  for (i32 i = 0; i < 8; i++) {
    if (!below) x[i] = (i16)(x[i] * 4) >> 2;  // where SIMD code cuts to 16 bits; damaged data may be that large
    transform_line<11>(x + i, 8);
  }
#pragma unroll
  for (i32 i = 0; i < 8; i++) {
    transform_line<18>(x + 8 * i, 1);
    u32 low = 0, high = 0;
#pragma unroll
    for (i32 j = 0; j < 4; j++) {
      low |= (u32)(min(max(x[8 * i + j], -128), 127) + 128) << (8 * j);
      high |= (u32)(min(max(x[8 * i + 4 + j], -128), 127) + 128) << (8 * j);
    }
    put(i, low, high);
  }
}

// Of pictures whose chroma is interpolated, the planes. A thread for each block.
extern "C" __global__ void __launch_bounds__(128) transform(const Picture* __restrict__ pictures, const Result* results) {
  const Picture& picture = pictures[blockIdx.y];
  i32 index = picture.first_block + blockIdx.x * 128 + threadIdx.x;
  if (!picture.chroma_columns || index >= picture.end_block || results[blockIdx.y].failed) return;
  i32 h = picture.h, v = picture.v, luma = h * v, per_unit = luma + 2;
  i32 unit = index / per_unit, block = index - unit * per_unit, row = unit / picture.columns_of_units;
  i32 column = unit - row * picture.columns_of_units, component = block < luma ? 0 : block - luma + 1;
  i32 width = picture.columns_of_units * 8;  // of a plane with the fewest samples
  u8* plane = picture.planes;
  if (component) {
    i64 small = (i64)picture.units * 64;
    plane += luma * small + (component - 1) * small;
  } else {
    width *= h, row = row * v + block / h, column = column * h + block % h;
    h = v = 1;
  }
  // outside the window, and not needed for its pixels?
  i32 margin = component ? CHROMA_MARGIN : 0, top = picture.first_row - margin;
  i32 left = picture.first_column - margin, bottom = picture.first_row + picture.rows + margin;
  if ((row + 1) * 8 * v <= top || row * 8 * v >= bottom) return;
  if ((column + 1) * 8 * h <= left || column * 8 * h >= picture.first_column + picture.columns + margin) return;
  samples(picture.coefficients + 64ll * index, picture.quant[component], [=](i32 i, u32 low, u32 high) {
    *(uint2*)(plane + (i64)(row * 8 + i) * width + column * 8) = make_uint2(low, high);
  });
}

// ------------------------------------------------------------------------------------------------------------- colours

__device__ __forceinline__ u8 level(i32 x) { return (u8)min(max(x, 0), 255); }

// A chroma plane at a pixel: the sample there, or a mean with its nearest neighbours.
__device__ __forceinline__ i32 chroma_at(const Picture& picture, const u8* plane, u32 y, u32 x) {
  i32 width = picture.columns_of_units * 8, h = picture.h, v = picture.v;
  i32 row = y >> (v - 1), column = x >> (h - 1), odd_row = y & 1, odd_column = x & 1;
  const u8* line = plane + (i64)row * width;
  if (h * v == 1 || picture.chroma_columns <= (h == 2 ? 2 : 0)) return line[column];
  i32 beside = h == 1 ? column : odd_column ? min(column + 1, picture.chroma_columns - 1) : max(column - 1, 0);
  i32 other = v == 1 ? row : odd_row ? min(row + 1, picture.chroma_rows - 1) : max(row - 1, 0);
  const u8* next = plane + (i64)other * width;
  if (v == 1) return (3 * line[column] + line[beside] + 1 + odd_column) >> 2;
  if (h == 1) return (3 * line[column] + next[column] + 1 + odd_row) >> 2;
  return (3 * (3 * line[column] + next[column]) + 3 * line[beside] + next[beside] + 8 - odd_column) >> 4;
}

// The three levels of a pixel, the first one lowest.
__device__ __forceinline__ u32 mixed(i32 colors, i32 luma, i32 cb, i32 cr) {
  cb -= 128, cr -= 128;
  u32 red = level(luma + ((91881 * cr + 32768) >> 16)), blue = level(luma + ((116130 * cb + 32768) >> 16));
  u32 green = level(luma + ((-22554 * cb - 46802 * cr + 32768) >> 16));
  return colors == 8 ? blue | green << 8 | red << 16 : red | green << 8 | blue << 16;
}

// Four pixels side by side, of which those from `from` to `to` are wanted. `whole`: all are, in colour, and at a word.
__device__ __forceinline__ void put_four(u8* target, const u32* four, i32 channels, i32 from, i32 to, bool whole) {
  if (whole) {
    u32* words = (u32*)target;
    words[0] = four[0] | four[1] << 24;
    words[1] = four[1] >> 8 | four[2] << 16;
    words[2] = four[2] >> 16 | four[3] << 8;
    return;
  }
#pragma unroll
  for (i32 i = 0; i < 4; i++)
    if (i >= from && i < to)
      for (i32 c = 0; c < channels; c++) target[channels * i + c] = (u8)(four[i] >> (8 * c));
}

// Pixels in groups of four, the first of which begins up to three pixels in front of a line, so that groups in colour lie
// at words.
__device__ __forceinline__ i32 in_front(const u8* line, i32 channels) { return channels == 3 ? (4 - ((u64)line & 3)) & 3 : 0; }

// Of pictures whose chroma is interpolated. A thread for four pixels of the window.
extern "C" __global__ void __launch_bounds__(256) colors(const Picture* __restrict__ pictures, const Result* results) {
  const Picture& picture = pictures[blockIdx.y];
  if (!picture.chroma_columns || results[blockIdx.y].failed) return;
  i32 columns = picture.columns, groups = (columns + 6) / 4, index = blockIdx.x * 256 + threadIdx.x, row = index / groups;
  if (row >= picture.rows) return;
  u8* line = picture.target + row * picture.pitch;
  i32 column = 4 * (index - row * groups) - in_front(line, 3), y = row + picture.first_row;
  i64 small = (i64)picture.units * 64;
  const u8* chroma = picture.planes + picture.h * picture.v * small;
  const u8* luma = picture.planes + (i64)y * picture.columns_of_units * 8 * picture.h;
  i32 from = max(-column, 0), to = min(columns - column, 4);
  u32 four[4];
#pragma unroll
  for (i32 i = 0; i < 4; i++) {
    if (i < from || i >= to) continue;
    i32 x = column + i + picture.first_column;
    four[i] = mixed(picture.colors, luma[x], chroma_at(picture, chroma, y, x), chroma_at(picture, chroma + small, y, x));
  }
  put_four(line + 3 * column, four, 3, from, to, from == 0 && to == 4);
}

// Of all other pictures, from coefficients to pixels: a block of threads for some units of one row, those of the window
// alone; a thread for each of their blocks, and then for four pixels at a time.
extern "C" __global__ void __launch_bounds__(TILE) pixels(const Picture* __restrict__ pictures, const Result* results) {
  enum { STRIDE = 72 };  // from block to block: threads of half a warp write to all banks
  __shared__ uint2 shared[TILE * STRIDE / 8];
  const Picture& picture = pictures[blockIdx.y];
  if (picture.chroma_columns || results[blockIdx.y].failed) return;
  Tiles tiles = tiles_of(picture);
  if (blockIdx.x >= tiles.count) return;
  i32 h = picture.h, v = picture.v, luma = h * v, per_unit = picture.components == 1 ? 1 : luma + 2;
  i32 row = blockIdx.x / tiles.across, at = tiles.left + (blockIdx.x - row * tiles.across) * tiles.units;
  row += tiles.top;
  i32 units = min(tiles.units, tiles.right - at), unit = threadIdx.x / per_unit, block = threadIdx.x - unit * per_unit;
  i32 component = block < luma ? 0 : block - luma + 1;
  bool colored = picture.components > 1 && picture.colors != 1;
  if (unit < units && (colored || !component)) {
    i64 index = ((i64)row * picture.columns_of_units + at) * per_unit + threadIdx.x;
    uint2* made = shared + threadIdx.x * (STRIDE / 8);
    samples(picture.coefficients + 64 * index, picture.quant[component], [=](i32 i, u32 low, u32 high) { made[i] = make_uint2(low, high); });
  }
  __syncthreads();
  const u8* blocks = (const u8*)shared;
  i32 x0 = max(at * 8 * h, picture.first_column), x1 = min((at + units) * 8 * h, picture.first_column + picture.columns);
  i32 y0 = max(row * 8 * v, picture.first_row), y1 = min((row + 1) * 8 * v, picture.first_row + picture.rows);
  i32 width = x1 - x0, groups = (width + 6) / 4, all = (y1 - y0) * groups, channels = picture.colors == 1 ? 1 : 3;
  for (i32 index = threadIdx.x; index < all; index += TILE) {
    i32 line_of = index / groups, y = y0 + line_of - row * 8 * v;
    u8* line = picture.target + (y0 + line_of - picture.first_row) * picture.pitch + channels * (x0 - picture.first_column);
    i32 column = 4 * (index - line_of * groups) - in_front(line, channels);
    i32 from = max(-column, 0), to = min(width - column, 4);
    u32 four[4];
#pragma unroll
    for (i32 i = 0; i < 4; i++) {
      if (i < from || i >= to) continue;
      i32 x = x0 + column + i - at * 8 * h, in_unit = x & (8 * h - 1);
      const u8* first = blocks + (x >> (2 + h)) * per_unit * STRIDE;  // of the unit
      i32 bright = first[((y >> 3) * h + (in_unit >> 3)) * STRIDE + (y & 7) * 8 + (x & 7)];
      const u8* chroma = first + luma * STRIDE + (y >> (v - 1)) * 8 + (in_unit >> (h - 1));
      four[i] = colored ? mixed(picture.colors, bright, chroma[0], chroma[STRIDE]) : bright * 0x10101;
    }
    put_four(line + channels * column, four, channels, from, to, channels == 3 && from == 0 && to == 4);
  }
}
