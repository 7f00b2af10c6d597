// The exponential function in double precision, good to about 2^-52 of its value. It is written out here because the ones of
// the systems' libraries differ in their last bits; rounded to a float it is what glibc's is, for every float given.
#pragma once
#include "numbers.hpp"

HD double exponential(double x) {
  if (!(x < 710)) return x * from_bits(0x7F800000);  // NaN stays
  if (x < -708) return 0;
  // x = k log(2) + r with |r| < 0.35; log(2) in two parts, so that the first product is exact
  const double turns = x * 1.4426950408889634, k = (double)(i64)(turns < 0 ? turns - 0.5 : turns + 0.5);
  const double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  double sum = 1 / 6227020800.;  // 1 / 13!
  const double more[] = {1 / 479001600., 1 / 39916800., 1 / 3628800., 1 / 362880., 1 / 40320., 1 / 5040.,
                         1 / 720.,       1 / 120.,      1 / 24.,      1 / 6.,      0.5};
  for (double factor : more) sum = sum * r + factor;
  sum = 1 + (r + r * r * sum);
  const i64 power = ((i64)k + 1023) << 52;  // the bits of 2^k
#if ON_DEVICE
  return sum * __longlong_as_double(power);
#else
  return sum * __builtin_bit_cast(double, power);
#endif
}
