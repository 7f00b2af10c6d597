// Integers in lanes of 16 bytes, and what is fast within these on all processors: to take elements of two vectors in turns, to sum
// products of neighbours, and to saturate.
#pragma once
#include "../cpu/vector.hpp"

// As many blocks at once as fit into a register. Each has a lane, which no shuffle leaves.
#if defined(__AVX2__)
enum { BLOCKS = 2 };
#else
enum { BLOCKS = 1 };
#endif
typedef Vector<i16, 8 * BLOCKS> Shorts;
typedef Vector<i32, 4 * BLOCKS> Longs;
typedef Vector<i64, 2 * BLOCKS> Pairs;
typedef Vector<i8, 16 * BLOCKS> Levels;

// Elements of both in turns, of the first or of the second half of each lane.
#if defined(__AVX2__)
HD Levels low_of(Levels a, Levels b) {
  return __builtin_shufflevector(a, b, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21,
                                 53, 22, 54, 23, 55);
}
HD Levels high_of(Levels a, Levels b) {
  return __builtin_shufflevector(a, b, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 24, 56, 25, 57, 26, 58, 27, 59, 28,
                                 60, 29, 61, 30, 62, 31, 63);
}
HD Shorts low_of(Shorts a, Shorts b) { return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27); }
HD Shorts high_of(Shorts a, Shorts b) { return __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31); }
HD Longs low_of(Longs a, Longs b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13); }
HD Longs high_of(Longs a, Longs b) { return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15); }
HD Pairs low_of(Pairs a, Pairs b) { return __builtin_shufflevector(a, b, 0, 4, 2, 6); }
HD Pairs high_of(Pairs a, Pairs b) { return __builtin_shufflevector(a, b, 1, 5, 3, 7); }
#else
HD Levels low_of(Levels a, Levels b) { return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23); }
HD Levels high_of(Levels a, Levels b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
HD Shorts low_of(Shorts a, Shorts b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
HD Shorts high_of(Shorts a, Shorts b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
HD Longs low_of(Longs a, Longs b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
HD Longs high_of(Longs a, Longs b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
HD Pairs low_of(Pairs a, Pairs b) { return __builtin_shufflevector(a, b, 0, 2); }
HD Pairs high_of(Pairs a, Pairs b) { return __builtin_shufflevector(a, b, 1, 3); }
#endif

// Sums of pairs of neighbours, times two factors; and halves of lanes put together, saturated.
#if defined(__AVX2__)
HD Longs pair_sums(Shorts pairs, Shorts factors) { return __builtin_ia32_pmaddwd256(pairs, factors); }
HD Shorts saturated(Longs low, Longs high) { return __builtin_ia32_packssdw256(low, high); }
HD Levels saturated(Shorts low, Shorts high) { return __builtin_ia32_packsswb256(low, high); }
#elif defined(__SSE2__)
HD Longs pair_sums(Shorts pairs, Shorts factors) { return __builtin_ia32_pmaddwd128(pairs, factors); }
HD Shorts saturated(Longs low, Longs high) { return __builtin_ia32_packssdw128(low, high); }
HD Levels saturated(Shorts low, Shorts high) { return __builtin_ia32_packsswb128(low, high); }
#else
HD Longs pair_sums(Shorts pairs, Shorts factors) {
  const Vector<i32, 8> products = __builtin_convertvector(pairs, Vector<i32, 8>) * __builtin_convertvector(factors, Vector<i32, 8>);
  return __builtin_shufflevector(products, products, 0, 2, 4, 6) + __builtin_shufflevector(products, products, 1, 3, 5, 7);
}
template <class T, class V> HD V clamped(V v) {
  v = v > (V)(int)limits<T>::low ? v : (V)(int)limits<T>::low;
  return v < (V)(int)limits<T>::high ? v : (V)(int)limits<T>::high;
}
HD Shorts saturated(Longs low, Longs high) {
  const auto both = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_convertvector(clamped<i16>(both), Shorts);
}
HD Levels saturated(Shorts low, Shorts high) {
  const auto both = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_convertvector(clamped<i8>(both), Levels);
}
#endif

template <int A, int B> HD Longs pair_sums(Shorts pairs) {
  return pair_sums(pairs, __builtin_bit_cast(Shorts, (Longs)(int)((u32)(u16)A | (u32)B << 16)));
}
