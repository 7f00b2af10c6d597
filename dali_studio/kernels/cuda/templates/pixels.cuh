// What generated kernels share: where pixels come from, and how they are stored.

// Conversion instructions are slow: a byte in the last place of 2^23 is that number and the byte.
// An instruction takes one constant; the compiler must not see that the other is one too, to keep it in a register.
#define RAISED 8388608.f
__device__ __forceinline__ float raised_byte(uint2 w, int i) {
  return __uint_as_float(__byte_perm(i < 4 ? w.x : w.y, gridDim.z * 0x4B000000u, 0x7540 | (i & 3)));
}
__device__ __forceinline__ float byte_of(uint2 w, int i) { return __fadd_rn(raised_byte(w, i), -RAISED); }

// An image in memory, of fewer than 2^32 elements. PLANAR_IN and PLANAR_OUT: CHW instead of HWC.
template <class T> struct Image {
  const T* data;
  int height, width, channels;
  __device__ __forceinline__ const T& at(int y, int x, int c) const {
#if PLANAR_IN
    return data[((u32)c * height + y) * width + x];
#else
    return data[((u32)y * width + x) * channels + c];
#endif
  }
};

// Four RGB pixels side by side, a word each, whose last byte means nothing. Whole words are read; memory is padded behind
// its end.
__device__ __forceinline__ uint4 four_pixels(const u8* data, u32 pixel) {
  u32 offset = ((u32)(u64)data & 3) + 3 * pixel, shift = offset << 3;  // the shift counts modulo 32
  const u32* words = (const u32*)(((u64)data & ~3ull) + (offset & ~3u));
  u32 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2), d = 0;
  if (offset & 3) d = __ldg(words + 3);
  a = __funnelshift_r(a, b, shift), b = __funnelshift_r(b, c, shift), c = __funnelshift_r(c, d, shift);
  return make_uint4(a, __funnelshift_r(a, b, 24), __funnelshift_r(b, c, 16), c >> 8);
}

// A source without a part: the pixel as it is. `inside` says that all pixels that are asked for are known to lie inside
// all windows.
template <class T> struct Loaded {
  static const bool inside = false;
  Image<T> image;
  template <int C> __device__ __forceinline__ void at(int y, int x, int c, T (&out)[C]) const {
    const T* p = &image.at(y, x, c);
#if PLANAR_IN
    const u32 step = (u32)image.height * image.width;
#else
    const int step = 1;
#endif
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = p[i * step];
  }
};

// A source with a part, which reads where it wants.
template <class I, class O, class PART> struct Computed {
  static const bool inside = false;
  Image<I> image;
  const PART& part;
  template <int C> __device__ __forceinline__ void at(int y, int x, int c, O (&out)[C]) const {
    part.template at<C>(image, y, x, c, out);
  }
};

template <class T, int C>
__device__ __forceinline__ void put(T* dst, int height, int width, int channels, int y, int x, int c, const T (&v)[C]) {
#if PLANAR_OUT
  T* p = dst + ((u32)c * height + y) * width + x;
  const u32 step = (u32)height * width;
#else
  T* p = dst + ((u32)y * width + x) * channels + c;
  const int step = 1;
#endif
#pragma unroll
  for (int i = 0; i < C; i++) p[i * step] = v[i];
}

template <class T> __device__ __forceinline__ u32 packed(const T (&v)[3]) {
  return (u32)*(const u8*)&v[0] | (u32)*(const u8*)&v[1] << 8 | (u32)*(const u8*)&v[2] << 16;
}

// RGB pixels of a byte each, side by side in a row, one a thread: the word that a thread stores at `p + j`, where it has the
// pixel at p, as number j of four that begin at an address of whole words. The last of the four has none. All threads of a
// warp come here.
__device__ __forceinline__ u32 packed_word(u32 pixel, int j) {
  u32 next = __shfl_down_sync(0xFFFFFFFFu, pixel, 1);
  return __byte_perm(pixel, next, j == 0 ? 0x4210 : j == 1 ? 0x5421 : 0x6542);
}

// Stores them, if `aligned` as words. Pixels `first` to end - 1 of the row are there.
template <class T>
__device__ __forceinline__ void put_packed(T* dst, u32 at, int x, int first, int end, bool aligned, const T (&v)[3]) {
  int j = threadIdx.x & 3;
  u32 word = packed_word(packed(v), j);
  T* p = dst + 3 * (u64)at;
  if (aligned && x - j >= first && x - j + 3 < end) {
    if (j < 3) *(u32*)(p + j) = word;
  } else if (x >= first && x < end) {
#pragma unroll
    for (int i = 0; i < 3; i++) p[i] = v[i];
  }
}
