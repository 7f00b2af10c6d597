// Numbers of FITS files: `fits_tiles.py`.
#include <string.h>

#include "arguments.hpp"

template <class T> static void swap_each(const u8* in, u8* out, i64 count) {
  for (i64 i = 0; i < count; i++) {
    T value;
    memcpy(&value, in + i * (i64)sizeof(T), sizeof(T));
    if constexpr (sizeof(T) == 2) value = __builtin_bswap16(value);
    else if constexpr (sizeof(T) == 4) value = __builtin_bswap32(value);
    else value = __builtin_bswap64(value);
    memcpy(out + i * (i64)sizeof(T), &value, sizeof(T));
  }
}

// Numbers of 2, 4 or 8 bytes, the most significant of which come first.
static i64 swap_bytes(Dense<const u8, 1> in, Dense<u8, 1> out, int size) {
  const i64 bytes = in.shape[0];
  if (out.shape[0] != bytes || (size != 2 && size != 4 && size != 8) || bytes % size) return MISFIT;
  if (size == 2) swap_each<u16>(in.data, out.data, bytes / 2);
  else if (size == 4) swap_each<u32>(in.data, out.data, bytes / 4);
  else swap_each<u64>(in.data, out.data, bytes / 8);
  return 0;
}
REGISTER(swap_bytes)

// Tiles of compressed images. What reads them returns the first tile that is damaged, -1 if none is.

// Bits of a piece of memory, the most significant one first; zeros follow its end, which `over` tells.
struct Bits {
  const u8 *at, *end;
  u64 held = 0;
  int count = 0;
  bool over = false;

  // Have at least 32 bits at hand.
  void fill() {
    for (; count <= 56; count += 8) {
      held |= at < end ? (u64)*at << (56 - count) : 0;
      at++;
    }
  }
  u32 take(int bits) {
    if (bits == 0) return 0;
    fill();
    const u32 value = (u32)(held >> (64 - bits));
    held <<= bits, count -= bits;
    over |= at - count / 8 > end;
    return value;
  }
  // How many zeros come before the next one, which is taken, too.
  u32 zeros() {
    u32 total = 0;
    for (fill(); held == 0 && !over; fill()) {
      total += (u32)count, count = 0;
      over = at >= end;
    }
    if (over) return 0;
    const int here = __builtin_clzll(held);
    held <<= here, held <<= 1, count -= here + 1;
    over |= count < 0 || at - count / 8 > end;
    return total + (u32)here;
  }
};

// Differences from one number to the next, in blocks, each with the number of bits that are written as they are.
static bool rice(Bits bits, i32* out, i64 count, int bytes, i64 block) {
  const int width = 8 * bytes, code = bytes == 1 ? 3 : bytes == 2 ? 4 : 5, plain = bytes == 1 ? 6 : bytes == 2 ? 14 : 25;
  u32 last = bits.take(width);
  for (i64 begin = 0; begin < count && !bits.over; begin += block) {
    const int low = (int)bits.take(code) - 1;
    const i64 end = begin + block < count ? begin + block : count;
    for (i64 i = begin; i < end && !bits.over; i++) {
      u32 step = 0;
      if (low == plain) step = bits.take(width);
      else if (low > plain) return false;
      else if (low >= 0) {
        const u32 high = bits.zeros();
        step = high << low | bits.take(low);
      }
      last += step & 1 ? ~(step >> 1) : step >> 1;
      out[i] = bytes == 1 ? (i32)(u8)last : bytes == 2 ? (i32)(i16)last : (i32)last;
    }
  }
  return !bits.over;
}

// Where tiles lie in the data, and in the output, is looked at before anything is read.
static bool within(Array<const i64, 1> starts, Array<const i64, 1> sizes, i64 total) {
  if (starts.shape[0] != sizes.shape[0]) return false;
  for (i64 t = 0; t < starts.shape[0]; t++)
    if (starts(t) < 0 || sizes(t) < 0 || sizes(t) > total - starts(t)) return false;
  return true;
}

static i64 rice_tiles(Dense<const u8, 1> data, Array<const i64, 1> starts, Array<const i64, 1> sizes, Dense<i32, 1> out,
                      Array<const i64, 1> places, Array<const i64, 1> counts, int bytes, i64 block) {
  if (!within(starts, sizes, data.shape[0]) || !within(places, counts, out.shape[0]) || places.shape[0] != starts.shape[0] || block < 1)
    return MISFIT;
  for (i64 t = 0; t < starts.shape[0]; t++) {
    const u8* at = data.data + starts(t);
    if (!rice({at, at + sizes(t)}, out.data + places(t), counts(t), bytes, block)) return t;
  }
  return -1;
}
REGISTER(rice_tiles)

// Runs: words of 16 bits, the upper four of which say what is done with the number in the others.
static bool plio(const u8* data, i64 size, i32* out, i64 count) {
  const auto word = [&](i64 i) { return (i32)(i16)(u16)(data[2 * i] << 8 | data[2 * i + 1]); };
  const i64 words = size / 2;
  if (words < 3) return false;
  i64 first = 3, total = word(2), done = 0;
  if (total <= 0) {  // the newer head, which is longer
    if (words < 5) return false;
    first = word(1), total = ((i64)word(4) << 15) + word(3);
  }
  if (first < 3 || total > words) return false;
  i64 high = 1;
  for (i64 i = first; i < total && done < count; i++) {
    const i32 what = (u16)word(i) >> 12, number = word(i) & 4095;
    const i64 room = count - done, run = number < room ? number : room;
    switch (what) {
      case 0: case 4: case 5:
        for (i64 k = 0; k < run; k++) out[done + k] = what == 4 ? (i32)high : 0;
        if (what == 5 && run == number && run > 0) out[done + run - 1] = (i32)high;
        done += run;
        break;
      case 1:
        if (++i == total) return false;
        high = ((i64)word(i) << 12) + number;
        break;
      case 2: case 6: high += number; break;
      case 3: case 7: high -= number; break;
      default: return false;
    }
    if (what >= 6) out[done++] = (i32)high;
  }
  for (; done < count; done++) out[done] = 0;
  return true;
}

static i64 plio_tiles(Dense<const u8, 1> data, Array<const i64, 1> starts, Array<const i64, 1> sizes, Dense<i32, 1> out,
                      Array<const i64, 1> places, Array<const i64, 1> counts) {
  if (!within(starts, sizes, data.shape[0]) || !within(places, counts, out.shape[0]) || places.shape[0] != starts.shape[0]) return MISFIT;
  for (i64 t = 0; t < starts.shape[0]; t++)
    if (!plio(data.data + starts(t), sizes(t), out.data + places(t), counts(t))) return t;
  return -1;
}
REGISTER(plio_tiles)
