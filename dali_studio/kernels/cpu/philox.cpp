// Loops of `philox.py`.
#include "../include/gaussian.hpp"

#include "arguments.hpp"
#include "draw_words.hpp"

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

static f32 whole_word(const u32 (&words)[1]) { return (f32)words[0]; }
static f64 whole_word(const u32 (&words)[2]) { return (f64)(words[0] | (u64)words[1] << 32); }

// Rows of `made` are samples, whose counters have `highs`. `of(row)` tells what makes a number of an element's first WORDS words.
template <int WORDS, class R, class T, class Of>
static void draw_rows(const Dense<T, 2>& made, const Stream& stream, const Dense<const u64, 1>& highs, Of of) {
  const i64 count = made.shape[1];
  for (i64 row = 0; row < made.shape[0]; row++) {
    const auto number = of(row);
    for (i64 i = -stream.phase; i < count; i += BLOCK) {
      R drawn[BLOCK];
      draw_numbers<WORDS>(stream, highs(row), i + stream.phase, number, drawn);
      const i64 end = least<i64>(BLOCK, count - i);
      for (i64 k = i < 0 ? -i : 0; k < end; k++) made(row, i + k) = Cast<T, R>::of(drawn[k]);
    }
  }
}

template <class T>
i64 normal_numbers(Dense<T, 2> made, Dense<const u64, 1> words, Dense<const u64, 1> highs, Dense<const f32, 1> means, Dense<const f32, 1> deviations) {
  const i64 samples = made.shape[0];
  if (words.shape[0] != 3 || highs.shape[0] != samples || means.shape[0] != samples || deviations.shape[0] != samples) return MISFIT;
  draw_rows<2, f32>(made, Stream(words.data), highs, [&](i64 row) {
    return [mean = means(row), deviation = deviations(row)](const u32(&own)[2]) { return normal(own, mean, deviation); };
  });
  return 0;
}
typedef Types<u8, i8, u16, i16, f32> NormalTypes;  // others are of doubles, whose last bits are those of numpy's logarithm
REGISTER_EACH(normal_numbers, NormalTypes)

// A number that is `factor` for each of a word's values above `low`, up to `highest`.
template <class T, class R = typename Drawn<T>::type>
i64 uniform_numbers(Dense<T, 2> made, Dense<const u64, 1> words, Dense<const u64, 1> highs, Dense<const R, 1> lows, Dense<const R, 1> factors,
                    Dense<const R, 1> highest) {
  const i64 samples = made.shape[0];
  if (words.shape[0] != 3 || highs.shape[0] != samples || lows.shape[0] != samples || factors.shape[0] != samples || highest.shape[0] != samples)
    return MISFIT;
  draw_rows<WordsOf<R>::count / 2, R>(made, Stream(words.data), highs, [&](i64 row) {
    return [low = lows(row), factor = factors(row), most = highest(row)](const auto& own) {
      const R number = fused(whole_word(own), factor, low);
      return number > most ? most : number;
    };
  });
  return 0;
}
typedef Types<u8, i8, u16, i16, u32, i32, u64, i64, f32, f64> UniformTypes;
REGISTER_EACH(uniform_numbers, UniformTypes)
