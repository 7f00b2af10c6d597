// The conversion of a crop: saturated, but cut towards zero instead of rounded; float16 never becomes infinite.
__device__ __forceinline__ float cut(float x) { return x == x ? truncf(x) : 0.f; }
template <class O, class I> struct Clamp {
  static __device__ __forceinline__ O of(I x) { return Cast<O, I>::of(x); }
};
template <class O> struct Clamp<O, f32> { static __device__ __forceinline__ O of(f32 x) { return Cast<O, f32>::of(cut(x)); } };
template <class O> struct Clamp<O, f16> {
  static __device__ __forceinline__ O of(f16 x) { return Cast<O, f32>::of(cut(to_float(x))); }
};
template <class O> struct Clamp<O, f64> {
  static __device__ __forceinline__ O of(f64 x) { return Cast<O, f64>::of(x == x ? trunc(x) : 0.0); }
};
__device__ __forceinline__ f16 finite(float x) { return from_float<f16>(x == x ? fminf(fmaxf(x, -65504.f), 65504.f) : x); }
template <class I> struct Clamp<f16, I> { static __device__ __forceinline__ f16 of(I x) { return finite(to_float(x)); } };
template <> struct Clamp<f16, f32> { static __device__ __forceinline__ f16 of(f32 x) { return finite(x); } };
template <> struct Clamp<f16, f64> { static __device__ __forceinline__ f16 of(f64 x) { return finite((f32)x); } };
template <> struct Clamp<f16, f16> { static __device__ __forceinline__ f16 of(f16 x) { return x; } };
template <class I> struct Clamp<f32, I> { static __device__ __forceinline__ f32 of(I x) { return Cast<f32, I>::of(x); } };
template <> struct Clamp<f32, f32> { static __device__ __forceinline__ f32 of(f32 x) { return x; } };
template <> struct Clamp<f32, f16> { static __device__ __forceinline__ f32 of(f16 x) { return to_float(x); } };
template <> struct Clamp<f32, f64> { static __device__ __forceinline__ f32 of(f64 x) { return (f32)x; } };
