// Loops of `lookup.py`.
#include "../include/lookup.hpp"

#include "arguments.hpp"

// O has the width of the values: none is looked at.
template <class I, class O> static i64 look_up(Dense<const I, 1> src, Dense<O, 1> out, Dense<const O, 1> table) {
  const i64 count = src.shape[0];
  if (out.shape[0] != count || table.shape[0] != TABLE_KEYS + 1) return MISFIT;
  for (i64 i = 0; i < count; i++) out.data[i] = table.data[place_in_table(src.data[i])];
  return 0;
}
typedef Types<u8, i8, u16, i16, u32, i32, u64, i64> LookUpInputs;
typedef Types<u8, u16, u32, u64> LookUpOutputs;
REGISTER_PAIRS(look_up, LookUpInputs, LookUpOutputs)

// Each channel of (pixels, channels) by itself.
static i64 equalize(Dense<const u8, 2> src, Dense<u8, 2> out) {
  const i64 count = src.shape[0], channels = src.shape[1];
  if (out.shape[0] != count || out.shape[1] != channels) return MISFIT;
  if (count >= 1ll << 32) return MISFIT;
  for (i64 c = 0; c < channels; c++) {
    u32 counts[4][256] = {};  // equal neighbours count in different tables, so that none waits for the other
    const u8* from = src.data + c;
    i64 i = 0;
    for (; i + 4 <= count; i += 4)
      for (int k = 0; k < 4; k++) counts[k][from[(i + k) * channels]]++;
    for (; i < count; i++) counts[0][from[i * channels]]++;
    for (int k = 0; k < 256; k++) counts[0][k] += counts[1][k] + counts[2][k] + counts[3][k];
    u8 table[256];
    equalizing_table(counts[0], (u32)count, table);
    u8* to = out.data + c;
    for (i = 0; i < count; i++) to[i * channels] = table[from[i * channels]];
  }
  return 0;
}
REGISTER(equalize)
