// Windows and pointwise parts of RGB bytes. A thread takes four pixels at a time that lie side by side in the output, and
// loads them at once where they do so in the input as well; warps go through the output in the order of memory.
#define ROUNDS 4

// A pixel that is there already.
struct Held {
  static const bool inside = true;
  u32 pixel;
  template <int C> __device__ __forceinline__ void at(int, int, int, IN (&out)[C]) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = (IN)__byte_perm(pixel, 0, 0x4440 | i);
  }
};

template <int SIZE> struct Vector { typedef u32 type; };
template <> struct Vector<8> { typedef uint2 type; };
template <> struct Vector<16> { typedef uint4 type; };

// N elements that lie side by side, in pieces of SIZE bytes if the address allows.
template <int SIZE, int N> __device__ __forceinline__ void put_wide(OUT* p, const OUT (&v)[N]) {
  typedef typename Vector<SIZE>::type V;
  if (SIZE < 4 || (u64)p % (SIZE < 4 ? 4 : SIZE)) {
#pragma unroll
    for (int i = 0; i < N; i++) p[i] = v[i];
    return;
  }
  union Words {
    V words[N * sizeof(OUT) / sizeof(V)];
    OUT items[N];
    __device__ __forceinline__ Words() {}
  } all;
#pragma unroll
  for (int i = 0; i < N; i++) all.items[i] = v[i];
#pragma unroll
  for (int i = 0; i < (int)(N * sizeof(OUT) / sizeof(V)); i++) ((V*)p)[i] = all.words[i];
}

// Pixels `first` to first + 3 of the output, which are in one row or not; `left` of them exist.
__device__ __forceinline__ void put_quad(const Item& t, u32 first, u32 left, const OUT (&v)[4][3]) {
#if PLANAR_OUT
  u32 plane = (u32)t.out_h * t.out_w;
#pragma unroll
  for (int c = 0; c < 3; c++) {
    OUT* p = t.dst + (c * plane + first);
    const OUT four[4] = {v[0][c], v[1][c], v[2][c], v[3][c]};
    if (left >= 4) {
      put_wide<4 * sizeof(OUT) < 16 ? 4 * sizeof(OUT) : 16>(p, four);
    } else {
#pragma unroll
      for (int i = 0; i < 3; i++)
        if (i < left) p[i] = four[i];
    }
  }
#else
  OUT* p = t.dst + 3 * (u64)first;
  if (left >= 4) {
    OUT all[12];
#pragma unroll
    for (int i = 0; i < 12; i++) all[i] = v[i / 3][i % 3];
    put_wide<sizeof(OUT) == 2 ? 8 : 4 * sizeof(OUT) < 16 ? 4 : 16>(p, all);
  } else {
#pragma unroll
    for (int i = 0; i < 9; i++)
      if (i < 3 * left) p[i] = v[i / 3][i % 3];
  }
#endif
}

// The input of four pixels from column x of row y on, of which those numbered `begin` to end - 1 are wanted and must not
// lie outside of a window; false if they are not to be had at once.
__device__ __forceinline__ bool load(const Item& t, int y, int x, int begin, int end, uint4& four) {
  int a = x, b = x + 3, low = x + begin, high = x + end - 1;
  bool here = row(t, y);
  here = column(t, low) && here;
  here = column(t, high) && here;
  column(t, a);
  column(t, b);
  i64 at = (i64)y * t.in_w + min(a, b);
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
  SOURCE
  const u32 count = (u32)t.out_h * t.out_w;
  if (t.in_c != 3 || t.out_c != 3) {
    u32 begin = blockIdx.x * (ROUNDS * 1024), end = min(begin + ROUNDS * 1024, count);
#pragma unroll 1
    for (u32 i = begin + threadIdx.x; i < end; i += 256) pixel(t, source, (int)(i / t.out_w), (int)(i % t.out_w));
    return;
  }
  // Of bytes, warps begin at addresses of 16 bytes: the first has some pixels less (3 * 11 is 1, modulo 16).
  int lane = threadIdx.x & 31;
  i64 at = (i64)(blockIdx.x * 8 + threadIdx.x / 32) * (ROUNDS * 128) - (PACKED ? 11 * (u32)(u64)t.dst & 15 : 0);
  i64 mine = at + 4 * lane;
  int y = mine < 0 ? 0 : (int)((u32)mine / t.out_w), x = (int)(mine - (i64)y * t.out_w);
#pragma unroll 1
  for (int round = 0; round < ROUNDS && at < count; round++) {
    int many = (int)max(min((i64)count - mine, (i64)4), (i64)0), here = min(t.out_w - x, many);  // in this row
    uint4 four, next;
    bool at_once = mine >= 0 && t.out_w >= 4 && many > 0 && load(t, y, x, 0, here, four);
    if (here < many) at_once = at_once && load(t, y + 1, x - t.out_w, here, many, next);
    if (at_once) {
      if (here < many) four = make_uint4(four.x, here > 1 ? four.y : next.y, here > 2 ? four.z : next.z, next.w);
      const Held held[4] = {{four.x}, {four.y}, {four.z}, {four.w}};
      OUT v[4][3];
#pragma unroll
      for (int i = 0; i < 4; i++) LAST<3>(t, held[i], y, x + i, 0, v[i]);
#if PACKED
      u32 a = packed(v[0]), b = packed(v[1]), c = packed(v[2]), d = packed(v[3]);
      words[3 * lane] = __byte_perm(a, b, 0x4210);
      words[3 * lane + 1] = __byte_perm(b, c, 0x5421);
      words[3 * lane + 2] = __byte_perm(c, d, 0x6542);
#else
      put_quad(t, (u32)mine, many, v);
#endif
    } else {
#pragma unroll 1
      for (int i = 0, line = y, column = x; i < many; i++, column++) {
        while (column >= t.out_w) column -= t.out_w, line++;
        if (mine + i < 0) continue;
        OUT v[3];
        LAST<3>(t, source, line, column, 0, v);
#if PACKED
        for (int c = 0; c < 3; c++) ((OUT*)words)[12 * lane + 3 * i + c] = v[c];
#else
        put(t.dst, t.out_h, t.out_w, 3, line, column, 0, v);
#endif
      }
    }
#if PACKED
    __syncwarp();
    if (at >= 0 && at + 128 <= count) {
      if (lane < 24) ((uint4*)(t.dst + 3 * at))[lane] = ((const uint4*)words)[lane];
    } else {
      for (int i = lane; i < 384; i += 32)
        if (3 * at + i >= 0 && 3 * at + i < 3 * (i64)count) t.dst[3 * at + i] = ((const OUT*)words)[i];
    }
    __syncwarp();
#endif
    at += 128, mine += 128, x += 128;
    if (x >= t.out_w) y += x / t.out_w, x %= t.out_w;
  }
}
