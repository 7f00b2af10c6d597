// Functors of arithmetic on elements: nvidia.dali's operators + - * / // % ** and so on, and its functions of `math`.
//
// Which types meet is decided before (`core/arithmetic.py`): a functor has operands of one type, which is a number (bool is
// computed as u8), but for comparisons of u64 with a signed type. Integers wrap around. What has no result in C++ has one here:
// x // 0 and x % 0 are 0.
#pragma once
#include "exponential.hpp"
#include "rounding.hpp"

// C++'s own conversion, which wraps around. Real numbers become no integers.
template <class O, class I> struct Plain { static HD O of(I x) { return (O)x; } };
template <class I> struct Plain<b8, I> { static HD b8 of(I x) { return b8{(u8)(x != 0)}; } };
template <class O> struct Plain<O, b8> { static HD O of(b8 x) { return (O)(x.value != 0); } };
template <> struct Plain<b8, b8> { static HD b8 of(b8 x) { return b8{(u8)(x.value != 0)}; } };

// Unsigned words in which integers of a type are added and multiplied: overflow of signed ones has no meaning in C++.
template <bool WIDE> struct Word { typedef u32 type; };
template <> struct Word<true> { typedef u64 type; };
template <class T> using word = typename Word<(sizeof(T) > 4)>::type;
template <class T> struct is_float { static const bool value = same<T, f32>::value || same<T, f64>::value; };
template <class T> struct is_signed { static const bool value = (T)-1 < (T)0; };

template <class T> HD T negated(T x) {
  if constexpr (is_float<T>::value) return -x;
  else return (T)((word<T>)0 - (word<T>)x);
}

#define BINARY(NAME, REAL, WHOLE)                         \
  struct NAME {                                           \
    template <class T> static HD T of(T a, T b) {         \
      if constexpr (is_float<T>::value) return REAL;      \
      else return (T)(WHOLE);                             \
    }                                                     \
  };
BINARY(Add, a + b, (word<T>)a + (word<T>)b)
BINARY(Subtract, a - b, (word<T>)a - (word<T>)b)
BINARY(Multiply, a * b, (word<T>)a * (word<T>)b)
BINARY(Least, a < b ? a : b, a < b ? a : b)
BINARY(Most, a > b ? a : b, a > b ? a : b)
BINARY(And, a, a & b)
BINARY(Or, a, a | b)
BINARY(Xor, a, a ^ b)
#undef BINARY

// Cut towards zero.
struct Divide {
  template <class T> static HD T of(T a, T b) {
    if constexpr (is_float<T>::value) {
      return a / b;
    } else {
      if constexpr (is_signed<T>::value)
        if (b == -1) return negated(a);
      return b == 0 ? (T)0 : (T)(a / b);
    }
  }
};

// C++'s functions: of `float`, then of `double`.
#if ON_DEVICE
#define MATH(NAME) NAME
#else
#define MATH(NAME) __builtin_##NAME
#endif

// The remainder of that, which has the sign of the first.
struct Modulo {
  template <class T> static HD T of(T a, T b) {
    if constexpr (same<T, f32>::value) {
      return MATH(fmodf)(a, b);
    } else if constexpr (same<T, f64>::value) {
      return MATH(fmod)(a, b);
    } else {
      if constexpr (is_signed<T>::value)
        if (b == -1) return 0;
      return b == 0 ? (T)0 : (T)(a % b);
    }
  }
};

struct Power {
  template <class T> static HD T of(T a, T b) {
    if constexpr (same<T, f32>::value) {
      return MATH(powf)(a, b);
    } else if constexpr (same<T, f64>::value) {
      return MATH(pow)(a, b);
    } else {
      if constexpr (is_signed<T>::value)
        if (b < 0) return 0;  // of 1, too
      word<T> product = 1, factor = (word<T>)a;
      for (u64 left = (u64)b; left; left >>= 1, factor *= factor)
        if (left & 1) product *= factor;
      return (T)product;
    }
  }
};

// By a number modulo 32, or 64 for words of 64 bits, as processors do it.
template <class T> HD int shift_of(T b) { return (int)((u64)b & (8 * sizeof(word<T>) - 1)); }
struct ShiftLeft {
  template <class T> static HD T of(T a, T b) { return (T)((word<T>)a << shift_of(b)); }
};
struct ShiftRight {
  template <class T> static HD T of(T a, T b) { return (T)(a >> shift_of(b)); }
};

struct ArcTangent2 {
  static HD f32 of(f32 a, f32 b) { return MATH(atan2f)(a, b); }
  static HD f64 of(f64 a, f64 b) { return MATH(atan2)(a, b); }
};

// Comparisons give 0 or 1; the other two are these with operands exchanged. A negative number is less than any unsigned one.
#define COMPARISON(NAME, SIGN, NEGATIVE_LEFT, NEGATIVE_RIGHT)                                   \
  struct NAME {                                                                                 \
    template <class T> static HD u8 of(T a, T b) { return a SIGN b; }                           \
    static HD u8 of(i64 a, u64 b) { return a < 0 ? NEGATIVE_LEFT : (u64)a SIGN b; }             \
    static HD u8 of(u64 a, i64 b) { return b < 0 ? NEGATIVE_RIGHT : a SIGN (u64)b; }            \
  };
COMPARISON(Equal, ==, 0, 0)
COMPARISON(Unequal, !=, 1, 1)
COMPARISON(Less, <, 1, 0)
COMPARISON(LessEqual, <=, 1, 0)
#undef COMPARISON

// Not-a-number stays; where the bounds are the wrong way round, it is the upper one.
struct Clamp {
  template <class T> static HD T of(T x, T low, T high) {
    x = x < low ? low : x;
    return x > high ? high : x;
  }
};

struct Negative {
  template <class T> static HD T of(T x) { return negated(x); }
};
struct Absolute {
  template <class T> static HD T of(T x) {
    if constexpr (is_float<T>::value) return magnitude_of(x);
    else if constexpr (is_signed<T>::value) return x < 0 ? negated(x) : x;
    else return x;
  }
};
struct Complement {
  template <class T> static HD T of(T x) {
    return (T)~x;
  }
};
struct Not {  // of a bool
  static HD u8 of(u8 x) { return x == 0; }
};

#define FUNCTION(NAME, FLOAT, DOUBLE)                    \
  struct NAME {                                          \
    static HD f32 of(f32 x) { return FLOAT; }            \
    static HD f64 of(f64 x) { return DOUBLE; }           \
  };
#define SAME(NAME, WORD) FUNCTION(NAME, MATH(WORD##f)(x), MATH(WORD)(x))
FUNCTION(ReciprocalRoot, 1.f / MATH(sqrtf)(x), 1. / MATH(sqrt)(x))
FUNCTION(Exponential, (f32)exponential((f64)x), MATH(exp)(x))
SAME(Root, sqrt)
SAME(CubicRoot, cbrt)
SAME(Logarithm, log)
SAME(Logarithm2, log2)
SAME(Logarithm10, log10)
SAME(Floor, floor)
SAME(Ceiling, ceil)
SAME(Sine, sin)
SAME(Cosine, cos)
SAME(Tangent, tan)
SAME(ArcSine, asin)
SAME(ArcCosine, acos)
SAME(ArcTangent, atan)
SAME(SineH, sinh)
SAME(CosineH, cosh)
SAME(TangentH, tanh)
SAME(AreaSine, asinh)
SAME(AreaCosine, acosh)
SAME(AreaTangent, atanh)
#undef SAME
#undef FUNCTION
