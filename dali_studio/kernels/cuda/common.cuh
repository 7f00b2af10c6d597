// What all kernels share: element types, and conversions with the rounding of the CPU kernels.
// IN and OUT, the element types of input and output, are macros of the compilation. No header is included, so that
// NVRTC needs no include path.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
struct f16 { u16 bits; };
struct b8 { u8 value; };

template <class A, class B> struct same { static const bool value = false; };
template <class A> struct same<A, A> { static const bool value = true; };
template <class T> struct is_real { static const bool value = same<T, f16>::value || same<T, f32>::value || same<T, f64>::value; };

// ------------------------------------------------------------------------------------------------- to float

template <class T> __device__ __forceinline__ float to_float(T x) { return (float)x; }
template <> __device__ __forceinline__ float to_float<b8>(b8 x) { return (float)x.value; }
template <> __device__ __forceinline__ float to_float<f16>(f16 x) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits));
  return r;
}

// ------------------------------------------------------------------------------- from float, half away from zero

// Adding the largest number below 0.5 and cutting rounds halves away from zero, and nothing below a half up.
__device__ __forceinline__ float away(float x) { return __fadd_rn(x, copysignf(0.49999997f, x)); }
__device__ __forceinline__ double away(double x) { return __dadd_rn(x, copysign(0.49999999999999994, x)); }

template <class I> __device__ __forceinline__ I clamped(i32 v, i32 low, i32 high) { return (I)min(max(v, low), high); }

// The conversion instructions saturate and turn NaN into 0.
template <class T> __device__ __forceinline__ T from_float(float x);
// Bytes do without the slow conversion instructions: clamped to 0..255/256, where clamping to 0..1 costs nothing (NaN
// becomes 0), then a half is added and the floor is taken, both at once and exactly; it lies in the second byte.
template <> __device__ __forceinline__ u8 from_float<u8>(float x) {
  float part = fminf(__saturatef(__fmul_rn(x, 0.00390625f)), 0.99609375f);
  return (u8)(__float_as_uint(__fmaf_rd(part, 256.f, 49152.5f)) >> 8);
}
template <> __device__ __forceinline__ i8 from_float<i8>(float x) { return clamped<i8>(__float2int_rz(away(x)), -128, 127); }
template <> __device__ __forceinline__ u16 from_float<u16>(float x) { return clamped<u16>(__float2int_rz(away(x)), 0, 65535); }
template <> __device__ __forceinline__ i16 from_float<i16>(float x) {
  return clamped<i16>(__float2int_rz(away(x)), -32768, 32767);
}
template <> __device__ __forceinline__ u32 from_float<u32>(float x) { return x > 0.f ? __float2uint_rz(away(x)) : 0u; }
template <> __device__ __forceinline__ i32 from_float<i32>(float x) { return __float2int_rz(away(x)); }
template <> __device__ __forceinline__ u64 from_float<u64>(float x) { return x > 0.f ? __double2ull_rz(away((double)x)) : 0ull; }
template <> __device__ __forceinline__ i64 from_float<i64>(float x) { return x == x ? __double2ll_rz(away((double)x)) : 0ll; }
template <> __device__ __forceinline__ f32 from_float<f32>(float x) { return x; }
template <> __device__ __forceinline__ f64 from_float<f64>(float x) { return (double)x; }
template <> __device__ __forceinline__ b8 from_float<b8>(float x) { b8 r; r.value = !(fabsf(x) < 0.5f); return r; }
template <> __device__ __forceinline__ f16 from_float<f16>(float x) {
  u32 bits = __float_as_uint(x), magnitude = bits & 0x7FFFFFFFu, half;
  if (magnitude > 0x7F800000u) half = 0x7E00u;
  else if (magnitude < 0x38800000u) half = (u32)__fadd_rn(__fmul_rn(fabsf(x), 16777216.f), 0.5f);  // steps of 2^-24
  else half = min(((magnitude + 0x1000u) >> 13) - (112u << 10), 0x7C00u);
  f16 r;
  r.bits = (u16)(half | ((bits >> 16) & 0x8000u));
  return r;
}

// ------------------------------------------------------------------------------- from float, half to even (resize)

template <class T> __device__ __forceinline__ T from_float_even(float x);
template <> __device__ __forceinline__ u8 from_float_even<u8>(float x) {
  return (u8)__float_as_int(__fadd_rn(fminf(fmaxf(x, 0.f), 255.f), 12582912.f));
}
template <> __device__ __forceinline__ u16 from_float_even<u16>(float x) { return clamped<u16>(__float2int_rn(x), 0, 65535); }
template <> __device__ __forceinline__ i16 from_float_even<i16>(float x) {
  return clamped<i16>(__float2int_rn(x), -32768, 32767);
}
template <> __device__ __forceinline__ f32 from_float_even<f32>(float x) { return x; }

// ------------------------------------------------------------------------------------------- any type to any other

template <class T> struct limits;
template <> struct limits<u8> { static const i64 low = 0; static const u64 high = 255; };
template <> struct limits<i8> { static const i64 low = -128; static const u64 high = 127; };
template <> struct limits<u16> { static const i64 low = 0; static const u64 high = 65535; };
template <> struct limits<i16> { static const i64 low = -32768; static const u64 high = 32767; };
template <> struct limits<u32> { static const i64 low = 0; static const u64 high = 4294967295ull; };
template <> struct limits<i32> { static const i64 low = -2147483648ll; static const u64 high = 2147483647ull; };
template <> struct limits<u64> { static const i64 low = 0; static const u64 high = 0xFFFFFFFFFFFFFFFFull; };
template <> struct limits<i64> { static const i64 low = (-0x7FFFFFFFFFFFFFFFll - 1); static const u64 high = 0x7FFFFFFFFFFFFFFFull; };

template <class O, class I> struct Cast {  // integer to integer: saturates
  static __device__ __forceinline__ O of(I x) {
    if (x < (I)1 && x != (I)0) return (i64)x < limits<O>::low ? (O)limits<O>::low : (O)x;
    return (u64)x > limits<O>::high ? (O)limits<O>::high : (O)x;
  }
};
template <class I> struct Cast<f32, I> { static __device__ __forceinline__ f32 of(I x) { return (f32)x; } };
template <class I> struct Cast<f64, I> { static __device__ __forceinline__ f64 of(I x) { return (f64)x; } };
template <class I> struct Cast<f16, I> { static __device__ __forceinline__ f16 of(I x) { return from_float<f16>((f32)x); } };
template <class I> struct Cast<b8, I> { static __device__ __forceinline__ b8 of(I x) { b8 r; r.value = x != 0; return r; } };
template <class O> struct Cast<O, b8> { static __device__ __forceinline__ O of(b8 x) { return (O)x.value; } };
template <> struct Cast<b8, b8> { static __device__ __forceinline__ b8 of(b8 x) { return x; } };
template <> struct Cast<f16, b8> { static __device__ __forceinline__ f16 of(b8 x) { return from_float<f16>((f32)x.value); } };
template <> struct Cast<f32, b8> { static __device__ __forceinline__ f32 of(b8 x) { return (f32)x.value; } };
template <> struct Cast<f64, b8> { static __device__ __forceinline__ f64 of(b8 x) { return (f64)x.value; } };
template <class O> struct Cast<O, f32> { static __device__ __forceinline__ O of(f32 x) { return from_float<O>(x); } };
template <> struct Cast<f32, f32> { static __device__ __forceinline__ f32 of(f32 x) { return x; } };
template <> struct Cast<f64, f32> { static __device__ __forceinline__ f64 of(f32 x) { return (f64)x; } };
template <> struct Cast<f16, f32> { static __device__ __forceinline__ f16 of(f32 x) { return from_float<f16>(x); } };
template <> struct Cast<b8, f32> { static __device__ __forceinline__ b8 of(f32 x) { return from_float<b8>(x); } };
template <class O> struct Cast<O, f16> { static __device__ __forceinline__ O of(f16 x) { return from_float<O>(to_float(x)); } };
template <> struct Cast<f32, f16> { static __device__ __forceinline__ f32 of(f16 x) { return to_float(x); } };
template <> struct Cast<f64, f16> { static __device__ __forceinline__ f64 of(f16 x) { return (f64)to_float(x); } };
template <> struct Cast<f16, f16> { static __device__ __forceinline__ f16 of(f16 x) { return x; } };
template <> struct Cast<b8, f16> { static __device__ __forceinline__ b8 of(f16 x) { return from_float<b8>(to_float(x)); } };
template <class O> struct Cast<O, f64> {  // real to integer
  static __device__ __forceinline__ O of(f64 x) {
    double y = away(x);
    if (!(x == x)) return (O)0;
    if (limits<O>::low == 0) {
      u64 v = y > 0 ? __double2ull_rz(y) : 0ull;
      return v > limits<O>::high ? (O)limits<O>::high : (O)v;
    }
    i64 v = __double2ll_rz(y);
    return v < limits<O>::low ? (O)limits<O>::low : v > (i64)limits<O>::high ? (O)limits<O>::high : (O)v;
  }
};
template <> struct Cast<f32, f64> { static __device__ __forceinline__ f32 of(f64 x) { return (f32)x; } };
template <> struct Cast<f64, f64> { static __device__ __forceinline__ f64 of(f64 x) { return x; } };
template <> struct Cast<f16, f64> { static __device__ __forceinline__ f16 of(f64 x) { return from_float<f16>((f32)x); } };
template <> struct Cast<b8, f64> {
  static __device__ __forceinline__ b8 of(f64 x) { b8 r; r.value = !(fabs(x) < 0.5); return r; }
};
