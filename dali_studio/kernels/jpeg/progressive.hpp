// Coefficients of progressive files, decoded by the CPU for the kernels of `jpeg.cu`. See `coefficients.py`.
#pragma once
#include "../include/jpeg.hpp"
#include "libjpeg.hpp"

// Room for a picture: what the kernels need to know of it, its coefficients from here on, as `Picture` has them, and behind
// them for each block which of them are known not to be zero (64 bits).
enum { COEFFICIENTS_AT = 1664 };
static_assert(sizeof(Picture) <= COEFFICIENTS_AT && COEFFICIENTS_AT % 128 == 0, "room");
HD i64 room_for(i64 blocks) { return COEFFICIENTS_AT + blocks * (64 * (i64)sizeof(i16) + (i64)sizeof(u64)); }

// Room for the file that is wanted; 0 where it is no progressive file, or none of the usual samplings with luma first.
i64 room_for_file(const Request& wanted);

// Decodes all scans of a file. False for what is damaged, incomplete or unusual, and where there is too little room: libjpeg
// decodes it or finds fault with it then. Nothing is written outside the room, which begins at a multiple of 8 bytes.
bool decode_coefficients(const Request& wanted, u8* room, i64 size);
