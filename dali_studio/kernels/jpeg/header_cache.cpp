// See `header_cache.py`.
#include "../cpu/arguments.hpp"
#include "file.hpp"

// The numbers of a file on which the result of `parse_header` depends; 0 where the header does not say anything.
struct Key {
  i32 scanned, frame_at, restart, adobe, jfif, orientation;
  i32 frame[21];
};
enum { NUMBERS = sizeof(Key) / sizeof(i32) };
enum { NARROW_TABLE = 65 };  // bytes of a quantisation table of 8 bits
enum { LONGEST = 21 };       // frame header that is kept: four components would be more than is needed, three fit

// What is known of the orientation: that of the first Exif block that gives one, up to its damage, and that of the last one
// without damage; 0 for none.
struct Orientations {
  int first, last;
};

// An Exif block, as `exif.py` reads it.
struct Exif {
  const u8* data;
  i64 size;
  bool swapped, damaged;

  i64 number(i64 at, int bytes) {
    if (at + bytes > size) return damaged = true, 0;
    i64 value = 0;
    for (int k = 0; k < bytes; k++) value = value << 8 | data[swapped ? at + bytes - 1 - k : at + k];
    return value;
  }
  void reach(i64 begin, i64 length) { damaged |= begin + length > size; }
};

enum { EXIF_MAGIC = 42, EXIF_ORIENTATION = 0x112, EXIF_ENTRY = 12, LONGEST_SHORT_TEXT = 4 };

static int fractions_of(i64 tag) {
  return tag == 0x11A || tag == 0x11B ? 1 : tag == 0x13E ? 2 : tag == 0x211 ? 3 : tag == 0x13F || tag == 0x214 ? 6 : 0;
}

static void read_exif(const u8* data, i64 size, Orientations& known) {
  Exif block{data, size, size >= 2 && data[0] == 'I' && data[1] == 'I', false};
  if (block.number(2, 2) != EXIF_MAGIC || block.damaged) return;
  const i64 first = block.number(4, 4), count = block.damaged ? 0 : block.number(first, 2);
  i64 found = -1;
  for (i64 i = 0; i < count && !block.damaged; i++) {
    const i64 at = first + 2 + EXIF_ENTRY * i, tag = block.number(at, 2);
    if (block.damaged) break;
    if ((tag >= 0x10E && tag <= 0x110) || tag == 0x131 || tag == 0x132 || tag == 0x8298) {
      const i64 length = block.number(at + 4, 4), place = length > LONGEST_SHORT_TEXT ? block.number(at + 8, 4) : 8;
      block.reach(place, length);
    } else if (const int many = fractions_of(tag)) {
      block.reach(block.number(at + 8, 4), 8 * many);
    } else if (tag == EXIF_ORIENTATION || tag == 0x128 || tag == 0x213) {
      const i64 value = block.number(at + 8, 2);
      if (tag == EXIF_ORIENTATION && found < 0 && !block.damaged) found = value;
    }
  }
  if (found < 0) return;
  const int orientation = found >= 1 && found <= 8 ? (int)found : 1;
  if (!known.first) known.first = orientation;
  if (!block.damaged) known.last = orientation;
}

static i32 agreed(const Orientations& known) {
  const int parsed = known.last ? known.last : 1, turned = known.first ? known.first : 1;
  return parsed == 1 || (parsed > 4) != (turned > 4) ? parsed : turned;
}

// Fills `key`; false for what is no plain header.
static bool collect(const JpegFile& file, Key& key) {
  Orientations known{0, 0};
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
        key.orientation = agreed(known);
        return key.frame_at > 0 && end > body;
      case 0xDD:
        if (end < body + 2) return false;
        key.restart = file.two(body);
        break;
      case 0xE0:
        if (end >= body + 4 && file.says(body, "JFIF")) key.jfif = 1;
        break;
      case 0xE1:
        if (end >= body + 2 && file.says(body, "Ex")) {
          if (end < body + 6 || !file.says(body, "Exif") || file[body + 4] || file[body + 5]) return false;
          read_exif(file.part(body + 6, end - body - 6), end - body - 6, known);
        }
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

static bool equal(const i32* a, const i32* b) {
  for (i64 k = 0; k < NUMBERS; k++)
    if (a[k] != b[k]) return false;
  return true;
}

static u32 hash(const i32* key) {
  u32 sum = 2166136261u;  // FNV-1a, of numbers
  for (i64 k = 0; k < NUMBERS; k++) sum = (sum ^ (u32)key[k]) * 16777619u;
  return sum ^ sum >> 15;
}

// The different keys of files, in the order in which they come, and in `which` the one of each file, -1 for what has none;
// returns how many there are. There are as many files as addresses; the face makes the other arrays: `table` has a power
// of two of places, more than there are files.
static i64 jpeg_kinds(Dense<const i64, 1> addresses, Dense<const i64, 1> sizes, Dense<i32, 2> keys, Dense<i64, 1> which,
                      Dense<i64, 1> table) {
  if (keys.shape[1] != NUMBERS) return 0;
  const i64 places = table.shape[0];
  for (i64 i = 0; i < places; i++) table.data[i] = -1;
  i64 kinds = 0;
  for (i64 i = 0; i < addresses.shape[0]; i++) {
    Key key{};
    which.data[i] = -1;
    if (!collect({(const u8*)addresses.data[i], sizes.data[i]}, key)) continue;
    const i32* numbers = (const i32*)&key;
    i64 at = hash(numbers) & (places - 1);
    while (table.data[at] >= 0 && !equal(&keys(table.data[at], 0), numbers)) at = (at + 1) & (places - 1);
    if (table.data[at] < 0) {
      for (i64 k = 0; k < NUMBERS; k++) keys(kinds, k) = numbers[k];
      table.data[at] = kinds++;
    }
    which.data[i] = table.data[at];
  }
  return kinds;
}
REGISTER(jpeg_kinds)
