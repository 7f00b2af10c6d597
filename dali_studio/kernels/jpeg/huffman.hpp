// Huffman codes of baseline JPEG (ITU-T T.81, annexes C and F), decoded faster than libjpeg does: a look into a table tells of one
// or two coefficients, their values and how many bits they take. What is damaged or unusual is refused.
#pragma once
#include "../include/jpeg.hpp"
#include "scan_codes.hpp"

// What the next bits mean, in fields of 64 bits: one coefficient, whose value is computed from its bits, and perhaps a second one,
// whose value is here, or the end of the block. Codes that the table does not hold have 0 there.
struct Token {
  u64 fields;
  HD u32 bits() const { return fields & 255; }              // used by all of it
  HD u32 advance() const { return fields >> 8 & 255; }      // coefficients, zeros included; END more at the end of a block
  HD u32 run() const { return fields >> 16 & 255; }         // zeros before the first value
  HD u32 length() const { return fields >> 24 & 63; }       // of the first code
  HD u32 shift() const { return fields >> 32 & 63; }        // 63 - bits of the first value
  HD u32 second() const { return fields >> 40 & 255; }      // where the second value belongs, counted as `advance` is
  HD i16 second_value() const { return (i16)(fields >> 48); }
  HD u32 size() const { return 63 - shift(); }
  HD bool ends() const { return advance() >= END; }
  // The first value, of the bits that are next.
  HD i32 value(u64 next) const {
    const u64 own = next << length();
    const i64 negative = (i64)~own >> 63;
    return (i32)((i64)((own ^ negative) >> 1 >> shift() ^ negative) - negative);
  }
  enum { END = 128 };
  enum { USUAL = 25 };  // bits that are left of 56 for any token
  static HD Token single(int length, int symbol, bool dc) {
    const u64 size = symbol & 15, run = symbol >> 4, end = !dc && size == 0 && run < 15;
    const u64 zeros = end || dc ? 0 : run;
    return {(length + size) | (end ? END : zeros + 1) << 8 | zeros << 16 | (u64)length << 24 | (63 - size) << 32 | (zeros + 1) << 40};
  }
};

// LOOK: bits that the table is looked up by.
template <int LOOK> struct Codes {
  u64 entries[1 << LOOK];
  i32 ends[17], starts[17];  // codes of each length, as the first 16 bits; what added to a code gives the place of its symbol
  CodeTable table;
  bool dc, made;  // zero at first

  // False for tables that make no sense; the library has refused them before. Most files have the tables of the one before.
  bool make(const CodeTable& from, bool for_dc) {
    if (made && dc == for_dc && memcmp(&table, &from, sizeof table) == 0) return true;
    table = from, dc = for_dc, made = false;
    memset(entries, 0, sizeof entries);
    for (int length = 1, code = 0, at = 0; length <= 16; length++, code *= 2) {
      starts[length] = at - code;
      for (int i = 0; i < table.counts[length]; i++, code++, at++) {
        if (at > 255 || code >= 1 << length || (dc && table.symbols[at] > 15)) return false;
        if (length > LOOK) continue;
        u64* places = entries + (code << (LOOK - length));
        const u64 token = Token::single(length, table.symbols[at], dc).fields;
        for (int i = 0; i < 1 << (LOOK - length); i++) places[i] = token;
      }
      ends[length] = code << (16 - length);
    }
    if (!dc) add_second();
    return made = true;
  }

  // Where the bits are enough for another code and its number, or for the end of the block.
  void add_second() {
    u64 singles[1 << LOOK];
    memcpy(singles, entries, sizeof singles);
    for (int i = 0; i < 1 << LOOK; i++) {
      const Token one{singles[i]};
      const int left = LOOK - (int)one.bits();
      if (!one.fields || one.ends() || left <= 0) continue;
      const Token two{singles[(i << one.bits()) & ((1 << LOOK) - 1)]};
      if (!two.fields || (int)two.bits() > left || (two.size() == 0 && !two.ends())) continue;
      const u64 bits = one.bits() + two.bits(), place = one.advance() + two.run();
      const u64 value = two.ends() ? 0 : (u16)two.value((u64)i << (64 - left));
      const u64 advance = one.advance() + two.advance();
      const u64 first = one.fields & 0xFFFFFF0000ull;  // run, length and shift
      entries[i] = bits | advance << 8 | first | place << 40 | value << 48;
    }
  }

  // Of one code of any length, or 0 if there is none like it.
  __attribute__((noinline)) Token whole(u64 next) const {
    const int first = (int)(next >> 48);
    int length = 1;
    while (length <= 16 && first >= ends[length]) length++;
    if (length > 16) return {0};
    return Token::single(length, table.symbols[((first >> (16 - length)) + starts[length]) & 255], dc);
  }
  HD Token look(u64 next) const {
    const Token token{entries[next >> (64 - LOOK)]};
    return __builtin_expect(token.fields == 0, 0) ? whole(next) : token;
  }
};
typedef Codes<9> DcCodes;
typedef Codes<10> AcCodes;

// Places in rows by the order of coding; beyond the last one there is a place that nobody reads.
struct Order {
  enum { BEHIND = 40 };  // how far entries may lead beyond the last coefficient
  u8 place[64 + BEHIND];
  constexpr Order() : place() {
    for (int k = 0; k < 64 + BEHIND; k++) place[k] = k < 64 ? ZIGZAG[k] : 64;
  }
};
constexpr Order ORDER;
typedef i16 RoomyBlock[72];  // a block, that place, and room up to the next one

// The next bits of coded data, first ones highest.
struct Bits {
  u64 bits;
  u32 count;  // how many there are
  const u8* at;
  // So that there are 56 at least.
  HD void fill() {
    u64 next;
    memcpy(&next, at, 8);
    bits |= __builtin_bswap64(next) >> count;  // all platforms have their lowest byte first; part of a byte comes again
    at += (63 - count) >> 3, count |= 56;
  }
  HD void drop(u32 size) { bits <<= size, count -= size; }
};

// Units of blocks that are coded together, one after the other. The data up to the next marker lies in memory without stuffing, as far
// as it is needed soon, and zeros follow it for as long as a unit may take.
struct Units {
  enum { BEHIND = 10 * 64 * 4 + 64 };  // bytes: no number takes more than 31 bits
  enum { PART = 8192, MAX_PART = 1 << 16 };  // bytes that are made ready at a time, at first and at most
  Bits next;
  u32 last[4];             // means of the components
  const u8 *from, *until;  // what is left of the file
  u8* memory;              // bytes for all of it, and BEHIND
  u8* end;
  const u8* enough;        // what units may begin at
  i64 part;
  u32 interval, left, marker;  // units between restarts, units up to the next, and its number

  void start(u8* room, u32 restart_interval) {
    memory = room, part = PART, interval = left = restart_interval, marker = 0;
    begin();
  }
  void begin() {
    memset(last, 0, sizeof last);
    next = {0, 0, memory}, end = memory;
    read_on();
  }
  __attribute__((noinline)) void read_on() {
    const u8* const stop_at = until - from > part ? from + part : until;
    bool more = true;
    while (more && from < stop_at) {
      const u8* stop = (const u8*)memchr(from, 0xFF, (u64)(stop_at - from));
      const bool stuffed = stop && until - stop >= 2 && stop[1] == 0;
      const i64 size = (stop ? stop + stuffed : stop_at) - from;
      memcpy(end, from, (u64)size);
      end += size, from += size + stuffed;
      more = stuffed || !stop;
    }
    memset(end, 0, BEHIND);
    enough = more && from < until ? end - BEHIND : end + BEHIND;
    part = least<i64>(2 * part, MAX_PART);
  }
  // Bits that have been taken beyond the end; those that are left are less than 0.
  HD i64 beyond() const { return 8 * (next.at - end) - (i64)next.count; }
  // False where a restart should be, and is not.
  HD bool unit_begins() {
    if (__builtin_expect(next.at > enough, 0)) read_on();
    return !interval || left-- > 0 || restart();
  }
  bool restart() {
    if (beyond() > 0 || beyond() <= -8 || until - from < 2 || from[0] != 0xFF || from[1] != 0xD0 + marker) return false;
    from += 2, left = interval - 1, marker = (marker + 1) & 7;
    begin();
    return true;
  }
  HD bool unit_ends() const { return beyond() <= 0; }
};

// The rest of a block from coefficient k on, one by one, where two at once would lead beyond its end.
template <int LOOK> __attribute__((noinline)) static bool finish_block(Bits& in, const Codes<LOOK>& ac, u32 k, i16* made) {
  while (k < 64) {
    in.fill();
    const Token token = ac.whole(in.bits);
    if (!token.fields) return false;
    if (made) made[ORDER.place[k + token.run()]] = (i16)token.value(in.bits);
    in.drop(token.bits());
    if (token.ends()) return true;
    k += token.advance();
    if (k > 64) return token.size() == 0;  // zeros are left out
  }
  return true;
}

enum BlockKind { DAMAGED, FLAT, DETAILED };  // FLAT: nothing but its mean
// The coefficients of a block, into one of zeros; where it STORES nothing it only finds the end. What takes more bits than there are
// is not noticed.
template <bool STORES> HD BlockKind decode_block(Bits& given, const DcCodes& dc, const AcCodes& ac, u32& last, i16* made) {
  Bits in = given;  // else they would not stay in registers
  in.fill();
  Token token = dc.look(in.bits);
  if (!token.fields) return DAMAGED;
  last += (u32)token.value(in.bits);
  in.drop(token.bits());
  if (STORES) made[0] = (i16)last;
  // The bits are enough for two tokens, but for long ones, which are rare; here one has been taken.
  int taken = token.bits() <= Token::USUAL;
  for (u32 k = 1;; taken = 0) {
    if (!taken) in.fill();
    for (; taken < 2; taken++) {
      token = ac.look(in.bits);
      if (!token.fields) return DAMAGED;
      const Bits before = in;
      if (STORES) {
        made[ORDER.place[k + token.run()]] = (i16)token.value(in.bits);
        made[ORDER.place[k + token.second()]] = token.second_value();
      }
      in.drop(token.bits());
      k += token.advance();
      if (k < 64) {
        if (token.bits() > Token::USUAL) break;
        continue;
      }
      if (k == 64 || (k >= Token::END && k < Token::END + 64)) {
        given = in;
        return k == Token::END + 1 ? FLAT : DETAILED;
      }
      given = before;
      return finish_block(given, ac, k - token.advance(), STORES ? made : nullptr) ? DETAILED : DAMAGED;
    }
  }
}
