// The loop of `beta.py`.
#include "../include/beta.hpp"

#include "arguments.hpp"

// A row for each sample, whose numbers begin at the counter `highs`.
template <class T> i64 beta_batch(u64 seed, Array<const u64, 1> highs, Array<const f32, 1> alphas, Array<const f32, 1> betas, Array<T, 2> out) {
  const i64 samples = out.shape[0];
  if (highs.shape[0] != samples || alphas.shape[0] != samples || betas.shape[0] != samples) return MISFIT;
  for (i64 sample = 0; sample < samples; sample++) {
    Beta<T> beta(alphas(sample), betas(sample));
    for (i64 i = 0; i < out.shape[1]; i++) {
      Draws draws(seed, highs(sample), (u64)(i * ELEMENT_STRIDE));
      out(sample, i) = beta.next(draws);
    }
  }
  return 0;
}
typedef Types<f32, f64> Reals;
REGISTER_EACH(beta_batch, Reals)
