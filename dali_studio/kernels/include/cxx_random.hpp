// Random engines of the C++ standard library, and how GNU's libstdc++ draws whole numbers from them.
#pragma once
#include "numbers.hpp"

// std::minstd_rand0, whose state is its latest number: 1 to MINSTD_MODULUS - 1.
constexpr i64 MINSTD_MODULUS = 2147483647;
HD i64 minstd_next(i64 state) { return state * 16807 % MINSTD_MODULUS; }

// uniform_int_distribution(0, size - 1) on std::minstd_rand0: scaling, with rejection. Moves the engine on.
HD i64 minstd_below(i64& engine, i64 size) {
  const i64 scale = (MINSTD_MODULUS - 2) / size;
  do engine = minstd_next(engine);
  while (engine - 1 >= size * scale);
  return (engine - 1) / scale;
}

// A word times a number: the upper half is uniform below that number, if the lower half is none of the first few (Lemire).
HD void multiply_words(u32 a, u32 b, u32& high, u32& low) {
  const u64 product = (u64)a * b;
  high = (u32)(product >> 32), low = (u32)product;
}
HD void multiply_words(u64 a, u64 b, u64& high, u64& low) {
#if ON_DEVICE
  high = __umul64hi(a, b);
#else
  high = (u64)((unsigned __int128)a * b >> 64);
#endif
  low = a * b;
}
// How many these first few are.
template <class W> HD W rejected_words(W size) { return (W)(0 - size) % size; }

// uniform_int_distribution(0, size - 1) on words over their whole range. `next` gives the engine's next word.
template <class W, class Next> HD W uniform_below(W size, Next&& next) {
  W high, low;
  multiply_words(next(), size, high, low);
  if (low < size)
    for (W few = rejected_words(size); low < few;) multiply_words(next(), size, high, low);
  return high;
}

// std::mt19937 and std::mt19937_64 (Matsumoto and Nishimura's Mersenne twister).
struct Twister32 {
  typedef u32 Word;
  static const int size = 624, middle = 397, down = 30, low_bits = 31;
  static const Word seeding = 1812433253u, matrix = 0x9908B0DFu;
  static HD Word tempered(Word x) {
    x ^= x >> 11;
    x ^= x << 7 & 0x9D2C5680u;
    x ^= x << 15 & 0xEFC60000u;
    return x ^ x >> 18;
  }
};
struct Twister64 {
  typedef u64 Word;
  static const int size = 312, middle = 156, down = 62, low_bits = 31;
  static const Word seeding = 6364136223846793005ull, matrix = 0xB5026F5AA96619E9ull;
  static HD Word tempered(Word x) {
    x ^= x >> 29 & 0x5555555555555555ull;
    x ^= x << 17 & 0x71D67FFFEDA60000ull;
    x ^= x << 37 & 0xFFF7EEE000000000ull;
    return x ^ x >> 43;
  }
};
template <class Kind> struct Twister {
  typedef typename Kind::Word Word;
  Word state[Kind::size];
  int used = Kind::size;

  HD explicit Twister(Word seed) {
    state[0] = seed;
    for (int i = 1; i < Kind::size; i++) state[i] = Kind::seeding * (state[i - 1] ^ state[i - 1] >> Kind::down) + i;
  }
  HD Word operator()() {
    if (used == Kind::size) renew();
    return Kind::tempered(state[used++]);
  }
  HD void renew() {
    const Word low = ((Word)1 << Kind::low_bits) - 1;
    for (int i = 0; i < Kind::size; i++) {
      const Word mixed = (state[i] & ~low) | (state[i + 1 < Kind::size ? i + 1 : 0] & low);
      const int other = i + Kind::middle;
      state[i] = state[other < Kind::size ? other : other - Kind::size] ^ mixed >> 1 ^ (mixed & 1 ? Kind::matrix : 0);
    }
    used = 0;
  }
};
