// The accurate inverse transform (`dct.hpp`) as libjpeg-turbo's SIMD code computes it, which keeps 16 bits between its steps: the same
// levels, also where damaged files have coefficients that no picture gives.
#pragma once
#include "../include/dct.hpp"
#include "lanes.hpp"

// A half of the lanes: what belongs to it of x2 with x6, of x7 with x1, of x5 with x3, of z3 with z4, and of zeros with both sums of
// x0 and x4.
template <int SHIFT> HD void transform_half(Shorts x26, Shorts x71, Shorts x53, Shorts z34, Shorts sum, Shorts difference, Longs (&out)[8]) {
  const Longs half = (Longs)(1 << (SHIFT - 1));
  const Longs a = (__builtin_bit_cast(Longs, sum) >> (16 - FACTOR_BITS)) + half;
  const Longs b = (__builtin_bit_cast(Longs, difference) >> (16 - FACTOR_BITS)) + half;
  const Longs low = pair_sums<F0_541, F0_541 - F1_847>(x26), high = pair_sums<F0_541 + F0_765, F0_541>(x26);
  const Longs even[4] = {a + high, b + low, b - low, a - high};
  const Longs z3 = pair_sums<F1_175 - F1_961, F1_175>(z34), z4 = pair_sums<F1_175, F1_175 - F0_390>(z34);
  const Longs odd[4] = {pair_sums<-F0_899, F1_501 - F0_899>(x71) + z4, pair_sums<-F2_562, F3_072 - F2_562>(x53) + z3,
                        pair_sums<F2_053 - F2_562, -F2_562>(x53) + z4, pair_sums<F0_298 - F0_899, -F0_899>(x71) + z3};
  for (int i = 0; i < 4; i++) out[i] = (even[i] + odd[i]) >> SHIFT, out[7 - i] = (even[i] - odd[i]) >> SHIFT;
}

// One dimension, over eight vectors.
template <int SHIFT> HD void transform_lines(Shorts (&x)[8]) {
  const Shorts zero = 0, sum = x[0] + x[4], difference = x[0] - x[4], z3 = x[7] + x[3], z4 = x[5] + x[1];
  Longs low[8], high[8];
  transform_half<SHIFT>(low_of(x[2], x[6]), low_of(x[7], x[1]), low_of(x[5], x[3]), low_of(z3, z4), low_of(zero, sum),
                        low_of(zero, difference), low);
  transform_half<SHIFT>(high_of(x[2], x[6]), high_of(x[7], x[1]), high_of(x[5], x[3]), high_of(z3, z4), high_of(zero, sum),
                        high_of(zero, difference), high);
  for (int i = 0; i < 8; i++) x[i] = saturated(low[i], high[i]);
}

template <class To, class From> HD To seen_as(From v) { return __builtin_bit_cast(To, v); }

HD void transpose_blocks(Shorts (&x)[8]) {
  Longs words[8];
  Pairs pairs[8];
  for (int i = 0; i < 8; i += 2) words[i] = seen_as<Longs>(low_of(x[i], x[i + 1])), words[i + 1] = seen_as<Longs>(high_of(x[i], x[i + 1]));
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; k++) {
      pairs[i + 2 * k] = seen_as<Pairs>(low_of(words[i + k], words[i + k + 2]));
      pairs[i + 2 * k + 1] = seen_as<Pairs>(high_of(words[i + k], words[i + k + 2]));
    }
  for (int i = 0; i < 4; i++) {
    x[2 * i] = seen_as<Shorts>(low_of(pairs[i], pairs[i + 4]));
    x[2 * i + 1] = seen_as<Shorts>(high_of(pairs[i], pairs[i + 4]));
  }
}

// Eight columns of blocks, as rows of two each.
HD void rows_of_levels(const Shorts (&x)[8], Pairs (&rows)[4]) {
  const Levels a = saturated(x[0], x[2]), b = saturated(x[1], x[3]), c = saturated(x[4], x[6]), d = saturated(x[5], x[7]);
  const Shorts p = seen_as<Shorts>(low_of(a, b)), q = seen_as<Shorts>(high_of(a, b));
  const Shorts r = seen_as<Shorts>(low_of(c, d)), s = seen_as<Shorts>(high_of(c, d));
  const Longs left[2] = {seen_as<Longs>(low_of(p, q)), seen_as<Longs>(high_of(p, q))};
  const Longs right[2] = {seen_as<Longs>(low_of(r, s)), seen_as<Longs>(high_of(r, s))};
  for (int i = 0; i < 4; i++) rows[i] = seen_as<Pairs>(i & 1 ? high_of(left[i / 2], right[i / 2]) : low_of(left[i / 2], right[i / 2]));
}

typedef Vector<i16, 8> Row;
struct Place {  // of a block's levels
  u8* levels;
  i64 pitch;
};

// Blocks of coefficients become levels. `steps` are what to multiply with, in rows.
HD void transform_blocks(const i16* const* blocks, const Shorts (&steps)[8], const Place* places) {
  Shorts x[8];
  for (int i = 0; i < 8; i++) {
    struct { Row rows[BLOCKS]; } row;
    for (int b = 0; b < BLOCKS; b++) row.rows[b] = read<Row>(blocks[b] + 8 * i);
    x[i] = __builtin_bit_cast(Shorts, row) * steps[i];
  }
  // where there is nothing but the first row, its numbers are cut and not saturated
  Shorts below = x[1] | x[2] | x[3] | x[4] | x[5] | x[6] | x[7], wide = (x[0] + 0x2000) & (i16)0xC000;
  if (__builtin_reduce_or(wide)) {
    struct { Row rows[BLOCKS]; } first = __builtin_bit_cast(decltype(first), x[0]), rest = __builtin_bit_cast(decltype(rest), below);
    for (int b = 0; b < BLOCKS; b++)
      if (!__builtin_reduce_or(rest.rows[b])) first.rows[b] = (first.rows[b] * 4) >> 2;
    x[0] = __builtin_bit_cast(Shorts, first);
  }
  transform_lines<FACTOR_BITS - PASS_BITS>(x);
  transpose_blocks(x);
  transform_lines<FACTOR_BITS + PASS_BITS + 3>(x);
  Pairs rows[4];
  rows_of_levels(x, rows);
  for (int i = 0; i < 4; i++) {
    const auto bytes = seen_as<Vector<u8, 16 * BLOCKS>>(rows[i]) ^ (u8)128;
    const char* from = (const char*)&bytes;
    for (int b = 0; b < BLOCKS; b++) {
      memcpy(places[b].levels + (2 * i) * places[b].pitch, from + 16 * b, 8);
      memcpy(places[b].levels + (2 * i + 1) * places[b].pitch, from + 16 * b + 8, 8);
    }
  }
}

// A block of nothing but a mean.
HD void fill_block(i16 mean, i16 step, const Place& place) {
  const i32 both = (i16)((i16)(mean * step) * 4), level = (both + 16) >> 5;
  const u64 row = (u64)(u8)(between(level, -128, 127) + 128) * 0x0101010101010101ull;
  for (int i = 0; i < 8; i++) memcpy(place.levels + i * place.pitch, &row, 8);
}
