// What sums of correlations become: halves are rounded to even; those of float16 away from zero, as on the CPU.
template <class T> __device__ __forceinline__ T narrowed(f32 x) { return from_float_even<T>(x); }
template <> __device__ __forceinline__ i8 narrowed<i8>(f32 x) { return clamped<i8>(__float2int_rn(x), -128, 127); }
template <> __device__ __forceinline__ f16 narrowed<f16>(f32 x) { return from_float<f16>(x); }
