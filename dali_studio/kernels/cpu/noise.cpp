// Loops of `noise.py`.
#include "../include/gaussian.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"
#include "vector.hpp"

enum { BLOCK = 64 };  // elements whose numbers are drawn at once, in vector registers

// The numbers of BLOCK elements, `begin` a multiple of 4. Counters of elements first, then those behind them as far as they are needed.
template <class R> static void draw(const GaussianNoise& noise, i64 begin, R* made) {
  enum { WORDS = WordsOf<R>::count, NEXT = WORDS == 4 ? BLOCK : BLOCK / 4, ALL = BLOCK + NEXT };
  u32 words[4][ALL];
  for (int i = 0; i < ALL; i++) {
    const i64 element = begin + (i < BLOCK ? i : WORDS == 4 ? i - BLOCK : 4 * (i - BLOCK) + 3);
    const u64 low = ((u64)element * ELEMENT_STRIDE >> 2) + (i >= BLOCK);
    words[0][i] = (u32)low, words[1][i] = (u32)(low >> 32), words[2][i] = (u32)noise.high, words[3][i] = (u32)(noise.high >> 32);
  }
  u32 first = (u32)noise.key, second = (u32)(noise.key >> 32);
  for (int round = 0; round < 10; round++, first += 0x9E3779B9u, second += 0xBB67AE85u)
    for (int i = 0; i < ALL; i++) philox_round(words[0][i], words[1][i], words[2][i], words[3][i], first, second);
  u32 chosen[WORDS][BLOCK];
  for (int i = 0; i < BLOCK; i++)
    for (int k = 0; k < WORDS; k++) {
      const int at = (i & 3) + k;
      chosen[k][i] = at < 4 ? words[at][i] : words[at & 3][BLOCK + (WORDS == 4 ? i : i / 4)];
    }
  for (int i = 0; i < BLOCK; i++) {
    u32 own[WORDS];
    for (int k = 0; k < WORDS; k++) own[k] = chosen[k][i];
    made[i] = normal(own, noise.mean, noise.deviation);
  }
}

template <class T> i64 gaussian_noise(Dense<const T, 1> src, Dense<T, 1> out, u64 key, u64 high, float mean, float deviation) {
  const i64 count = src.shape[0];
  if (out.shape[0] != count) return MISFIT;
  typedef typename Drawn<T>::type R;
  R drawn[BLOCK];
  for (i64 i = 0; i < count; i += BLOCK) {
    draw(GaussianNoise{key, high, mean, deviation}, i, drawn);
    const i64 end = least<i64>(BLOCK, count - i);
    for (i64 k = 0; k < end; k++) out.data[i + k] = with_noise(src.data[i + k], drawn[k]);
  }
  return 0;
}
REGISTER_EACH(gaussian_noise, GaussianNoiseTypes)
