// Random numbers that are added to elements.

template <class I, class O> struct GaussianPart {
  GaussianNoise noise;
  i32 row, column, plane, unused;  // elements from one to the next

  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int c, int y, int x) const {
#if FLAT
    const u64 first = (u64)(u32)x * UNIT + c, step = 1;
#else
    const u64 first = (u64)y * row + (u64)(u32)x * column + (u64)c * plane, step = plane;
#endif
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = with_noise(in[i], noise.at<typename Drawn<I>::type>(first + i * step));
  }
};
