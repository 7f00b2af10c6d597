// What JPEG compression does to pictures: the same bits as `kernels/jpeg/distortion.cpp`.
#include "../include/dct.hpp"
#include "../include/division.hpp"
#include "../include/jpeg_quality.hpp"

struct Item {
  const u8* from;
  u8 *to, *planes;  // luma, and two planes of chroma of half the pitch, of whole blocks
  i64 height, width, pitch, rows, chroma_rows, quality;

  __device__ u8* chroma(int plane) const { return planes + pitch * rows + plane * (pitch / 2) * chroma_rows; }
  __device__ i64 half_height() const { return (height + 1) / 2; }
};

__device__ u8 upper_half(float sum) { return (u8)((i32)sum >> 16); }

// A thread makes four pixels of luma and one of both chromas. What lies beyond the picture repeats its last pixels.
extern "C" __global__ void __launch_bounds__(256) split(const Item* __restrict__ items) {
  const Item& item = items[blockIdx.y];
  const i64 half = item.pitch / 2, i = (i64)blockIdx.x * 256 + threadIdx.x, y = quotient(i, half), x = i - y * half;
  if (y >= item.chroma_rows) return;
  i32 blue = 1 + (x & 1), red = blue;  // halves are rounded down and up in turns
  for (int k = 0; k < 4; k++) {
    const i64 column = least(2 * x + (k & 1), item.width - 1), row = 2 * y + k / 2;
    const u8* p = item.from + 3 * (least(row, item.height - 1) * item.width + column);
    if (row < item.rows) item.planes[row * item.pitch + 2 * x + (k & 1)] = upper_half(luma_of((float)p[0], (float)p[1], (float)p[2]));
    p = item.from + 3 * (least(2 * least(y, item.half_height() - 1) + k / 2, item.height - 1) * item.width + column);
    blue += upper_half(blue_chroma_of((float)p[0], (float)p[1], (float)p[2]));
    red += upper_half(red_chroma_of((float)p[0], (float)p[1], (float)p[2]));
  }
  item.chroma(0)[i] = (u8)(blue >> 2), item.chroma(1)[i] = (u8)(red >> 2);
}

// One pass of a transform over all rows, or columns, of a block.
template <bool FORWARD, bool FIRST, bool ROWS> __device__ void transform_lines(i32 (&block)[8][8]) {
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

// A thread takes a block there and back.
extern "C" __global__ void __launch_bounds__(256) distort(const Item* __restrict__ items) {
  __shared__ i32 steps[2][64];
  __shared__ float inverses[2][64];
  const Item& item = items[blockIdx.y];
  if (threadIdx.x < 128) {
    const int kind = threadIdx.x / 64, at = threadIdx.x % 64;
    const i32 step = step_at(kind ? CHROMA_STEPS[at] : LUMA_STEPS[at], (i32)item.quality);
    steps[kind][at] = step, inverses[kind][at] = 0.125f / (float)step;
  }
  __syncthreads();
  const i64 fine = item.pitch / 8 * (item.rows / 8), coarse = item.pitch / 16 * (item.chroma_rows / 8);
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x, plane = i < fine ? 0 : quotient(i - fine, coarse) + 1;
  if (plane > 2) return;
  const i64 pitch = plane ? item.pitch / 2 : item.pitch, at = plane ? i - fine - (plane - 1) * coarse : i;
  const i64 row = quotient(at, pitch / 8), column = at - row * (pitch / 8);
  u8* data = (plane ? item.chroma((int)plane - 1) : item.planes) + row * 8 * pitch + column * 8;
  i32 block[8][8];
#pragma unroll
  for (int y = 0; y < 8; y++) {
    const uint2 line = *(const uint2*)(data + y * pitch);
#pragma unroll
    for (int x = 0; x < 8; x++) block[y][x] = (i32)((x < 4 ? line.x : line.y) >> (8 * (x & 3)) & 255) - 128;
  }
  transform_lines<true, true, true>(block);
  transform_lines<true, false, false>(block);
#pragma unroll
  for (int k = 0; k < 64; k++) block[k / 8][k % 8] = quantized(block[k / 8][k % 8], steps[plane > 0][k], inverses[plane > 0][k]);
  transform_lines<false, true, false>(block);
  transform_lines<false, false, true>(block);
#pragma unroll
  for (int y = 0; y < 8; y++) {
    uint2 line = {0, 0};
#pragma unroll
    for (int x = 0; x < 8; x++) (x < 4 ? line.x : line.y) |= (u32)between(block[y][x] + 128, 0, 255) << (8 * (x & 3));
    *(uint2*)(data + y * pitch) = line;
  }
}

// Chroma of a pixel, less 128, from a plane of half the width and height: triangular weights between a row and the one that is
// nearer to it, and between columns. Of one or two columns each is repeated instead.
__device__ float chroma_at(const u8* near, const u8* far, i64 count, i64 x) {
  const i64 at = x / 2;
  if (count <= 2) return (float)near[at] - 128.f;
  const i64 beside = between<i64>(x & 1 ? at + 1 : at - 1, 0, count - 1);
  const i32 own = 3 * near[at] + far[at], other = 3 * near[beside] + far[beside];
  return (float)((3 * own + other + (x & 1 ? 7 : 8)) >> 4) - 128.f;
}

extern "C" __global__ void __launch_bounds__(256) join_planes(const Item* __restrict__ items) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x, y = quotient(i, item.width), x = i - y * item.width;
  if (y >= item.height) return;
  const i64 near = y / 2, far = between<i64>(y & 1 ? near + 1 : near - 1, 0, item.half_height() - 1);
  const i64 half = item.pitch / 2, count = (item.width + 1) / 2;
  const u8 *blue = item.chroma(0), *red = item.chroma(1);
  const float b = chroma_at(blue + near * half, blue + far * half, count, x), r = chroma_at(red + near * half, red + far * half, count, x);
  const i32 luma = item.planes[y * item.pitch + x];
  const float added[3] = {red_of(r), green_of(b, r), blue_of(b)};
  for (int c = 0; c < 3; c++) item.to[3 * i + c] = (u8)between(luma + ((i32)added[c] >> 16), 0, 255);
}
