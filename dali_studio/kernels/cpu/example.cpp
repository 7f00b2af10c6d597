// Records of TFRecord files, each a tf.train.Example in protobuf's binary form: `example.py`.
#include <string.h>

#include "arguments.hpp"
#include "protobuf.hpp"

// The kinds of lists, which are their numbers in a Feature.
enum Kind { TEXTS = 1, FLOATS = 2, INTEGERS = 3 };

// Follows a list. The sink gets each element: `text`, `real` (four bytes) or `whole`.
template <class Sink> bool follow_list(Span list, int kind, Sink& sink) {
  Field field;
  while (list.at < list.end) {
    if (!take_field(list, field) || field.wire == GROUP_END) return false;
    if (field.number != 1) continue;
    if (kind == TEXTS && field.wire == BYTES) sink.text(field.content);
    if (kind == FLOATS && field.wire == FOUR) sink.real(field.content.at);
    if (kind == FLOATS && field.wire == BYTES) {
      if (field.content.size() % 4) return false;
      for (const u8* at = field.content.at; at < field.content.end; at += 4) sink.real(at);
    }
    if (kind == INTEGERS && field.wire == VARINT) sink.whole(field.value);
    if (kind == INTEGERS && field.wire == BYTES)
      for (u64 value; field.content.at < field.content.end; sink.whole(value))
        if (!take_varint(field.content, value)) return false;
  }
  return true;
}

// Follows a Feature, which holds one list: the last kind that it names, all of whose parts are joined. `clear`: another kind begins.
template <class Sink> bool follow_feature(Span feature, Sink& sink) {
  Field field;
  int held = 0;
  while (feature.at < feature.end) {
    if (!take_field(feature, field) || field.wire == GROUP_END) return false;
    if (field.number < TEXTS || field.number > INTEGERS || field.wire != BYTES) continue;
    const int kind = (int)field.number;
    if (kind != held) sink.clear(held = kind);
    if (!follow_list(field.content, kind, sink)) return false;
  }
  return true;
}

// Counts the elements of a kind, and finds the first text.
struct Count {
  int wanted, held = 0;
  i64 count = 0;
  Span first{nullptr, nullptr};
  void clear(int kind) { held = kind, count = 0; }
  void text(Span content) {
    if (count++ == 0) first = content;
  }
  void real(const u8*) { count++; }
  void whole(u64) { count++; }
};

// Writes the numbers of a kind, `room` at most.
template <class T> struct Store {
  u8* out;
  i64 room, count = 0;
  bool wanted = false;
  void put(const void* number) {
    if (wanted && count < room) memcpy(out + count++ * (i64)sizeof(T), number, sizeof(T));
  }
  void clear(int kind) { wanted = kind == (sizeof(T) == 4 ? FLOATS : INTEGERS), count = 0; }
  void text(Span) {}
  void real(const u8* at) {
    if (sizeof(T) == 4) put(at);
  }
  void whole(u64 value) {
    if (sizeof(T) == 8) put(&value);
  }
};

static bool same_text(Span text, const u8* other, i64 size) { return text.size() == size && memcmp(text.at, other, (size_t)size) == 0; }

// The features of an Example: for each that is wanted where it lies, and how many values it has. False: the record is damaged.
static bool find_in_record(Span record, const u8* base, Dense<const u8, 1> names, Dense<const i64, 1> ends, Dense<const i32, 1> kinds,
                           i64* found) {
  Field features, entry, part;
  while (record.at < record.end) {
    if (!take_field(record, features) || features.wire == GROUP_END) return false;
    if (features.number != 1 || features.wire != BYTES) continue;
    while (features.content.at < features.content.end) {
      if (!take_field(features.content, entry) || entry.wire == GROUP_END) return false;
      if (entry.number != 1 || entry.wire != BYTES) continue;
      Span key{base, base}, value{base, base};
      while (entry.content.at < entry.content.end) {
        if (!take_field(entry.content, part) || part.wire == GROUP_END) return false;
        if (part.number == 1 && part.wire == BYTES) key = part.content;
        if (part.number == 2 && part.wire == BYTES) value = part.content;
      }
      Count counted{0};
      if (!follow_feature(value, counted)) return false;
      for (i64 f = 0, begin = 0; f < kinds.shape[0]; begin = ends(f++)) {
        if (!same_text(key, names.data + begin, ends(f) - begin)) continue;
        const bool fits = counted.held == kinds(f), text = fits && kinds(f) == TEXTS && counted.count;
        const Span place = text ? counted.first : value;
        found[3 * f] = place.at - base, found[3 * f + 1] = place.end - base, found[3 * f + 2] = fits ? counted.count : 0;
      }
    }
  }
  return true;
}

// For each record, a length and a checksum of 12 bytes before its message, and each feature: where it begins and ends in the slab, and how
// many values it has, -1 if it is missing. Of texts it is the first one. Damaged records have -2 everywhere. Gives how many these are.
static i64 find_features(Dense<const u8, 1> slab, Array<const i64, 1> starts, Array<const i64, 1> sizes, Dense<const u8, 1> names,
                         Dense<const i64, 1> ends, Dense<const i32, 1> kinds, Dense<i64, 3> found) {
  const i64 count = starts.shape[0], features = kinds.shape[0];
  if (sizes.shape[0] != count || ends.shape[0] != features || found.shape[0] != count || found.shape[1] != features || found.shape[2] != 3)
    return MISFIT;
  for (i64 f = 0; f < features; f++)
    if (ends(f) < (f ? ends(f - 1) : 0) || ends(f) > names.shape[0]) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (starts(i) < 0 || sizes(i) < 0 || sizes(i) > slab.shape[0] - starts(i)) return MISFIT;
  i64 damaged = 0;
  for (i64 i = 0; i < count; i++) {
    const u8* at = slab.data + starts(i);
    i64* row = &found(i, 0, 0);
    u64 length = 0;
    if (sizes(i) >= 12) memcpy(&length, at, 8);
    for (i64 k = 0; k < 3 * features; k++) row[k] = k % 3 == 2 ? -1 : 0;
    if (sizes(i) >= 12 && length <= (u64)sizes(i) - 12 && find_in_record({at + 12, at + 12 + length}, slab.data, names, ends, kinds, row)) continue;
    for (i64 f = 0; f < features; f++) row[3 * f] = row[3 * f + 1] = 0, row[3 * f + 2] = -2;
    damaged++;
  }
  return damaged;
}
REGISTER(find_features)

// The numbers of a feature of each record, found by `find_features`, go to bytes `places` of `out`, `room` of them at most.
static i64 copy_numbers(Dense<const u8, 1> slab, Array<const i64, 2> found, Dense<u8, 1> out, Array<const i64, 1> places,
                        Array<const i64, 1> room, i64 size) {
  const i64 count = found.shape[0];
  if ((size != 4 && size != 8) || found.shape[1] != 3 || places.shape[0] != count || room.shape[0] != count) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (found(i, 0) < 0 || found(i, 1) < found(i, 0) || found(i, 1) > slab.shape[0] || room(i) < 0 || places(i) < 0 ||
        places(i) > out.shape[0] || room(i) > (out.shape[0] - places(i)) / size)
      return MISFIT;
  for (i64 i = 0; i < count; i++) {
    const Span feature{slab.data + found(i, 0), slab.data + found(i, 1)};
    if (size == 4) {
      Store<f32> store{out.data + places(i), room(i)};
      follow_feature(feature, store);
    } else {
      Store<i64> store{out.data + places(i), room(i)};
      follow_feature(feature, store);
    }
  }
  return 0;
}
REGISTER(copy_numbers)
