// What generated kernels share: where pixels come from, and how they are stored.

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

// An RGB pixel, that to its right, and the two below these: bytes 0 to 2 and 3 to 5 of `upper` and of `lower`.
__device__ __forceinline__ void four_around(const Image<u8>& image, int y, int x, uint2& upper, uint2& lower) {
  const u8* base = (const u8*)((u64)image.data & ~3ull);
  const u32 row = (u32)image.width * 3, offset = (u32)y * row + (u32)x * 3 + ((u32)(u64)image.data & 3);
  upper = six_bytes(base, offset), lower = six_bytes(base, offset + row);
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
