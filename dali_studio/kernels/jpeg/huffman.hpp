// Huffman codes of baseline JPEG (ITU-T T.81, annexes C and F), decoded faster than libjpeg does: most coefficients take one
// look into a table, which gives the run of zeros, the value and the length of both. What is damaged or unusual is refused.
#pragma once
#include "../include/jpeg.hpp"
#include "bits.hpp"

typedef i16 Block[64];

struct Codes {
  enum { LOOK = 10 };
  enum { NO_MORE = 64 };  // run of zeros up to the end of a block, or of as many blocks as the value says
  enum Kind { DC, AC, BAND };  // BAND: of AC coefficients in progressive files
  // By the next bits: how many are used (8 bits), run of zeros (8), value (16). If none are used, the value is not seen whole:
  // length of the code, and in place of the value its symbol; or 0 where the code itself is longer.
  u32 entries[1 << LOOK];
  i32 ends[17], starts[17];  // codes of each length, as the first 16 bits; what added to a code gives the place of its symbol
  HuffmanTable table;
  Kind kind;
  bool made;  // false at first

  // False for tables that make no sense; the library has refused them before. Most files have the tables of the one before.
  bool make(const HuffmanTable& from, Kind wanted) {
    if (made && kind == wanted && memcmp(&table, &from, sizeof table) == 0) return true;
    table = from, kind = wanted, made = false;
    memset(entries, 0, sizeof entries);
    for (int length = 1, code = 0, at = 0; length <= 16; length++, code *= 2) {
      starts[length] = at - code;
      for (int i = 0; i < table.counts[length]; i++, code++, at++) {
        if (at > 255 || code >= 1 << length || (kind == DC && table.symbols[at] > 15)) return false;
        if (length <= LOOK) put(code, length, table.symbols[at]);
      }
      ends[length] = code << (16 - length);
    }
    return made = true;
  }

  // Bits that follow the code of a symbol.
  HD int follow(int symbol) const { return kind == BAND && (symbol & 15) == 0 && symbol < 0xF0 ? symbol >> 4 : symbol & 15; }
  // What the symbol and these bits say: run of zeros and value, where an entry has them.
  HD u64 said(int symbol, int bits) const {
    int size = symbol & 15, run = symbol >> 4;
    if (kind == DC || size > 0 || run == 15) return (u64)(u32)signed_value(bits, size) << 16 | run << 8;
    return (kind == BAND ? (u64)((1 << run) + bits) << 16 : 0) | NO_MORE << 8;
  }

  void put(int code, int length, int symbol) {
    u32* entry = entries + (code << (LOOK - length));
    int more = follow(symbol), left = LOOK - length - more;
    if (left < 0) {
      for (int i = 0; i < 1 << (LOOK - length); i++) entry[i] = (u32)symbol << 16 | length << 8;
      return;
    }
    for (int bits = 0; bits < 1 << more; bits++)
      for (int i = 0; i < 1 << left; i++) *entry++ = (u32)said(symbol, bits) | (length + more);
  }

  // Symbol and number that were not seen whole, as an entry that was; 0 if there is no such code.
  __attribute__((noinline)) u64 whole(u64 bits, u32 entry) const {
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

struct Huffman {
  enum { MAX_BLOCKS = 10, MAX_COMPONENTS = 4 };
  Bits bits;
  int blocks, component[MAX_BLOCKS];
  const Codes *dc[MAX_COMPONENTS], *ac[MAX_COMPONENTS];
  u32 last[MAX_COMPONENTS];
  u32 interval, left, marker;  // units between restarts, units up to the next, and its number
  Block unwanted;

  static bool block(Bits& given, const Codes& dc, const Codes& ac, u32& last, i16* made) {
    Bits in = given;
    if (!in.fill()) return false;
    u64 entry = dc.entries[in.look(Codes::LOOK)];
    i32 value = (i32)entry >> 16;
    if (!(entry & 255)) {
      if (!(entry = dc.whole(in.bits, entry))) return false;
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
        if (!(entry = ac.whole(in.bits, entry))) return false;
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
