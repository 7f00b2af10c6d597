// The loop of `beta.py`.
#include "../include/beta.hpp"

#include "arguments.hpp"

enum { WHOLE = 1 << 18, CHUNK = 1 << 16 };  // elements of a sample from which on nvidia.dali draws chunks of them apart

// The elements of one sample. What a distribution keeps goes from one to the next, as far as nvidia.dali draws them one by one.
template <class T> static void beta_numbers(Dense<T, 1> out, Dense<const u64, 1> words, u64 high, float alpha, float beta) {
  const i64 count = out.shape[0], chunks = count < WHOLE ? 1 : (count + CHUNK - 1) / CHUNK;
  enum { AT_ONCE = 16 };
  const Stream stream(words.data);
  typedef WordsAhead<AT_ONCE, 4> Ahead;
  Ahead ahead;
  for (i64 chunk = 0; chunk < chunks; chunk++) {
    Beta<T> draw((T)alpha, (T)beta);
    const i64 behind = count * (chunk + 1) / chunks;
    for (i64 i = count * chunk / chunks; i < behind; i += AT_ONCE) {
      ahead.fill(stream.key, high, (u64)(i + stream.phase), stream.first());
      for (int lane = 0; lane < least<i64>(AT_ONCE, behind - i); lane++) {
        ElementWords<Ahead> own(ahead, lane);
        out.data[i + lane] = draw(own);
      }
    }
  }
}
typedef Types<f32, f64> BetaTypes;
REGISTER_EACH(beta_numbers, BetaTypes)
