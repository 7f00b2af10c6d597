// libjpeg-turbo, called through addresses: a picture, or a window of one. See `libjpeg.py`.
#pragma once
#include <stddef.h>

#include "../cpu/arguments.hpp"

// What is asked for, in the order of the numbers in `libjpeg.py`.
struct Request {
  i64 data, size;     // address and bytes of the file
  i64 height, width;  // that its header states
  i64 colors, channels;  // of the pixels; four inks in three channels become red, green and blue; PNG: the file is none of JPEG
  i64 fast_dct, repeat_chroma;  // 0 or 1
  i64 first_row, first_column, rows, columns;
  i64 target, pitch;  // address of the first pixel, and bytes from row to row
};
enum { PNG = 0 };  // in place of colors
enum Outcome { DONE = 1, FAILED, BY_HARDWARE, BY_KERNELS, COEFFICIENTS };

#ifndef _WIN32
struct Decoder;
struct ErrorManager;

// Addresses of the library's functions, in the order of `libjpeg.py`.
struct Library {
  ErrorManager* (*standard_errors)(ErrorManager*);
  void (*create)(Decoder*, int version, size_t size);
  void (*source)(Decoder*, const u8* data, unsigned long size);
  int (*read_header)(Decoder*, int required);
  int (*start)(Decoder*);
  void (*crop)(Decoder*, u32* first, u32* columns);
  u32 (*skip)(Decoder*, u32 rows);
  u32 (*read)(Decoder*, u8** rows, u32 count);
  void (*destroy)(Decoder*);
};
static_assert(sizeof(Request) == 14 * sizeof(i64) && sizeof(Library) == 9 * sizeof(i64), "rows of 64 bits");

// DONE or FAILED. Whatever is in the file, nothing is written outside the window's rows; the window may be any.
// What is wrong with a file fails, unless it need not be `sound`: then all rows are enough.
Outcome decode(const Library& library, const Request& wanted, bool sound = true);
#endif
