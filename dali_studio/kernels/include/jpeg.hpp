// Baseline JPEG as the kernels decode it: what the host tells of a picture, and its geometry. Source: ITU-T T.81.
#pragma once
#include "table.hpp"

// `scan.py` lays out the same.
struct Picture {
  const u8* scan;      // coded data, from behind the header on; 16 bytes aligned
  u32* words;          // the same without stuffing and markers, in words whose highest bits come first
  u32* restarts;       // where each restart interval begins there, in bytes
  i16* coefficients;   // of each block, in the order of coding, 64 in rows; zero at first
  u8* planes;          // samples of the components, one plane behind the other
  u8* target;
  i64 pitch;
  i32 size, blocks, columns_of_units, units, interval, intervals, components, h, v;
  i32 first_row, first_column, rows, columns, colors;
  i32 chroma_rows, chroma_columns;  // samples of a chroma plane, if they are to be interpolated, or 0
  i32 dc[3], ac[3];    // which of the codes below; those for AC begin at 2
  u16 quant[3][64];    // of each component, in rows
  u8 lengths[4][16];   // how many codes there are of 1 to 16 bits
  u8 symbols[4][256];
};

// Places in rows of the coefficients in the order of coding.
TABLE u8 ZIGZAG[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                       41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                       30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

HD i64 divided_up(i64 size, i64 by) { return (size + by - 1) / by; }

// Samplings that the kernels decode: of luma, twice as many columns or rows at most as of chroma.
HD bool usual_sampling(int components, int h, int v) {
  return components == 1 ? h == 1 && v == 1 : components == 3 && h >= 1 && h <= 2 && v >= 1 && v <= 2;
}

// Units are what is coded together: of each component, the blocks of one place. Only for usual samplings.
HD void set_geometry(Picture& picture, int height, int width) {
  i64 columns = divided_up(width, 8 * picture.h), rows = divided_up(height, 8 * picture.v);
  picture.columns_of_units = (i32)columns;
  picture.units = (i32)(columns * rows);
  picture.blocks = (i32)(columns * rows * (picture.components == 1 ? 1 : picture.h * picture.v + 2));
}
