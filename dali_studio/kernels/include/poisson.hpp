// std::poisson_distribution<uint32_t> of GNU's libstdc++, on words over their whole range: below a mean of 12 uniform numbers are
// multiplied, from there on candidates are rejected (Devroye, "Non-Uniform Random Variate Generation", 1986, chapter X.3, with its
// errata). `next` gives the engine's next word.
#pragma once
#include "elementary.hpp"
#include "exponential.hpp"
#include "random_stream.hpp"
#include "rounding.hpp"

// The logarithm of n!, good to about 2^-50.
HD double log_factorial(double n) {
  const double small[] = {0, 0, 0.6931471805599453, 1.791759469228055, 3.1780538303479458, 4.787491742782046, 6.579251212010101,
                          8.525161361065415, 10.60460290274525, 12.801827480081469, 15.104412573075516, 17.502307845873887};
  if (n < 12) return small[(i32)n];
  const double z = n + 1, r = 1 / z, s = r * r;  // Stirling's series
  const double rest = r * (1 / 12. - s * (1 / 360. - s * (1 / 1260. - s * (1 / 1680. - s * (1 / 1188. - s * (691 / 360360.))))));
  return (z - 0.5) * logarithm(z) - z + 0.9189385332046727 + rest;
}

HD double whole_below(double x) {
  const double cut = (double)(i64)x;
  return cut > x ? cut - 1 : cut;
}
HD double whole_above(double x) { return -whole_below(-x); }

// What numbers of one mean have in common.
struct Poisson {
  double mean, threshold, factorial, root, width, scale, share, right, tail;
  enum { LARGE = 12 };
  enum : u64 { MOST = 0x100000000 };  // from there on nothing would be accepted; and no integer of 64 bits holds all means

  HD Poisson() {}
  HD explicit Poisson(double given) : mean(given) {
    if (mean < LARGE) {
      threshold = exponential(-mean);
      return;
    }
    if (!(mean < MOST)) return;
    const double quarter = 0.7853981633974483, m = whole_below(mean);
    threshold = logarithm(mean);
    factorial = log_factorial(m);
    root = square_root(m);
    const double reach = square_root(2 * m * logarithm(32 * m / quarter));
    width = whole_below(most(6., least(m, reach)) + 0.5);
    const double sum = 2 * m + width;
    scale = square_root(sum / 2);
    share = 1 / sum;
    right = square_root(quarter * sum) * exponential(share);
    tail = 2 * sum * exponential(-width * share * (1 + width / 2)) / width;
  }

  template <class Next> HD u32 operator()(Next& next) const {
    if (mean < LARGE) {
      double product = 1;
      u32 drawn = 0;
      do product *= unit_of<double>(next), drawn++;
      while (product > threshold);
      return drawn - 1;
    }
    if (!(mean < MOST)) return 0xFFFFFFFFu;
    const double m = whole_below(mean), below_half = (1 - 0x1p-52) / 2, beyond = 4294967295. + below_half;
    const double c1 = root * 1.2533141373155003, c2 = right + c1, c3 = c2 + 1, c4 = c3 + 1, c5 = c4 + 1.0129030479320018;
    const double all = tail + c5;
    PolarNormal<double> normal;
    while (true) {
      const double u = all * unit_of<double>(next), e = -logarithm(1 - unit_of<double>(next));
      double x, w = 0;
      if (u <= c1) {
        const double n = normal(next), y = -magnitude_of(n) * root - 1;
        x = whole_below(y), w = -n * n / 2;
        if (x < -m) continue;
      } else if (u <= c2) {
        const double n = normal(next), y = 1 + magnitude_of(n) * scale;
        x = whole_above(y), w = y * (2 - y) * share;
        if (x > width) continue;
      } else if (u <= c3) {
        x = -1;
      } else if (u <= c4) {
        x = 0;
      } else if (u <= c5) {
        x = 1, w = 0.01282051282051282;
      } else {
        const double v = -logarithm(1 - unit_of<double>(next)), y = width + v * (2 * (2 * m + width)) / width;
        x = whole_above(y), w = -width * share * (1 + y / 2);
      }
      if (!(w - e - x * threshold > factorial - log_factorial(x + m)) && x + m < beyond) return (u32)(x + m + below_half);
    }
  }
};
