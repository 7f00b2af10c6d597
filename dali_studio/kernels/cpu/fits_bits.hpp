// Bits of compressed images: `fits_tiles.cpp`, `fits_pyramid.cpp`.
#pragma once
#include "arguments.hpp"

// Bits of a piece of memory, the most significant one first; zeros follow its end, which `over` tells.
struct Bits {
  const u8 *at, *end;
  u64 held = 0;
  int count = 0;
  bool over = false;

  // Have at least 32 bits at hand.
  void fill() {
    for (; count <= 56; count += 8) {
      held |= at < end ? (u64)*at << (56 - count) : 0;
      at++;
    }
  }
  u32 take(int bits) {
    if (bits == 0) return 0;
    fill();
    const u32 value = (u32)(held >> (64 - bits));
    held <<= bits, count -= bits;
    over |= at - count / 8 > end;
    return value;
  }
  // How many zeros come before the next one, which is taken, too.
  u32 zeros() {
    u32 total = 0;
    for (fill(); held == 0 && !over; fill()) {
      total += (u32)count, count = 0;
      over = at >= end;
    }
    if (over) return 0;
    const int here = __builtin_clzll(held);
    held <<= here, held <<= 1, count -= here + 1;
    over |= count < 0 || at - count / 8 > end;
    return total + (u32)here;
  }
  // Pass over what is left of a byte.
  void align() { take(count & 7); }
};

// Where tiles lie in the data, and in the output, is looked at before anything is read.
inline bool within(Array<const i64, 1> starts, Array<const i64, 1> sizes, i64 total) {
  if (starts.shape[0] != sizes.shape[0]) return false;
  for (i64 t = 0; t < starts.shape[0]; t++)
    if (starts(t) < 0 || sizes(t) < 0 || sizes(t) > total - starts(t)) return false;
  return true;
}
