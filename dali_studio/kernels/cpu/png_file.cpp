// The library that inflates is ISA-L, called through addresses: the one in the package `isal`. `png.py` tries it first.
#ifndef _WIN32
#include "png_file.hpp"

#include <string.h>

#include "../jpeg/kept.hpp"

// The beginning of ISA-L's state, which is all that a call without a continuation needs; the rest is the library's.
struct InflateState {
  u8* next_out;
  u32 room, total_out;
  const u8* next_in;
  u64 bits;
  u32 left;
  int bit_count;
};
enum { STATE = 1 << 18 };  // bytes, generously: ISA-L 2.31 needs 87 kB

// Addresses of the library's functions, in the order of `png.py`.
struct Inflater {
  void (*start)(InflateState*);
  int (*inflate_all)(InflateState*);
  u32 (*adler)(u32 before, const u8* bytes, u64 count);
  u32 (*crc)(u32 before, const u8* bytes, u64 count);
};
static Inflater inflater;
static i64 has_inflater = 0;

static void png_use(Dense<const i64, 1> functions) {
  if (functions.size() * sizeof(i64) != sizeof(Inflater)) return;
  memcpy(&inflater, functions.data, sizeof inflater);
  __atomic_store_n(&has_inflater, 1, __ATOMIC_RELEASE);
}
REGISTER(png_use)

static u32 big_endian(const u8* p) { return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3]; }
constexpr u32 name_of(const char (&text)[5]) {
  return (u32)(u8)text[0] << 24 | (u32)(u8)text[1] << 16 | (u32)(u8)text[2] << 8 | (u8)text[3];
}
enum { SIGNATURE = 8, CHUNK = 12, HEADER_END = 33, LOWER = 0x20 };  // bytes; a letter's case says what a chunk is
enum { GRAY = 0, RGB = 2, GRAY_ALPHA = 4, RGB_ALPHA = 6 };

static i64 channels_of(int color) { return color == GRAY ? 1 : color == RGB ? 3 : color == GRAY_ALPHA ? 2 : 4; }

static bool is_name(const u8* p) {
  for (int i = 0; i < 4; i++)
    if ((u8)((p[i] | LOWER) - 'a') > 'z' - 'a') return false;
  return !(p[2] & LOWER);
}

// The compressed pixels of the chunks that follow each other, as they lie there or, if there are several, in `joined`.
struct Compressed {
  const u8* data;
  i64 size, chunks;
};

// Walks through the chunks, of which those that have to be understood must be sound, as the first walk, which joins nothing, sees
// to; false without an end.
static bool find_pixels(const u8* data, i64 size, Compressed& found, u8* joined) {
  found = {nullptr, 0, 0};
  bool behind = false;  // another chunk follows the pixels
  for (i64 at = SIGNATURE; at + CHUNK <= size;) {
    const i64 length = big_endian(data + at);
    const u8* kind = data + at + 4;
    if (length > size - at - CHUNK || !is_name(kind)) return false;
    const u32 name = big_endian(kind);
    if (!joined && !(kind[0] & LOWER) && inflater.crc(0, kind, length + 4) != big_endian(kind + 4 + length)) return false;
    if ((name == name_of("IHDR")) != (at == SIGNATURE)) return false;
    if (name == name_of("IEND")) return found.chunks > 0;
    if (name == name_of("IDAT")) {
      if (behind) return false;
      if (!found.chunks) found.data = kind + 4;
      if (joined) memcpy(joined + found.size, kind + 4, length);
      found.size += length, found.chunks++;
    } else {
      behind = found.chunks > 0;
      if (!(kind[0] & LOWER) && name != name_of("IHDR") && name != name_of("PLTE")) return false;
    }
    at += CHUNK + length;
  }
  return false;
}

// Exactly `count` bytes, with which the compressed ones must end, but for their checksum, which must be right.
static bool inflate(const u8* data, i64 size, u8* out, i64 count, u8* memory) {
  enum { DEFLATE = 8, HAS_DICTIONARY = 0x20, CHECKSUM = 4 };
  if (size < 2 + CHECKSUM || (data[0] & 15) != DEFLATE || (data[0] << 8 | data[1]) % 31 || data[1] & HAS_DICTIONARY) return false;
  InflateState& state = *(InflateState*)memory;
  inflater.start(&state);
  state.next_in = data + 2, state.left = (u32)(size - 2);
  state.next_out = out, state.room = (u32)count;
  if (inflater.inflate_all(&state) != 0 || state.total_out != count || state.left < CHECKSUM) return false;
  return inflater.adler(1, out, count) == big_endian(state.next_in);
}

// A row with other channels than the file's: three of gray or of four, or one of gray and alpha.
static void convert(const u8* from, i64 stored, u8* to, i64 channels, i64 count) {
  for (i64 i = 0; i < count; i++, from += stored, to += channels)
    for (i64 c = 0; c < channels; c++) to[c] = from[stored < 3 ? 0 : c];
}

template <class T> static Dense<T, 2> packed(T* data, i64 rows, i64 columns) { return {{data, {rows, columns}, {columns, 1}}}; }

static bool inside(const PngWindow& wanted) {
  auto fits = [](i64 first, i64 count, i64 all) { return first >= 0 && count > 0 && count <= all && first <= all - count; };
  return fits(wanted.first_row, wanted.rows, wanted.height) && fits(wanted.first_column, wanted.columns, wanted.width);
}

bool decode_png(const u8* data, i64 size, const PngWindow& wanted) {
  static const u8 signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
  enum { WIDTH = 16, HEIGHT = 20, DEPTH = 24, COLOR, METHOD, FILTERS, INTERLACED };
  constexpr i64 MOST = 1 << 30, BEHIND = 64;  // bytes
  if (!__atomic_load_n(&has_inflater, __ATOMIC_ACQUIRE) || size < HEADER_END || size > MOST || !inside(wanted)) return false;
  if (memcmp(data, signature, sizeof signature) || big_endian(data + WIDTH) != wanted.width || big_endian(data + HEIGHT) != wanted.height)
    return false;
  const int color = data[COLOR];
  if (data[DEPTH] != 8 || data[METHOD] || data[FILTERS] || data[INTERLACED] || color > RGB_ALPHA || (color & 1)) return false;
  const i64 stored = channels_of(color), stride = wanted.width * stored, raw = wanted.height * (stride + 1);
  const bool same = stored == wanted.channels;
  if (!same && wanted.channels != (stored == 2 ? 1 : 3) && !(stored == 2 && wanted.channels == 3)) return false;
  if (stride > MOST || raw > MOST) return false;
  Compressed pixels;
  if (!find_pixels(data, size, pixels, nullptr)) return false;
  const bool direct = same && wanted.rows == wanted.height && wanted.columns == wanted.width && wanted.pitch == stride;
  const i64 joined = pixels.chunks > 1 ? pixels.size : 0, unfiltered = direct ? 0 : wanted.height * stride;
  Kept* kept = kept_by_thread();
  u8* memory = kept ? kept->room(STATE + raw + stride + unfiltered + joined + 3 * BEHIND) : nullptr;
  if (!memory) return false;
  u8 *lines = memory + STATE, *above = lines + raw + BEHIND, *rows = above + stride, *together = rows + unfiltered + BEHIND;
  if (joined) {
    find_pixels(data, size, pixels, together);
    pixels.data = together;
  }
  memset(above, 0, stride);
  if (direct) rows = wanted.target;
  bool sound = inflate(pixels.data, pixels.size, lines, raw, memory) &&
               undo_filters(packed<const u8>(lines, wanted.height, stride + 1), packed<u8>(rows, wanted.height, stride), above, stored);
  for (i64 y = 0; sound && !direct && y < wanted.rows; y++) {
    const u8* from = rows + (wanted.first_row + y) * stride + wanted.first_column * stored;
    u8* to = wanted.target + y * wanted.pitch;
    if (same) memcpy(to, from, wanted.columns * stored);
    else convert(from, stored, to, wanted.channels, wanted.columns);
  }
  kept->forget_large();
  return sound;
}

// The whole picture, as stored.
static bool decode_png_into(Dense<const u8, 1> file, Dense<u8, 3> pixels) {
  const i64 height = pixels.shape[0], width = pixels.shape[1], channels = pixels.shape[2];
  return decode_png(file.data, file.size(), {height, width, channels, 0, 0, height, width, pixels.data, width * channels});
}
REGISTER(decode_png_into)
#endif
