// Vectors of float lanes: loads from any element type, rounding and saturating stores, whole pixels. Nothing checks bounds.
#pragma once
#include <string.h>

#include "../include/rounding.hpp"

template <class T, int N> struct VectorOf { typedef T type __attribute__((ext_vector_type(N))); };
template <int N> struct VectorOf<f16, N> : VectorOf<u16, N> {};  // their bits
template <int N> struct VectorOf<b8, N> : VectorOf<u8, N> {};
template <class T, int N> using Vector = typename VectorOf<T, N>::type;
typedef Vector<float, 4> f32x4;
typedef Vector<float, 8> f32x8;
typedef Vector<float, 16> f32x16;

template <int N> using Halves = Vector<_Float16, N>;

// What lies at `p`, whatever its alignment.
template <class V> HD V read(const void* p) {
  V v;
  memcpy(&v, p, sizeof v);
  return v;
}
template <class V> HD void write(void* p, V v) { memcpy(p, &v, sizeof v); }

template <int N, class T> HD Vector<float, N> widened(Vector<T, N> v) {
  if constexpr (same<T, f16>::value) {
#if defined(__F16C__) || defined(__aarch64__)
    return __builtin_convertvector(__builtin_bit_cast(Halves<N>, v), Vector<float, N>);
#else
    typedef Vector<float, N> V;
    typedef Vector<u32, N> W;
    W bits = __builtin_convertvector(v, W), sign = (bits & 0x8000u) << 16, rest = (bits & 0x7FFFu) << 13;
    W small = __builtin_bit_cast(W, __builtin_convertvector((Vector<i32, N>)(bits & 0x3FFu), V) * 0x1p-24f);
    W special = rest | (rest == 0x0F800000u ? (W)0x7F800000u : (W)0x7FC00000u);
    W normal = rest < 0x0F800000u ? rest + (112u << 23) : special;
    return __builtin_bit_cast(V, sign | (rest < 0x00800000u ? small : normal));
#endif
  } else {
    return __builtin_convertvector(v, Vector<float, N>);
  }
}
// N consecutive elements as float.
template <int N, class T> HD Vector<float, N> load(const T* p) { return widened<N, T>(read<Vector<T, N>>(p)); }

// a * b + c, rounded once. Level v1 of x86-64 lacks the instruction: there the exact product and the sum are doubles, which
// differs only where that sum happens to lie exactly between two floats (about one in 2^29).
template <class V> HD V muladd(V a, V b, V c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_elementwise_fma(a, b, c);
#else
  typedef Vector<double, sizeof(V) / sizeof(float)> D;
  return __builtin_convertvector(__builtin_convertvector(a, D) * __builtin_convertvector(b, D) + __builtin_convertvector(c, D), V);
#endif
}
HD float muladd(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return (float)((double)a * (double)b + (double)c);
#endif
}

// A number cut towards zero; the least one where that has more than 64 bits, which is what x86-64 makes of it.
HD i64 cut_or_least(float x) {
#if defined(__x86_64__)
  return __builtin_ia32_cvttss2si64(f32x4{x, 0, 0, 0});
#else
  return magnitude_of(x) < 0x1p63f ? (i64)x : limits<i64>::low;
#endif
}
// Level v1 of x86-64 has no instruction for this either.
HD float floor_of(float x) {
#if defined(__SSE4_1__) || defined(__aarch64__)
  return __builtin_floorf(x);
#else
  float cut = (float)cut_or_least(x);
  return magnitude_of(x) < 0x1p23f ? cut - (x < cut) : x;  // from there on there are no fractions
#endif
}

enum Rounding { EVEN, AWAY };  // of halves

// Lanes that are whole numbers once they are cut: the largest number below a half is added, away from 0, which rounds halves up
// and nothing below; or the lanes are rounded where floats have no fractions (|v| < 2^22 is needed). Faster than instructions for
// rounding, which level v1 lacks.
template <Rounding R, class V> HD V rounded(V v) {
  if constexpr (R == AWAY) return v + __builtin_elementwise_copysign((V)0.49999997f, v);
  else return v + 12582912.f - 12582912.f;
}

// Lanes as whole numbers in the range of T, an integer of at most 16 bits; NaN becomes 0.
template <class T, Rounding R, int N> HD Vector<i32, N> whole(Vector<float, N> v) {
  typedef Vector<float, N> V;
  if constexpr (limits<T>::low < 0) v = v == v ? v : (V)0.f;
  const V low = (float)limits<T>::low, high = (float)limits<T>::high;
  v = v > low ? v : low;
  v = v < high ? v : high;
  return __builtin_convertvector(rounded<R>(v), Vector<i32, N>);
}

// Lanes as elements of type T: rounded, saturated, NaN becomes 0.
template <class T, Rounding R, int N> HD Vector<T, N> narrowed(Vector<float, N> v) {
  typedef Vector<float, N> V;
  if constexpr (same<T, f16>::value) {  // rounded half away from zero, as nvidia.dali does; too large is infinite
    typedef Vector<u32, N> W;
    W bits = __builtin_bit_cast(W, v), magnitude = bits & 0x7FFFFFFFu;
    // below 2^-14 the step is 2^-24; above, 13 bits are dropped, of which the first decides the rounding
    V size = __builtin_bit_cast(V, magnitude);
    size = size < 0x1p-14f ? size : (V)0x1p-14f;
    W small = (W)__builtin_convertvector(size * 0x1p24f + 0.5f, Vector<i32, N>), normal = ((magnitude + 0x1000u) >> 13) - (112u << 10);
    normal = normal < 0x7C00u ? normal : (W)0x7C00u;
    W half = magnitude < 0x38800000u ? small : normal;
    half = magnitude > 0x7F800000u ? (W)0x7E00u : half;
    return __builtin_convertvector(((bits >> 16) & 0x8000u) | half, Vector<u16, N>);
  } else if constexpr (same<T, b8>::value) {
    return __builtin_convertvector(~(__builtin_elementwise_abs(v) < 0.5f) & 1, Vector<u8, N>);
  } else if constexpr (is_real<T>::value) {
    return __builtin_convertvector(v, Vector<T, N>);
  } else if constexpr (sizeof(T) <= 2) {
    return __builtin_convertvector(whole<T, R, N>(v), Vector<T, N>);
  } else {  // the largest integers are no floats: what reaches the next power of two becomes the largest by itself
    static_assert(R == AWAY, "only integers of at most 16 bits are rounded half to even");
    v = rounded<R>(v);
    const V low = (float)limits<T>::low, beyond = (float)limits<T>::high;
    auto above = __builtin_convertvector(v >= beyond, Vector<T, N>), below = __builtin_convertvector(v < low, Vector<T, N>);
    auto inside = (v >= low) & (v < beyond);
    Vector<T, N> result = __builtin_convertvector(inside ? v : (V)0.f, Vector<T, N>);
    return result | (above & (T)limits<T>::high) | (below & (T)limits<T>::low);
  }
}
template <Rounding R, int N, class T> HD void store(T* p, Vector<float, N> v) { write(p, narrowed<T, R, N>(v)); }
// One element, by the same rule.
template <Rounding R, class T> HD void store1(T* p, float v) {
  auto both = narrowed<T, R, 2>((Vector<float, 2>)v);
  memcpy(p, &both, sizeof *p);
}

template <class T> HD float load1(const T* p) {
  return to_float(*p);
}

// Four 4-lane pixels in one vector: the first three lanes of each (12 lanes count), or all four.
HD f32x16 join3(f32x4 a, f32x4 b, f32x4 c, f32x4 d) {
  auto low = __builtin_shufflevector(a, b, 0, 1, 2, 4, 5, 6, 0, 0), high = __builtin_shufflevector(c, d, 0, 1, 2, 4, 5, 6, 0, 0);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 0, 0, 0, 0);
}
HD f32x16 join4(f32x4 a, f32x4 b, f32x4 c, f32x4 d) {
  auto low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7), high = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
// The first 12 of 16 lanes.
template <Rounding R, class T> HD void store12(T* p, f32x16 v) {
  Vector<T, 16> narrow = narrowed<T, R, 16>(v);
  memcpy(p, &narrow, 12 * sizeof(T));
}

// 16 interleaved pixels of three elements, as one vector for each channel.
template <class T> struct Channels { Vector<T, 16> red, green, blue; };
template <class T> HD Channels<T> read16x3(const T* p) {
  typedef Vector<T, 16> V;
  V a = read<V>(p), b = read<V>(p + 16), c = read<V>(p + 32);
  V r = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
  V g = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0);
  V u = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
  return {__builtin_shufflevector(r, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29),
          __builtin_shufflevector(g, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30),
          __builtin_shufflevector(u, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31)};
}
template <class T> HD void write16x3(T* p, Vector<T, 16> r, Vector<T, 16> g, Vector<T, 16> b) {
  auto rg = __builtin_shufflevector(r, g, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                    26, 27, 28, 29, 30, 31);
  auto bb = __builtin_shufflevector(b, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                    0, 0);
  auto all = __builtin_shufflevector(rg, bb, 0, 16, 32, 1, 17, 33, 2, 18, 34, 3, 19, 35, 4, 20, 36, 5, 21, 37, 6, 22, 38, 7, 23, 39, 8,
                                     24, 40, 9, 25, 41, 10, 26, 42, 11, 27, 43, 12, 28, 44, 13, 29, 45, 14, 30, 46, 15, 31, 47);
  memcpy(p, &all, 48 * sizeof(T));
}

// The same with float lanes. Bytes move within groups of 16, which is fast on all levels: instructions that take bytes from
// anywhere are not in level v4. A group holds four pixels; in the last one of a load they begin at its fifth byte, so that
// nothing behind the pixels is read.
struct Colors { f32x16 red, green, blue; };
HD Vector<u8, 64> four_groups(const void* pixels) {
  const char* p = (const char*)pixels;
  typedef Vector<u8, 16> V;
  struct { V group[4]; } parts = {{read<V>(p), read<V>(p + 12), read<V>(p + 24), read<V>(p + 32)}};
  return __builtin_bit_cast(Vector<u8, 64>, parts);
}
#define WIDENED4(AT) AT, 64, 64, 64, AT + 3, 64, 64, 64, AT + 6, 64, 64, 64, AT + 9, 64, 64, 64
template <int CHANNEL> HD f32x16 channel_of(Vector<u8, 64> v) {
  auto words = __builtin_shufflevector(v, (Vector<u8, 64>)0, WIDENED4(CHANNEL), WIDENED4(CHANNEL + 16), WIDENED4(CHANNEL + 32),
                                       WIDENED4(CHANNEL + 52));
  return __builtin_convertvector(__builtin_bit_cast(Vector<i32, 16>, words), f32x16);
}
#undef WIDENED4
template <class T> HD Colors load16x3(const T* p) {
  if constexpr (same<T, u8>::value) {
    auto v = four_groups(p);
    return {channel_of<0>(v), channel_of<1>(v), channel_of<2>(v)};
  } else {
    Channels<T> c = read16x3(p);
    return {widened<16, T>(c.red), widened<16, T>(c.green), widened<16, T>(c.blue)};
  }
}
#define PACKED4(AT) AT, AT + 1, AT + 2, AT + 4, AT + 5, AT + 6, AT + 8, AT + 9, AT + 10, AT + 12, AT + 13, AT + 14, 0, 0, 0, 0
// The first three bytes of each of 16 words, without gaps.
template <class V> HD Vector<u32, 16> packed_pixels(V words) {
  auto v = __builtin_bit_cast(Vector<u8, 64>, words);
  auto packed = __builtin_bit_cast(Vector<u32, 16>, __builtin_shufflevector(v, v, PACKED4(0), PACKED4(16), PACKED4(32), PACKED4(48)));
  return __builtin_shufflevector(packed, packed, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0);
}
template <Rounding R, class T> HD void store16x3(T* p, Colors c) {
  if constexpr (same<T, u8>::value || same<T, i8>::value) {
    auto joined = packed_pixels((whole<T, R, 16>(c.red) & 255) | (whole<T, R, 16>(c.green) & 255) << 8 | whole<T, R, 16>(c.blue) << 16);
    memcpy(p, &joined, 48);
  } else {
    write16x3<T>(p, narrowed<T, R, 16>(c.red), narrowed<T, R, 16>(c.green), narrowed<T, R, 16>(c.blue));
  }
}
#undef PACKED4
HD f32x16 reversed(f32x16 v) { return __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0); }

// Five pixels of three elements in reverse order, in a vector of 16: those before its last element, or those behind its first. What
// is left of it comes last, where the next pixels are to be written over it.
template <class T> HD Vector<T, 16> turned(Vector<T, 16> v) {
  return __builtin_shufflevector(v, v, 12, 13, 14, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2, 15);
}
template <class T> HD Vector<T, 16> turned_after_one(Vector<T, 16> v) {
  return __builtin_shufflevector(v, v, 13, 14, 15, 10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3, 0);
}
// The first 15 of 16 elements.
template <class T> HD void write15(T* p, Vector<T, 16> v) { memcpy(p, &v, 15 * sizeof(T)); }
// 16 such pixels.
#define TURNED4(AT) AT + 9, AT + 10, AT + 11, AT + 6, AT + 7, AT + 8, AT + 3, AT + 4, AT + 5, AT, AT + 1, AT + 2
template <class T> HD void write_turned(T* p, Vector<T, 16> a, Vector<T, 16> b, Vector<T, 16> c) {
  auto ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                    26, 27, 28, 29, 30, 31);
  auto cc = __builtin_shufflevector(c, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                    0, 0);
  auto all = __builtin_shufflevector(ab, cc, TURNED4(36), TURNED4(24), TURNED4(12), TURNED4(0));
  memcpy(p, &all, 48 * sizeof(T));
}
#undef TURNED4

// Eight rows of eight become columns.
HD void transpose(f32x8 (&v)[8]) {
  f32x8 a[8], b[8];
  for (int i = 0; i < 4; i++) {
    a[2 * i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[2 * i + 1] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i++) {
    const int low = i / 4 * 4 + i % 2;
    b[i] = i % 4 < 2 ? __builtin_shufflevector(a[low], a[low + 2], 0, 1, 8, 9, 4, 5, 12, 13)
                     : __builtin_shufflevector(a[low], a[low + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; i++) {
    v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
