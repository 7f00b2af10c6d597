// The loop of `spans.py`.
#include <string.h>

#include "arguments.hpp"

// Fills the target with what lies from byte `begin` on where samples of `sizes` bytes are to lie: at `offsets`, which ascend.
static i64 copy_span(Array<const i64, 1> addresses, Array<const i64, 1> offsets, Array<const i64, 1> sizes, Dense<u8, 1> target,
                     i64 begin) {
  const i64 count = addresses.shape[0], end = begin + target.shape[0];
  if (offsets.shape[0] != count || sizes.shape[0] != count) return MISFIT;
  i64 i = 0;  // the first sample that ends behind `begin`
  for (i64 last = count; i < last;) {
    const i64 middle = (i + last) / 2;
    if (offsets(middle) + sizes(middle) > begin) last = middle;
    else i = middle + 1;
  }
  for (; i < count && offsets(i) < end; i++) {
    const i64 from = offsets(i) > begin ? offsets(i) : begin, behind = offsets(i) + sizes(i), to = behind < end ? behind : end;
    if (to > from) memcpy(target.data + (from - begin), (const char*)(u64)addresses(i) + (from - offsets(i)), (u64)(to - from));
  }
  return 0;
}
REGISTER(copy_span)
