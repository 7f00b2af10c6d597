// Affine warp of HWC images: a thread computes one output pixel. NEAREST chooses the filter, FILLED the border, GIVEN
// that the matrices lie in device memory, INVERT that those take input points to output points.

struct Item {
  const IN* src;
  OUT* dst;
  const float* given;  // a matrix that is read if GIVEN
  i32 in_h, in_w, out_h, out_w;
  i32 channels, unused;
  float matrix[6];  // output point (x, y, 1) to input point, pixel corners at whole numbers
};

__device__ __forceinline__ float tap(const Item& item, int y, int x, int c, int channels, float fill) {
#if FILLED
  if (x < 0 || y < 0 || x >= item.in_w || y >= item.in_h) return fill;
#endif
  x = min(max(x, 0), item.in_w - 1);
  y = min(max(y, 0), item.in_h - 1);
  return to_float(item.src[((i64)y * item.in_w + x) * channels + c]);
}

#if BYTES && !NEAREST
// Six bytes that begin anywhere, as two words: aligned words are read and shifted. Memory is padded behind its end.
__device__ __forceinline__ uint2 six_bytes(const u8* p) {
  u64 at = (u64)p;
  const u32* words = (const u32*)(at & ~3ull);
  u32 shift = (u32)(at & 3) * 8, a = words[0], b = words[1], c = shift > 16 ? words[2] : 0;
  return make_uint2(__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift));
}

// Conversion instructions are slow: a byte in the last place of 2^23 is that number and the byte.
__device__ __forceinline__ float byte_of(uint2 w, int i) {
  return __fadd_rn(__uint_as_float(__byte_perm(i < 4 ? w.x : w.y, 0x4B000000u, 0x7540 | (i & 3))), -8388608.f);
}
#endif

template <int CHANNELS> __device__ __forceinline__ void warp_pixel(const Item& item, int at, float sx, float sy, float fill) {
  const int channels = CHANNELS ? CHANNELS : item.channels;
  OUT* dst = item.dst + (i64)at * channels;
#if NEAREST
  int x = (int)floorf(sx), y = (int)floorf(sy);
#pragma unroll
  for (int c = 0; c < channels; c++) dst[c] = from_float<OUT>(tap(item, y, x, c, channels, fill));
#else
  sx = __fadd_rn(sx, -0.5f);
  sy = __fadd_rn(sy, -0.5f);
  // far outside is as good as very far outside; adding 1.5 * 2^23 downwards leaves the floor in the last places
  sx = fminf(fmaxf(sx, -4e6f), 4e6f);
  sy = fminf(fmaxf(sy, -4e6f), 4e6f);
  float mx = __fadd_rd(sx, 12582912.f), my = __fadd_rd(sy, 12582912.f);
  float right = sx - (mx - 12582912.f), low = sy - (my - 12582912.f), left = 1.f - right;
  int x = __float_as_int(mx) - 0x4B400000, y = __float_as_int(my) - 0x4B400000;
  bool whole = x >= 0 && y >= 0 && x + 1 < item.in_w && y + 1 < item.in_h;
  const IN* src = item.src + (i64)(y * item.in_w + x) * channels;
  int row = item.in_w * channels;
#if BYTES
  if (CHANNELS == 3 && whole) {
    uint2 upper = six_bytes((const u8*)src), lower = six_bytes((const u8*)(src + row));
#pragma unroll
    for (int c = 0; c < 3; c++) {
      float above = __fadd_rn(__fmul_rn(byte_of(upper, c), left), __fmul_rn(byte_of(upper, c + 3), right));
      float below = __fadd_rn(__fmul_rn(byte_of(lower, c), left), __fmul_rn(byte_of(lower, c + 3), right));
      dst[c] = from_float<OUT>(__fadd_rn(above, __fmul_rn(__fadd_rn(below, -above), low)));
    }
    return;
  }
#endif
#pragma unroll
  for (int c = 0; c < channels; c++) {
    float a, b, d, e;
    if (whole) {
      a = to_float(src[c]);
      b = to_float(src[c + channels]);
      d = to_float(src[row + c]);
      e = to_float(src[row + c + channels]);
    } else {
      a = tap(item, y, x, c, channels, fill);
      b = tap(item, y, x + 1, c, channels, fill);
      d = tap(item, y + 1, x, c, channels, fill);
      e = tap(item, y + 1, x + 1, c, channels, fill);
    }
    float above = __fadd_rn(__fmul_rn(a, left), __fmul_rn(b, right));
    float below = __fadd_rn(__fmul_rn(d, left), __fmul_rn(e, right));
    dst[c] = from_float<OUT>(__fadd_rn(above, __fmul_rn(__fadd_rn(below, -above), low)));
  }
#endif
}

// A block covers 32 x 32 pixels, so that neighbouring threads read neighbouring pixels in both directions; a thread
// computes four pixels of a column, so that several loads are under way at a time.
extern "C" __global__ void __launch_bounds__(256) warp(const Item* __restrict__ items, float fill) {
  const Item item = items[blockIdx.y];  // a copy: what is stored cannot change it
  int tiles = (item.out_w + 31) / 32;
  int top = (int)(blockIdx.x / tiles) * 32 + threadIdx.x / 32, column = (int)(blockIdx.x % tiles) * 32 + threadIdx.x % 32;
  if (column >= item.out_w) return;
  float m[6];
#pragma unroll
  for (int i = 0; i < 6; i++) m[i] = GIVEN ? item.given[i] : item.matrix[i];
#if INVERT
  float a = m[0], b = m[1], c = m[2], d = m[3], e = m[4], f = m[5], determinant = a * e - b * d;
  m[0] = e / determinant, m[1] = -b / determinant, m[2] = -(m[0] * c + m[1] * f);
  m[3] = -d / determinant, m[4] = a / determinant, m[5] = -(m[3] * c + m[4] * f);
#endif
  float u = column + 0.5f;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int row = top + 8 * i;
    if (row < item.out_h) {
      float v = row + 0.5f;
      float sx = __fadd_rn(__fmul_rn(m[0], u), __fadd_rn(__fmul_rn(m[1], v), m[2]));
      float sy = __fadd_rn(__fmul_rn(m[3], u), __fadd_rn(__fmul_rn(m[4], v), m[5]));
      int at = row * item.out_w + column;
      if (item.channels == 3) warp_pixel<3>(item, at, sx, sy, fill);
      else if (item.channels == 1) warp_pixel<1>(item, at, sx, sy, fill);
      else warp_pixel<0>(item, at, sx, sy, fill);
    }
  }
}
