// Windows and pointwise parts of RGB bytes. A thread takes four pixels at a time that lie side by side in the output, and
// loads them at once where they do so in the input as well; warps go through the output in the order of memory.
#define ROUNDS 4

// A pixel that is there already.
struct Held {
  static const bool inside = true;
  u32 pixel;
  template <int C> __device__ __forceinline__ void at(int, int, int, IN (&out)[C]) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = (IN)(pixel >> 8 * i);
  }
};

// Pixels of the input from column x of row y of the output on, in the order of the output. False if a window has not all of
// those numbered `begin` to end - 1; the others may be anything.
__device__ __forceinline__ bool load(const Item& t, int y, int x, int begin, int end, uint4& four) {
  int a = x, b = x + 3, low = x + begin, high = x + end - 1;
  bool here = row(t, y);
  here = column(t, low) && here;
  here = column(t, high) && here;
  column(t, a);
  column(t, b);
  int at = y * t.in_w + min(a, b);
  if (!here || at < 0) return false;  // what lies behind the image may be read
  four = four_pixels((const u8*)t.src, (u32)at);
  if (b < a) four = make_uint4(four.w, four.z, four.y, four.x);
  return true;
}

extern "C" __global__ void __launch_bounds__(256) grid(const Item* __restrict__ items) {
#if PACKED
  __shared__ uint4 memory[8 * 24];  // 128 pixels of each warp
  u32* words = (u32*)memory + threadIdx.x / 32 * 96;
#endif
  const Item t = items[blockIdx.y];  // a copy: what is stored cannot change it
  if (!t.out_h || !t.out_w) return;
  SOURCE
  const int count = t.out_h * t.out_w, width = t.out_w;
  if (t.in_c != 3 || t.out_c != 3) {
    u32 begin = blockIdx.x * (ROUNDS * 1024), end = begin + ROUNDS * 1024;
#pragma unroll 1
    for (u32 i = begin + threadIdx.x; i < min(end, (u32)t.out_h * width); i += 256)
      pixel(t, source, (int)(i / width), (int)(i % width));
    return;
  }
  // Of bytes, warps begin at addresses of 16 bytes: the first has some pixels less (3 * 11 is 1, modulo 16).
  int lane = threadIdx.x & 31;
  int at = (int)(blockIdx.x * 8 + threadIdx.x / 32) * (ROUNDS * 128) - (PACKED ? 11 * (u32)(u64)t.dst & 15 : 0);
  int y = 0, x = at + 4 * lane;  // of this thread's first pixel
  if (x >= width) y = x / width, x -= y * width;
#pragma unroll 1
  for (int round = 0; round < ROUNDS && at < count; round++, at += 128) {
    uint4 four, next;
    int here = width - x, many = min(count - at - 4 * lane, 4);  // pixels in this row, and in all
    bool at_once = x >= 0 && many > 0;
    if (here >= 4 && many == 4) {
      at_once = at_once && load(t, y, x, 0, 4, four);
    } else {
      at_once = at_once && width >= 4 && load(t, y, x, 0, min(here, many), four);
      if (here < many) {
        at_once = at_once && load(t, y + 1, x - width, here, many, next);
        four = make_uint4(four.x, here > 1 ? four.y : next.y, here > 2 ? four.z : next.z, next.w);
      }
    }
    if (at_once) {
      const Held held[4] = {{four.x}, {four.y}, {four.z}, {four.w}};
      OUT v[4][3];
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const bool next_row = x + i >= width;
        LAST<3>(t, held[i], y + next_row, next_row ? x + i - width : x + i, 0, v[i]);
      }
#if PACKED
      u32 a = packed(v[0]), b = packed(v[1]), c = packed(v[2]), d = packed(v[3]);
      words[3 * lane] = __byte_perm(a, b, 0x4210);
      words[3 * lane + 1] = __byte_perm(b, c, 0x5421);
      words[3 * lane + 2] = __byte_perm(c, d, 0x6542);
#else
      put_quad(t, (u32)(at + 4 * lane), (u32)many, v);
#endif
    } else {
#pragma unroll 1
      for (int i = 0, line = y, column = x; i < many; i++, column++) {
        while (column >= width) column -= width, line++;
        if (column < 0) continue;
        OUT v[3];
        LAST<3>(t, source, line, column, 0, v);
#if PACKED
        for (int c = 0; c < 3; c++) ((OUT*)words)[12 * lane + 3 * i + c] = v[c];
#else
        put(t.dst, t.out_h, width, 3, line, column, 0, v);
#endif
      }
    }
#if PACKED
    __syncwarp();
    OUT* p = t.dst + 3 * (i64)at;
    if (at >= 0 && at + 128 <= count) {
      if (lane < 24) ((uint4*)p)[lane] = ((const uint4*)words)[lane];
    } else {
      for (int i = lane; i < 384; i += 32)
        if (3 * (i64)at + i >= 0 && 3 * (i64)at + i < 3 * (i64)count) p[i] = ((const OUT*)words)[i];
    }
    __syncwarp();
#endif
    x += 128;
    if (x >= width) {
      int rows = x / width;
      y += rows, x -= rows * width;
    }
  }
}
