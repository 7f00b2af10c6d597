// Images whose pixels come from other places of the image: `kernels/cpu/displace.cpp`. Outside lies a colour.

template <class T> __device__ __forceinline__ float pixel_or(const Image<T>& image, int y, int x, int c, float fill) {
  return x < 0 || y < 0 || x >= image.width || y >= image.height ? fill : to_float(image.at(y, x, c));
}

// The pixel that a point lies in, or that between the four around it.
template <int LINEAR, class T, int C>
__device__ __forceinline__ void displaced(const Image<T>& image, Point p, float fill, int c, T (&out)[C]) {
  if (LINEAR) {
    const float sx = p.x - 0.5f, sy = p.y - 0.5f, left = floorf(sx), top = floorf(sy), far = 1e9f;
    const int x = (int)fminf(fmaxf(left, -far), far), y = (int)fminf(fmaxf(top, -far), far);  // of NaN, too, far outside
#pragma unroll
    for (int i = 0; i < C; i++)
      out[i] = from_float<T>(warp_bilinear(pixel_or(image, y, x, c + i, fill), pixel_or(image, y, x + 1, c + i, fill),
                                           pixel_or(image, y + 1, x, c + i, fill), pixel_or(image, y + 1, x + 1, c + i, fill),
                                           sx - left, sy - top));
    return;
  }
  const bool inside = p.x >= 0 && p.y >= 0 && p.x < (float)image.width && p.y < (float)image.height;  // not of NaN
#pragma unroll
  for (int i = 0; i < C; i++) out[i] = inside ? image.at((int)p.y, (int)p.x, c + i) : from_float<T>(fill);
}

// What is `kept` stays as it is.
template <class I, class O, int LINEAR> struct WaterPart {
  const float *across, *down;  // how far each row is moved to the right, and each column down
  float fill;
  i32 kept;

  template <int C> __device__ __forceinline__ void at(const Image<I>& image, int y, int x, int c, O (&out)[C]) const {
    if (kept) Loaded<I>{image}.at(y, x, c, out);
    else displaced<LINEAR>(image, Point{(float)x + across[y], (float)y + down[x]}, fill, c, out);
  }
};

template <class I, class O, int LINEAR> struct SpherePart {
  float fill;
  i32 kept;

  template <int C> __device__ __forceinline__ void at(const Image<I>& image, int y, int x, int c, O (&out)[C]) const {
    if (kept) Loaded<I>{image}.at(y, x, c, out);
    else displaced<LINEAR>(image, Sphere::of(image.height, image.width)((float)x, (float)y), fill, c, out);
  }
};

template <class I, class O, int PHASED> struct JitterPart {
  Stream stream;
  u64 high;
  Jitter pick;
  i32 kept;

  template <int C> __device__ __forceinline__ void at(const Image<I>& image, int y, int x, int c, O (&out)[C]) const {
    at_number(image, (u32)y * image.width + x, y, x, c, out);
  }
  // `number` of the pixel in the image.
  template <int C>
  __device__ __forceinline__ void at_number(const Image<I>& image, u32 number, int y, int x, int c, O (&out)[C]) const {
    if (!kept) {
      u32 words[2];
      stream.draw<2, PHASED>(high, (u64)number * image.channels, words);
      x = between(x + pick.step(words[0]), 0, image.width - 1), y = between(y + pick.step(words[1]), 0, image.height - 1);
    }
    Loaded<I>{image}.at(y, x, c, out);
  }
};
