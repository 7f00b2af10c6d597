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
// Four pixels of K bytes, in K words, which become C words; f(c, r, g, b) is channel c of a pixel. Conversion instructions are slow,
// and bytes are taken from words and put into them by one instruction.
template <int K, int C, class F> __device__ __forceinline__ void four_by_words(const F& f, const u32* in, u32* out) {
  u32 made[4 * C];
#pragma unroll
  for (int pixel = 0; pixel < 4; pixel++) {
    float v[K];
#pragma unroll
    for (int k = 0; k < K; k++) v[k] = byte_of(make_uint2(in[(pixel * K + k) / 4], 0), (pixel * K + k) % 4);
#pragma unroll
    for (int c = 0; c < C; c++) made[pixel * C + c] = raised_u8(f(c, v[0], v[K > 1 ? 1 : 0], v[K > 2 ? 2 : 0]));
  }
#pragma unroll
  for (int i = 0; i < C; i++)
    out[i] = __byte_perm(__byte_perm(made[4 * i], made[4 * i + 1], 0x51), __byte_perm(made[4 * i + 2], made[4 * i + 3], 0x51), 0x5410);
}
// Of pixels of K channels, which become others.
template <class I, class O, class F, int K> struct FromPixel {
  F f;
  template <int C> __device__ __forceinline__ void apply(const I (&in)[K], O (&out)[C], int c) const {
    float r = to_float(in[0]), g = to_float(in[K > 1 ? 1 : 0]), b = to_float(in[K > 2 ? 2 : 0]);
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = from_float<O>(f(c + i, r, g, b));
  }
  __device__ __forceinline__ void four(const u32* in, u32* out) const { four_by_words<K, MADE>(f, in, out); }
};
template <class I, class O, class F> struct EachRgb {
  F f;
  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int) const {
    float r = to_float(in[0]), g = to_float(in[C > 1 ? 1 : 0]), b = to_float(in[C > 2 ? 2 : 0]);
#pragma unroll
    for (int k = 0; k < C; k++) out[k] = from_float<O>(f(k, r, g, b));
  }
  __device__ __forceinline__ void four(const u32* in, u32* out) const { four_by_words<3, 3>(f, in, out); }
};
