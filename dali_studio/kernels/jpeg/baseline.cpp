// Baseline files of usual samplings, to libjpeg's pixels: a row of units (blocks that are coded together) at a time, whose levels stay
// in cache until they have become pixels. Blocks outside the window are read and left out, rows below it are not even read. Of
// progressive files all coefficients are decoded before (`progressive.cpp`), and only blocks of the window are transformed.
//
// What is damaged or unusual is given up at once, for libjpeg to decode or to refuse. So this must refuse whatever libjpeg would
// warn of.
#ifndef _WIN32
#include "baseline.hpp"

#include "chroma.hpp"
#include "kept.hpp"
#include "progressive.hpp"
#include "scan.hpp"
#include "transform.hpp"

#include <stdlib.h>

enum { MAX_SIDE = 65500 };            // libjpeg's
enum { GRAY = 1, RGB = 2, BGR = 8 };  // of its colours
enum { MAX_BLOCKS = 6 };              // of a unit
enum { HISTORY = 1 };                 // rows that are kept of the units above
enum { MOST_COEFFICIENTS = 1 << 28 };  // bytes; larger pictures are libjpeg's

static CodeTable table_of(const Picture& picture, int which) {
  CodeTable table{};
  int count = 0;
  for (int i = 0; i < 16; i++) count += table.counts[i + 1] = picture.lengths[which][i];
  memcpy(table.symbols, picture.symbols[which], count);
  return table;
}

// Levels of a component in a row of units, behind the last row of those above.
struct Strip {
  u8* data;
  i64 pitch, rows;  // without that row
  HD u8* row(i64 at) const { return data + (at + HISTORY) * pitch; }
  void go_on(i64 width) const { memcpy(row(-HISTORY), row(rows - HISTORY), width); }
};

struct Drawing {
  const Request& wanted;
  const Picture& picture;
  const i64 h, v, components;  // components that are needed
  bool interpolates;
  i64 chroma_rows, chroma_columns;
  i64 first_unit, end_unit, first_units, end_units;  // of a row of them, and rows of them, that are needed
  Strip strips[3];
  u8* full[2];  // rows of chroma at the size of luma
  u16* sums;
  Shorts steps[3][3][8];

  const i16* blocks[2 * MAX_BLOCKS];
  BlockKind kinds[2 * MAX_BLOCKS];
  Place places[2 * MAX_BLOCKS];
  int owners[2 * MAX_BLOCKS], waiting;

  Drawing(const Request& wanted, const Picture& picture)
      : wanted(wanted), picture(picture), h(picture.h), v(picture.v), components(wanted.colors == GRAY ? 1 : picture.components) {
    chroma_rows = divided_up(wanted.height, v), chroma_columns = divided_up(wanted.width, h);
    interpolates = components == 3 && h * v > 1 && !wanted.repeat_chroma && (h == 1 || chroma_columns > 2);
    const i64 margin = interpolates ? 1 : 0;  // chroma is mixed with its neighbours
    first_unit = most(wanted.first_column - margin, 0ll) / (8 * h);
    end_unit = least(divided_up(wanted.first_column + wanted.columns + margin, 8 * h), (i64)picture.columns_of_units);
    first_units = most(wanted.first_row - margin, 0ll) / (8 * v);
    end_units = least(divided_up(wanted.first_row + wanted.rows + margin, 8 * v), rows_of_units());
    for (int c = 0; c < 3; c++) {
      strips[c].pitch = divided_up((end_unit - first_unit) * 8 * (c ? 1 : h) + EDGE, EDGE) * EDGE;
      strips[c].rows = 8 * (c ? 1 : v);
    }
    waiting = 0;
    const auto step = [&](int c, int i) { return __builtin_convertvector(read<Vector<u16, 8>>(picture.quant[c] + 8 * i), Row); };
    for (int a = 0; a < components; a++)
      for (int b = 0; b < components; b++)
        for (int i = 0; i < 8; i++) {
          const Row both[2] = {step(a, i), step(b, i)};
          memcpy(&steps[a][b][i], both, sizeof(Shorts));
        }
  }

  i64 rows_of_units() const { return picture.units / picture.columns_of_units; }

  // Bytes of memory, and their use; what is behind them.
  i64 needed() const {
    i64 size = 4 * strips[0].pitch + 6 * EDGE;
    for (const Strip& strip : strips) size += (strip.rows + HISTORY) * strip.pitch;
    return size;
  }
  u8* use(u8* memory) {
    for (Strip& strip : strips) strip.data = memory, memory += (strip.rows + HISTORY) * strip.pitch;
    for (u8*& row : full) row = memory, memory += strips[0].pitch + EDGE;
    sums = (u16*)(memory + EDGE);
    return memory + 2 * strips[0].pitch + 4 * EDGE;
  }

  // A block that is needed; it waits until there are enough to be transformed.
  HD void keep(int c, const i16* block, BlockKind kind, u8* levels) {
    blocks[waiting] = block, kinds[waiting] = kind, places[waiting] = {levels, strips[c].pitch}, owners[waiting++] = c;
  }

  // Calls `block(component, where its levels belong)` for each block of a unit, in the order of coding; false as soon as it says so.
  // `column`: that of the unit, less the first one that is needed; less than 0 if this one is not, and its levels belong nowhere.
  template <class B> HD bool each_block(i64 column, B block) const {
    for (int c = 0; c < picture.components; c++) {
      const i64 across = c ? 1 : h, down = c ? 1 : v;
      for (i64 y = 0; y < down; y++)
        for (i64 x = 0; x < across; x++)
          if (!block(c, column >= 0 && c < components ? strips[c].row(8 * y) + 8 * (column * across + x) : nullptr)) return false;
    }
    return true;
  }

  // Transforms blocks that wait, but for those that are too few, if not `all`.
  HD void transform(bool all) {
    if (!all && waiting % BLOCKS) return;
    for (int i = 0; i < waiting; i += BLOCKS) {
      const int other = least(i + BLOCKS, waiting) - 1;  // where one is missing, the last one is transformed twice
      if (kinds[i] == FLAT && kinds[other] == FLAT) {
        for (int k = i; k <= other; k++) fill_block(blocks[k][0], (i16)picture.quant[owners[k]][0], places[k]);
        continue;
      }
      const i16* from[BLOCKS];
      Place to[BLOCKS];
      for (int b = 0; b < BLOCKS; b++) from[b] = blocks[least(i + b, other)], to[b] = places[least(i + b, other)];
      transform_blocks(from, steps[owners[i]][owners[other]], to);
    }
    waiting = 0;
  }

  // A row of chroma at the size of luma.
  HD const u8* chroma(int c, i64 y, i64 above) const {
    const Strip& strip = strips[c];
    const i64 near = y / v, far = between<i64>(y & 1 ? near + 1 : near - 1, 0, chroma_rows - 1);
    const u8 *row = strip.row(near - above), *other = strip.row(far - above);
    u8* made = full[c - 1];
    const i64 count = least((end_unit - first_unit) * 8, chroma_columns - first_unit * 8);
    if (h == 1 && (v == 1 || !interpolates)) return row;
    if (h == 1) mix_rows(row, other, count, y & 1, made);
    else if (!interpolates) repeat_columns(row, count, made);
    else if (v == 1) widen_row(row, count, sums, made);
    else widen_rows(row, other, count, sums, made);
    return made;
  }

  // Rows of pixels up to `end`, of the `number`th row of units or the last one of that before.
  void give_rows(i64 begin, i64 end, i64 number) const {
    const i64 offset = wanted.first_column - first_unit * 8 * h, width = wanted.columns;
    for (i64 y = begin; y < end; y++) {
      const u8* luma = strips[0].row(y - number * 8 * v) + offset;
      u8* out = (u8*)wanted.target + (y - wanted.first_row) * wanted.pitch;
      if (wanted.colors == GRAY) {
        memcpy(out, luma, width);
      } else if (components == 1) {
        repeat_luma(luma, width, out);
      } else {
        const u8 *blue = chroma(1, y, number * 8) + offset, *red = chroma(2, y, number * 8) + offset;
        if (wanted.colors == BGR) join_row<true>(luma, blue, red, width, out);
        else join_row<false>(luma, blue, red, width, out);
      }
    }
  }

  // Makes all rows of pixels. `unit(number of its row, column, number as for each_block)` keeps the blocks of each unit up to the last
  // row that is needed, from that of `first` on; false as soon as it says so.
  template <class U> bool draw(i64 first, U unit) {
    i64 done = wanted.first_row;
    const i64 stop = wanted.first_row + wanted.rows;
    for (i64 number = first; number < end_units; number++) {
      const bool needed = number >= first_units;
      for (i64 x = 0; x < picture.columns_of_units; x++) {
        if (!unit(number, x, needed && x < end_unit ? x - first_unit : -1)) return false;
        transform(x + 1 == picture.columns_of_units);
      }
      if (!needed) continue;
      // the last row mixes chroma with the next one
      const bool waits = interpolates && v == 2 && number + 1 < rows_of_units();
      const i64 end = least((number + 1) * 8 * v - (waits ? 1 : 0), stop);
      give_rows(done, end, number);
      done = most(done, end);
      for (int c = 0; c < components; c++) strips[c].go_on((end_unit - first_unit) * 8 * (c ? 1 : h));
    }
    return done == stop;
  }
};

// The codes of a baseline file.
struct Coding {
  Units in;
  const DcCodes* dc[3];
  const AcCodes* ac[3];
  RoomyBlock blocks[2 * MAX_BLOCKS];

  // False where codes make no sense.
  bool set(const Picture& picture, Kept& kept) {
    for (int c = 0; c < picture.components; c++) {
      DcCodes& coarse = kept.dc[picture.dc[c]];
      AcCodes& fine = kept.ac[picture.ac[c] - 2];  // behind those of the other kind
      if (!coarse.make(table_of(picture, picture.dc[c]), true) || !fine.make(table_of(picture, picture.ac[c]), false)) return false;
      dc[c] = &coarse, ac[c] = &fine;
    }
    return true;
  }

  // A block that is needed, or is left out; false if something is wrong.
  HD bool keep(Drawing& drawing, int c, u8* levels) {
    RoomyBlock& block = blocks[drawing.waiting];
    memset(block, 0, 64 * sizeof(i16));
    const BlockKind kind = decode_block<true>(in.next, *dc[c], *ac[c], in.last[c], block);
    drawing.keep(c, block, kind, levels);
    return kind != DAMAGED;
  }
  HD bool leave_out(int c) { return decode_block<false>(in.next, *dc[c], *ac[c], in.last[c], nullptr) != DAMAGED; }
};

// Whether such pixels are made here of files of some kind.
static bool usual(const Request& wanted, const JpegFile& file) {
  const i64 channels = wanted.colors == GRAY ? 1 : wanted.colors == BGR || wanted.colors == RGB ? 3 : 0;
  if (wanted.fast_dct || channels != wanted.channels || most(wanted.height, wanted.width) > MAX_SIDE) return false;
  return file.two(0) == 0xFFD8 && has_end(file);
}

bool decode_baseline(const Request& wanted) {
  const JpegFile file{(const u8*)wanted.data, wanted.size};
  if (!usual(wanted, file)) return false;
  Picture picture;
  Frame frame;
  const i64 start = read_file(file, picture, &frame);
  if (start < 0 || frame.precision != 8 || frame.height != wanted.height || frame.width != wanted.width) return false;
  if (picture.components == 3 && !frame.chroma) return false;
  Kept* kept = kept_by_thread();
  if (!kept) return false;
  Drawing drawing(wanted, picture);
  Coding codes;
  if (!codes.set(picture, *kept)) return false;
  codes.in.from = file.data + start, codes.in.until = file.data + file.size;
  u8* memory = kept->room(codes.in.until - codes.in.from + Units::BEHIND + drawing.needed());
  if (!memory) return false;
  codes.in.start(drawing.use(memory), picture.interval);
  const bool done = drawing.draw(0, [&](i64, i64, i64 column) __attribute__((always_inline)) {
    const auto block = [&](int c, u8* levels) { return levels ? codes.keep(drawing, c, levels) : codes.leave_out(c); };
    return codes.in.unit_begins() && drawing.each_block(column, block) && codes.in.unit_ends();
  });
  kept->forget_large();
  return done;
}

bool decode_progressive(const Request& wanted) {
  const JpegFile file{(const u8*)wanted.data, wanted.size};
  if (!usual(wanted, file)) return false;
  const i64 size = room_for_file(wanted);
  Kept* kept = size > 0 && size <= MOST_COEFFICIENTS ? kept_by_thread() : nullptr;
  u8* room = kept ? kept->room(size) : nullptr;
  bool done = false;
  if (room && decode_coefficients(wanted, room, size)) {
    const Picture picture = *(const Picture*)room;
    const i16* coefficients = (const i16*)(room + COEFFICIENTS_AT);
    const u64* known = (const u64*)(coefficients + 64ll * picture.blocks);
    Drawing drawing(wanted, picture);
    const i64 per_unit = picture.components == 1 ? 1 : drawing.h * drawing.v + 2;
    u8* memory = (u8*)malloc(drawing.needed());
    if (memory) {
      drawing.use(memory);
      done = drawing.draw(drawing.first_units, [&](i64 number, i64 x, i64 column) __attribute__((always_inline)) {
        i64 index = (number * picture.columns_of_units + x) * per_unit;
        return column < 0 || drawing.each_block(column, [&](int c, u8* levels) {
          if (levels) drawing.keep(c, coefficients + 64 * index, known[index] ? DETAILED : FLAT, levels);
          index++;
          return true;
        });
      });
      free(memory);
    }
  }
  if (kept) kept->forget_large();
  return done;
}
#endif
