// Images at points that are given, or that a homography gives: `kernels/cpu/sample.cpp`. Points count from the centre of pixel
// (0, 0). INTERP: 0 takes the nearest pixel, 1 the four around, 2 sixteen. BORDER as in border.hpp.
enum { FRACTIONS = 32 };

template <class T, int INTERP, int BORDER> struct Sampled {
  static const int N = INTERP == 0 ? 1 : 2 * INTERP;

  template <int C>
  static __device__ __forceinline__ void at(const Image<T>& image, float px, float py, const float (&fill)[4], int c, T (&out)[C]) {
    const float sx = within_reach(px), sy = within_reach(py), left = floorf(sx), top = floorf(sy);
    i32 columns[N], rows[N];
    const float right = sx - left, low = sy - top;
    if constexpr (INTERP == 1 && same<T, u8>::value && C == 3 && !PLANAR_IN)
      if (four_inside(image, (int)left, (int)top, right, low, fill, out)) return;
    const int first_x = INTERP == 0 ? __float2int_rn(sx) : (int)left + 1 - INTERP;
    const int first_y = INTERP == 0 ? __float2int_rn(sy) : (int)top + 1 - INTERP;
#pragma unroll
    for (int k = 0; k < N; k++) {
      columns[k] = (i32)bordered(first_x + k, image.width, (Border)BORDER);
      rows[k] = (i32)bordered(first_y + k, image.height, (Border)BORDER);
    }
    if constexpr (INTERP == 2) {
      const bool outside = first_x < -3 || first_y < -3 || first_x >= image.width || first_y >= image.height;
      float across[4], down[4];
      keys_weights(right, across), keys_weights(low, down);
#pragma unroll
      for (int i = 0; i < C; i++) {
        float sum = 0;
        for (int j = 0; j < N; j++) {
          float taps[N];
          for (int k = 0; k < N; k++) taps[k] = tap(image, rows[j], columns[k], c + i, fill) * across[k];
          sum = fused((taps[0] + taps[N > 1 ? 1 : 0]) + (taps[N > 2 ? 2 : 0] + taps[N - 1]), down[j], sum);
        }
        out[i] = from_float_even<T>(BORDER == CONSTANT && outside ? colour(fill, c + i) : sum);
      }
    } else {
#pragma unroll
      for (int i = 0; i < C; i++) {
        const float a = tap(image, rows[0], columns[0], c + i, fill), b = tap(image, rows[0], columns[N - 1], c + i, fill);
        const float d = tap(image, rows[N - 1], columns[0], c + i, fill), e = tap(image, rows[N - 1], columns[N - 1], c + i, fill);
        const float above = fused(right, b - a, a), below = fused(right, e - d, d);
        out[i] = from_float_even<T>(INTERP == 0 ? a : fused(low, below - above, above));
      }
    }
  }

 private:
  // RGB bytes of which all four are there, or none where there is one colour: most are; false of others.
  static __device__ __forceinline__ bool four_inside(const Image<u8>& image, int x, int y, float right, float low, const float (&fill)[4],
                                                     u8 (&out)[3]) {
    if (image.channels != 3) return false;
    if (x >= 0 && y >= 0 && x < image.width - 1 && y < image.height - 1) {
      uint2 upper, lower;
      four_around(image, y, x, upper, lower);
#pragma unroll
      for (int i = 0; i < 3; i++) {
        const float a = raised_byte(upper, i), d = raised_byte(lower, i);
        const float above = fused(right, raised_byte(upper, i + 3) - a, a - RAISED), below = fused(right, raised_byte(lower, i + 3) - d, d - RAISED);
        // a mean of bytes needs no clamping: rounded to even in the last places of 1.5 * 2^23
        out[i] = (u8)__float_as_uint(fused(low, below - above, above) + 12582912.f);
      }
      return true;
    }
    if (BORDER != CONSTANT || (x >= -1 && y >= -1 && x < image.width && y < image.height)) return false;
#pragma unroll
    for (int i = 0; i < 3; i++) out[i] = from_float_even<u8>(fill[i]);
    return true;
  }
  // Planes have one colour, whatever their number.
  static __device__ __forceinline__ float colour(const float (&fill)[4], int c) {  // without an array in memory
    return PLANAR_IN || c == 0 ? fill[0] : c == 1 ? fill[1] : c == 2 ? fill[2] : fill[3];
  }
  static __device__ __forceinline__ float tap(const Image<T>& image, i32 row, i32 column, int c, const float (&fill)[4]) {
    return BORDER == CONSTANT && (row < 0 || column < 0) ? to_float(from_float_even<T>(colour(fill, c))) : to_float(image.at(row, column, c));
  }
};

// The points of two maps as large as the image, less `shift`.
template <class I, class O, int INTERP> struct RemapPart {
  const float *across, *down;
  float shift;
  i32 unused;

  template <int C> __device__ __forceinline__ void at(const Image<I>& image, int y, int x, int c, O (&out)[C]) const {
    const u64 place = (u64)(u32)y * image.width + x;
    const float black[4] = {};
    Sampled<I, INTERP, CONSTANT>::at(image, across[place] - shift, down[place] - shift, black, c, out);
  }
};

// A matrix for each sample, or where one lies in device memory, as `homography_of` takes it.
template <int GIVEN> struct HomographyMatrix {
  const float* from;
  __device__ __forceinline__ void get(f64 (&m)[9]) const { homography_of(from, GIVEN & 2, GIVEN & 4, m); }
};
template <> struct HomographyMatrix<0> {
  f64 numbers[9];
  __device__ __forceinline__ void get(f64 (&m)[9]) const {
#pragma unroll
    for (int i = 0; i < 9; i++) m[i] = numbers[i];
  }
};

template <class I, class O, int INTERP, int BORDER, int GIVEN> struct HomographyPart {
  HomographyMatrix<GIVEN> matrix;
  float fill[4];
  i32 coarse, unused;  // whether points are rounded to fractions of a pixel

  template <int C> __device__ __forceinline__ void at(const Image<I>& image, int y, int x, int c, O (&out)[C]) const {
    f64 m[9];
    float px, py;
    matrix.get(m);
    const HomographyRow line(m, y);
    if (coarse) {
      line.coarse(m, x, INTERP == 0 ? 1. : FRACTIONS, px, py);
    } else {
      const float column = (float)x, w = fused((float)m[6], column, (float)line.w);
      px = fused((float)m[0], column, (float)line.x) / w, py = fused((float)m[3], column, (float)line.y) / w;
    }
    Sampled<I, INTERP, BORDER>::at(image, px, py, fill, c, out);
  }
};
