// Messages in protobuf's binary form, field by field. Nothing beyond the message is read, however damaged it is.
#pragma once
#include "../include/numbers.hpp"

// A piece of a message.
struct Span {
  const u8 *at, *end;
  i64 size() const { return end - at; }
};
// How the content of a field is written; messages, texts and lists of numbers are BYTES.
enum Wire { VARINT = 0, EIGHT = 1, BYTES = 2, GROUP = 3, GROUP_END = 4, FOUR = 5 };
// A field of a message: its content, and its value if it is a varint.
struct Field {
  u64 number, value;
  int wire;
  Span content;
};

inline bool take_varint(Span& from, u64& value) {
  value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (from.at == from.end) return false;
    const u8 byte = *from.at++;
    value |= shift < 64 ? (u64)(byte & 127) << shift : 0;
    if (byte < 128) return true;
  }
  return false;
}

inline bool take_bytes(Span& from, u64 size, Span& taken) {
  if (size > (u64)from.size()) return false;
  taken = {from.at, from.at + size};
  from.at += size;
  return true;
}

// The next field; false where the message is damaged. Of groups, which nobody writes any more, the content is passed over.
inline bool take_field(Span& from, Field& field, int depth = 0) {
  u64 tag, size;
  if (!take_varint(from, tag) || tag >> 32 || tag >> 3 == 0) return false;
  field.number = tag >> 3, field.wire = (int)(tag & 7), field.content = {from.at, from.at};
  switch (field.wire) {
    case VARINT: return take_varint(from, field.value);
    case EIGHT: return take_bytes(from, 8, field.content);
    case FOUR: return take_bytes(from, 4, field.content);
    case BYTES: return take_varint(from, size) && take_bytes(from, size, field.content);
    case GROUP_END: return depth > 0;
    case GROUP: {
      Field inside;
      do
        if (depth > 60 || !take_field(from, inside, depth + 1)) return false;
      while (inside.wire != GROUP_END || inside.number != field.number);
      field.wire = GROUP;
      return true;
    }
    default: return false;
  }
}
