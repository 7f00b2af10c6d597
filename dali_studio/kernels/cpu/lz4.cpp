// The loop of `lz4.py`.
#include "../include/lz4.hpp"

#include <string.h>

#include "arguments.hpp"

struct Copies {
  const u8* end;  // of the room
  void literals(u8* to, const u8* from, i64 count) const { memcpy(to, from, count); }
  void match(u8* to, i64 offset, i64 count) const {
    i64 i = 0;
    if (offset >= 16)  // more than is asked for, where there is room: it is overwritten
      for (; i < count && end - to - i >= 16; i += 16) memcpy(to + i, to + i - offset, 16);
    for (; i < count; i++) to[i] = to[i - offset];
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
    made.data[i] = decode_lz4(Copies{to + room}, in.data + begins.data[i], sizes.data[i], to, room);
  }
  return 0;
}
REGISTER(inflate_lz4)
