// See `header_cache.py`.
#include "../cpu/arguments.hpp"
#include "file.hpp"

// The numbers of a file on which the result of `parse_header` depends; 0 where the header does not say anything.
struct Key {
  i32 scanned, frame_at, restart, adobe, jfif;
  i32 frame[21];
};
enum { NARROW_TABLE = 65 };  // bytes of a quantisation table of 8 bits
enum { LONGEST = 21 };       // frame header that is kept: four components would be more than is needed, three fit

// Fills `key`; false for what is no plain header, or holds an orientation.
static bool collect(const JpegFile& file, Key& key) {
  if (file.size < 4 || file[0] != 0xFF || file[1] != 0xD8 || file[2] != 0xFF) return false;
  for (i64 at = 2, end; at + 4 <= file.size; at = end) {
    int marker = file[at + 1];
    if (file[at] != 0xFF || marker == 0x01 || (marker >= 0xD0 && marker <= 0xD9)) return false;
    if (marker == 0xFF) {
      end = at + 1;
      continue;
    }
    i64 body = at + 4;
    end = at + 2 + file.two(at + 2);
    if (end > file.size || end < body) return false;
    switch (marker) {
      case 0xDA:
        key.scanned = file[body];
        return key.frame_at > 0 && end > body;
      case 0xDD:
        if (end < body + 2) return false;
        key.restart = file.two(body);
        break;
      case 0xE0:
        if (end >= body + 4 && file.says(body, "JFIF")) key.jfif = 1;
        break;
      case 0xE1:
        if (end >= body + 2 && file.says(body, "Ex")) return false;  // Exif
        break;
      case 0xEE:
        if (end - body < 12 || !file.says(body, "Adobe")) return false;
        key.adobe = 1 + file[body + 11];
        break;
      case 0xDB:
        if ((end - body) % NARROW_TABLE) return false;
        break;
      default:
        if (marker < 0xC0 || marker > 0xCF || marker == 0xC4 || marker == 0xC8 || marker == 0xCC) break;
        if (key.frame_at || end - at > LONGEST) return false;
        key.frame_at = (i32)at;
        for (i64 k = at; k < end; k++) key.frame[k - at] = file[k];
    }
  }
  return false;
}

// As many files as there are addresses; the face makes the other arrays, and `keys` of zeros.
static void jpeg_keys(Dense<const i64, 1> addresses, Dense<const i64, 1> sizes, Dense<i32, 2> keys, Dense<b8, 1> plain) {
  if (keys.shape[1] * sizeof(i32) != sizeof(Key)) return;
  for (i64 i = 0; i < addresses.shape[0]; i++)
    plain.data[i].value = collect({(const u8*)addresses.data[i], sizes.data[i]}, *((Key*)keys.data + i));
}
REGISTER(jpeg_keys)
