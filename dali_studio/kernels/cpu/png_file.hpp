// PNG files of the usual kind, decoded without Python in between. See `png.py`.
#pragma once
#include "arguments.hpp"

// A window of the picture, which need not have the file's channels: alpha is left out, and gray becomes three equal colours.
struct PngWindow {
  i64 height, width;  // that the header states
  i64 channels, first_row, first_column, rows, columns;
  u8* target;
  i64 pitch;  // bytes from row to row
};

// False for whatever is unusual, or wrong with the file: `png.py` tells these apart. Nothing is written outside the window.
bool decode_png(const u8* data, i64 size, const PngWindow& wanted);

// Undoes the filters of rows that begin with the number of theirs; zeros lie `above`, as many as a row has bytes, and a pixel
// has `step` bytes. False for an unknown filter.
bool undo_filters(const Dense<const u8, 2>& source, const Dense<u8, 2>& target, const u8* above, i64 step);
