// Pointwise parts. A part turns C channels of a pixel, the first of which is channel c, into another type.

template <class I, class O> struct Convert {
  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = Cast<O, I>::of(in[i]);
  }
};

// Functors of `include`, of single elements and of pixels of three channels.
template <class I, class O, class F> struct EachElement {
  F f;
  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = from_float<O>(f(to_float(in[i])));
  }
};
// Of pixels of K channels, which become others.
template <class I, class O, class F, int K> struct FromPixel {
  F f;
  template <int C> __device__ __forceinline__ void apply(const I (&in)[K], O (&out)[C], int c) const {
    float r = to_float(in[0]), g = to_float(in[K > 1 ? 1 : 0]), b = to_float(in[K > 2 ? 2 : 0]);
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = from_float<O>(f(c + i, r, g, b));
  }
};
template <class I, class O, class F> struct EachRgb {
  F f;
  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int) const {
    float r = to_float(in[0]), g = to_float(in[C > 1 ? 1 : 0]), b = to_float(in[C > 2 ? 2 : 0]);
#pragma unroll
    for (int k = 0; k < C; k++) out[k] = from_float<O>(f(k, r, g, b));
  }
};
