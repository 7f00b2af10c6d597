// The header of a baseline file, as kernels of both devices need it.
#pragma once
#include "../include/jpeg.hpp"
#include "file.hpp"

struct Frame {
  int precision, height, width;
  bool chroma;  // three components are luma and chroma, not red, green and blue
};

// Whether three components are luma and chroma, by libjpeg's rules: JFIF means so, else Adobe's mark decides (less than 0: none), else
// the components' names.
bool has_chroma(const JpegFile& file, i64 frame, bool jfif, int adobe);

// Where the coded data begins, or -1 for a file that kernels do not decode. Fills in codes, tables and geometry, and `told`.
i64 read_file(const JpegFile& file, Picture& picture, Frame* told = nullptr);

// What launches over several pictures must be large enough for.
struct Largest {
  i64 tiles = 0;               // of a picture that `pixels` makes
  i64 blocks = 0, groups = 0;  // of one that `transform` and `colors` make: coefficients, and pixels in fours
  void see(const Picture& picture);
};
