// The loop of `lz4.py`.
#include "../include/lz4.hpp"

#include <string.h>

#include "arguments.hpp"

// Copies of more than is asked for, where there is room: what is too much is overwritten.
struct Copies {
  const u8 *from_end, *to_end;
  void literals(u8* to, const u8* from, i64 count) const {
    if (count <= 16 && to_end - to >= 16 && from_end - from >= 16) memcpy(to, from, 16);
    else memcpy(to, from, count);
  }
  template <int WORD> void words(u8* to, i64 offset, i64 count) const {
    i64 i = 0;
    for (; i < count && to_end - to - i >= WORD; i += WORD) memcpy(to + i, to + i - offset, WORD);
    for (; i < count; i++) to[i] = to[i - offset];
  }
  void match(u8* to, i64 offset, i64 count) const {
    if (offset >= 16) words<16>(to, offset, count);
    else if (offset >= 8) words<8>(to, offset, count);
    else if (offset == 1) memset(to, to[-1], count);
    else words<1>(to, offset, count);
  }
};

// Chunks one after the other into equal parts of `out`. made: what each gives, or what is wrong with it.
static i64 inflate_lz4(Dense<const u8, 1> in, Dense<const i64, 1> begins, Dense<const i64, 1> sizes, Dense<u8, 1> out, Dense<i64, 1> made) {
  const i64 chunks = begins.shape[0], room = chunks ? out.shape[0] / chunks : 0;
  if (sizes.shape[0] != chunks || made.shape[0] != chunks || room * chunks != out.shape[0]) return MISFIT;
  for (i64 i = 0; i < chunks; i++) {
    const i64 begin = begins.data[i], size = sizes.data[i];
    if (begin < 0 || size < 0 || begin > in.shape[0] || size > in.shape[0] - begin) return MISFIT;
  }
  for (i64 i = 0; i < chunks; i++) {
    u8* to = out.data + i * room;
    const u8* from = in.data + begins.data[i];
    made.data[i] = decode_lz4(Copies{from + sizes.data[i], to + room}, from, sizes.data[i], to, room);
  }
  return 0;
}
REGISTER(inflate_lz4)
