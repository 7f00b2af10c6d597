// Coded data of progressive JPEG (ITU-T T.81, annexes C and G): its bits, and tables of its codes.
#pragma once
#include <string.h>

#include "../include/numbers.hpp"

// As a file has it: how many codes there are of 1 to 16 bits, and their symbols.
struct CodeTable {
  u8 counts[17], symbols[256];
};

// Codes for DC, or for a band of AC coefficients, whose runs of blocks without any more of them have codes of their own.
struct ScanCodes {
  enum { LOOK = 10 };
  enum { NO_MORE = 64 };  // run of zeros up to the end of as many blocks as the value says
  // By the next bits: how many are used (8 bits), run of zeros (8), value (16). If none are used, the value is not seen whole:
  // length of the code, and in place of the value its symbol; or 0 where the code itself is longer.
  u32 entries[1 << LOOK];
  i32 ends[17], starts[17];  // codes of each length, as the first 16 bits; what added to a code gives the place of its symbol
  CodeTable table;
  bool dc;

  // False for tables that make no sense.
  bool make(const CodeTable& from, bool for_dc) {
    table = from, dc = for_dc;
    memset(entries, 0, sizeof entries);
    for (int length = 1, code = 0, at = 0; length <= 16; length++, code *= 2) {
      starts[length] = at - code;
      for (int i = 0; i < table.counts[length]; i++, code++, at++) {
        if (at > 255 || code >= 1 << length || (dc && table.symbols[at] > 15)) return false;
        if (length <= LOOK) put(code, length, table.symbols[at]);
      }
      ends[length] = code << (16 - length);
    }
    return true;
  }

  // Bits that follow the code of a symbol.
  HD int follow(int symbol) const { return !dc && (symbol & 15) == 0 && symbol < 0xF0 ? symbol >> 4 : symbol & 15; }
  // What the symbol and these bits say: run of zeros and value, where an entry has them.
  HD u32 said(int symbol, int bits) const {
    int size = symbol & 15, run = symbol >> 4;
    if (!dc && size == 0 && run < 15) return (u32)((1 << run) + bits) << 16 | NO_MORE << 8;
    int value = size && bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits;
    return (u32)value << 16 | run << 8;
  }

  void put(int code, int length, int symbol) {
    u32* entry = entries + (code << (LOOK - length));
    int more = follow(symbol), left = LOOK - length - more;
    if (left < 0) {
      for (int i = 0; i < 1 << (LOOK - length); i++) entry[i] = (u32)symbol << 16 | length << 8;
      return;
    }
    for (int bits = 0; bits < 1 << more; bits++)
      for (int i = 0; i < 1 << left; i++) *entry++ = said(symbol, bits) | (length + more);
  }

  // Symbol and number that were not seen whole, as an entry that was; 0 if there is no such code.
  __attribute__((noinline)) u32 whole(u64 bits, u32 entry) const {
    int length = entry >> 8 & 255, symbol = entry >> 16;
    if (length == 0) {
      int next = (int)(bits >> 48);
      for (length = LOOK + 1; length <= 16 && next >= ends[length];) length++;
      if (length > 16) return 0;
      symbol = table.symbols[((next >> (16 - length)) + starts[length]) & 255];
    }
    int more = follow(symbol);
    return said(symbol, more ? (int)(bits << length >> (64 - more)) : 0) | (length + more);
  }
};

// The next bits of the data, first ones highest.
struct ScanBits {
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
    ScanBits copy = *this;  // else the numbers would not stay in registers
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
