// What a JPEG file of a quality loses: its tables, quantisation, and the colours of JFIF as libjpeg computes them. V is a float or
// a vector of them, W the integer of the same width.
#pragma once
#include "table.hpp"

// The tables of ITU-T T.81, annex K, in rows.
TABLE u8 LUMA_STEPS[64] = {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
                                      14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
                                      18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
                                      49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
TABLE u8 CHROMA_STEPS[64] = {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
                                        24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
                                        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
                                        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};

// A step at a quality, 1 to 100, as baseline files have it.
HD i32 step_at(i32 step, i32 quality) {
  const i32 percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return between((step * percent + 50) / 100, 1, 255);
}

// A coefficient that is 8 times too large, as a whole number of steps, and back. `inverse` is 1 / (8 * step): the half that is
// added to the dividend keeps its rounding from reaching another whole number.
template <class W, class V> HD W quantized(W x, W step, V inverse) {
  const W sign = x >> 31, size = ((x ^ sign) - sign) + step * 4;
#if ON_DEVICE  // by additions to 2^23, which are faster than conversions
  const float wide = __fadd_rn(__uint_as_float(0x4B000000u + (u32)size), -8388608.f);
  const W steps = (W)(__float_as_uint(__fadd_rd(__fmul_rn(wide + 0.5f, inverse), 8388608.f)) - 0x4B000000u);
#else
  W steps;
  if constexpr (same<W, i32>::value) steps = (W)(((V)size + 0.5f) * inverse);
  else steps = __builtin_convertvector((__builtin_convertvector(size, V) + 0.5f) * inverse, W);
#endif
  return ((steps ^ sign) - sign) * step;
}

// Of red, green and blue, times 2^16; every sum is a whole number below 2^24, which floats (N) hold as integers do.
template <class N = float, class V> HD V luma_of(V r, V g, V b) { return r * (N)19595 + g * (N)38470 + b * (N)7471 + (N)32768; }
template <class N = float, class V> HD V blue_chroma_of(V r, V g, V b) { return b * (N)32768 - r * (N)11059 - g * (N)21709 + (N)8421375; }
template <class N = float, class V> HD V red_chroma_of(V r, V g, V b) { return r * (N)32768 - g * (N)27439 - b * (N)5329 + (N)8421375; }
// What is added to luma, of chroma less 128, in the same way.
template <class N = float, class V> HD V red_of(V red) { return red * (N)91881 + (N)32768; }
template <class N = float, class V> HD V green_of(V blue, V red) { return blue * (N)-22554 - red * (N)46802 + (N)32768; }
template <class N = float, class V> HD V blue_of(V blue) { return blue * (N)116130 + (N)32768; }
