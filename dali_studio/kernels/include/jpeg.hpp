// JPEG as the kernels decode it: what the host tells of a picture and of its scans, and its geometry. Source: ITU-T T.81.
#pragma once
#include "table.hpp"

// `scan.py` lays out the same.
struct Picture {
  const u8* scan;      // coded data, from behind the header on, or from `skip` bytes in front of that: 16 bytes aligned
  u32* words;          // the same without stuffing and markers, in words whose highest bits come first
  u32* restarts;       // where each restart interval begins there, in bytes
  i16* coefficients;   // of each block, in the order of coding, 64 in rows; zero at first
  u8* planes;          // samples of the components, one plane behind the other; only where chroma is interpolated
  u8* parts;           // of pictures of several segments, what the kernels tell each other of them
  u8* target;
  i64 pitch;
  i32 size, skip;      // bytes from `scan` on, and how many of them are not coded data: less than 16
  i32 blocks, columns_of_units, units, interval, intervals, components, h, v;
  i32 first_row, first_column, rows, columns, colors;
  i32 chroma_rows, chroma_columns;  // samples of a chroma plane, if they are to be interpolated, or 0
  i32 segment, segments;            // bytes of a segment, of which the coded data has so many
  i32 first_block, end_block;       // those, in the order of coding, that have coefficients: the window's rows of units
  i32 dc[3], ac[3];    // which of the codes below; those for AC begin at 2
  u16 quant[3][64];    // of each component, in rows
  u8 lengths[4][16];   // how many codes there are of 1 to 16 bits
  u8 symbols[4][256];
};

// Result of a picture: bytes of its data without stuffing, where somebody asks for them, and whether something is wrong.
struct Result {
  u32 size, failed;
};

// A scan of a progressive picture. `scan.py` lays out the same.
struct CodedScan {
  u32 begin, end;             // of its coded data, in bytes
  i32 blocks, columns;        // of the scan, and in a row of it; 0 columns: units of several components
  i32 components;             // a bit for each
  i32 first, last, low;       // coefficients, in the order of coding, and down to which bit they are known then
  i32 refines;                // whether the bits above are known
  i32 interval;               // blocks between restart markers, or 0
  i32 waits;                  // for which scan of the picture, or -1
  u8 lengths[3][16];          // how many codes there are of 1 to 16 bits, of each component; for AC, in the first one
  u8 symbols[256];            // for DC, 16 for each component
};

// The scans of a picture. `scan.py` lays out the same.
struct ScanList {
  const u8* data;             // coded data of all of them; 16 bytes aligned
  u64* known;                 // of each block, a bit for each coefficient in the order of coding that is not zero; none for DC
  const CodedScan* scans;     // none waits for one that comes SCANS_AT_ONCE or more behind it
  i64 count;
};

enum : i32 {
  MAX_SCANS = 64,      // of a picture
  SCANS_AT_ONCE = 16,  // that are decoded at the same time, by a warp each
  PARTS = 512,       // of a segment, which are decoded at the same time, by a thread each
  SEGMENT_ROOM = PARTS * 44 + 52,  // bytes of what is told of a segment
  READ_BEHIND = 64,  // bytes behind the data that are read, and mean nothing: 0
  TILE = 128,        // blocks that are made pixels of together
  CHROMA_MARGIN = 2  // rows and columns around a window that interpolated chroma looks at
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

// The units that a window has pixels of: rows from `top`, columns from `left` to `right`, in `count` tiles of so many
// `units` of a row, of which there are `across`.
struct Tiles {
  i32 top, left, right, units, across, count;
};
HD Tiles tiles_of(const Picture& picture) {
  i32 width = 8 * picture.h, height = 8 * picture.v, most = TILE / (picture.components == 1 ? 1 : picture.h * picture.v + 2);
  Tiles tiles;
  tiles.top = picture.first_row / height, tiles.left = picture.first_column / width;
  tiles.right = (picture.first_column + picture.columns + width - 1) / width;
  i32 bottom = (picture.first_row + picture.rows + height - 1) / height, columns = tiles.right - tiles.left;
  tiles.across = (columns + most - 1) / most;
  tiles.units = tiles.across ? (columns + tiles.across - 1) / tiles.across : 0;
  tiles.count = (bottom - tiles.top) * tiles.across;
  return tiles;
}
