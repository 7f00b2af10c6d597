// Structures are those of libjpeg's version 6.2 on 64-bit systems, the interface that libjpeg-turbo keeps stable. The library
// itself compares version and size before anything else happens, and `libjpeg.py` tries all on a picture first.
//
// Usual files, also progressive ones, are decoded by `baseline.cpp`. Of other baseline files, and of those that are transformed by libjpeg's faster method,
// libjpeg does not decode the Huffman codes, which take it two thirds of the time: its method for a unit of coefficients is replaced
// (`Huffman`). What that refuses fails.
//
// libjpeg leaves a failed call by a long jump, to `attempt`. What is jumped over owns nothing: all memory is the library's.
#ifndef _WIN32
#include "../include/inks.hpp"

#include <setjmp.h>
#include <string.h>

#include "baseline.hpp"
#include "file.hpp"
#include "kept.hpp"

struct ErrorManager {
  void (*exit)(Decoder*);
  void* emit_message;
  void (*output_message)(Decoder*);
  void *format_message, *reset;
  int code;
  char parameters[80];
  int trace_level;
  long warnings;
  void* messages[4];
};

struct MemoryManager {
  void* allocate_small;
  void* (*allocate)(Decoder*, int pool, size_t size);  // until `destroy`; does not come back without memory
};

struct Source {
  const u8* next;
  size_t left;
};

struct Component {
  int id, index, h, v, quant, dc, ac;
};

typedef i16 Block[64];

struct EntropyDecoder {
  void* start;
  int (*decode_unit)(Decoder*, Block** blocks);
};

struct Decoder {
  ErrorManager* errors;
  MemoryManager* memory;
  void *progress, *client;
  int is_decoder, state;
  Source* source;
  u32 width, height;
  int stored_components, stored_colors, colors;
  u32 scale, scale_divisor;
  double gamma;
  int buffered, raw, transform, interpolates_chroma, smooths_blocks, quantizes, dither, two_passes, wanted_colors, modes[3];
  u32 output_width, output_height;
  int color_components, components;
  int most_lines, actual_colors;
  void* palette;
  u32 line;
  int input_scan;
  u32 input_row;
  int output_scan;
  u32 output_row;
  void *precisions, *quants[4];
  const CodeTable *dc[4], *ac[4];
  int precision;
  void* all_components;
  int progressive, arithmetic;
  u8 conditioning[48];
  u32 restart_interval;
  int jfif;
  u8 density[8];
  int adobe;
  u8 adobe_transform;
  int ccir601;
  void* saved_markers;
  int most_h, most_v, least_size;
  u32 rows_of_units;
  void* limits;
  int scanned_components;
  const Component* scanned[4];
  u32 units_per_row, unit_rows;
  int blocks_per_unit, membership[10];
  int first_coefficient, last_coefficient, high_bit, low_bit;
  int unread_marker;
  void* parts[6];
  EntropyDecoder* entropy;
  void* later_parts[4];
};
static_assert(sizeof(Decoder) == 632 && __builtin_offsetof(Decoder, entropy) == 592 && __builtin_offsetof(Decoder, components) == 148, "jpeg_decompress_struct");
static_assert(__builtin_offsetof(ErrorManager, warnings) == 128 && sizeof(ErrorManager) == 168, "jpeg_error_mgr");

enum { VERSION = 62, IMAGE_POOL = 1 };
// What takes the place of its decoding of Huffman codes.
struct Huffman {
  enum { MAX_BLOCKS = 10, MAX_COMPONENTS = 4 };
  Units in;
  const DcCodes* dc[MAX_COMPONENTS];
  const AcCodes* ac[MAX_COMPONENTS];
};

enum { AT_ONCE = 16 };  // rows that are asked for; the library makes two at once where chroma is shared by two rows
enum { MARGIN = 8 };    // columns beyond a window that interpolated chroma looks at, generously

struct Call {
  const Library& library;
  const Request& wanted;
  bool sound, complete;
  Decoder info;
  ErrorManager errors;
  jmp_buf back;
  Huffman huffman;
  Call(const Library& library, const Request& wanted, bool sound)
      : library(library), wanted(wanted), sound(sound), complete(false), info() {}  // the rest is set later
};

static void leave(Decoder* info) { _longjmp(((Call*)info->client)->back, 1); }
static void say_nothing(Decoder*) {}

static bool inside(const Request& wanted) {
  auto fits = [](i64 first, i64 count, i64 all) {
    return all > 0 && all <= 0xFFFF && first >= 0 && count > 0 && count <= all && first <= all - count;
  };
  return wanted.data && wanted.size > 0 && wanted.channels > 0 && fits(wanted.first_row, wanted.rows, wanted.height) &&
         fits(wanted.first_column, wanted.columns, wanted.width);
}

enum { INKS = 4 };

// Whether pixels of four inks are to become red, green and blue.
static bool converts(const Request& wanted) { return wanted.colors == INKS && wanted.channels == 3; }

// Reads the header, and gets ready to give rows; false if the file is not what was expected.
static bool begin(Call& call) {
  Decoder& info = call.info;
  const Request& wanted = call.wanted;
  call.library.create(&info, VERSION, sizeof info);
  call.library.source(&info, (const u8*)wanted.data, wanted.size);
  if (call.library.read_header(&info, 1) != 1 || info.height != wanted.height || info.width != wanted.width) return false;
  info.colors = (int)wanted.colors;
  info.transform = wanted.fast_dct != 0;
  info.interpolates_chroma = wanted.repeat_chroma == 0;
  return call.library.start(&info) == 1 && info.components == (converts(wanted) ? INKS : wanted.channels);
}

// The coefficients of a unit, into blocks of zeros; without blocks it is left out.
static int decode_unit(Decoder* info, Block** blocks) {
  Huffman& from = ((Call*)info->client)->huffman;
  bool sound = from.in.unit_begins();
  for (int i = 0; sound && i < info->blocks_per_unit; i++) {
    const int c = info->membership[i];
    RoomyBlock block{};
    sound = decode_block<true>(from.in.next, *from.dc[c], *from.ac[c], from.in.last[c], block) != DAMAGED;
    if (blocks) memcpy(*blocks[i], block, sizeof(Block));
  }
  if (!sound || !from.in.unit_ends()) leave(info);
  return 1;
}

// Replaces the decoding of Huffman codes, if the file has one baseline scan.
static void replace_huffman(Call& call) {
  Decoder& info = call.info;
  Huffman& huffman = call.huffman;
  const JpegFile file{(const u8*)call.wanted.data, call.wanted.size};
  int count = info.scanned_components;
  if (!has_end(file) || info.progressive || info.arithmetic || info.precision != 8 || count != info.stored_components || count < 1 ||
      count > Huffman::MAX_COMPONENTS || info.blocks_per_unit < 1 || info.blocks_per_unit > Huffman::MAX_BLOCKS ||
      info.first_coefficient != 0 || info.last_coefficient != 63 || info.high_bit != 0 || info.low_bit != 0)
    return;
  Kept* kept = kept_by_thread();
  for (int c = 0; c < count; c++) {
    const int dc = info.scanned[c]->dc, ac = info.scanned[c]->ac;
    if (!kept || dc < 0 || dc >= Kept::TABLES || ac < 0 || ac >= Kept::TABLES || !info.dc[dc] || !info.ac[ac]) return;
    if (!kept->dc[dc].make(*info.dc[dc], true) || !kept->ac[ac].make(*info.ac[ac], false)) return;
    huffman.dc[c] = &kept->dc[dc], huffman.ac[c] = &kept->ac[ac];
  }
  for (int i = 0; i < info.blocks_per_unit; i++)
    if (info.membership[i] < 0 || info.membership[i] >= count) return;
  huffman.in.from = info.source->next, huffman.in.until = info.source->next + info.source->left;
  u8* memory = (u8*)info.memory->allocate(&info, IMAGE_POOL, info.source->left + Units::BEHIND);
  huffman.in.start(memory, info.restart_interval);
  info.entropy->decode_unit = decode_unit;
}

// Puts the wanted rows where they belong; if they come with more columns, by way of other memory.
static bool give_rows(Call& call) {
  Decoder& info = call.info;
  const Request& wanted = call.wanted;
  i64 first = wanted.first_column;
  u32 width = wanted.width;
  if (wanted.columns < wanted.width) {
    i64 margin = wanted.repeat_chroma ? 0 : MARGIN;
    u32 from = most(first - margin, (i64)0);
    width = least(first + wanted.columns + margin, wanted.width) - from;
    call.library.crop(&info, &from, &width);  // moves to where a block begins
    first -= from;
  }
  if (first < 0 || first + wanted.columns > width) return false;
  i64 stride = (i64)width * info.components, size = wanted.columns * wanted.channels;
  u8* spare = nullptr;
  if (width != wanted.columns || converts(wanted)) spare = (u8*)info.memory->allocate(&info, IMAGE_POOL, AT_ONCE * stride);
  if (wanted.first_row > 0) call.library.skip(&info, wanted.first_row);
  for (i64 done = 0; done < wanted.rows;) {
    u8* rows[AT_ONCE];
    u32 count = least(wanted.rows - done, (i64)AT_ONCE);
    u8* target = (u8*)wanted.target + done * wanted.pitch;
    for (u32 i = 0; i < count; i++) rows[i] = spare ? spare + i * stride : target + i * wanted.pitch;
    u32 got = call.library.read(&info, rows, count);
    if (got == 0 || got > count) return false;
    for (u32 i = 0; spare && i < got; i++) {
      const u8* from = spare + i * stride + first * info.components;
      if (converts(wanted)) inks_to_rgb(from, target + i * wanted.pitch, wanted.columns, info.adobe != 0);
      else memcpy(target + i * wanted.pitch, from, size);
    }
    done += got;
  }
  return true;
}

// On its own, so that no variable of it, or of who calls it, is kept in a register over the jump.
__attribute__((noinline)) static void attempt(Call& call) {
  if (_setjmp(call.back) == 0 && begin(call)) {
    if (call.sound) replace_huffman(call);
    call.complete = give_rows(call);
  }
}

Outcome decode(const Library& library, const Request& wanted, bool sound) {
  if (!inside(wanted)) return FAILED;
  if (sound && (decode_baseline(wanted) || decode_progressive(wanted))) return DONE;
  Call call{library, wanted, sound};
  call.info.errors = library.standard_errors(&call.errors);
  call.errors.exit = leave;
  call.errors.output_message = say_nothing;
  call.info.client = &call;
  attempt(call);
  library.destroy(&call.info);
  return call.complete && (!sound || call.errors.warnings == 0) ? DONE : FAILED;
}

static int decode_jpeg(Dense<const i64, 1> request, Dense<const i64, 1> functions) {
  if (request.size() * sizeof(i64) != sizeof(Request) || functions.size() * sizeof(i64) != sizeof(Library)) return FAILED;
  return decode(*(const Library*)functions.data, *(const Request*)request.data);
}
REGISTER(decode_jpeg)

// Several pictures, whose outcomes are written down. What has no end marker fails, too, where a part of it is asked for: it may have
// been cut off.
static i64 decode_jpegs(Dense<const i64, 2> requests, Dense<const i64, 1> functions, Dense<i64, 1> outcomes) {
  const i64 count = requests.shape[0];
  if (requests.shape[1] * sizeof(i64) != sizeof(Request) || functions.size() * sizeof(i64) != sizeof(Library) || outcomes.shape[0] != count)
    return MISFIT;
  for (i64 i = 0; i < count; i++) {
    const Request& wanted = ((const Request*)requests.data)[i];
    const bool part = wanted.rows != wanted.height || wanted.columns != wanted.width;
    const bool usable = wanted.data && wanted.colors != PNG && !(part && !has_end({(const u8*)wanted.data, wanted.size}));
    outcomes.data[i] = usable ? decode(*(const Library*)functions.data, wanted) : FAILED;
  }
  return 0;
}
REGISTER(decode_jpegs)

// The same without the library.
static int decode_jpeg_alone(Dense<const i64, 1> request) {
  if (request.size() * sizeof(i64) != sizeof(Request)) return FAILED;
  const Request& wanted = *(const Request*)request.data;
  return inside(wanted) && (decode_baseline(wanted) || decode_progressive(wanted)) ? DONE : FAILED;
}
REGISTER(decode_jpeg_alone)

// With it, of a file and pixels in arrays, rows without gaps.
static int decode_jpeg_into(Dense<const u8, 1> file, Dense<u8, 1> pixels, i64 height, i64 width, i64 colors, i64 channels,
                            bool fast_dct, bool repeat_chroma, bool sound, i64 row, i64 column, i64 rows, i64 columns,
                            Dense<const i64, 1> functions) {
  if (functions.size() * sizeof(i64) != sizeof(Library) || channels < 1 || channels > 4) return FAILED;
  if (rows < 1 || columns < 1 || rows > 0xFFFF || columns > 0xFFFF || rows * columns * channels > pixels.size()) return FAILED;
  const Request wanted{(i64)file.data, file.size(), height, width, colors, channels, fast_dct, repeat_chroma,
                       row, column, rows, columns, (i64)pixels.data, columns * channels};
  return decode(*(const Library*)functions.data, wanted, sound);
}
REGISTER(decode_jpeg_into)
#endif
