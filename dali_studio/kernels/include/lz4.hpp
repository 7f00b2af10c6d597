// Blocks of the format LZ4: sequences of literals and of copies of what was written before.
#pragma once
#include "numbers.hpp"

enum { LZ4_DAMAGED = -1, LZ4_TOO_LARGE = -2 };

// A length that four bits of a token begin, and, where they are all set, the bytes behind it go on with; LZ4_DAMAGED where the block ends before.
HD i64 lz4_length(i64 begun, const u8* from, i64 size, i64& at) {
  if (begun < 15) return begun;
  for (u8 more = 255; more == 255; begun += more) {
    if (at >= size) return LZ4_DAMAGED;
    more = from[at++];
  }
  return begun;
}

// The bytes that a block of `size` bytes gives, of which there is room for `room`: their number, or what is wrong with the block.
// `copy` has literals(to, from, count) and match(to, offset, count), which repeats what lies `offset` bytes before.
template <class COPY> HD i64 decode_lz4(const COPY& copy, const u8* from, i64 size, u8* to, i64 room) {
  i64 at = 0, made = 0;
  while (at < size) {
    const u8 token = from[at++];
    i64 count = lz4_length(token >> 4, from, size, at);
    if (count < 0 || count > size - at) return LZ4_DAMAGED;
    if (count > room - made) return LZ4_TOO_LARGE;
    copy.literals(to + made, from + at, count);
    at += count, made += count;
    if (at == size) return made;  // the last sequence copies nothing
    if (size - at < 2) return LZ4_DAMAGED;
    const i64 offset = from[at] | from[at + 1] << 8;
    at += 2;
    count = lz4_length(token & 15, from, size, at);
    if (count < 0 || offset == 0 || offset > made) return LZ4_DAMAGED;
    count += 4;
    if (count > room - made) return LZ4_TOO_LARGE;
    copy.match(to + made, offset, count);
    made += count;
  }
  return LZ4_DAMAGED;
}
