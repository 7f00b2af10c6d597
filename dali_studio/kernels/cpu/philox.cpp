// Loops of `philox.py`.
#include "../include/philox.hpp"

#include "arguments.hpp"

// The four words (rows of `words`) of the counters with these halves. 64 counters go through a round at a time, in vector
// registers.
static i64 philox_words(Array<const u64, 1> low, Array<const u64, 1> high, Array<const u32, 2> keys, Array<u32, 2> words) {
  const i64 all = low.shape[0];
  if (high.shape[0] != all || words.shape[0] != 4 || words.shape[1] != all || keys.shape[1] != 2) return MISFIT;
  u32 a[64] = {}, b[64] = {}, c[64] = {}, d[64] = {};
  for (i64 begin = 0; begin < all; begin += 64) {
    const i64 count = least<i64>(64, all - begin);
    for (i64 i = 0; i < count; i++) {
      u64 first = low(begin + i), second = high(begin + i);
      a[i] = (u32)first, b[i] = (u32)(first >> 32), c[i] = (u32)second, d[i] = (u32)(second >> 32);
    }
    for (i64 k = 0; k < keys.shape[0]; k++) {
      const u32 key = keys(k, 0), other = keys(k, 1);
      for (int i = 0; i < 64; i++) philox_round(a[i], b[i], c[i], d[i], key, other);
    }
    for (i64 i = 0; i < count; i++) {
      words(0, begin + i) = a[i], words(1, begin + i) = b[i];
      words(2, begin + i) = c[i], words(3, begin + i) = d[i];
    }
  }
  return 0;
}
REGISTER_SHORT(philox_words)

// a * b + c, rounded once.
static i64 multiply_add(Array<const f32, 1> a, Array<const f32, 1> b, Array<const f32, 1> c, Array<f32, 1> made) {
  const i64 count = made.shape[0];
  if (a.shape[0] != count || b.shape[0] != count || c.shape[0] != count) return MISFIT;
  for (i64 i = 0; i < count; i++) made(i) = fused(a(i), b(i), c(i));
  return 0;
}
REGISTER_SHORT(multiply_add)
