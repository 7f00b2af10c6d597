// A library of its own, compiled for the lowest level of processor: it runs on each, and tells which of the others does.
#include "../include/numbers.hpp"
#include "visible.hpp"

// The level that this processor, and the system below us, have: 1, 3 or 4 of x86-64, 8 of arm64.
VISIBLE int dali_studio_level() {
#if defined(__x86_64__)
  u32 a, b, c, d;
  auto ask = [&](u32 leaf) { __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(leaf), "c"(0)); };
  auto all = [](u32 word, u32 bits) { return (word & bits) == bits; };
  ask(0);
  if (a < 7) return 1;
  ask(1);
  if (!all(c, 1u << 12 | 1u << 22 | 1u << 23 | 1u << 27 | 1u << 28 | 1u << 29)) return 1;  // FMA, MOVBE, POPCNT, OSXSAVE, AVX, F16C
  u32 saved, high;  // the registers that the system keeps for each process
  __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  ask(0x80000001);
  if (!all(saved, 6) || !all(c, 1u << 5)) return 1;  // LZCNT
  ask(7);
  if (!all(b, 1u << 3 | 1u << 5 | 1u << 8)) return 1;  // BMI1, AVX2, BMI2
  return all(b, 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31) && all(saved, 0xE6) ? 4 : 3;  // AVX-512 F, DQ, CD, BW, VL
#else
  return 8;
#endif
}
