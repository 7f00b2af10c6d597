// Sources: ITU-T T.81, annexes B, F and G.
#include "progressive.hpp"

#include "progressive_file.hpp"

// A file as far as it has been decoded.
struct Progress {
  const ProgressiveFile& file;
  i16* coefficients;
  u64* known;                     // of each block, a bit for each coefficient in the order of coding that is not zero; none for DC
  ScanCodes codes[MAX_COMPONENTS]{};  // of the scan
};

// The lowest of these bits one by one to the places that are set, from the lowest place on.
HD u64 deposited(u64 bits, u64 places) {
#ifdef __BMI2__
  return __builtin_ia32_pdep_di(bits, places);
#else
  u64 found = 0;
  for (; bits && places; bits >>= 1, places &= places - 1)
    if (bits & 1) found |= places & (0 - places);
  return found;
#endif
}

// ------------------------------------------------------------------------------------------------------------- blocks

static HD bool next_entry(ScanBits& in, const ScanCodes& codes, u32& entry, int& value) {
  if (!in.fill()) return false;
  entry = codes.entries[in.look(ScanCodes::LOOK)];
  if (!(entry & 255) && !(entry = codes.whole(in.bits, entry))) return false;
  value = (i16)(entry >> 16);
  in.drop(entry & 255);
  return true;
}

static HD bool first_dc(ScanBits& in, const ScanCodes& codes, int low, i16* block, i32& last) {
  u32 entry;
  int difference;
  if (!next_entry(in, codes, entry, difference)) return false;
  last += difference;
  block[0] = (i16)(last * (1 << low));
  return block[0] == last * (1 << low);
}

static HD bool refine_dc(ScanBits& in, int low, i16* block) {
  if (!in.fill()) return false;
  block[0] |= (i16)(in.look(1) << low);
  in.drop(1);
  return true;
}

// `over` counts blocks whose part of the scan is over, this one included.
__attribute__((noinline)) static bool first_ac(ScanBits& given, const ScanCodes& codes, const Scan& scan, i16* block, u64& known, int& over) {
  if (over) return over--, true;
  ScanBits in = given;
  for (int k = scan.first; k <= scan.last;) {
    if (!in.fill()) return false;
    int more = 56 / ScanCodes::LOOK;  // coefficients that the bits last for, if they are seen whole
    u32 entry = codes.entries[in.look(ScanCodes::LOOK)];
    if (!(entry & 255)) {
      if (!(entry = codes.whole(in.bits, entry))) return false;
      more = 1 + (56 - 31) / ScanCodes::LOOK;
    }
    do {
      int run = entry >> 8 & 255, value = (i16)(entry >> 16);
      in.drop(entry & 255);
      if (run == ScanCodes::NO_MORE) {
        over = value - 1, k = 64;
        break;
      }
      k += run;
      if (k > scan.last) return false;
      if (value) {
        block[ZIGZAG[k]] = (i16)(value * (1 << scan.low));
        known |= 1ull << k;
      }
      if (++k > scan.last || --more == 0) break;
      entry = codes.entries[in.look(ScanCodes::LOOK)];
    } while (entry & 255);
  }
  given = in;
  return true;
}

enum { SURE = 56 - 31 };  // bits that are there after a symbol was taken

// As many bits, behind those that were `taken` before; false where the data is at its end.
static HD bool take(ScanBits& in, int count, u64& taken) {
  for (; __builtin_expect(count > SURE, 0); count -= SURE) {
    taken = taken << SURE | (u64)in.look(SURE);
    in.drop(SURE);
    if (!in.fill()) return false;
  }
  taken = taken << count | in.bits >> 1 >> (63 - count);
  in.drop(count);
  return true;
}

// Bits of coefficients that were not zero before lie between the symbols. How many there are follows from the places of those
// coefficients, so that their values change at the end of the block, all together: a loop for each symbol would be guessed wrong.
__attribute__((noinline)) static bool refine_ac(ScanBits& given, const ScanCodes& codes, const Scan& scan, i16* block, u64& known, int& over) {
  ScanBits in = given;
  const u64 band = (2ull << scan.last) - (1ull << scan.first), before = known & band;
  u64 ones = before, zeros = band & ~before;  // which were not zero, and which were, of those that have not been passed
  u64 bits = 0;
  const i32 one = 1 << scan.low;
  while ((ones | zeros) && !over) {
    u32 entry;
    int value;
    if (!next_entry(in, codes, entry, value)) return false;
    int run = entry >> 8 & 255;
    if (run == ScanCodes::NO_MORE) {
      over = value;
      break;
    }
    u64 place = deposited(1ull << run, zeros), passed = ones & (place - 1);
    if (!place || value < -1 || value > 1) return false;
    if (!take(in, __builtin_popcountll(passed), bits)) return false;
    if (value) {
      block[ZIGZAG[__builtin_ctzll(place)]] = (i16)(value * one);
      known |= place;
    }
    ones ^= passed, zeros &= 0 - 2 * place;
  }
  if (over) {
    if (!in.fill() || !take(in, __builtin_popcountll(ones), bits)) return false;
    over--;
  }
  given = in;
  u64 in_order = __builtin_bitreverse64(bits) >> 1 >> (63 - __builtin_popcountll(before));  // the first one lowest
  for (u64 changed = deposited(in_order, before); changed; changed &= changed - 1) {
    i16& value = block[ZIGZAG[__builtin_ctzll(changed)]];
    i32 minus = value >> 15;  // 0 or -1: no jump, since signs cannot be guessed
    value = (i16)(value + ((one ^ minus) - minus));
  }
  return true;
}

// -------------------------------------------------------------------------------------------------------------- scans

// Whether all bits up to a marker were used.
static HD bool at_marker(const ScanBits& in) {
  return in.count >= 0 && in.count < 8 && in.end - in.at >= 2 && in.at[0] == 0xFF && in.at[1] != 0;
}

// Calls `decode(block, place in the scan's components)` for each block, in the order of coding, and `restart()` before those
// that begin a restart interval. False as soon as one of them says so.
template <class D, class R> static HD bool each_block(const ProgressiveFile& file, const Scan& scan, D decode, R restart) {
  const Picture& picture = file.picture;
  i64 luma = picture.h * picture.v, per_unit = picture.components == 1 ? 1 : luma + 2, left = scan.interval;
  auto begins = [&] { return scan.interval && left-- == 0; };
  if (scan.components > 1) {
    for (i64 unit = 0; unit < picture.units; unit++) {
      if (begins()) {
        if (!restart()) return false;
        left = scan.interval - 1;
      }
      for (int i = 0; i < scan.components; i++) {
        int c = scan.component[i];
        i64 block = unit * per_unit + (c ? luma + c - 1 : 0);
        for (i64 end = block + (c ? 1 : luma); block < end; block++)
          if (!decode(block, i)) return false;
      }
    }
    return true;
  }
  // of a single component, only the blocks that have pixels of the picture
  int c = scan.component[0], across = c ? 0 : picture.h - 1, down = c ? 0 : picture.v - 1;  // binary logarithms
  i64 rows = file.rows(c), columns = file.columns(c);
  for (i64 row = 0; row < rows; row++) {
    i64 begin = (row >> down) * picture.columns_of_units * per_unit + (c ? luma + c - 1 : (row & down) << across);
    for (i64 column = 0; column < columns; column++) {
      if (begins()) {
        if (!restart()) return false;
        left = scan.interval - 1;
      }
      if (!decode(begin + (column >> across) * per_unit + (column & across), 0)) return false;
    }
  }
  return true;
}

// Where the data of a scan ends, or -1 if it is damaged.
template <bool AC, bool REFINES> static i64 decode_scan(const Progress& made, const Scan& scan, i64 begin) {
  const JpegFile& data = made.file.data;
  ScanBits in{0, 0, data.data + begin, data.data + data.size};
  i32 last[MAX_COMPONENTS]{};
  int over = 0, marker = 0;
  auto decode = [&](i64 index, int i) __attribute__((always_inline)) {
    i16* block = made.coefficients + 64 * index;
    if (AC && REFINES) return refine_ac(in, made.codes[0], scan, block, made.known[index], over);
    if (AC) return first_ac(in, made.codes[0], scan, block, made.known[index], over);
    return REFINES ? refine_dc(in, scan.low, block) : first_dc(in, made.codes[i], scan.low, block, last[i]);
  };
  auto restart = [&] {
    if (over || !at_marker(in) || in.at[1] != 0xD0 + marker) return false;
    in = {0, 0, in.at + 2, in.end};
    memset(last, 0, sizeof last);
    marker = (marker + 1) & 7;
    return true;
  };
  if (!each_block(made.file, scan, decode, restart) || over || !at_marker(in)) return -1;
  return in.at - data.data;
}

// Decodes the scan whose data begins here; where it ends, or -1.
static i64 read_scan_data(Progress& made, const Scan& scan, i64 begin) {
  for (int i = 0; i < scan.components; i++)
    if (scan.tables[i] && !made.codes[i].make(*scan.tables[i], scan.first == 0)) return -1;
  if (scan.first == 0) return scan.refines ? decode_scan<false, true>(made, scan, begin) : decode_scan<false, false>(made, scan, begin);
  return scan.refines ? decode_scan<true, true>(made, scan, begin) : decode_scan<true, false>(made, scan, begin);
}

// ------------------------------------------------------------------------------------------------------------ the file

i64 room_for_file(const Request& wanted) {
  const JpegFile data{(const u8*)wanted.data, wanted.size};
  i64 frame = 0;
  bool jfif = false;
  int adobe = -1;
  for (i64 at = 2; at + 4 <= data.size && data[at] == 0xFF; at += data[at + 1] == 0xFF ? 1 : 2 + data.two(at + 2)) {
    const int marker = data[at + 1];
    const i64 body = at + 4, size = data.two(at + 2) - 2;
    if (marker == 0xE0 && size >= 14 && data.says(body, "JFIF\0")) jfif = true;
    if (marker == 0xEE && size >= 12 && data.says(body, "Adobe")) adobe = data[body + 11];
    if (marker == 0xC2) frame = at;
    if (marker != 0xDA) continue;
    Picture picture{};
    if (!frame || data.two(frame + 2) != 8 + 3 * data[frame + 9]) return 0;
    read_frame(data, frame, picture);
    return picture.h && (picture.components == 1 || has_chroma(data, frame, jfif, adobe)) ? room_for(picture.blocks) : 0;
  }
  return 0;
}

bool decode_coefficients(const Request& wanted, u8* room, i64 size) {
  if (size < COEFFICIENTS_AT) return false;
  ProgressiveFile file{{(const u8*)wanted.data, wanted.size}, *(Picture*)room};
  Progress made{file, (i16*)(room + COEFFICIENTS_AT), nullptr};
  auto framed = [&] {
    if (room_for(file.picture.blocks) > size) return false;
    made.known = (u64*)(made.coefficients + 64ll * file.picture.blocks);
    memset(made.coefficients, 0, room_for(file.picture.blocks) - COEFFICIENTS_AT);
    return true;
  };
  return file.each_scan(wanted, framed, [&](const Scan& scan, i64 begin) { return read_scan_data(made, scan, begin); });
}
