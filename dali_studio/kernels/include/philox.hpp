// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
#pragma once
#include "numbers.hpp"

// Draws between the first draws of two neighbouring elements of a sample.
enum { ELEMENT_STRIDE = 257 };

// One of its rounds, on the four words of a counter, with the round's two words of the key.
HD void philox_round(u32& a, u32& b, u32& c, u32& d, u32 key, u32 other) {
  u64 product = 0xD2511F53ull * a, crossed = 0xCD9E8D57ull * c;
  a = (u32)(crossed >> 32) ^ b ^ key;
  c = (u32)(product >> 32) ^ d ^ other;
  b = (u32)crossed;
  d = (u32)product;
}

// The four words of a counter.
HD void philox(u64 low, u64 high, u64 key, u32 (&words)[4]) {
  words[0] = (u32)low, words[1] = (u32)(low >> 32), words[2] = (u32)high, words[3] = (u32)(high >> 32);
  u32 first = (u32)key, second = (u32)(key >> 32);
  for (int i = 0; i < 10; i++) {
    philox_round(words[0], words[1], words[2], words[3], first, second);
    first += 0x9E3779B9u, second += 0xBB67AE85u;
  }
}

// One of four words, without an array in memory.
HD u32 word_at(const u32 (&words)[4], int at) {
  const u32 low = at & 1 ? words[1] : words[0], high = at & 1 ? words[3] : words[2];
  return at & 2 ? high : low;
}

// Where the words of all samples begin: their key, the lower half of the first counter, and the place among its words. It is
// 0 but in dynamic mode (`core/random_stream.py`, `stream_words`).
struct Stream {
  u64 key, low;
  int phase;
  HD explicit Stream(const u64* words) : key(words[0]), low(words[1]), phase((int)words[2]) {}
  // The stride is 1 modulo 4, so that elements from `phase` on have their words where they belong, if the counters begin here.
  HD u64 first() const { return low - 64 * (u64)phase; }

  // The first words of an element of the sample whose counters have `high` as their upper half. They lie in one counter for most
  // elements; where the phase is known to be 0 (not PHASED), so does the compiler for elements whose last two bits it knows.
  template <int WORDS, bool PHASED = true> HD void draw(u64 high, u64 element, u32 (&made)[WORDS]) const {
    const u64 position = element + (PHASED ? (u64)phase : 0), counter = (position * ELEMENT_STRIDE >> 2) + (PHASED ? first() : low);
    const int place = (int)(position & 3);
    u32 words[4], next[4] = {};
    philox(counter, high, key, words);
    if (place + WORDS > 4) philox(counter + 1, high, key, next);
    for (int i = 0; i < WORDS; i++) made[i] = place + i < 4 ? word_at(words, place + i) : word_at(next, place + i);
  }
};
