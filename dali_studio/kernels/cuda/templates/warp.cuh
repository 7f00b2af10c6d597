// Affine warp of HWC images. NEAREST chooses the filter, FILLED the border, GIVEN where the matrices are: 0 in the
// descriptor, 1 in device memory, 2 there as maps from input to output points.

#define FAR 4e6f  // coordinates up to here have exact floors

// A part of an image in shared memory, a word a pixel: from pixel (top, left) on, `wide` groups of four pixels in `high`
// lines, which lie PITCH words apart. That is room for 67 x 48 pixels of the output at any angle; with this pitch lines
// begin in different banks.
#define PITCH 92
#define LINES 84
struct Patch {
  i32 top, left, wide, high;
  u32 fill;  // the pixel outside of the image
};

template <int OFFSET> __device__ __forceinline__ u32 shared_word(u32 address) {
  u32 word;
  asm volatile("ld.shared.u32 %0, [%1 + %2];" : "=r"(word) : "r"(address), "n"(OFFSET));
  return word;
}

// A mean of bytes needs no clamping on its way to a byte: a half is added and the floor is taken, both exactly.
template <class O> struct FromMean {
  static __device__ __forceinline__ O of(float x) { return from_float<O>(x); }
};
template <> struct FromMean<u8> {
  static __device__ __forceinline__ u8 of(float x) { return (u8)(__float_as_uint(__fadd_rd(x, 49152.5f)) >> 8); }
};

// A pixel taken as it is; what is of the same type does not go through float, which holds 24 bits of it.
template <class O, class I> struct Taken {
  static __device__ __forceinline__ O of(I x) { return from_float<O>(to_float(x)); }
};
template <class T> struct Taken<T, T> {
  static __device__ __forceinline__ T of(T x) { return x; }
};

// Output point (x, y, 1) to input point, pixel corners at whole numbers.
template <int GIVEN> struct WarpMatrix {
  const float* from;
  __device__ __forceinline__ void get(float (&m)[6]) const {
#pragma unroll
    for (int i = 0; i < 6; i++) m[i] = from[i];
    if (GIVEN == 2) warp_inverse(m, m);
  }
};
template <> struct WarpMatrix<0> {
  float numbers[6];
  __device__ __forceinline__ void get(float (&m)[6]) const {
#pragma unroll
    for (int i = 0; i < 6; i++) m[i] = numbers[i];
  }
};

template <class I, class O, int NEAREST, int FILLED, int GIVEN> struct Warp {
  static const int filled = FILLED;
  WarpMatrix<GIVEN> given;
  float fill;

  template <int C> __device__ __forceinline__ void at(const Image<I>& image, int row, int column, int c, O (&out)[C]) const {
    float matrix[6], sx, sy;
    given.get(matrix);
    point(matrix, row, column, sx, sy);
    if (NEAREST) {
      int x = (int)floorf(sx), y = (int)floorf(sy);
#pragma unroll
      for (int i = 0; i < C; i++) out[i] = beyond(image, y, x) ? from_float<O>(fill) : Taken<O, I>::of(nearest(image, y, x, c + i));
      return;
    }
    to_centre(sx, sy);
    if (sx >= 0.f && sy >= 0.f && sx < (float)(image.width - 1) && sy < (float)(image.height - 1)) {
      Place p(sx, sy);
      inner(image, p, C == 3 ? 3 : image.channels, c, out);
      return;
    }
    // far outside is as good as very far outside
    Place p(fminf(fmaxf(sx, -FAR), FAR), fminf(fmaxf(sy, -FAR), FAR));
    bool outside = p.x < -1 || p.y < -1 || p.x >= image.width || p.y >= image.height;
    if (FILLED && outside) {
#pragma unroll
      for (int i = 0; i < C; i++) out[i] = from_float<O>(fill);
      return;
    }
#pragma unroll
    for (int i = 0; i < C; i++)
      out[i] = from_float<O>(mix(tap(image, p.y, p.x, c + i), tap(image, p.y, p.x + 1, c + i), tap(image, p.y + 1, p.x, c + i),
                                 tap(image, p.y + 1, p.x + 1, c + i), p));
  }

  // What a rectangle of pixels reads, if it is few enough pixels for shared memory. Rounding keeps the order of numbers,
  // so that the corners tell.
  __device__ __forceinline__ bool find(const Image<u8>& image, const float (&m)[6], int y0, int x0, int y1, int x1, Patch& patch) const {
    float low[2], high[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
      float a = __fadd_rn(m[3 * i + 2], __fmul_rn(m[3 * i], centre(x0)));
      float b = __fadd_rn(m[3 * i + 2], __fmul_rn(m[3 * i], centre(x1)));
      float c = __fmul_rn(m[3 * i + 1], centre(y0)), d = __fmul_rn(m[3 * i + 1], centre(y1));
      low[i] = floorf(__fadd_rn(__fadd_rn(fminf(a, b), fminf(c, d)), -0.5f));
      high[i] = floorf(__fadd_rn(__fadd_rn(fmaxf(a, b), fmaxf(c, d)), -0.5f)) + 1.f;
    }
    if (!(low[0] > -FAR && low[1] > -FAR && high[0] < FAR && high[1] < FAR)) return false;
    patch.left = (int)low[0] & ~3, patch.top = (int)low[1];  // whole words, where rows have whole words
    patch.wide = ((int)high[0] - patch.left) / 4 + 1, patch.high = (int)high[1] - patch.top + 1;
    int right = (int)high[0], bottom = (int)high[1];
    if (patch.wide > PITCH / 4 || patch.high > LINES) return false;
    if (!FILLED) return true;
    patch.fill = (u32)fminf(fmaxf(fill, 0.f), 255.f) * 0x010101u;
    bool in = patch.left >= 0 && patch.top >= 0 && right < image.width && bottom < image.height;
    bool out = right < 0 || bottom < 0 || patch.left >= image.width || patch.top >= image.height;
    return in || (!out && (float)(patch.fill & 255) == fill);
  }
  // What the address of a place in a patch begins with: `Place` counts from 0x4B400000.
  static __device__ __forceinline__ u32 origin(const void* memory, const Patch& patch) {
    u32 tile = (u32)__cvta_generic_to_shared(memory);
    return tile - 4 * (PITCH * (0x4B400000u + (u32)patch.top) + 0x4B400000u + (u32)patch.left);
  }
  // A pixel of a patch.
  static __device__ __forceinline__ void near(u32 origin, const float (&m)[6], int row, int column, O (&out)[3]) {
    float sx, sy;
    point(m, row, column, sx, sy);
    to_centre(sx, sy);
    Place p(sx, sy);
    u32 at = 4 * PITCH * __float_as_uint(p.my) + (4 * __float_as_uint(p.mx) + origin);
    uint2 upper = make_uint2(shared_word<0>(at), shared_word<4>(at));
    uint2 lower = make_uint2(shared_word<4 * PITCH>(at), shared_word<4 * PITCH + 4>(at));
#pragma unroll
    for (int i = 0; i < 3; i++)
      out[i] = blended(raised_byte(upper, i), raised_byte(upper, i + 4), raised_byte(lower, i), raised_byte(lower, i + 4), p);
  }

 private:
  static __device__ __forceinline__ float centre(int i) { return __fadd_rn((float)i, 0.5f); }
  static __device__ __forceinline__ void point(const float (&m)[6], int row, int column, float& sx, float& sy) {
    Point p = warp_point(m, column, row);
    sx = p.x, sy = p.y;
  }
  // Linear filters count from the centres of pixels.
  static __device__ __forceinline__ void to_centre(float& sx, float& sy) {
    sx = __fadd_rn(sx, -0.5f);
    sy = __fadd_rn(sy, -0.5f);
  }

  // A pixel, and how far to the right of it and below it a place lies. Adding 1.5 * 2^23 downwards leaves the floor in
  // the last places.
  struct Place {
    float mx, my, right, low;
    int x, y;
    __device__ __forceinline__ Place(float sx, float sy) {
      mx = __fadd_rd(sx, 12582912.f), my = __fadd_rd(sy, 12582912.f);
      right = __fadd_rn(sx, -__fadd_rn(mx, -12582912.f));
      low = __fadd_rn(sy, -__fadd_rn(my, -12582912.f));
      x = __float_as_int(mx) - 0x4B400000;
      y = __float_as_int(my) - 0x4B400000;
    }
  };

  __device__ __forceinline__ float tap(const Image<I>& image, int y, int x, int c) const {
    return beyond(image, y, x) ? fill : to_float(nearest(image, y, x, c));
  }
  static __device__ __forceinline__ bool beyond(const Image<I>& image, int y, int x) {
    return FILLED && (x < 0 || y < 0 || x >= image.width || y >= image.height);
  }
  static __device__ __forceinline__ I nearest(const Image<I>& image, int y, int x, int c) {
    x = min(max(x, 0), image.width - 1);
    y = min(max(y, 0), image.height - 1);
    return image.data[((i64)y * image.width + x) * image.channels + c];
  }
  // Of two pixels and how much their right neighbours differ from them.
  static __device__ __forceinline__ float blend(float a, float to_b, float d, float to_e, const Place& p) {
    float above = fmaf(p.right, to_b, a), below = fmaf(p.right, to_e, d);
    return fmaf(p.low, __fadd_rn(below, -above), above);
  }
  static __device__ __forceinline__ float mix(float a, float b, float d, float e, const Place& p) {
    return blend(a, __fadd_rn(b, -a), d, __fadd_rn(e, -d), p);
  }
  template <class T, int C>
  static __device__ __forceinline__ void inner(const Image<T>& image, const Place& place, int channels, int c, O (&out)[C]) {
    const T* p = image.data + ((i64)place.y * image.width + place.x) * channels + c;
    i64 row = (i64)image.width * channels;
#pragma unroll
    for (int i = 0; i < C; i++)
      out[i] = from_float<O>(mix(to_float(p[i]), to_float(p[channels + i]), to_float(p[row + i]),
                                 to_float(p[row + channels + i]), place));
  }
  // RGB bytes, whose offsets fit into 32 bits.
  static __device__ __forceinline__ void inner(const Image<u8>& image, const Place& place, int, int, O (&out)[3]) {
    uint2 upper, lower;
    four_around(image, place.y, place.x, upper, lower);
#pragma unroll
    for (int i = 0; i < 3; i++)
      out[i] = blended(raised_byte(upper, i), raised_byte(upper, i + 3), raised_byte(lower, i), raised_byte(lower, i + 3), place);
  }
  // Of raised bytes.
  static __device__ __forceinline__ O blended(float a, float b, float d, float e, const Place& p) {
    float to_b = __fadd_rn(b, -a), to_e = __fadd_rn(e, -d);
    return FromMean<O>::of(blend(__fadd_rn(a, -RAISED), to_b, __fadd_rn(d, -RAISED), to_e, p));
  }
};
