// The words of a sample's element in nvidia.dali's stream (`core/random_stream.py`), one after the other, and what GNU's libstdc++
// draws from such words.
#pragma once
#include "elementary.hpp"
#include "philox.hpp"

// AT_ONCE counters are computed at a time, in vector registers where there are such.
template <int AT_ONCE> struct ElementWords {
  u64 key, high, counter;
  u32 words[4][AT_ONCE];
  int used;

  HD ElementWords(u64 key, u64 high, u64 element) : key(key), high(high), counter(element * ELEMENT_STRIDE >> 2) {
    renew();
    used = (int)(element * ELEMENT_STRIDE & 3);
  }
  HD u32 operator()() {
    if (used == 4 * AT_ONCE) counter += AT_ONCE, renew();
    const int at = used++;
    return words[at & 3][at >> 2];
  }
  HD void renew() {
    for (int i = 0; i < AT_ONCE; i++) {
      const u64 low = counter + i;
      words[0][i] = (u32)low, words[1][i] = (u32)(low >> 32), words[2][i] = (u32)high, words[3][i] = (u32)(high >> 32);
    }
    u32 first = (u32)key, second = (u32)(key >> 32);
    for (int round = 0; round < 10; round++, first += 0x9E3779B9u, second += 0xBB67AE85u)
      for (int i = 0; i < AT_ONCE; i++) philox_round(words[0][i], words[1][i], words[2][i], words[3][i], first, second);
    used = 0;
  }
};

// std::generate_canonical<double, 53>: a number from 0 to below 1.
template <class Next> HD double unit_of(Next& next) {
  const double low = (double)next(), made = (low + (double)next() * 4294967296.) * 0x1p-64;
  return made < 1 ? made : 0x1.fffffffffffffp-1;
}

// std::normal_distribution<double>(0, 1): Marsaglia's polar method, whose second number is kept.
struct PolarNormal {
  double kept = 0;
  bool has_kept = false;
  template <class Next> HD double operator()(Next& next) {
    if (has_kept) {
      has_kept = false;
      return kept;
    }
    double x, y, square;
    do {
      x = 2 * unit_of(next) - 1, y = 2 * unit_of(next) - 1;
      square = x * x + y * y;
    } while (square > 1 || !(square > 0));
    const double factor = square_root(-2 * logarithm(square) / square);
    kept = x * factor, has_kept = true;
    return y * factor;
  }
};
