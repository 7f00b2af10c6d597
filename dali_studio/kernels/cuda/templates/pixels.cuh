// What generated kernels share: where pixels come from, and how they are stored.

// Conversion instructions are slow: a byte in the last place of 2^23 is that number and the byte.
#define RAISED 8388608.f
__device__ __forceinline__ float raised_byte(uint2 w, int i) {
  return __uint_as_float(__byte_perm(i < 4 ? w.x : w.y, 0x4B000000u, 0x7540 | (i & 3)));
}
__device__ __forceinline__ float byte_of(uint2 w, int i) { return __fadd_rn(raised_byte(w, i), -RAISED); }

// An image in memory. PLANAR_IN and PLANAR_OUT: CHW instead of HWC.
template <class T> struct Image {
  const T* data;
  int height, width, channels;
  __device__ __forceinline__ const T& at(int y, int x, int c) const {
#if PLANAR_IN
    return data[((i64)c * height + y) * width + x];
#else
    return data[((i64)y * width + x) * channels + c];
#endif
  }
};

// A source without a part: the pixel as it is.
template <class T> struct Loaded {
  Image<T> image;
  template <int C> __device__ __forceinline__ void at(int y, int x, int c, T (&out)[C]) const {
    const T* p = &image.at(y, x, c);
#if PLANAR_IN
    const i64 step = (i64)image.height * image.width;
#else
    const int step = 1;
#endif
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = p[i * step];
  }
};

// A source with a part, which reads where it wants.
template <class I, class O, class PART> struct Computed {
  Image<I> image;
  const PART& part;
  template <int C> __device__ __forceinline__ void at(int y, int x, int c, O (&out)[C]) const {
    part.template at<C>(image, y, x, c, out);
  }
};

template <class T, int C>
__device__ __forceinline__ void put(T* dst, int height, int width, int channels, int y, int x, int c, const T (&v)[C]) {
#if PLANAR_OUT
  T* p = dst + ((i64)c * height + y) * width + x;
  const i64 step = (i64)height * width;
#else
  T* p = dst + ((i64)y * width + x) * channels + c;
  const int step = 1;
#endif
#pragma unroll
  for (int i = 0; i < C; i++) p[i * step] = v[i];
}

// RGB pixels of a byte each, side by side in a row, one a thread: three of four threads store a word. All threads of a
// warp come here; `lane` counts from a pixel at an address of whole words, `first` to `end` are the row's pixels that
// this warp or others have.
template <class T> __device__ __forceinline__ void put_packed(T* dst, i64 at, int x, int first, int end, bool mine, const T (&v)[3]) {
  u32 pixel = (u32)*(const u8*)&v[0] | (u32)*(const u8*)&v[1] << 8 | (u32)*(const u8*)&v[2] << 16;
  u32 next = __shfl_down_sync(0xFFFFFFFFu, pixel, 1);
  int j = threadIdx.x & 3;
  T* p = dst + 3 * at;
  if (((u64)(p - 3 * j) & 3) == 0 && x - j >= first && x - j + 3 < end) {
    if (mine && j < 3) *(u32*)(p + j) = (pixel >> (8 * j)) | (next << (24 - 8 * j));
  } else if (mine) {
#pragma unroll
    for (int i = 0; i < 3; i++) p[i] = v[i];
  }
}
