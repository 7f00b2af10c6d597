// The loop of `join.py`.
#include <string.h>

#include "arguments.hpp"

// Of each sample, `rows` times: `bytes` of every source in turn. Sources are rows of the tables, samples are columns.
static i64 join_batch(Array<const i64, 2> sources, Array<const i64, 2> bytes, Array<const i64, 1> rows, Array<const i64, 1> out) {
  const i64 count = sources.shape[0], samples = sources.shape[1];
  if (bytes.shape[0] != count || bytes.shape[1] != samples || rows.shape[0] != samples || out.shape[0] != samples) return MISFIT;
  for (i64 i = 0; i < samples; i++) {
    i64 pitch = 0;
    for (i64 k = 0; k < count; k++) pitch += bytes(k, i);
    char* to = (char*)(u64)out(i);
    for (i64 k = 0; k < count; k++) {
      const char* from = (const char*)(u64)sources(k, i);
      const i64 length = bytes(k, i);
      for (i64 row = 0; row < rows(i); row++) memcpy(to + row * pitch, from + row * length, (u64)length);
      to += length;
    }
  }
  return 0;
}
REGISTER(join_batch)
