// Conversions between element types with nvidia.dali's rule. To an integer: halves are rounded away from zero, what is beyond the
// range saturates, and not-a-number is 0; integers saturate too. To bool: what does not round to 0 is true. To float16: halves are
// rounded away from zero, and too large is infinite. Everything else is the usual conversion.
#pragma once
#include "numbers.hpp"

// To whole numbers, cut towards zero: what is beyond the range saturates; not-a-number may be anything for 64 bits, 0 for others.
#if ON_DEVICE
HD i32 cut_i32(float x) { return __float2int_rz(x); }
HD u32 cut_u32(float x) { return __float2uint_rz(x); }
HD i64 cut_i64(double x) { return __double2ll_rz(x); }
HD u64 cut_u64(double x) { return __double2ull_rz(x); }
HD float magnitude_of(float x) { return fabsf(x); }
HD double magnitude_of(double x) { return fabs(x); }
HD float with_sign_of(float size, float x) { return copysignf(size, x); }
HD double with_sign_of(double size, double x) { return copysign(size, x); }
#else
template <class T, class X> HD T cut(X x) {
  const X low = (X)limits<T>::low, beyond = (X)(limits<T>::high / 2 + 1) * 2;  // both exact
  return x >= beyond ? (T)limits<T>::high : x >= low ? (T)x : x < low ? (T)limits<T>::low : (T)0;
}
HD i32 cut_i32(float x) { return cut<i32>(x); }
HD u32 cut_u32(float x) { return cut<u32>(x); }
HD i64 cut_i64(double x) { return cut<i64>(x); }
HD u64 cut_u64(double x) { return cut<u64>(x); }
HD float magnitude_of(float x) { return __builtin_fabsf(x); }
HD double magnitude_of(double x) { return __builtin_fabs(x); }
HD float with_sign_of(float size, float x) { return __builtin_copysignf(size, x); }
HD double with_sign_of(double size, double x) { return __builtin_copysign(size, x); }
#endif

// ------------------------------------------------------------------------------------------------------------- to float

template <class T> HD float to_float(T x) { return (float)x; }
template <> HD float to_float<b8>(b8 x) { return (float)x.value; }
template <> HD float to_float<f16>(f16 x) {
#if ON_DEVICE
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x.bits));
  return r;
#else
  u32 sign = (x.bits & 0x8000u) << 16, rest = (x.bits & 0x7FFFu) << 13;
  if (rest < 0x00800000u) return from_bits(sign | bits_of((float)(x.bits & 0x3FF) * 0x1p-24f));
  if (rest < 0x0F800000u) return from_bits(sign | (rest + (112u << 23)));
  return from_bits(sign | rest | (rest == 0x0F800000u ? 0x7F800000u : 0x7FC00000u));
#endif
}

// ------------------------------------------------------------------------------------------ from float, half away from zero

// Adding the largest number below 0.5 and cutting rounds halves away from zero, and nothing below a half up.
HD float away(float x) { return x + with_sign_of(0.49999997f, x); }
HD double away(double x) { return x + with_sign_of(0.49999999999999994, x); }

template <class I> HD I clamped(i32 v, i32 low, i32 high) { return (I)between(v, low, high); }

#if ON_DEVICE
// Bytes do without the slow conversion instructions: clamped to 0..255/256, where clamping to 0..1 costs nothing (NaN becomes 0),
// then a half is added and the floor is taken, both at once and exactly; it is the second byte of what is returned.
HD u32 raised_u8(float x) {
  const float part = fminf(__saturatef(__fmul_rn(x, 0.00390625f)), 0.99609375f);
  return __float_as_uint(__fmaf_rd(part, 256.f, 49152.5f));
}
#endif

template <class T> HD T from_float(float x);
template <> HD u8 from_float<u8>(float x) {
#if ON_DEVICE
  return (u8)(raised_u8(x) >> 8);
#else
  return clamped<u8>(cut_i32(away(x)), 0, 255);
#endif
}
template <> HD i8 from_float<i8>(float x) { return clamped<i8>(cut_i32(away(x)), -128, 127); }
template <> HD u16 from_float<u16>(float x) { return clamped<u16>(cut_i32(away(x)), 0, 65535); }
template <> HD i16 from_float<i16>(float x) { return clamped<i16>(cut_i32(away(x)), -32768, 32767); }
template <> HD u32 from_float<u32>(float x) { return x > 0.f ? cut_u32(away(x)) : 0u; }
template <> HD i32 from_float<i32>(float x) { return cut_i32(away(x)); }
template <> HD u64 from_float<u64>(float x) { return x > 0.f ? cut_u64(away((double)x)) : 0ull; }
template <> HD i64 from_float<i64>(float x) { return x == x ? cut_i64(away((double)x)) : 0ll; }
template <> HD f32 from_float<f32>(float x) { return x; }
template <> HD f64 from_float<f64>(float x) { return (double)x; }
template <> HD b8 from_float<b8>(float x) { return b8{(u8) !(magnitude_of(x) < 0.5f)}; }
template <> HD f16 from_float<f16>(float x) {
  u32 bits = bits_of(x), magnitude = bits & 0x7FFFFFFFu, half;
  if (magnitude > 0x7F800000u) half = 0x7E00u;
  else if (magnitude < 0x38800000u) half = (u32)(magnitude_of(x) * 16777216.f + 0.5f);  // below 2^-14 the step is 2^-24
  else half = least(((magnitude + 0x1000u) >> 13) - (112u << 10), 0x7C00u);  // 13 bits are dropped; the first one decides
  return f16{(u16)(half | ((bits >> 16) & 0x8000u))};
}

// ------------------------------------------------------------------------------------------- from float, half to even (resize)

#if ON_DEVICE
template <class T> HD T from_float_even(float x);
template <> HD u8 from_float_even<u8>(float x) { return (u8)bits_of(between(x, 0.f, 255.f) + 12582912.f); }
template <> HD u16 from_float_even<u16>(float x) { return clamped<u16>(__float2int_rn(x), 0, 65535); }
template <> HD i16 from_float_even<i16>(float x) { return clamped<i16>(__float2int_rn(x), -32768, 32767); }
template <> HD f32 from_float_even<f32>(float x) { return x; }
#endif

// ------------------------------------------------------------------------------------------------ any type to any other

// The limits of O as far as I has them.
template <class O, class I> struct Shared {
  static const I low = limits<O>::low < limits<I>::low ? (I)limits<I>::low : (I)limits<O>::low;
  static const I high = limits<O>::high < limits<I>::high ? (I)limits<O>::high : (I)limits<I>::high;
};

template <class O, class I> struct Cast {  // integer to integer
  static HD O of(I x) { return (O)between<I>(x, Shared<O, I>::low, Shared<O, I>::high); }
};
template <class I> struct Cast<f32, I> { static HD f32 of(I x) { return (f32)x; } };
template <class I> struct Cast<f64, I> { static HD f64 of(I x) { return (f64)x; } };
template <class I> struct Cast<f16, I> { static HD f16 of(I x) { return from_float<f16>((f32)x); } };
template <class I> struct Cast<b8, I> { static HD b8 of(I x) { return b8{(u8)(x != 0)}; } };
template <class O> struct Cast<O, b8> { static HD O of(b8 x) { return (O)x.value; } };
template <> struct Cast<b8, b8> { static HD b8 of(b8 x) { return x; } };
template <> struct Cast<f16, b8> { static HD f16 of(b8 x) { return from_float<f16>((f32)x.value); } };
template <> struct Cast<f32, b8> { static HD f32 of(b8 x) { return (f32)x.value; } };
template <> struct Cast<f64, b8> { static HD f64 of(b8 x) { return (f64)x.value; } };
template <class O> struct Cast<O, f32> { static HD O of(f32 x) { return from_float<O>(x); } };
template <> struct Cast<f32, f32> { static HD f32 of(f32 x) { return x; } };
template <> struct Cast<f64, f32> { static HD f64 of(f32 x) { return (f64)x; } };
template <> struct Cast<f16, f32> { static HD f16 of(f32 x) { return from_float<f16>(x); } };
template <> struct Cast<b8, f32> { static HD b8 of(f32 x) { return from_float<b8>(x); } };
template <class O> struct Cast<O, f16> { static HD O of(f16 x) { return from_float<O>(to_float(x)); } };
template <> struct Cast<f32, f16> { static HD f32 of(f16 x) { return to_float(x); } };
template <> struct Cast<f64, f16> { static HD f64 of(f16 x) { return (f64)to_float(x); } };
template <> struct Cast<f16, f16> { static HD f16 of(f16 x) { return x; } };
template <> struct Cast<b8, f16> { static HD b8 of(f16 x) { return from_float<b8>(to_float(x)); } };
template <class O> struct Cast<O, f64> {  // real to integer of at most 32 bits, whose limits are exact
  static HD O of(f64 x) { return x == x ? (O)between(away(x), (f64)limits<O>::low, (f64)limits<O>::high) : (O)0; }
};
template <> struct Cast<i64, f64> { static HD i64 of(f64 x) { return x == x ? cut_i64(away(x)) : 0ll; } };
template <> struct Cast<u64, f64> { static HD u64 of(f64 x) { return x > 0 ? cut_u64(away(x)) : 0ull; } };
template <> struct Cast<f32, f64> { static HD f32 of(f64 x) { return (f32)x; } };
template <> struct Cast<f64, f64> { static HD f64 of(f64 x) { return x; } };
template <> struct Cast<f16, f64> { static HD f16 of(f64 x) { return from_float<f16>((f32)x); } };
template <> struct Cast<b8, f64> { static HD b8 of(f64 x) { return b8{(u8) !(magnitude_of(x) < 0.5)}; } };
