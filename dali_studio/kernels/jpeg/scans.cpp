// The host's part of `jpeg_scans.cu`. See `scan.py`.
#include <string.h>

#include "progressive_file.hpp"

static_assert(sizeof(CodedScan) == 348 && sizeof(ScanList) == 32, "CODED_SCAN and SCAN_LIST in scan.py");

// Where the data of a scan ends: at a marker that is none of restarts; the end of the file where there is none.
static i64 end_of_data(const JpegFile& file, i64 at) {
  while (at + 1 < file.size) {
    const u8* found = (const u8*)memchr(file.data + at, 0xFF, (u64)(file.size - at));
    if (!found) break;
    at = found - file.data;
    const int marker = file[at + 1];
    if (marker != 0 && (marker < 0xD0 || marker > 0xD7)) return at;
    at += 2;
  }
  return file.size;
}

// The scans of a file, in its order, and where the data of the first one begins.
struct ScanTable {
  const ProgressiveFile& file;
  CodedScan* scans;
  i64 most;  // of them
  i64 count = 0, begin = 0;
  int last_dc = -1, last_ac[MAX_COMPONENTS] = {-1, -1, -1};

  // Where the scan ends, or -1 if it has no place.
  i64 add(const Scan& scan, i64 at) {
    const Picture& picture = file.picture;
    if (count == most) return -1;
    if (count == 0) begin = at;
    CodedScan& made = scans[count];
    memset(&made, 0, sizeof made);
    const bool ac = scan.first > 0;
    i64 in_unit = 0;
    for (int i = 0; i < scan.components; i++) {
      const int c = scan.component[i];
      made.components |= 1 << c, in_unit += c ? 1 : picture.h * picture.v;
      if (!scan.tables[i]) continue;
      const CodeTable& codes = *scan.tables[i];
      const int table = ac ? 0 : c, room = ac ? 256 : 16;
      int symbols = 0;
      for (int k = 1; k <= 16; k++) symbols += codes.counts[k];
      if (symbols > room) return -1;
      memcpy(made.lengths[table], codes.counts + 1, 16);
      memcpy(made.symbols + 16 * table, codes.symbols, (u64)symbols);
    }
    const bool alone = scan.components == 1;
    const int c = scan.component[0];
    made.columns = alone ? (i32)file.columns(c) : 0;
    made.blocks = (i32)(alone ? file.rows(c) * file.columns(c) : picture.units * in_unit);
    made.interval = (i32)(scan.interval * (alone ? 1 : in_unit));
    made.first = scan.first, made.last = scan.last, made.low = scan.low, made.refines = scan.refines;
    int& before = ac ? last_ac[c] : last_dc;
    made.waits = before, before = (int)count;
    const i64 end = end_of_data(file.data, at);
    made.begin = (u32)(at - begin), made.end = (u32)(end - begin);
    count++;
    return end;
  }

  // Those that are decoded at the same time, longest first: neighbours among warps share no scheduler.
  void sort() {
    i32 order[MAX_SCANS], place[MAX_SCANS];
    for (i32 from = 0; from < count; from += SCANS_AT_ONCE) {
      const i32 to = (i32)least<i64>(from + SCANS_AT_ONCE, count);
      for (i32 i = from; i < to; i++) {
        i32 at = i;
        for (; at > from && size_of(order[at - 1]) < size_of(i); at--) order[at] = order[at - 1];
        order[at] = i;
      }
    }
    for (i32 i = 0; i < count; i++) place[order[i]] = i;
    CodedScan sorted[MAX_SCANS];
    for (i32 i = 0; i < count; i++) {
      sorted[i] = scans[order[i]];
      if (sorted[i].waits >= 0) sorted[i].waits = place[sorted[i].waits];
    }
    memcpy(scans, sorted, (u64)count * sizeof *scans);
  }
  u32 size_of(i32 which) const { return scans[which].end - scans[which].begin; }
};

static i64 room(i64 size) { return divided_up(size, 256) * 256; }
template <class T> static T* place(T*, i64 at) { return (T*)at; }
template <class T> static void move(T*& pointer, i64 by) { pointer = (T*)((i64)pointer + by); }

// The face checks all sizes.
static i64 jpeg_plan_scans(Dense<const i64, 2> requests, Array<const i64, 2> places, i64 begin, i64 end, i64 most_bytes,
                           Dense<u8, 2> pictures, Dense<u8, 2> lists, Dense<u8, 2> scans, Dense<i64, 1> rows, Dense<i64, 1> made) {
  i64 count = 0, upload = 0, zero = 0, rest = 0, used = 0, scans_of_one = 0;
  Largest largest;
  for (i64 index = begin; index < end; index++) {
    if (count == pictures.shape[0] || used + MAX_SCANS > scans.shape[0]) {
      end = index;
      break;
    }
    const Request& wanted = ((const Request*)requests.data)[index];
    Picture& picture = ((Picture*)pictures.data)[count];
    ProgressiveFile file{{(const u8*)wanted.data, wanted.size}, picture};
    ScanTable table{file, (CodedScan*)scans.data + used, MAX_SCANS};
    if (!file.each_scan(wanted, [] { return true; }, [&](const Scan& scan, i64 at) { return table.add(scan, at); })) continue;
    table.sort();
    const i64 size = room(wanted.size - table.begin), coefficients = room(128ll * (picture.end_block - picture.first_block));
    const i64 known = room(8ll * picture.blocks), planes = picture.chroma_columns ? room(64ll * picture.blocks) : 0;
    const i64 needed = size + coefficients + known + planes;
    if (needed > most_bytes) continue;
    if (upload + zero + rest + needed > most_bytes) {
      end = index;
      break;
    }
    ScanList& list = ((ScanList*)lists.data)[count];
    list.data = place(list.data, upload), list.scans = place(list.scans, used * (i64)sizeof(CodedScan)), list.count = table.count;
    picture.size = (i32)(wanted.size - table.begin);
    picture.coefficients = place(picture.coefficients, zero - 128ll * picture.first_block);
    list.known = place(list.known, zero + coefficients);
    picture.planes = place(picture.planes, rest);
    picture.target = place(picture.target, places(index, 0)), picture.pitch = places(index, 1);
    upload += size, zero += coefficients + known, rest += planes, used += table.count;
    largest.see(picture), scans_of_one = most(scans_of_one, table.count);
    rows.data[count++] = index;
  }
  const i64 told[] = {count, upload, zero, rest, used, scans_of_one, largest.tiles, largest.blocks, largest.groups};
  memcpy(made.data, told, sizeof told);
  return end;
}
REGISTER(jpeg_plan_scans)

// Of the first pictures, as many as there are rows.
static void jpeg_settle_scans(Dense<const i64, 2> requests, Dense<u8, 2> pictures, Dense<u8, 2> lists, Dense<const i64, 1> rows,
                              i64 staged, i64 scans, i64 upload, i64 zero, i64 rest) {
  for (i64 i = 0; i < rows.shape[0]; i++) {
    Picture& picture = ((Picture*)pictures.data)[i];
    ScanList& list = ((ScanList*)lists.data)[i];
    const Request& wanted = ((const Request*)requests.data)[rows.data[i]];
    memcpy((u8*)staged + (i64)list.data, (const u8*)wanted.data + wanted.size - picture.size, (u64)picture.size);
    move(list.data, upload), move(list.scans, scans), move(list.known, zero);
    move(picture.coefficients, zero), move(picture.planes, rest);
  }
}
REGISTER(jpeg_settle_scans)
