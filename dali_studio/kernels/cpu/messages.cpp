// Entries of Caffe's and Caffe2's databases, which are protobuf's messages: `messages.py`.
#include <string.h>

#include "arguments.hpp"
#include "protobuf.hpp"

// What a picture is: a file, or its pixels; or it does not fit its shape.
enum Picture { NO_PICTURE, ENCODED, RAW, MISSHAPEN };

static bool has_pixels(i64 height, i64 width, i64 channels, i64 bytes) {  // all of 32 bits
  if (height < 0 || width < 0 || channels < 0) return false;
  return channels == 0 ? bytes == 0 : bytes % channels == 0 && height * width == bytes / channels;
}

static bool fit(Array<const i64, 1> starts, Array<const i64, 1> sizes, i64 bytes) {
  if (sizes.shape[0] != starts.shape[0]) return false;
  for (i64 i = 0; i < starts.shape[0]; i++)
    if (starts(i) < 0 || sizes(i) < 0 || sizes(i) > bytes - starts(i)) return false;
  return true;
}

// ---------------------------------------------------------------------------------------------------------------- Datum

// A row of what is found in a Datum (`messages.py`); of a field that comes twice the last counts.
enum DatumColumn { WHOLE, PICTURE, BEGIN, END, HEIGHT, WIDTH, CHANNELS, LABELS, LABEL, DATUM_COLUMNS };

static bool find_in_datum(Span message, const u8* base, i64* found) {
  Field field;
  bool encoded = true;
  while (message.at < message.end) {
    if (!take_field(message, field) || field.wire == GROUP_END) return false;
    if (field.number == 4 && field.wire == BYTES) found[BEGIN] = field.content.at - base, found[END] = field.content.end - base;
    if (field.wire != VARINT) continue;
    switch (field.number) {
      case 1: found[CHANNELS] = (i32)field.value; break;
      case 2: found[HEIGHT] = (i32)field.value; break;
      case 3: found[WIDTH] = (i32)field.value; break;
      case 5: found[LABELS] = 1, found[LABEL] = (i32)field.value; break;
      case 7: encoded = field.value != 0;
    }
  }
  if (encoded || found[BEGIN] == 0) found[PICTURE] = ENCODED;
  else found[PICTURE] = has_pixels(found[HEIGHT], found[WIDTH], found[CHANNELS], found[END] - found[BEGIN]) ? RAW : MISSHAPEN;
  return true;
}

// Gives how many messages are damaged.
static i64 find_data(Dense<const u8, 1> slab, Array<const i64, 1> starts, Array<const i64, 1> sizes, Dense<i64, 2> found) {
  if (!fit(starts, sizes, slab.shape[0]) || found.shape[0] != starts.shape[0] || found.shape[1] != DATUM_COLUMNS) return MISFIT;
  i64 damaged = 0;
  for (i64 i = 0; i < starts.shape[0]; i++) {
    i64* row = &found(i, 0);
    const u8* at = slab.data + starts(i);
    memset(row, 0, DATUM_COLUMNS * sizeof *row);
    if (find_in_datum({at, at + sizes(i)}, slab.data, row)) row[WHOLE] = 1;
    else damaged++, memset(row, 0, DATUM_COLUMNS * sizeof *row);
  }
  return damaged;
}
REGISTER(find_data)

// --------------------------------------------------------------------------------------------------------- TensorProtos

// A row of what is found in a TensorProto (`messages.py`); its begin and end, and those of its picture.
enum TensorColumn { FROM, TO, KIND, REALS, INTEGERS, T_PICTURE, T_BEGIN, T_END, T_HEIGHT, T_WIDTH, T_CHANNELS, TENSOR_COLUMNS };
enum TensorKind { OF_REALS = 1, OF_INTEGERS = 2, OF_BYTES = 3, OF_TEXTS = 4 };

// The numbers of a repeated field, packed or alone: put(value) gets each. False where they are damaged.
template <class PUT> bool follow_integers(Field field, PUT put) {
  if (field.wire == VARINT) put((i32)field.value);
  for (u64 value; field.wire == BYTES && field.content.at < field.content.end; put((i32)value))
    if (!take_varint(field.content, value)) return false;
  return true;
}

static bool find_in_tensor(Span message, const u8* base, i64* found) {
  Field field;
  Span bytes{base, base}, text{nullptr, nullptr};
  i64 axes = 0, shape[3] = {0, 0, 1};
  found[FROM] = message.at - base, found[TO] = message.end - base, found[KIND] = OF_REALS;
  while (message.at < message.end) {
    if (!take_field(message, field) || field.wire == GROUP_END) return false;
    switch (field.number) {
      case 1:
        if (!follow_integers(field, [&](i32 extent) { if (axes++ < 3) shape[axes - 1] = extent; })) return false;
        break;
      case 2:
        if (field.wire == VARINT) found[KIND] = field.value <= OF_TEXTS ? (i64)field.value : 0;
        break;
      case 3:
        if ((field.wire != BYTES && field.wire != FOUR) || field.content.size() % 4) return false;
        found[REALS] += field.content.size() / 4;
        break;
      case 4:
        if (!follow_integers(field, [&](i32) { found[INTEGERS]++; })) return false;
        break;
      case 5:
        if (field.wire == BYTES) bytes = field.content;
        break;
      case 6:
        if (field.wire == BYTES && !text.at) text = field.content;
    }
  }
  if (found[KIND] == OF_TEXTS && text.at) {
    found[T_PICTURE] = ENCODED, found[T_BEGIN] = text.at - base, found[T_END] = text.end - base;
  } else if (found[KIND] == OF_BYTES && axes > 1 && has_pixels(shape[0], shape[1], shape[2], bytes.size())) {
    found[T_PICTURE] = RAW, found[T_BEGIN] = bytes.at - base, found[T_END] = bytes.end - base;
    for (int i = 0; i < 3; i++) found[T_HEIGHT + i] = shape[i];
  }
  return true;
}

static i64 find_in_tensors(Span message, const u8* base, i64* found, i64 most_of_them) {
  Field field;
  i64 count = 0;
  while (message.at < message.end) {
    if (!take_field(message, field) || field.wire == GROUP_END) return -1;
    if (field.number != 1 || field.wire != BYTES) continue;
    i64 unwanted[TENSOR_COLUMNS] = {};
    if (!find_in_tensor(field.content, base, count < most_of_them ? found + count * TENSOR_COLUMNS : unwanted)) return -1;
    count++;
  }
  return count;
}

// Of each message the first tensors, and how many it has, -1 if it is damaged.
static i64 find_tensors(Dense<const u8, 1> slab, Array<const i64, 1> starts, Array<const i64, 1> sizes, Dense<i64, 3> found,
                        Dense<i64, 1> counts) {
  const i64 count = starts.shape[0], tensors = found.shape[1];
  if (!fit(starts, sizes, slab.shape[0]) || found.shape[0] != count || found.shape[2] != TENSOR_COLUMNS || counts.shape[0] != count)
    return MISFIT;
  memset(found.data, 0, (size_t)(count * tensors * TENSOR_COLUMNS) * sizeof(i64));
  for (i64 i = 0; i < count; i++) {
    const u8* at = slab.data + starts(i);
    counts(i) = find_in_tensors({at, at + sizes(i)}, slab.data, found.data + i * tensors * TENSOR_COLUMNS, tensors);
  }
  return 0;
}
REGISTER(find_tensors)

// The numbers of tensors that lie between two places, of four bytes each, go to bytes `places` of `out`, `room` of them at most.
static i64 copy_tensors(Dense<const u8, 1> slab, Array<const i64, 1> begins, Array<const i64, 1> ends, Dense<u8, 1> out,
                        Array<const i64, 1> places, Array<const i64, 1> room, bool whole) {
  const i64 count = begins.shape[0];
  if (ends.shape[0] != count || places.shape[0] != count || room.shape[0] != count) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (begins(i) < 0 || ends(i) < begins(i) || ends(i) > slab.shape[0] || room(i) < 0 || places(i) < 0 || places(i) > out.shape[0] ||
        room(i) > (out.shape[0] - places(i)) / 4)
      return MISFIT;
  for (i64 i = 0; i < count; i++) {
    Span message{slab.data + begins(i), slab.data + ends(i)};
    Field field;
    u8* to = out.data + places(i);
    const u8* const end = to + 4 * room(i);
    while (to < end && message.at < message.end && take_field(message, field)) {
      if (whole && field.number == 4) {
        follow_integers(field, [&](i32 value) {
          if (to < end) memcpy(to, &value, 4), to += 4;
        });
      } else if (!whole && field.number == 3 && (field.wire == BYTES || field.wire == FOUR)) {
        const i64 bytes = least<i64>(field.content.size(), end - to);
        memcpy(to, field.content.at, (size_t)bytes), to += bytes;
      }
    }
  }
  return 0;
}
REGISTER(copy_tensors)
