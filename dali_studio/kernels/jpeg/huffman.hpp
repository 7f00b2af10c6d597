// Huffman codes of baseline JPEG (ITU-T T.81, annexes C and F), decoded faster than libjpeg does: most coefficients take one
// look into a table, which gives the run of zeros, the value and the length of both. What is damaged or unusual is refused.
#pragma once
#include <string.h>

#include "../include/jpeg.hpp"

typedef i16 Block[64];

// The value of a number of `size` bits.
HD int signed_value(int bits, int size) { return size && bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits; }

// As a file has it: how many codes there are of 1 to 16 bits, and their symbols.
struct HuffmanTable {
  u8 counts[17], symbols[256];
};

struct Codes {
  enum { LOOK = 10 };
  enum { NO_MORE = 64 };  // run of zeros up to the end of a block
  // By the next bits: how many are used (8 bits), run of zeros (8), value (16). If none are used, the value is not seen whole:
  // length of the code, and in place of the value its symbol; or 0 where the code itself is longer.
  u32 entries[1 << LOOK];
  i32 ends[17], starts[17];  // codes of each length, as the first 16 bits; what added to a code gives the place of its symbol
  HuffmanTable table;
  bool dc, made;  // zero at first

  // False for tables that make no sense; the library has refused them before. Most files have the tables of the one before.
  bool make(const HuffmanTable& from, bool for_dc) {
    if (made && dc == for_dc && memcmp(&table, &from, sizeof table) == 0) return true;
    table = from, dc = for_dc, made = false;
    memset(entries, 0, sizeof entries);
    for (int length = 1, code = 0, at = 0; length <= 16; length++, code *= 2) {
      starts[length] = at - code;
      for (int i = 0; i < table.counts[length]; i++, code++, at++) {
        if (at > 255 || code >= 1 << length || (dc && table.symbols[at] > 15)) return false;
        if (length <= LOOK) put(code, length, table.symbols[at]);
      }
      ends[length] = code << (16 - length);
    }
    return made = true;
  }

  void put(int code, int length, int symbol) {
    u32* entry = entries + (code << (LOOK - length));
    int size = symbol & 15, run = symbol >> 4, left = LOOK - length - size;
    if (left < 0) {
      for (int i = 0; i < 1 << (LOOK - length); i++) entry[i] = (u32)symbol << 16 | length << 8;
      return;
    }
    if (!dc && size == 0 && run < 15) run = NO_MORE;
    for (int bits = 0; bits < 1 << size; bits++)
      for (int i = 0; i < 1 << left; i++) *entry++ = (u32)signed_value(bits, size) << 16 | run << 8 | (length + size);
  }
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

struct Huffman {
  enum { MAX_BLOCKS = 10, MAX_COMPONENTS = 4 };
  Bits bits;
  int blocks, component[MAX_BLOCKS];
  const Codes *dc[MAX_COMPONENTS], *ac[MAX_COMPONENTS];
  u32 last[MAX_COMPONENTS];
  u32 interval, left, marker;  // units between restarts, units up to the next, and its number
  Block unwanted;

  // Symbol and number that were not seen whole, as an entry that was; 0 if there is no such code.
  __attribute__((noinline)) static u64 whole(u64 bits, const Codes& codes, u32 entry) {
    int length = entry >> 8 & 255, symbol = entry >> 16;
    if (length == 0) {
      int next = (int)(bits >> 48);
      for (length = Codes::LOOK + 1; length <= 16 && next >= codes.ends[length];) length++;
      if (length > 16) return 0;
      symbol = codes.table.symbols[((next >> (16 - length)) + codes.starts[length]) & 255];
    }
    int size = symbol & 15, run = symbol >> 4;
    if (size == 0) return (u64)(!codes.dc && run < 15 ? Codes::NO_MORE : run) << 8 | length;
    int value = signed_value((int)(bits << length >> (64 - size)), size);
    return (u64)(u32)value << 16 | run << 8 | (length + size);
  }

  static bool block(Bits& given, const Codes& dc, const Codes& ac, u32& last, i16* made) {
    Bits in = given;
    if (!in.fill()) return false;
    u64 entry = dc.entries[in.look(Codes::LOOK)];
    i32 value = (i32)entry >> 16;
    if (!(entry & 255)) {
      if (!(entry = whole(in.bits, dc, entry))) return false;
      value = (i32)(entry >> 16);
    }
    in.drop(entry & 255);
    made[0] = (i16)(last += value);
    for (int k = 1; k < 64;) {
      if (!in.fill()) return false;
      int more = 56 / Codes::LOOK;  // coefficients that the bits last for, if they are seen whole
      entry = ac.entries[in.look(Codes::LOOK)];
      value = (i32)entry >> 16;
      if (!(entry & 255)) {
        if (!(entry = whole(in.bits, ac, entry))) return false;
        value = (i32)(entry >> 16);
        more = 1 + (56 - 31) / Codes::LOOK;
      }
      for (;;) {
        in.drop(entry & 255);
        k += entry >> 8 & 255;
        if (k > 63) {  // usually the end of the block
          if (value != 0) return false;
          break;
        }
        made[ZIGZAG[k]] = (i16)value;
        if (++k > 63 || --more == 0) break;
        entry = ac.entries[in.look(Codes::LOOK)];
        value = (i32)entry >> 16;
        if (!(entry & 255)) break;
      }
    }
    given = in;
    return true;
  }

  // The coefficients of a unit, into blocks of zeros; without blocks it is left out. False if something is wrong.
  bool unit(Block** made) {
    if (interval && left-- == 0) {
      if (bits.count < 0 || bits.count > 7 || bits.end - bits.at < 2 || bits.at[0] != 0xFF || bits.at[1] != 0xD0 + marker) return false;
      bits.at += 2, bits.bits = 0, bits.count = 0;
      memset(last, 0, sizeof last);
      left = interval - 1, marker = (marker + 1) & 7;
    }
    Bits in = bits;
    for (int i = 0; i < blocks; i++) {
      int c = component[i];
      if (!block(in, *dc[c], *ac[c], last[c], made ? *made[i] : unwanted)) return false;
    }
    bits = in;
    return in.count >= 0;
  }
};
