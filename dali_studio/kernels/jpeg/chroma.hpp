// Rows of chroma at the size of luma, and of pixels from both, as libjpeg-turbo makes them: triangular weights ("fancy upsampling"), and
// colours of JFIF in integers. Vectors of 16 bytes are read and written: rows need EDGE bytes more, before them too where it says so.
#pragma once
#include "lanes.hpp"

typedef Vector<u8, 16> Bytes;
typedef Vector<u16, 16> Words;
typedef Vector<i16, 16> SignedWords;
enum { EDGE = 64 };

HD Words words_of(const u8* p) { return __builtin_convertvector(read<Bytes>(p), Words); }

// Three parts of one row and one of another, over four; halves are rounded up for the lower row of two.
HD void mix_rows(const u8* near, const u8* far, i64 count, bool lower, u8* out) {
  for (i64 x = 0; x < count; x += 16)
    write(out + x, __builtin_convertvector((words_of(near + x) * 3 + words_of(far + x) + (u16)(1 + lower)) >> 2, Bytes));
}

// A row at twice the width, from sums of it that are `1 << BITS` times too large once neighbours are added; halves are rounded by FIRST and
// SECOND in turns. Of `sums` the places before and behind are written.
template <int BITS, int FIRST, int SECOND> HD void widen_sums(u16* sums, i64 count, u8* out) {
  sums[-1] = sums[0], sums[count] = sums[count - 1];
  for (i64 x = 0; x < count; x += 16) {
    const Words own = read<Words>(sums + x) * 3;
    const Words left = (own + read<Words>(sums + x - 1) + (u16)FIRST) >> BITS, right = (own + read<Words>(sums + x + 1) + (u16)SECOND) >> BITS;
    write(out + 2 * x, left | right << 8);  // bytes in turns
  }
}
// Of one row.
HD void widen_row(const u8* row, i64 count, u16* sums, u8* out) {
  for (i64 x = 0; x < count; x += 16) write(sums + x, words_of(row + x));
  widen_sums<2, 1, 2>(sums, count, out);
}
// Between a row and the one that is nearer to it than the others.
HD void widen_rows(const u8* near, const u8* far, i64 count, u16* sums, u8* out) {
  for (i64 x = 0; x < count; x += 16) write(sums + x, words_of(near + x) * 3 + words_of(far + x));
  widen_sums<4, 8, 7>(sums, count, out);
}
HD void repeat_columns(const u8* row, i64 count, u8* out) {
  for (i64 x = 0; x < count; x += 16) write(out + 2 * x, words_of(row + x) * 257);
}

// What is added to luma, of chroma less 128: products with factors times 2^16, rounded. Whole parts of the factors are kept out, so that
// 16 bits are enough but for green, which has two products.
template <int FACTOR> HD SignedWords rounded_product(SignedWords v) {
  typedef Vector<i32, 16> W;
  const W twice = __builtin_convertvector(v * 2, W) * FACTOR >> 16;
  return (__builtin_convertvector(twice, SignedWords) + 1) >> 1;
}
HD SignedWords green_added(SignedWords blue, SignedWords red) {
  struct Parts { Shorts part[2 / BLOCKS]; };
  const Parts b = __builtin_bit_cast(Parts, blue), r = __builtin_bit_cast(Parts, red);
  Parts made;
  for (int i = 0; i < 2 / BLOCKS; i++) {
    const Longs low = pair_sums<-22554, 65536 - 46802>(low_of(b.part[i], r.part[i])) + 32768;
    const Longs high = pair_sums<-22554, 65536 - 46802>(high_of(b.part[i], r.part[i])) + 32768;
    made.part[i] = saturated(low >> 16, high >> 16) - r.part[i];
  }
  return __builtin_bit_cast(SignedWords, made);
}
HD Bytes levels_of(SignedWords v) {
  v = v > 0 ? v : (SignedWords)0;
  v = v < 255 ? v : (SignedWords)255;
  return __builtin_convertvector(v, Bytes);
}

// 16 pixels, or `count` if that is less.
HD void write_pixels(u8* out, Bytes red, Bytes green, Bytes blue, i64 count) {
  if (count >= 16) {
    write16x3<u8>(out, red, green, blue);
  } else {
    u8 block[48];
    write16x3<u8>(block, red, green, blue);
    memcpy(out, block, 3 * count);
  }
}
// A row of pixels of luma and chroma. BLUE_FIRST: blue, green, red.
template <bool BLUE_FIRST> HD void join_row(const u8* luma, const u8* blue, const u8* red, i64 width, u8* pixels) {
  for (i64 x = 0; x < width; x += 16) {
    const SignedWords y = __builtin_convertvector(read<Bytes>(luma + x), SignedWords);
    const SignedWords b = __builtin_convertvector(read<Bytes>(blue + x), SignedWords) - 128;
    const SignedWords r = __builtin_convertvector(read<Bytes>(red + x), SignedWords) - 128;
    const Bytes first = levels_of(y + r + rounded_product<91881 - 65536>(r)), second = levels_of(y + green_added(b, r));
    const Bytes third = levels_of(y + b * 2 + rounded_product<116130 - 131072>(b));
    write_pixels(pixels + 3 * x, BLUE_FIRST ? third : first, second, BLUE_FIRST ? first : third, width - x);
  }
}
// The same of luma alone.
HD void repeat_luma(const u8* luma, i64 width, u8* pixels) {
  for (i64 x = 0; x < width; x += 16) {
    const Bytes y = read<Bytes>(luma + x);
    write_pixels(pixels + 3 * x, y, y, y, width - x);
  }
}
