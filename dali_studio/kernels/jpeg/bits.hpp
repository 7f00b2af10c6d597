// Bits of the coded data of JPEG (ITU-T T.81, annexes C and F): a reservoir of 64 of them, and what Huffman codes are made of.
#pragma once
#include <string.h>

#include "../include/numbers.hpp"

// The value of a number of `size` bits.
HD int signed_value(int bits, int size) { return size && bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits; }

// As a file has it: how many codes there are of 1 to 16 bits, and their symbols.
struct HuffmanTable {
  u8 counts[17], symbols[256];
};

// The next bits of the data, first ones highest.
struct Bits {
  u64 bits;
  int count;  // how many there are; fewer than 0 when more were taken than there are
  const u8 *at, *end;

  HD int look(int size) const { return (int)(bits >> (64 - size)); }
  HD void drop(int size) { bits <<= size, count -= size; }
  // So that there are 56, or all up to a marker, with zeros behind them; false if that was passed.
  HD bool fill() {
    if (end - at >= 8 && count >= 0) {
      u64 next;
      memcpy(&next, at, 8);
      next = __builtin_bswap64(next);  // all platforms have their lowest byte first
      if (((~next - 0x0101010101010101ull) & next & 0x8080808080808080ull) == 0) {  // no byte is 0xFF
        bits |= next >> count;  // part of a byte more, which comes again
        at += (63 - count) >> 3, count |= 56;
        return true;
      }
    }
    Bits copy = *this;  // else the numbers would not stay in registers
    bool sound = copy.fill_slowly();
    *this = copy;
    return sound;
  }
  __attribute__((noinline)) bool fill_slowly() {
    if (count < 0) return false;
    while (count < 56 && at < end) {
      int more = 1;
      if (*at == 0xFF) {
        if (end - at < 2 || at[1] != 0) break;
        more = 2;
      }
      bits |= (u64)*at << (56 - count);
      at += more, count += 8;
    }
    return true;
  }
};
