// Pointwise parts. A part turns C channels of a pixel, the first of which is channel c, into another type.

template <class I, class O> struct Convert {
  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = Cast<O, I>::of(in[i]);
  }
};

template <class I, class O> struct Scale {
  float multiply, add;
  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = from_float<O>(__fadd_rn(__fmul_rn(to_float(in[i]), multiply), add));
  }
};

// A 3x4 matrix on RGB.
template <class I, class O> struct Matrix {
  float m[12];
  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int) const {
    float r = to_float(in[0]), g = to_float(in[C > 1 ? 1 : 0]), b = to_float(in[C > 2 ? 2 : 0]);
#pragma unroll
    for (int k = 0; k < C; k++) {
      float v = __fadd_rn(__fmul_rn(m[4 * k], r), __fmul_rn(m[4 * k + 1], g));
      out[k] = from_float<O>(__fadd_rn(__fadd_rn(v, __fmul_rn(m[4 * k + 2], b)), m[4 * k + 3]));
    }
  }
};
