// The words of a sample's element in nvidia.dali's stream (`core/random_stream.py`), one after the other, and what GNU's libstdc++
// draws from such words.
#pragma once
#include "elementary.hpp"
#include "philox.hpp"

// The first words of ELEMENTS elements, of COUNTERS counters each: computed all at once, in vector registers where there are such.
template <int ELEMENTS, int COUNTERS> struct WordsAhead {
  enum { COUNT = 4 * COUNTERS };  // of an element, less those before its first
  u64 key, high, first, begin;
  u32 words[4][COUNTERS][ELEMENTS];

  // `from`: the lower half of the first counter of element 0.
  HD void fill(u64 of_key, u64 of_high, u64 element, u64 from = 0) {
    key = of_key, high = of_high, first = element, begin = from;
    for (int c = 0; c < COUNTERS; c++)
      for (int i = 0; i < ELEMENTS; i++) {
        const u64 low = ((element + i) * ELEMENT_STRIDE >> 2) + c + begin;
        words[0][c][i] = (u32)low, words[1][c][i] = (u32)(low >> 32), words[2][c][i] = (u32)high, words[3][c][i] = (u32)(high >> 32);
      }
    u32 a = (u32)key, b = (u32)(key >> 32);
    for (int round = 0; round < 10; round++, a += 0x9E3779B9u, b += 0xBB67AE85u)
      for (int c = 0; c < COUNTERS; c++)
        for (int i = 0; i < ELEMENTS; i++) philox_round(words[0][c][i], words[1][c][i], words[2][c][i], words[3][c][i], a, b);
  }
};

// The words of one of them, without end.
template <class Ahead> struct ElementWords {
  const Ahead& ahead;
  int lane, used;
  u32 further[4];

  HD ElementWords(const Ahead& ahead, int lane)
      : ahead(ahead), lane(lane), used((int)((ahead.first + lane) * ELEMENT_STRIDE & 3)), further{} {}
  HD u32 operator()() {
    const int at = used++;
    if (at < Ahead::COUNT) return ahead.words[at & 3][at >> 2][lane];
    if ((at & 3) == 0) philox(((ahead.first + lane) * ELEMENT_STRIDE >> 2) + (at >> 2) + ahead.begin, ahead.high, ahead.key, further);
    return further[at & 3];
  }
};

// A number from 0 to below 1 of 64 bits, rounded once.
HD double unit_of_words(u32 low, u32 high) {
#if ON_DEVICE  // by additions, which are faster than conversions: in the last places of 2^84 and of 2^52
  const double upper = __longlong_as_double((i64)(0x4530000000000000ull | high)) - 0x1.00000001p84;
  const double made = (upper + __longlong_as_double((i64)(0x4330000000000000ull | low))) * 0x1p-64;
#else
  const double made = ((double)low + (double)high * 4294967296.) * 0x1p-64;
#endif
  return made < 1 ? made : 0x1.fffffffffffffp-1;
}

// std::generate_canonical with as many bits as R, float or double, has: a number from 0 to below 1.
template <class R, class Next> HD R unit_of(Next& next) {
  if constexpr (same<R, f32>::value) {
    const float made = (float)next() * 0x1p-32f;
    return made < 1 ? made : 0x1.fffffep-1f;
  } else {
    const u32 low = next();
    return (R)unit_of_words(low, next());
  }
}

// std::normal_distribution<R>(0, 1): Marsaglia's polar method, whose second number is kept.
template <class R> struct PolarNormal {
  R kept = 0;
  bool has_kept = false;
  template <class Next> HD R operator()(Next& next) {
    if (has_kept) {
      has_kept = false;
      return kept;
    }
    R x, y, square;
    do {
      x = 2 * unit_of<R>(next) - 1, y = 2 * unit_of<R>(next) - 1;
      square = x * x + y * y;
    } while (square > 1 || !(square > 0));
    const R factor = square_root(-2 * (R)logarithm(square) / square);
    kept = x * factor, has_kept = true;
    return y * factor;
  }
};
