// Structures are those of libjpeg's version 6.2 on 64-bit systems, the interface that libjpeg-turbo keeps stable. The library
// itself compares version and size before anything else happens, and `libjpeg.py` tries all on a picture first.
//
// libjpeg leaves a failed call by a long jump, to `attempt`. What is jumped over owns nothing: all memory is the library's.
#ifndef _WIN32
#include <setjmp.h>
#include <string.h>

#include "libjpeg.hpp"

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

struct Decoder {
  ErrorManager* errors;
  MemoryManager* memory;
  void *progress, *client;
  int is_decoder, state;
  void* source;
  u32 width, height;
  int stored_components, stored_colors, colors;
  u32 scale, scale_divisor;
  double gamma;
  int buffered, raw, transform, interpolates_chroma, smooths_blocks, quantizes, dither, two_passes, wanted_colors, modes[3];
  u32 output_width, output_height;
  int color_components, components;
  u64 rest[60];
};
static_assert(sizeof(Decoder) == 632 && __builtin_offsetof(Decoder, components) == 148, "jpeg_decompress_struct");
static_assert(__builtin_offsetof(ErrorManager, warnings) == 128 && sizeof(ErrorManager) == 168, "jpeg_error_mgr");

enum { VERSION = 62, IMAGE_POOL = 1 };
enum { AT_ONCE = 16 };  // rows that are asked for; the library makes two at once where chroma is shared by two rows
enum { MARGIN = 8 };    // columns beyond a window that interpolated chroma looks at, generously

struct Call {
  Decoder info;
  ErrorManager errors;
  jmp_buf back;
  const Library& library;
  const Request& wanted;
  bool complete;
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
  return call.library.start(&info) == 1 && info.components == wanted.channels;
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
  i64 stride = (i64)width * wanted.channels, size = wanted.columns * wanted.channels;
  u8* spare = nullptr;
  if (width != wanted.columns) spare = (u8*)info.memory->allocate(&info, IMAGE_POOL, AT_ONCE * stride);
  if (wanted.first_row > 0) call.library.skip(&info, wanted.first_row);
  for (i64 done = 0; done < wanted.rows;) {
    u8* rows[AT_ONCE];
    u32 count = least(wanted.rows - done, (i64)AT_ONCE);
    u8* target = (u8*)wanted.target + done * wanted.pitch;
    for (u32 i = 0; i < count; i++) rows[i] = spare ? spare + i * stride : target + i * wanted.pitch;
    u32 got = call.library.read(&info, rows, count);
    if (got == 0 || got > count) return false;
    for (u32 i = 0; spare && i < got; i++) memcpy(target + i * wanted.pitch, spare + i * stride + first * wanted.channels, size);
    done += got;
  }
  return true;
}

// On its own, so that no variable of it, or of who calls it, is kept in a register over the jump.
__attribute__((noinline)) static void attempt(Call& call) {
  if (_setjmp(call.back) == 0) call.complete = begin(call) && give_rows(call);
}

Outcome decode(const Library& library, const Request& wanted) {
  if (!inside(wanted)) return FAILED;
  Call call{{}, {}, {}, library, wanted, false};
  call.info.errors = library.standard_errors(&call.errors);
  call.errors.exit = leave;
  call.errors.output_message = say_nothing;
  call.info.client = &call;
  attempt(call);
  library.destroy(&call.info);
  return call.complete && call.errors.warnings == 0 ? DONE : FAILED;
}

static int decode_jpeg(Dense<const i64, 1> request, Dense<const i64, 1> functions) {
  if (request.size() * sizeof(i64) != sizeof(Request) || functions.size() * sizeof(i64) != sizeof(Library)) return FAILED;
  return decode(*(const Library*)functions.data, *(const Request*)request.data);
}
REGISTER(decode_jpeg)
#endif
