// Records of MXNet's files: `record_io.py`.
#include <string.h>

#include "arguments.hpp"

constexpr u32 MAGIC = 0xCED7230A, LENGTH = (1u << 29) - 1;
constexpr i64 HEADER = 32;
// Whether a record goes on behind a part of it.
enum Flag { ALONE = 0, FIRST = 1, LAST = 3 };
// What became of a record (`_REASONS`).
enum State { READ, TOO_SHORT, NO_RECORD, LABELS_CUT_OFF, PART_MISSING, CUT_OFF };
// A row of what is found: where its labels lie and how many there are, where the image lies, and its bytes.
enum Column { STATE, LABEL_BEGIN, LABELS, IMAGE_BEGIN, IMAGE_SIZE, COLUMNS };

static u32 word_at(const u8* at) {
  u32 word;
  memcpy(&word, at, 4);
  return word;
}

// Parts are joined in place: one ends before each magic number in the data, which the parts leave out.
static State parse(u8* record, i64 size, i64* found) {
  if (size < HEADER) return TOO_SHORT;
  if (word_at(record) != MAGIC) return NO_RECORD;
  const u32 word = word_at(record + 4), count = word_at(record + 8);
  const i64 begin = HEADER + 4 * (i64)count;
  i64 end = 8 + (i64)(word & LENGTH);
  if (begin > end) return LABELS_CUT_OFF;
  u32 flag = word >> 29;
  for (i64 read = end; flag != ALONE && flag != LAST;) {
    read += -read & 3;
    if (read + 8 > size || word_at(record + read) != MAGIC) return PART_MISSING;
    const u32 next = word_at(record + read + 4);
    const i64 bytes = (i64)(next & LENGTH);
    flag = next >> 29;
    if (flag == ALONE || flag == FIRST) return PART_MISSING;
    if (bytes > size - read - 8) return CUT_OFF;
    memcpy(record + end, &MAGIC, 4);
    memmove(record + end + 4, record + read + 8, (size_t)bytes);
    read += 8 + bytes, end += 4 + bytes;
  }
  if (end > size) return CUT_OFF;
  found[LABEL_BEGIN] = count ? HEADER : 12, found[LABELS] = count ? count : 1;
  found[IMAGE_BEGIN] = begin, found[IMAGE_SIZE] = end - begin;
  return READ;
}

// Places are those in the slab; a record that cannot be read has none. Gives the labels of all.
static i64 parse_records(Dense<u8, 1> slab, Array<const i64, 1> starts, Array<const i64, 1> sizes, Dense<i64, 2> found) {
  const i64 count = starts.shape[0];
  if (sizes.shape[0] != count || found.shape[0] != count || found.shape[1] != COLUMNS) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (starts(i) < 0 || sizes(i) < 0 || sizes(i) > slab.shape[0] - starts(i)) return MISFIT;
  i64 labels = 0;
  for (i64 i = 0; i < count; i++) {
    i64* row = &found(i, 0);
    row[LABELS] = row[IMAGE_SIZE] = row[LABEL_BEGIN] = row[IMAGE_BEGIN] = 0;
    row[STATE] = parse(slab.data + starts(i), sizes(i), row);
    row[LABEL_BEGIN] += starts(i), row[IMAGE_BEGIN] += starts(i);
    labels += row[LABELS];
  }
  return labels;
}
REGISTER(parse_records)

// The labels that `parse_records` has found, those of a record beside each other.
static i64 copy_labels(Dense<const u8, 1> slab, Dense<const i64, 2> found, Dense<f32, 1> out) {
  if (found.shape[1] != COLUMNS) return MISFIT;
  i64 left = out.shape[0];
  for (i64 i = 0; i < found.shape[0]; i++) {
    const i64 begin = found(i, LABEL_BEGIN), count = found(i, LABELS);
    if (count < 0 || count > left || begin < 0 || begin > slab.shape[0] || count > (slab.shape[0] - begin) / 4) return MISFIT;
    left -= count;
  }
  f32* to = out.data;
  for (i64 i = 0; i < found.shape[0]; to += found(i++, LABELS)) memcpy(to, slab.data + found(i, LABEL_BEGIN), (size_t)found(i, LABELS) * 4);
  return 0;
}
REGISTER(copy_labels)
