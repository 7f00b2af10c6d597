// The random words of many elements of a sample at once (`core/random_stream.py`).
#pragma once
#include "../include/philox.hpp"

enum { BLOCK = 64 };  // elements whose numbers are drawn at once, in vector registers

// The first WORDS words of BLOCK elements, `begin` a multiple of 4. Counters of elements first, then those behind them as far as
// they are needed.
template <int WORDS> static void draw_words(const Stream& stream, u64 high, i64 begin, u32 (&chosen)[WORDS][BLOCK]) {
  const u64 from = stream.first();
  enum { NEXT = WORDS == 4 ? BLOCK : WORDS == 2 ? BLOCK / 4 : 0, ALL = BLOCK + NEXT };
  u32 words[4][ALL];
  for (int i = 0; i < ALL; i++) {
    const i64 element = begin + (i < BLOCK ? i : WORDS == 4 ? i - BLOCK : 4 * (i - BLOCK) + 3);
    const u64 low = ((u64)element * ELEMENT_STRIDE >> 2) + (i >= BLOCK) + from;
    words[0][i] = (u32)low, words[1][i] = (u32)(low >> 32), words[2][i] = (u32)high, words[3][i] = (u32)(high >> 32);
  }
  u32 first = (u32)stream.key, second = (u32)(stream.key >> 32);
  for (int round = 0; round < 10; round++, first += 0x9E3779B9u, second += 0xBB67AE85u)
    for (int i = 0; i < ALL; i++) philox_round(words[0][i], words[1][i], words[2][i], words[3][i], first, second);
  for (int i = 0; i < BLOCK; i++)
    for (int k = 0; k < WORDS; k++) {
      const int at = (i & 3) + k;
      chosen[k][i] = at < 4 ? words[at][i] : words[at & 3][BLOCK + (WORDS == 4 ? i : i / 4)];
    }
}

// `number(words)` of each of the elements of a sample, from its first WORDS words.
template <int WORDS, class T, class Number> static void draw_numbers(const Stream& stream, u64 high, i64 begin, Number number, T* made) {
  u32 chosen[WORDS][BLOCK];
  draw_words<WORDS>(stream, high, begin, chosen);
  for (int i = 0; i < BLOCK; i++) {
    u32 own[WORDS];
    for (int k = 0; k < WORDS; k++) own[k] = chosen[k][i];
    made[i] = number(own);
  }
}
