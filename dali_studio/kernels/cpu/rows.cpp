// The loop of `rows.py`.
#include <string.h>

#include "arguments.hpp"

// Some rows of each sample, `bytes` each: from `starts` on, `counts` of the numbers in `picked` say which.
static i64 gather_rows(Array<const i64, 1> in, Array<const i64, 1> bytes, Array<const i64, 1> starts, Array<const i64, 1> counts,
                       Dense<const i64, 1> picked, Array<const i64, 1> out) {
  const i64 samples = in.shape[0];
  if (bytes.shape[0] != samples || starts.shape[0] != samples || counts.shape[0] != samples || out.shape[0] != samples) return MISFIT;
  for (i64 s = 0; s < samples; s++)
    if (starts(s) < 0 || counts(s) < 0 || starts(s) + counts(s) > picked.shape[0]) return MISFIT;
  for (i64 s = 0; s < samples; s++) {
    const char* from = (const char*)(u64)in(s);
    char* to = (char*)(u64)out(s);
    for (i64 k = 0; k < counts(s); k++, to += bytes(s)) memcpy(to, from + picked(starts(s) + k) * bytes(s), (u64)bytes(s));
  }
  return 0;
}
REGISTER_SHORT(gather_rows)

// For each piece of memory the number of the first one that has the same `bytes`; gives how many different ones there are.
static i64 alike_pieces(Array<const i64, 1> pieces, i64 bytes, Dense<i64, 1> which) {
  const i64 count = pieces.shape[0];
  if (which.shape[0] != count || bytes < 0) return MISFIT;
  i64 different = 0;
  for (i64 i = 0; i < count; i++) {
    which(i) = i;
    for (i64 k = 0; k < i && which(i) == i; k++)
      if (which(k) == k && !memcmp((const char*)(u64)pieces(k), (const char*)(u64)pieces(i), (u64)bytes)) which(i) = k;
    different += which(i) == i;
  }
  return different;
}
REGISTER_SHORT(alike_pieces)
