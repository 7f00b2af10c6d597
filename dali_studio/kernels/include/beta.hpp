// Numbers of the beta distribution as nvidia.dali draws them: from two of std::gamma_distribution<R> of GNU's libstdc++ (Marsaglia and
// Tsang, "A simple method for generating gamma variables", 2000), R float or double. `next` gives the engine's next word.
#pragma once
#include "elementary.hpp"
#include "exponential.hpp"
#include "random_stream.hpp"

template <class R> struct Gamma {
  R alpha, least, first, second;
  PolarNormal<R> normal;

  HD explicit Gamma(R alpha) : alpha(alpha), least(alpha < 1 ? alpha + 1 : alpha) {
    first = least - (R)1 / (R)3;
    second = (R)1 / square_root((R)9 * first);
  }
  template <class Next> HD R operator()(Next& next) {
    while (true) {
      R n, v;
      do n = normal(next), v = 1 + second * n;
      while (!(v > 0));
      v = v * v * v;
      R u = unit_of<R>(next);
      if (u > 1 - 0.0331 * n * n * n * n && u > 0 &&
          (R)logarithm(u) > 0.5 * n * n + first * (1. - v + (R)logarithm(v)))
        continue;
      if (!(alpha < least)) return first * v;
      do u = unit_of<R>(next);
      while (!(u > 0));
      return (R)exponential(logarithm(u) * (double)((R)1 / alpha)) * first * v;
    }
  }
};

// Below 1, both parameters are taken one higher, and the numbers are scaled in logarithms, where they do not vanish.
template <class R> struct Beta {
  R ratio, beta;
  bool small;
  Gamma<R> a, b;

  HD Beta(R alpha, R beta)
      : ratio(beta / alpha), beta(beta), small(alpha < 1 && beta < 1), a(small ? alpha + 1 : alpha), b(small ? beta + 1 : beta) {}
  template <class Next> HD R operator()(Next& next) {
    R x = a(next), y = b(next);
    if (small) {
      const R p = (R)logarithm(1 - unit_of<R>(next)) * ratio, q = (R)logarithm(1 - unit_of<R>(next));
      if (p < q) x = x * (R)exponential((p - q) / beta);
      else y = y * (R)exponential((q - p) / beta);
    }
    return x / (x + y);
  }
};
