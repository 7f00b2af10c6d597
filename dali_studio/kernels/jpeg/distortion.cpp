// The loop of `distortion.py`: what libjpeg-turbo makes of a picture that is written as a JPEG file (4:2:0, baseline) and read
// again, with the same bits. Huffman codes lose nothing, so that there are none.
#include "../cpu/arguments.hpp"
#include "../include/dct.hpp"
#include "../include/jpeg_quality.hpp"
#include "chroma.hpp"

typedef Vector<i32, 16> Row;  // of two blocks side by side

// Exchanges rows and columns of both blocks: numbers, then pairs, then fours of them.
#define SHUFFLED(A, B, P, Q, R, S, T, U, V, W) \
  __builtin_shufflevector(A, B, P, Q, R, S, T, U, V, W, P + 8, Q + 8, R + 8, S + 8, T + 8, U + 8, V + 8, W + 8)
HD void transpose(Row (&x)[8]) {
  Row y[8], z[8];
  for (int i = 0; i < 8; i += 2) {
    y[i] = SHUFFLED(x[i], x[i + 1], 0, 16, 1, 17, 4, 20, 5, 21);
    y[i + 1] = SHUFFLED(x[i], x[i + 1], 2, 18, 3, 19, 6, 22, 7, 23);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; k++) {
      z[i + 2 * k] = SHUFFLED(y[i + k], y[i + k + 2], 0, 1, 16, 17, 4, 5, 20, 21);
      z[i + 2 * k + 1] = SHUFFLED(y[i + k], y[i + k + 2], 2, 3, 18, 19, 6, 7, 22, 23);
    }
  for (int i = 0; i < 4; i++) {
    x[i] = SHUFFLED(z[i], z[i + 4], 0, 1, 2, 3, 16, 17, 18, 19);
    x[i + 4] = SHUFFLED(z[i], z[i + 4], 4, 5, 6, 7, 20, 21, 22, 23);
  }
}
#undef SHUFFLED

struct Steps {  // of rows of two blocks
  i32 step[8][16];
  f32 inverse[8][16];
  Steps(const u8* table, int quality) {
    for (int i = 0; i < 128; i++) {
      const i32 one = step_at(table[i / 16 * 8 + i % 8], quality);
      step[i / 16][i % 16] = one, inverse[i / 16][i % 16] = 0.125f / (f32)one;
    }
  }
};

struct Plane {  // of bytes; `pitch` is a multiple of 16
  u8* data;
  i64 pitch, rows;
  HD u8* row(i64 y) const { return data + y * pitch; }
};

// All blocks of a plane there and back. It has whole blocks.
static void distort_blocks(const Plane& plane, const Steps& steps) {
  for (i64 y = 0; y < plane.rows; y += 8)
    for (i64 column = 0; column < plane.pitch; column += 16) {
      Row x[8];
      for (int i = 0; i < 8; i++) x[i] = __builtin_convertvector(read<Bytes>(plane.row(y + i) + column), Row) - 128;
      transpose(x);
      forward_dct<true>(x);
      transpose(x);
      forward_dct<false>(x);
      for (int i = 0; i < 8; i++) x[i] = quantized(x[i], read<Row>(steps.step[i]), read<f32x16>(steps.inverse[i]));
      inverse_dct<true>(x);
      transpose(x);
      inverse_dct<false>(x);
      transpose(x);
      for (int i = 0; i < 8; i++) {
        Row v = x[i] + 128;
        v = v > 0 ? v : (Row)0;
        v = v < 255 ? v : (Row)255;
        write(plane.row(y + i) + column, __builtin_convertvector(v, Bytes));
      }
    }
}

HD Bytes upper_half(f32x16 sums) { return __builtin_convertvector(__builtin_convertvector(sums, Row) >> 16, Bytes); }

// A row of pixels as luma and chroma, up to `pitch`: the last pixel is repeated.
static void split_row(const u8* rgb, i64 width, i64 pitch, u8* luma, u8* blue, u8* red) {
  u8 block[48];
  for (i64 x = 0; x < pitch; x += 16) {
    const u8* from = rgb + 3 * x;
    if (x + 16 > width) {
      for (int i = 0; i < 16; i++) memcpy(block + 3 * i, rgb + 3 * least(x + i, width - 1), 3);
      from = block;
    }
    Colors p = load16x3(from);
    write(luma + x, upper_half(luma_of(p.red, p.green, p.blue)));
    write(blue + x, upper_half(blue_chroma_of(p.red, p.green, p.blue)));
    write(red + x, upper_half(red_chroma_of(p.red, p.green, p.blue)));
  }
}

// Means of 2x2 bytes; halves are rounded down and up in turns.
static void halve(const u8* upper, const u8* lower, u8* out, i64 count) {
  const Words rounding = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  for (i64 x = 0; x < count; x += 16) {
    const Words a = read<Words>(upper + 2 * x), b = read<Words>(lower + 2 * x);
    write(out + x, __builtin_convertvector(((a & 255) + (a >> 8) + (b & 255) + (b >> 8) + rounding) >> 2, Bytes));
  }
}

// A row of chroma at twice the width, between a row and the one that is nearer to it. Of one or two columns each is repeated instead.
static void double_row(const u8* near, const u8* far, i64 count, u16* sums, u8* out) {
  if (count <= 2) repeat_columns(near, count, out);
  else widen_rows(near, far, count, sums, out);
}

// Rows behind the last one repeat it.
static void repeat_last(const Plane& plane, i64 rows) {
  for (i64 y = rows; y < plane.rows; y++) memcpy(plane.row(y), plane.row(rows - 1), plane.pitch);
}

// Bytes of scratch memory that a picture needs.
static i64 scratch_size(i64 pitch, i64 rows, i64 chroma_rows) { return pitch * (rows + chroma_rows + 8) + 4 * EDGE; }

// Pixels of a row lie side by side. Returns the size of `scratch` that is needed, if it is too small, or 0.
static i64 distort_jpeg(Array<const u8, 3> src, Array<u8, 3> out, Dense<u8, 1> scratch, int quality) {
  const i64 height = src.shape[0], width = src.shape[1];
  if (src.shape[2] != 3 || out.shape[0] != height || out.shape[1] != width || out.shape[2] != 3) return MISFIT;
  if (quality < 1 || quality > 100) return MISFIT;
  if (!height || !width) return 0;
  const i64 pitch = (width + 31) / 32 * 32, half = (width + 1) / 2, chroma_height = (height + 1) / 2;
  const i64 rows = (height + 7) / 8 * 8, chroma_rows = (chroma_height + 7) / 8 * 8, needed = scratch_size(pitch, rows, chroma_rows);
  if (scratch.shape[0] < needed) return needed;

  const Plane luma{scratch.data + EDGE, pitch, rows}, blue{luma.row(rows), pitch / 2, chroma_rows};
  const Plane red{blue.row(chroma_rows), pitch / 2, chroma_rows};
  u8* full[4];  // two rows of both kinds of chroma
  for (int i = 0; i < 4; i++) full[i] = red.row(chroma_rows) + i * pitch;
  u16* sums = (u16*)(full[3] + pitch + EDGE);
  for (i64 y = 0; y < chroma_height; y++) {
    for (int i = 0; i < 2; i++) {
      const i64 line = least(2 * y + i, height - 1);
      // the last row of an odd number is repeated, in luma below the picture
      split_row(&src(line, 0, 0), width, pitch, luma.row(2 * y + i), full[i], full[2 + i]);
    }
    halve(full[0], full[1], blue.row(y), pitch / 2);
    halve(full[2], full[3], red.row(y), pitch / 2);
  }
  repeat_last(luma, height), repeat_last(blue, chroma_height), repeat_last(red, chroma_height);
  const Steps fine(LUMA_STEPS, quality), coarse(CHROMA_STEPS, quality);
  distort_blocks(luma, fine), distort_blocks(blue, coarse), distort_blocks(red, coarse);
  for (i64 y = 0; y < height; y++) {
    const i64 near = y / 2, far = between<i64>(y & 1 ? near + 1 : near - 1, 0, chroma_height - 1);
    double_row(blue.row(near), blue.row(far), half, sums, full[0]);
    double_row(red.row(near), red.row(far), half, sums, full[1]);
    join_row<false>(luma.row(y), full[0], full[1], width, &out(y, 0, 0));
  }
  return 0;
}
REGISTER(distort_jpeg)
