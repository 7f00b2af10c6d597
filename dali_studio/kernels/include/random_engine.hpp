// The random words of a sample, one after another (`core/random_stream.py`), and numbers that GNU's libstdc++ draws from such an
// engine.
#pragma once
#include "cxx_random.hpp"
#include "philox.hpp"

struct SampleEngine {
  u64 key, high, block = 0;
  u32 words[4] = {};
  int used = 4;

  HD SampleEngine(const Stream& stream, u64 place) : key(stream.key), high(place), block(stream.low) {
    if (stream.phase) philox(block++, high, key, words), used = stream.phase;
  }
  // From the words of an element on.
  HD SampleEngine(const Stream& stream, u64 place, u64 element) : key(stream.key), high(place) {
    const u64 position = element * ELEMENT_STRIDE + (u64)stream.phase;
    block = stream.low + (position >> 2);
    if (position & 3) philox(block++, high, key, words), used = (int)(position & 3);
  }
  HD u32 operator()() {
    if (used == 4) philox(block++, high, key, words), used = 0;
    return words[used++];
  }
};

// std::uniform_real_distribution(0, 1): 32 random bits for a float, 64 for a double.
HD float unit_float(SampleEngine& engine) { return least((float)engine() * 0x1p-32f, 0x1.fffffep-1f); }
HD double unit_double(SampleEngine& engine) {
  const double low = (double)engine(), sum = low + (double)engine() * 0x1p32;
  return least(sum * 0x1p-64, 0x1.fffffffffffffp-1);
}
HD float uniform_float(SampleEngine& engine, float low, float high) { return unit_float(engine) * (high - low) + low; }

// std::uniform_int_distribution(low, high), whatever the type.
HD i64 uniform_whole(SampleEngine& engine, i64 low, i64 high) {
  const u64 range = (u64)high - (u64)low, word = 0xFFFFFFFFull;
  auto below = [&](u64 most) { return most < word ? (u64)uniform_below((u32)most + 1, engine) : (u64)engine(); };
  if (range <= word) return (i64)((u64)low + below(range));
  u64 upper, value;
  do upper = below(range >> 32) << 32, value = upper + engine();
  while (value > range || value < upper);
  return (i64)((u64)low + value);
}

// std::shuffle of a few items: two positions from one word.
template <int N> HD void shuffle_few(SampleEngine& engine, int (&items)[N]) {
  auto exchange = [&](int i, int k) {
    const int kept = items[i];
    items[i] = items[k], items[k] = kept;
  };
  int i = 1;
  if (N % 2 == 0) exchange(1, (int)uniform_below(2u, engine)), i = 2;
  for (; i < N; i += 2) {
    const int both = (int)uniform_below((u32)((i + 1) * (i + 2)), engine);
    exchange(i, both / (i + 2)), exchange(i + 1, both % (i + 2));
  }
}
