// Normally distributed numbers: the cosine branch of Box and Muller's transform, of nvidia.dali's stream of random words
// (`core/random_stream.py`).
#pragma once
#include "elementary.hpp"
#include "philox.hpp"
#include "rounding.hpp"

// Type in which numbers for elements of type T are drawn and added: double for integers of 32 and 64 bits, too.
template <class T> struct Drawn { typedef f32 type; };
template <> struct Drawn<i32> { typedef f64 type; };
template <> struct Drawn<u32> { typedef f64 type; };
template <> struct Drawn<i64> { typedef f64 type; };
template <> struct Drawn<u64> { typedef f64 type; };
template <> struct Drawn<f64> { typedef f64 type; };

template <class R> HD R normal_of(R first, R second, R mean, R deviation) {
  const R a = first > 0 ? first : second > 0 ? second : (R)1e-30, b = first > 0 ? second : first;  // there is no logarithm of 0
  const R radius = square_root((R)-2 * (R)logarithm(a)), turn = (R)cosine((R)6.283185307179586 * b);
  return fused(radius * turn, deviation, mean);
}
// A number from two words, or from two pairs of words.
HD float normal(const u32 (&w)[2], float mean, float deviation) {
  return normal_of((float)w[0] * 0x1p-32f, (float)w[1] * 0x1p-32f, mean, deviation);
}
HD double normal(const u32 (&w)[4], float mean, float deviation) {
  const u64 first = w[0] | (u64)w[1] << 32, second = w[2] | (u64)w[3] << 32;
  return normal_of((double)first * 0x1p-64, (double)second * 0x1p-64, (double)mean, (double)deviation);
}

// An element with such a number added.
template <class T> HD T with_noise(T x, f32 noise) { return from_float<T>(to_float(x) + noise); }
template <class T> HD T with_noise(T x, f64 noise) { return Cast<T, f64>::of((f64)x + noise); }

template <class R> struct WordsOf { enum { count = 2 }; };
template <> struct WordsOf<f64> { enum { count = 4 }; };

// The numbers of a sample.
struct GaussianNoise {
  Stream stream;
  u64 high;
  float mean, deviation;

  // The number for one element.
  template <class R, bool PHASED> HD R at(u64 element) const {
    u32 words[WordsOf<R>::count];
    stream.draw<WordsOf<R>::count, PHASED>(high, element, words);
    return normal(words, mean, deviation);
  }
};
