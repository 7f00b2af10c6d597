// See `coefficients.py`.
#include <string.h>

#include "progressive.hpp"
#include "scan.hpp"

static i64 aligned(i64 size) { return divided_up(size, 256) * 256; }

// The face checks all sizes: rows of requests, rooms and copies, and bytes of a picture.
static i64 jpeg_plan_coefficients(Dense<const i64, 2> rooms, Array<const i64, 2> places, i64 begin, i64 most_bytes,
                                  Dense<u8, 2> pictures, Dense<i64, 2> copies, Dense<i64, 1> made) {
  i64 count = 0, upload = 0, rest = 0, index = begin;
  Largest largest;
  for (; index < rooms.shape[0] && count < pictures.shape[0]; index++) {
    const u8* room = (const u8*)rooms.data[2 * index];
    Picture& picture = ((Picture*)pictures.data)[count];
    memcpy(&picture, room, sizeof picture);
    const i64 bytes = 64 * sizeof(i16);  // of a block
    i64 first = picture.first_block * bytes, size = picture.end_block * bytes - first;
    i64 planes = picture.chroma_columns ? aligned(64ll * picture.blocks) : 0;
    if (count && upload + rest + aligned(size) + planes > most_bytes) break;
    i64 copy[] = {(i64)room + COEFFICIENTS_AT + first, upload, size};
    memcpy(copies.data + 3 * count, copy, sizeof copy);
    picture.coefficients = (i16*)(upload - first), picture.planes = (u8*)rest;  // added to where they begin
    picture.target = (u8*)places(index, 0), picture.pitch = places(index, 1);
    upload += aligned(size), rest += planes;
    largest.see(picture);
    count++;
  }
  const i64 told[] = {count, upload, rest, largest.tiles, largest.blocks, largest.groups};
  memcpy(made.data, told, sizeof told);
  return index;
}
REGISTER(jpeg_plan_coefficients)

// Completes addresses of the first pictures.
static void jpeg_place_coefficients(Dense<u8, 2> pictures, i64 count, i64 upload, i64 rest) {
  for (i64 i = 0; i < count; i++) {
    Picture& picture = ((Picture*)pictures.data)[i];
    picture.coefficients = (i16*)((i64)picture.coefficients + upload), picture.planes += rest;
  }
}
REGISTER_SHORT(jpeg_place_coefficients)

// The coefficients of one file, for tests; false if they are left to libjpeg.
static bool jpeg_coefficients(Dense<const u8, 1> file, i64 height, i64 width, Dense<i64, 1> room) {
  const Request wanted{(i64)file.data, file.size(), height, width, 2, 3, 0, 1, 0, 0, height, width, 0, 0};
  return decode_coefficients(wanted, (u8*)room.data, room.size() * (i64)sizeof(i64));
}
REGISTER(jpeg_coefficients)
