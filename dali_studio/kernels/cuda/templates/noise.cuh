// Random numbers for elements.

// Where an element of a sample lies.
struct Elements {
  i32 row, column, plane, unused;  // elements from one to the next
  __device__ __forceinline__ u64 first(int c, int y, int x) const {
#if FLAT
    return (u64)(u32)x * UNIT + c;
#else
    return (u64)y * row + (u64)(u32)x * column + (u64)c * plane;
#endif
  }
  // From a channel to the next.
  __device__ __forceinline__ u64 step() const { return FLAT ? 1 : plane; }
};

template <class I, class O, int PHASED> struct GaussianPart {
  GaussianNoise noise;
  Elements elements;

  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int c, int y, int x) const {
    const u64 first = elements.first(c, y, x), step = elements.step();
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = with_noise(in[i], noise.at<typename Drawn<I>::type, PHASED>(first + i * step));
  }
};

// Elements of a pixel are replaced together: `channels` side by side, or `pixels` apart, if that is not 0. CHANNELS: 1 or 3 side
// by side in all samples, or 0.
template <class I, class O, int PHASED, int CHANNELS> struct SaltAndPepperPart {
  Stream stream;
  u64 high;
  const O* values;  // of salt and of pepper
  u64 channels, pixels;
  float chance, salt;
  Elements elements;

  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int c, int y, int x) const {
    const u64 first = elements.first(c, y, x), step = elements.step();
    const O white = values[0], black = values[1];
    u64 last = ~0ull;
    float drawn = 1.f;
#pragma unroll
    for (int i = 0; i < C; i++) {
      const u64 pixel = FLAT && CHANNELS == 3 ? (u32)x : pixel_of(first + i * step);  // a unit is a pixel then
      if (CHANNELS == 3 && C == 3 ? i == 0 : pixel != last) {
        u32 word[1];
        stream.draw<1, PHASED>(high, pixel, word);
        drawn = least((float)word[0] * 0x1p-32f, 0x0.ffffffp0f);
        last = pixel;
      }
      out[i] = drawn < chance ? drawn < salt ? white : black : in[i];
    }
  }

 private:
  __device__ __forceinline__ u64 pixel_of(u64 element) const {
    if (CHANNELS == 1) return element;
    if (CHANNELS == 3) return element >> 32 ? element / 3 : (u32)element / 3;
    if (pixels) return element % pixels;
    return element >> 32 ? element / channels : (u32)element / (u32)channels;
  }
};
