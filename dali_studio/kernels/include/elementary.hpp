// Logarithm and cosine in double precision, good to a few units in the last place: rounded to a float they are the nearest one,
// but for a few in a billion. Written out because those of systems and of GPUs differ in their last bits. Without branches, so that
// loops become vectors.
#pragma once
#include "numbers.hpp"

HD i64 double_bits(double x) {
#if ON_DEVICE
  return __double_as_longlong(x);
#else
  return __builtin_bit_cast(i64, x);
#endif
}
HD double double_from(i64 bits) {
#if ON_DEVICE
  return __longlong_as_double(bits);
#else
  return __builtin_bit_cast(double, bits);
#endif
}

// The natural logarithm of a positive number that is not subnormal.
HD double logarithm(double x) {
  // x = m 2^k with m about 1; log m = 2 artanh s with s = (m - 1) / (m + 1)
  const i64 bits = double_bits(x), k = (bits - 0x3FE6A09E667F3BCDll) >> 52;
  const double m = double_from(bits - (i64)((u64)k << 52)), s = (m - 1) / (m + 1), z = s * s;
  double sum = 1 / 23.;
  sum = sum * z + 1 / 21., sum = sum * z + 1 / 19., sum = sum * z + 1 / 17., sum = sum * z + 1 / 15., sum = sum * z + 1 / 13.;
  sum = sum * z + 1 / 11., sum = sum * z + 1 / 9., sum = sum * z + 1 / 7., sum = sum * z + 1 / 5., sum = sum * z + 1 / 3.;
  const double turns = (double)(i32)k;  // log(2) in two parts, so that the first product is exact
  return turns * 0x1.62e42feep-1 + (2 * s + (2 * s * z * sum + turns * 0x1.a39ef35793c76p-33));
}

// The cosine of an angle from 0 to 2 pi, or a little beyond.
HD double cosine(double x) {
  // x = k pi / 2 + r with |r| <= pi / 4
  const i32 k = (i32)(x * 0.6366197723675814 + 0.5);
  const double r = (x - k * 0x1.921fb544p0) - k * 0x1.0b4611a626331p-34, z = r * r;
  double even = 1 / 20922789888000., odd = -1 / 1307674368000.;
  even = even * z - 1 / 87178291200., even = even * z + 1 / 479001600., even = even * z - 1 / 3628800., even = even * z + 1 / 40320.;
  even = even * z - 1 / 720., even = even * z + 1 / 24., even = even * z - 0.5;
  odd = odd * z + 1 / 6227020800., odd = odd * z - 1 / 39916800., odd = odd * z + 1 / 362880., odd = odd * z - 1 / 5040.;
  odd = odd * z + 1 / 120., odd = odd * z - 1 / 6.;
  const double c = even * z + 1, s = odd * (z * r) + r, made = k & 1 ? s : c;
  return (k + 1) & 2 ? -made : made;  // cos, -sin, -cos, sin
}

HD float square_root(float x) {
#if ON_DEVICE
  return sqrtf(x);
#else
  return __builtin_sqrtf(x);
#endif
}
HD double square_root(double x) {
#if ON_DEVICE
  return sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}

// a * b + c, of which the product is exact (Dekker) and the sum all but exact (Knuth), with or without an instruction for it.
HD double fused(double a, double b, double c) {
  const double product = a * b, wide_a = 134217729. * a, wide_b = 134217729. * b;
  const double a1 = wide_a - (wide_a - a), a2 = a - a1, b1 = wide_b - (wide_b - b), b2 = b - b1;
  const double error = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
  const double total = product + c, part = total - product;
  return total + (((product - (total - part)) + (c - part)) + error);
}
