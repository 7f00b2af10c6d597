// The loop of `beta.py`.
#include "../include/beta.hpp"
#include "../include/random_engine.hpp"

#include "arguments.hpp"

enum { WHOLE = 1 << 18, CHUNK = 1 << 16 };  // elements of a sample from which on nvidia.dali draws chunks of them apart

// The elements of one sample. What a distribution keeps goes from one to the next, as far as nvidia.dali draws them one by one.
template <class T> static void of_sample(T* out, i64 count, const Stream& stream, u64 high, float alpha, float beta) {
  const i64 chunks = count < WHOLE ? 1 : (count + CHUNK - 1) / CHUNK;
  enum { AT_ONCE = 16 };
  typedef WordsAhead<AT_ONCE, 4> Ahead;
  if (count == 1) {  // there is nothing to draw words ahead for
    SampleEngine engine(stream, high);
    *out = Beta<T>((T)alpha, (T)beta)(engine);
    return;
  }
  Ahead ahead;
  for (i64 chunk = 0; chunk < chunks; chunk++) {
    Beta<T> draw((T)alpha, (T)beta);
    const i64 behind = count * (chunk + 1) / chunks;
    for (i64 i = count * chunk / chunks; i < behind; i += AT_ONCE) {
      ahead.fill(stream.key, high, (u64)(i + stream.phase), stream.first());
      for (int lane = 0; lane < least<i64>(AT_ONCE, behind - i); lane++) {
        ElementWords<Ahead> own(ahead, lane);
        out[i + lane] = draw(own);
      }
    }
  }
}

// Samples are rows; `highs` are those of their counters.
template <class T>
i64 beta_numbers(Dense<T, 2> out, Dense<const u64, 1> words, Dense<const u64, 1> highs, Array<const f32, 1> alphas, Array<const f32, 1> betas) {
  const i64 samples = out.shape[0], count = out.shape[1];
  if (words.shape[0] != 3 || highs.shape[0] != samples || alphas.shape[0] != samples || betas.shape[0] != samples) return MISFIT;
  for (i64 i = 0; i < samples; i++) of_sample(out.data + i * count, count, Stream(words.data), highs(i), alphas(i), betas(i));
  return 0;
}
typedef Types<f32, f64> BetaTypes;
REGISTER_EACH(beta_numbers, BetaTypes)
