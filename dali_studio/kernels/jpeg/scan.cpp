// The host's part of `jpeg.cu`. See `scan.py`.
#include <string.h>

#include "scan.hpp"
#include "segments.hpp"

static_assert(sizeof(Picture) == 1648, "PICTURE in scan.py");

// Which tables the components use.
static bool read_scan(const JpegFile& file, i64 at, i64 frame, Picture& picture, const QuantTables& tables, int codes) {
  int count = file[at];
  if (file[frame + 9] != count || picture.h * picture.v == 0) return false;
  i64 behind = at + 1 + 2 * count;  // first and last coefficient, and their bits
  if (file[behind] != 0 || file[behind + 1] != 63 || file[behind + 2] != 0) return false;
  for (int c = 0; c < count; c++) {  // at most three: others have no usual sampling
    int name = file[at + 1 + 2 * c], wanted = file[at + 2 + 2 * c], quant = file[frame + 12 + 3 * c];
    int dc = wanted >> 4, ac = wanted & 15;
    if (name != file[frame + 10 + 3 * c] || dc > 1 || ac > 1 || quant > 3 || tables[quant][0] == 0) return false;
    picture.dc[c] = dc, picture.ac[c] = 2 + ac;
    if (!(codes >> picture.dc[c] & 1) || !(codes >> picture.ac[c] & 1)) return false;
    memcpy(picture.quant[c], tables[quant], sizeof tables[quant]);
  }
  return true;
}

bool has_chroma(const JpegFile& file, i64 frame, bool jfif, int adobe) {
  if (jfif || adobe >= 0) return jfif || adobe > 0;
  return file[frame + 10] != 'R' || file[frame + 13] != 'G' || file[frame + 16] != 'B';
}

i64 read_file(const JpegFile& file, Picture& picture, Frame* told) {
  enum { LAST = 12 };  // bytes of a file from any of its segments on: the header of a scan of one component, and an end marker
  QuantTables tables{};
  memset(picture.lengths, 0, sizeof picture.lengths);
  i64 frame = 0;
  int codes = 0, interval = 0, adobe = -1;
  bool jfif = false;
  for (i64 at = 2, end; at + LAST <= file.size; at = end) {
    int marker = file[at + 1];
    if (marker == 0xFF) {
      end = at + 1;
      continue;
    }
    i64 body = at + 4;
    end = at + 2 + file.two(at + 2);
    if (end > file.size || file[at] != 0xFF) return -1;
    switch (marker) {
      case 0xC0:
        if (frame > 0 || end - at != 10 + 3 * file[body + 5]) return -1;
        frame = at;
        read_frame(file, frame, picture);
        break;
      case 0xDB:
        if (!read_quant(file, body, end, tables)) return -1;
        break;
      case 0xC4: {
        bool sound = read_codes(file, body, end, 2, [&](int kind, int number, const u8* lengths, const u8* symbols, int count) {
          int which = 2 * kind + number;
          memcpy(picture.lengths[which], lengths, sizeof picture.lengths[which]);
          memcpy(picture.symbols[which], symbols, count);
          codes |= 1 << which;
        });
        if (!sound) return -1;
        break;
      }
      case 0xDD:
        if (end - at != 6) return -1;
        interval = file.two(body);
        break;
      case 0xDA:
        if (frame == 0 || end - at != 8 + 2 * file[body] || end + 2 > file.size) return -1;
        if (!read_scan(file, body, frame, picture, tables, codes)) return -1;
        if (told) *told = {file[frame + 4], file.two(frame + 5), file.two(frame + 7), has_chroma(file, frame, jfif, adobe)};
        picture.interval = interval;
        picture.intervals = interval ? (i32)divided_up(picture.units, interval) : 1;
        return end;
      case 0xFE: break;
      default:
        if (marker < 0xE0 || marker > 0xEF || !usual_mark(file, marker, body, end - body)) return -1;
        if (marker == 0xE0 && end - body >= 14 && file.says(body, "JFIF\0")) jfif = true;
        if (marker == 0xEE && end - body >= 12 && file.says(body, "Adobe")) adobe = file[body + 11];
    }
  }
  return -1;
}

enum : i64 { SCAN_ALIGNMENT = 16 };  // as `Picture::scan` is

static i64 room(i64 size) { return divided_up(size, 256) * 256; }
template <class T> static T* place(T*, i64 at) { return (T*)at; }
template <class T> static void move(T*& pointer, i64 by) { pointer = (T*)((i64)pointer + by); }

void Largest::see(const Picture& picture) {
  if (picture.chroma_columns == 0) tiles = most(tiles, (i64)tiles_of(picture).count);
  else {
    blocks = most(blocks, (i64)picture.end_block - picture.first_block);
    groups = most(groups, (i64)picture.rows * ((picture.columns + 6) / 4));
  }
}

// The face checks all sizes: rows of requests, and bytes of a picture.
static i64 jpeg_plan(Dense<const i64, 2> requests, Array<const i64, 2> places, i64 begin, i64 end, i64 most_bytes, i64 segment,
                     i64 whole, Dense<u8, 2> pictures, Dense<i64, 1> rows, Dense<i64, 1> made) {
  i64 count = 0, upload = 0, zero = 0, rest = 0, segments = 0, from = 0, last = 0;
  Largest largest;
  for (i64 index = begin; index < end; index++) {
    if (count == pictures.shape[0]) {
      end = index;
      break;
    }
    const Request& wanted = ((const Request*)requests.data)[index];
    Picture& picture = ((Picture*)pictures.data)[count];
    i64 start = read_file({(const u8*)wanted.data, wanted.size}, picture);
    if (start < 0) continue;
    if (whole && count > 0 && wanted.data < last) {  // it lies in front of those that go up with it
      end = index;
      break;
    }
    set_window(picture, wanted);
    i64 data = wanted.data + start, size = wanted.size - start;
    if (whole && count == 0) from = wanted.data & -SCAN_ALIGNMENT;
    picture.skip = whole ? (i32)(data & (SCAN_ALIGNMENT - 1)) : 0;
    size += picture.skip;
    picture.size = (i32)size;
    i64 scan = whole ? room(wanted.data + wanted.size - from) - upload : room(size), words = room(size + READ_BEHIND), restarts = room(4ll * picture.intervals);
    picture.segments = size > 3 * segment ? (i32)divided_up(size, segment) : 1;
    picture.segment = picture.segments > 1 ? (i32)segment : picture.size;
    i64 parts = picture.segments > 1 ? room((i64)picture.segments * SEGMENT_ROOM) : 0;
    i64 coefficients = room(128ll * (picture.end_block - picture.first_block));
    i64 planes = picture.chroma_columns ? room(64ll * picture.blocks) : 0;
    i64 needed = scan + words + restarts + coefficients + planes + parts;
    if (needed > most_bytes) continue;
    if (upload + zero + rest + needed > most_bytes) {
      end = index;
      break;
    }
    picture.scan = place(picture.scan, whole ? data - picture.skip - from : upload);
    picture.coefficients = place(picture.coefficients, zero - 128ll * picture.first_block);
    picture.words = place(picture.words, rest), picture.restarts = place(picture.restarts, rest + words);
    picture.planes = place(picture.planes, rest + words + restarts);
    picture.parts = place(picture.parts, rest + words + restarts + planes);
    upload += scan, zero += coefficients, rest += words + restarts + planes + parts;
    picture.target = place(picture.target, places(index, 0)), picture.pitch = places(index, 1);
    largest.see(picture), segments = most(segments, (i64)picture.segments);
    rows.data[count++] = index;
    last = wanted.data + wanted.size;
  }
  const i64 told[] = {count, upload, zero, rest, segments, largest.tiles, largest.blocks, largest.groups, from, whole ? last - from : 0};
  memcpy(made.data, told, sizeof told);
  return end;
}
REGISTER(jpeg_plan)

// Of the first pictures, as many as there are rows. Files that are uploaded whole are where they are.
static void jpeg_settle(Dense<const i64, 2> requests, Dense<u8, 2> pictures, Dense<const i64, 1> rows, i64 staged, i64 upload,
                        i64 zero, i64 rest) {
  for (i64 i = 0; i < rows.shape[0]; i++) {
    Picture& picture = ((Picture*)pictures.data)[i];
    const Request& wanted = ((const Request*)requests.data)[rows.data[i]];
    if (staged) memcpy((u8*)staged + (i64)picture.scan, (const u8*)wanted.data + wanted.size - picture.size, picture.size);
    move(picture.scan, upload), move(picture.coefficients, zero);
    move(picture.words, rest), move(picture.restarts, rest), move(picture.planes, rest), move(picture.parts, rest);
  }
}
REGISTER(jpeg_settle)
