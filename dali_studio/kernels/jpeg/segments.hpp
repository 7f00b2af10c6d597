// Segments of JPEG files, as far as files are usual: what differs is left to libjpeg. Source: ITU-T T.81, annex B.
#pragma once
#include "../include/jpeg.hpp"
#include "file.hpp"
#include "libjpeg.hpp"

typedef u16 QuantTables[4][64];

// Quantisation tables of a segment, in rows; false if they are no tables of eight bits.
inline bool read_quant(const JpegFile& file, i64 at, i64 end, QuantTables& tables) {
  for (; at < end; at += 65) {
    int which = file[at];
    if (which > 3 || at + 65 > end) return false;
    const u8* values = file.part(at + 1, 64);
    for (int k = 0; k < 64; k++) tables[which][ZIGZAG[k]] = values[k];
  }
  return true;
}

// Huffman codes of a segment: `put` gets kind (0: for DC), number, how many there are of each length, the symbols and their
// count of each table. False if they make no sense, or for a table beyond those that there may be.
template <class F> bool read_codes(const JpegFile& file, i64 at, i64 end, int tables, F put) {
  while (at < end) {
    int kind = file[at] >> 4, number = file[at] & 15, count = 0, code = 0;
    if (kind > 1 || number >= tables || at + 17 > end) return false;
    const u8* lengths = file.part(at + 1, 16);
    for (int i = 0; i < 16; i++) {
      count += lengths[i];
      code = 2 * code + lengths[i];
      if (code >= 1 << (i + 1)) return false;  // no code may be all ones
    }
    if (count > 256 || at + 17 + count > end) return false;
    const u8* symbols = file.part(at + 17, count);
    for (int i = 0; kind == 0 && i < count; i++)
      if (symbols[i] > 15) return false;
    put(kind, number, lengths, symbols, count);
    at += 17 + count;
  }
  return true;
}

// Whether libjpeg understands a segment of an application as `header` does, and says nothing about it.
inline bool usual_mark(const JpegFile& file, int marker, i64 body, i64 size) {
  if (marker == 0xE0 && file[body] == 'J' && file[body + 2] == 'I')  // JFIF
    return size >= 14 && file[body + 4] == 0 && file[body + 5] == 1;
  return marker != 0xEE || size < 12 || file[body + 11] <= 1;  // Adobe's transform
}

// Geometry; factors of 0 for what is none of the usual samplings.
inline void read_frame(const JpegFile& file, i64 frame, Picture& picture) {
  int count = file[frame + 9], h = file[frame + 11] >> 4, v = file[frame + 11] & 15;
  bool usual = usual_sampling(count, h, v);
  for (int c = 1; usual && c < count; c++) usual = file[frame + 11 + 3 * c] == 0x11;
  picture.components = count, picture.h = usual ? h : 0, picture.v = usual ? v : 0;
  if (usual) set_geometry(picture, file.two(frame + 5), file.two(frame + 7));
}

// The part that is asked for, and how its chroma is made.
inline void set_window(Picture& picture, const Request& wanted) {
  picture.first_row = (i32)wanted.first_row, picture.first_column = (i32)wanted.first_column;
  picture.rows = (i32)wanted.rows, picture.columns = (i32)wanted.columns, picture.colors = (i32)wanted.colors;
  bool interpolates = !wanted.repeat_chroma && picture.h * picture.v > 1 && picture.colors != 1;
  picture.chroma_rows = interpolates ? (i32)divided_up(wanted.height, picture.v) : 0;
  picture.chroma_columns = interpolates ? (i32)divided_up(wanted.width, picture.h) : 0;
  i64 rows = picture.units / picture.columns_of_units, height = 8 * picture.v, margin = interpolates ? CHROMA_MARGIN : 0;
  i64 top = most((i64)picture.first_row - margin, (i64)0) / height;
  i64 bottom = least(divided_up((i64)picture.first_row + picture.rows + margin, height), rows);
  picture.first_block = (i32)(top * (picture.blocks / rows)), picture.end_block = (i32)(bottom * (picture.blocks / rows));
}
