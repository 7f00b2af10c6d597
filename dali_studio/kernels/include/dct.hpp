// The accurate integer transforms of libjpeg (jfdctint, jidctint), after Loeffler, Ligtenberg and Moschytz, 1989: eight numbers
// each. V is an integer of 32 bits, or a vector of them. Sources: ITU-T T.81, and what libjpeg-turbo gives.
#pragma once
#include "numbers.hpp"

// Factors times 2^13.
constexpr i32 F0_298 = 2446, F0_390 = 3196, F0_541 = 4433, F0_765 = 6270, F0_899 = 7373, F1_175 = 9633, F1_501 = 12299;
constexpr i32 F1_847 = 15137, F1_961 = 16069, F2_053 = 16819, F2_562 = 20995, F3_072 = 25172;
// Bits that numbers keep between the two passes over a block.
enum { PASS_BITS = 2, FACTOR_BITS = 13 };

template <int BITS, class V> HD V descaled(V x) { return (x + (1 << (BITS - 1))) >> BITS; }

// The odd half that both transforms share: sums of four numbers, weighed.
template <class V> HD void rotate_odd(V (&t)[4], V z1, V z2, V z3, V z4) {
  const V z5 = (z3 + z4) * F1_175;
  z1 = z1 * -F0_899, z2 = z2 * -F2_562, z3 = z3 * -F1_961 + z5, z4 = z4 * -F0_390 + z5;
  t[0] = t[0] * F0_298 + z1 + z3;
  t[1] = t[1] * F2_053 + z2 + z4;
  t[2] = t[2] * F3_072 + z2 + z3;
  t[3] = t[3] * F1_501 + z1 + z4;
}

// Forward. The first pass keeps PASS_BITS, the second takes them away; a block comes out 8 times too large.
template <bool FIRST, class V> HD void forward_dct(V (&x)[8]) {
  const V s0 = x[0] + x[7], s1 = x[1] + x[6], s2 = x[2] + x[5], s3 = x[3] + x[4];
  V odd[4] = {x[3] - x[4], x[2] - x[5], x[1] - x[6], x[0] - x[7]};
  const V a = s0 + s3, b = s1 + s2, c = s1 - s2, d = s0 - s3, z = (c + d) * F0_541;
  enum { BITS = FIRST ? FACTOR_BITS - PASS_BITS : FACTOR_BITS + PASS_BITS };
  if (FIRST) x[0] = (a + b) * (1 << PASS_BITS), x[4] = (a - b) * (1 << PASS_BITS);
  else x[0] = descaled<PASS_BITS>(a + b), x[4] = descaled<PASS_BITS>(a - b);
  x[2] = descaled<BITS>(z + d * F0_765);
  x[6] = descaled<BITS>(z - c * F1_847);
  rotate_odd(odd, odd[0] + odd[3], odd[1] + odd[2], odd[0] + odd[2], odd[1] + odd[3]);
  x[7] = descaled<BITS>(odd[0]), x[5] = descaled<BITS>(odd[1]), x[3] = descaled<BITS>(odd[2]), x[1] = descaled<BITS>(odd[3]);
}

// Back. The second pass gives the numbers that the transform began with.
template <bool FIRST, class V> HD void inverse_dct(V (&x)[8]) {
  const V z = (x[2] + x[6]) * F0_541, low = z - x[6] * F1_847, high = z + x[2] * F0_765;
  const V sum = (x[0] + x[4]) * (1 << FACTOR_BITS), difference = (x[0] - x[4]) * (1 << FACTOR_BITS);
  const V even[4] = {sum + high, difference + low, difference - low, sum - high};
  V odd[4] = {x[7], x[5], x[3], x[1]};
  rotate_odd(odd, x[7] + x[1], x[5] + x[3], x[7] + x[3], x[5] + x[1]);
  enum { BITS = FIRST ? FACTOR_BITS - PASS_BITS : FACTOR_BITS + PASS_BITS + 3 };
  for (int i = 0; i < 4; i++) {
    x[i] = descaled<BITS>(even[i] + odd[3 - i]);
    x[7 - i] = descaled<BITS>(even[i] - odd[3 - i]);
  }
}
