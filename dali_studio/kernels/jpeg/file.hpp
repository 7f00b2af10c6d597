// A JPEG file in memory: headers come from strangers, so every byte is looked up through its size.
#pragma once
#include "../include/numbers.hpp"

struct JpegFile {
  const u8* data;
  i64 size;
  // 0 beyond the end.
  HD int operator[](i64 at) const { return at >= 0 && at < size ? data[at] : 0; }
  HD int two(i64 at) const { return (*this)[at] << 8 | (*this)[at + 1]; }
  // Bytes that the caller knows to be there.
  HD const u8* part(i64 at, i64 count) const {
    if (at < 0 || count < 0 || at > size - count) __builtin_trap();
    return data + at;
  }
  template <int N> HD bool says(i64 at, const char (&text)[N]) const {
    for (int k = 0; k < N - 1; k++)
      if ((*this)[at + k] != text[k]) return false;
    return true;
  }
};

// Whether an end marker is among the last bytes. What libjpeg makes of files without one depends on how far it reads ahead.
inline bool has_end(const JpegFile& file) {
  for (i64 at = most(file.size - 64, 0ll); at + 1 < file.size; at++)
    if (file.two(at) == 0xFFD9) return true;
  return false;
}
