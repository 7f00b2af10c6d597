// Element types and conversions with nvidia.dali's rounding. One text for the CPU (C++17) and for CUDA (NVRTC).
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define ON_DEVICE 1
#define HD __device__ __forceinline__
#else
#define ON_DEVICE 0
#define HD inline __attribute__((always_inline))
#endif

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

template <class T> struct limits;
template <> struct limits<u8> { static const i64 low = 0; static const u64 high = 255; };
template <> struct limits<i8> { static const i64 low = -128; static const u64 high = 127; };
template <> struct limits<u16> { static const i64 low = 0; static const u64 high = 65535; };
template <> struct limits<i16> { static const i64 low = -32768; static const u64 high = 32767; };
template <> struct limits<u32> { static const i64 low = 0; static const u64 high = 4294967295ull; };
template <> struct limits<i32> { static const i64 low = -2147483648ll; static const u64 high = 2147483647ull; };
template <> struct limits<u64> { static const i64 low = 0; static const u64 high = 0xFFFFFFFFFFFFFFFFull; };
template <> struct limits<i64> { static const i64 low = (-0x7FFFFFFFFFFFFFFFll - 1); static const u64 high = 0x7FFFFFFFFFFFFFFFull; };

// The bits of a number, and a number from its bits.
HD u32 bits_of(float x) {
#if ON_DEVICE
  return __float_as_uint(x);
#else
  return __builtin_bit_cast(u32, x);
#endif
}
HD float from_bits(u32 x) {
#if ON_DEVICE
  return __uint_as_float(x);
#else
  return __builtin_bit_cast(float, x);
#endif
}

template <class T> HD T least(T a, T b) { return a < b ? a : b; }
template <class T> HD T most(T a, T b) { return a < b ? b : a; }
template <class T> HD T between(T x, T low, T high) { return least(most(x, low), high); }

// The whole part. What 64 bits do not hold, and NaN, become the lowest number, as x86-64's instruction has it.
HD i64 whole(double x) { return x >= -0x1p63 && x < 0x1p63 ? (i64)x : limits<i64>::low; }
// Arithmetic that wraps around.
HD i64 plus(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
HD i64 minus(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
HD i64 times(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }

// a * b + c, rounded once, on processors without that instruction too: there the sum of the exact product is rounded to a double
// "to odd", which keeps the rounding to a float after it from going wrong at ties.
HD float fused(float a, float b, float c) {
#if ON_DEVICE
  return __fmaf_rn(a, b, c);
#elif defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  double product = (double)a * b, addend = c, sum = product + addend, part = sum - product;
  double error = (product - (sum - part)) + (addend - part);
  i64 bits = __builtin_bit_cast(i64, sum);
  if ((error < 0 || error > 0) && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : -1;
  return (float)__builtin_bit_cast(double, bits);
#endif
}
