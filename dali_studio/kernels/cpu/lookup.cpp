// Loops of `lookup.py`.
#include "../include/lookup.hpp"

#include "arguments.hpp"

// O has the width of the values: none is looked at.
template <class I, class O> static i64 look_up(Dense<const I, 1> src, Dense<O, 1> out, Dense<const O, 1> table) {
  const i64 count = src.shape[0];
  if (out.shape[0] != count || table.shape[0] != TABLE_KEYS + 1) return MISFIT;
#pragma clang loop vectorize(disable) unroll_count(8)  // a load for each is faster than instructions that gather
  for (i64 i = 0; i < count; i++) out.data[i] = table.data[place_in_table(src.data[i])];
  return 0;
}
typedef Types<u8, i8, u16, i16, u32, i32, u64, i64> LookUpInputs;
typedef Types<u8, u16, u32, u64> LookUpOutputs;
REGISTER_PAIRS(look_up, LookUpInputs, LookUpOutputs)

// Some channels, each by itself, of pixels that begin `step` bytes after each other.
template <int CHANNELS> static void equalize_channels(const u8* from, u8* to, i64 count, i64 step) {
  enum { WAYS = CHANNELS == 1 ? 4 : 2 };  // neighbours count in different tables, so that none waits for the other
  u32 counts[WAYS][CHANNELS][256] = {};
  i64 place = 0;
  for (; place + WAYS <= count; place += WAYS)
    for (int way = 0; way < WAYS; way++)
      for (int c = 0; c < CHANNELS; c++) counts[way][c][from[(place + way) * step + c]]++;
  for (; place < count; place++)
    for (int c = 0; c < CHANNELS; c++) counts[0][c][from[place * step + c]]++;
  u8 tables[CHANNELS][256];
  for (int c = 0; c < CHANNELS; c++) {
    for (int way = 1; way < WAYS; way++)
      for (int k = 0; k < 256; k++) counts[0][c][k] += counts[way][c][k];
    equalizing_table(counts[0][c], (u32)count, tables[c]);
  }
  for (i64 i = 0; i < count; i++)
    for (int c = 0; c < CHANNELS; c++) to[i * step + c] = tables[c][from[i * step + c]];
}

// Each channel of (pixels, channels).
static i64 equalize(Dense<const u8, 2> src, Dense<u8, 2> out) {
  const i64 count = src.shape[0], channels = src.shape[1];
  if (out.shape[0] != count || out.shape[1] != channels || count >= 1ll << 32) return MISFIT;
  if (!count) return 0;
  i64 c = 0;
  for (; c + 3 <= channels; c += 3) equalize_channels<3>(src.data + c, out.data + c, count, channels);
  for (; c < channels; c++) equalize_channels<1>(src.data + c, out.data + c, count, channels);
  return 0;
}
REGISTER(equalize)
