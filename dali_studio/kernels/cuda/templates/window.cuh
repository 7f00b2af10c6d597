// A window of an image, mirrored or not. Output pixel i of an axis is input pixel first + i * step; what lies outside the
// input, and channels that it has not, are filled. MODE: 0 copies, 1 converts as crop does (no rounding), 2 normalises.

template <class I, class O, int MODE> struct Window {
  const float *mean, *inverse;  // one value a channel, where MODE is 2
  const O* fill;                // one value a channel
  i32 y, x, step_y, step_x, in_h, in_w, channels, unused;

  __device__ __forceinline__ bool row(int& i) const {
    i = y + i * step_y;
    return i >= 0 && i < in_h;
  }
  __device__ __forceinline__ bool column(int& i) const {
    i = x + i * step_x;
    return i >= 0 && i < in_w;
  }
  template <int C> __device__ __forceinline__ void outside(O (&out)[C], int c) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = fill[c + i];
  }
  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int c) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = value(in[i], c + i, Mode<MODE>());
  }

 private:
  template <int> struct Mode {};
  __device__ __forceinline__ O value(O x, int, Mode<0>) const { return x; }
  __device__ __forceinline__ O value(I x, int, Mode<1>) const { return Clamp<O, I>::of(x); }
  __device__ __forceinline__ O value(I x, int c, Mode<2>) const {
    return from_float<O>(Normalize<float>{__ldg(mean + c), __ldg(inverse + c)}(to_float(x)));
  }
};
