// std::shuffle of `cxx_random.py`.
#include "../include/cxx_random.hpp"

#include "arguments.hpp"

HD void swap(i64& a, i64& b) {
  const i64 kept = a;
  a = b, b = kept;
}

// As libstdc++ does it: two positions from one word where a word is big enough.
template <class Kind> HD void shuffle(const Dense<i64, 1>& all, u64 seed) {
  typedef typename Kind::Word Word;
  const i64 count = all.shape[0];
  i64* items = all.data;
  Twister<Kind> next((Word)seed);
  auto below = [&](u64 size) { return (i64)uniform_below((Word)size, next); };
  if (count < 2) return;
  if ((Word)~(Word)0 / (u64)count < (u64)count) {
    for (i64 i = 1; i < count; i++) swap(items[i], items[below(i + 1)]);
    return;
  }
  i64 i = 1;
  if (count % 2 == 0) swap(items[1], items[below(2)]), i = 2;
  for (; i < count; i += 2) {
    const i64 both = below((i + 1) * (i + 2));
    swap(items[i], items[both / (i + 2)]);
    swap(items[i + 1], items[both % (i + 2)]);
  }
}
static void shuffle_mt19937(Dense<i64, 1> items, u64 seed) { shuffle<Twister32>(items, seed); }
static void shuffle_mt19937_64(Dense<i64, 1> items, u64 seed) { shuffle<Twister64>(items, seed); }
REGISTER(shuffle_mt19937)
REGISTER(shuffle_mt19937_64)
