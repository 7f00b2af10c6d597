// Numbers with a beta distribution, drawn as C++'s library of GNU draws those with a gamma distribution.
#pragma once
#include "philox.hpp"

#if ON_DEVICE
#define REAL_MATH(NAME, X) NAME(X)
#else
#define REAL_MATH(NAME, X) __builtin_##NAME(X)
#endif
HD float root_of(float x) { return REAL_MATH(sqrtf, x); }
HD double root_of(double x) { return REAL_MATH(sqrt, x); }
HD float log_of(float x) { return REAL_MATH(logf, x); }
HD double log_of(double x) { return REAL_MATH(log, x); }
HD float exp_of(float x) { return REAL_MATH(expf, x); }
HD double exp_of(double x) { return REAL_MATH(exp, x); }
#undef REAL_MATH

// Draws one after the other, from `at` on.
struct Draws {
  u64 key, high, at, block;
  u32 words[4];
  HD Draws(u64 key, u64 high, u64 at) : key(key), high(high), at(at), block(~0ull) {}
  HD u32 word() {
    if (at >> 2 != block) philox(block = at >> 2, high, key, words);
    return words[at++ & 3];
  }
  // From 0, below 1.
  template <class T> HD T unit() {
    if constexpr (sizeof(T) == 4) {
      return least((T)word() / (T)0x1p32, (T)0x1.fffffep-1);
    } else {
      const T low = word(), number = (low + (T)word() * (T)0x1p32) / (T)0x1p64;
      return least(number, (T)0x1.fffffffffffffp-1);
    }
  }
};

// Normal numbers come in pairs, of which the second is kept.
template <class T> struct Normals {
  bool has = false;
  T kept = 0;
  HD T next(Draws& draws) {
    if (has) return has = false, kept;
    T x, y, square;
    do {
      x = (T)(2.0 * draws.unit<T>() - 1.0);
      y = (T)(2.0 * draws.unit<T>() - 1.0);
      square = x * x + y * y;
    } while (square > 1 || square == 0);
    const T factor = root_of(-2 * log_of(square) / square);
    kept = x * factor, has = true;
    return y * factor;
  }
};

// The method of Marsaglia and Tsang, for shapes from 1 on; smaller ones take that of shape + 1.
template <class T> struct Gamma {
  T shape, offset, slope;
  Normals<T> normals;
  HD Gamma(T given) : shape(given), offset((given < 1 ? given + 1 : given) - (T)1 / (T)3), slope(1 / root_of(9 * offset)) {}
  // Of a shape from 1 on.
  HD T large(Draws& draws) {
    T normal, cube, u;
    do {
      do {
        normal = normals.next(draws);
        cube = 1 + slope * normal;
      } while (cube <= 0);
      cube = cube * cube * cube;
      u = draws.unit<T>();
    } while ((double)u > 1.0 - 0.0331 * normal * normal * normal * normal &&
             (double)log_of(u) > 0.5 * normal * normal + (double)offset * (1.0 - cube + log_of(cube)));
    return offset * cube;
  }
};

template <class T> struct Beta {
  Gamma<T> first, second;
  HD Beta(T alpha, T beta) : first(alpha), second(beta) {}

  HD T next(Draws& draws) {
    if (first.shape >= 1 || second.shape >= 1) {
      const T x = one(first, draws), y = one(second, draws);
      return x / (x + y);
    }
    // powers of small shapes would be 0: their logarithms are not
    T x = log_of(first.large(draws)), y = log_of(second.large(draws));
    x += log_of(1 - draws.unit<T>()) / first.shape;
    y += log_of(1 - draws.unit<T>()) / second.shape;
    const T largest = most(x, y);
    x = exp_of(x - largest), y = exp_of(y - largest);
    return x / (x + y);
  }

 private:
  HD static T one(Gamma<T>& gamma, Draws& draws) {
    const T large = gamma.large(draws);
    if (gamma.shape >= 1) return large;
    T u;
    do u = draws.unit<T>();
    while (u == 0);
    return exp_of(log_of(u) / gamma.shape) * large;
  }
};
