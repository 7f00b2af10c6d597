// The loop of `video.py`.
#include "../include/video.hpp"

#include <string.h>

#include "arguments.hpp"
#include "vector.hpp"

// `fields` are those of FrameColors, none for luma and chroma as they are.
template <class T, class O>
static i64 frame_pixels(Array<const T, 2> luma, Array<const T, 2> blue, Array<const T, 2> red, Dense<O, 3> out,
                        Dense<const f32, 1> fields, bool down, bool across, float unit, float scale) {
  FramePlanes<T> frame{luma.data, blue.data, red.data, out.shape[0], out.shape[1], luma.strides[0], blue.shape[0], blue.shape[1],
                       blue.strides[0], blue.strides[1], down, across, fields.shape[0] == 0, unit, {}};
  for (int axis = 0; axis < 2; axis++) {
    if (luma.shape[axis] < out.shape[axis] || blue.shape[axis] < 1) return MISFIT;
    if (red.shape[axis] != blue.shape[axis] || red.strides[axis] != blue.strides[axis]) return MISFIT;
  }
  if (luma.strides[1] != 1 || out.shape[2] != 3) return MISFIT;
  if (!frame.as_they_are && fields.shape[0] * sizeof(f32) != sizeof frame.colors) return MISFIT;
  memcpy(&frame.colors, fields.data, fields.shape[0] * sizeof(f32));
  for (i64 y = 0; y < frame.height; y++)
    for (i64 x = 0; x < frame.width; x++) {
      float made[3];
      frame.pixel(y, x, made);
      for (int channel = 0; channel < 3; channel++) put_channel(made[channel], scale, &out(y, x, channel));
    }
  return 0;
}
typedef Types<u8, u16> PlaneTypes;
typedef Types<u8, f32> FrameTypes;
REGISTER_PAIRS(frame_pixels, PlaneTypes, FrameTypes)

// A row of chroma in the width of luma, times 128, as swscale has it. `taps` are those across of `video.py`: the first sample, its
// weight, that of the next one, and how many pairs follow of which each lies between the same samples, the next pair one further.
static void widened(const u8* __restrict from, i64 count, i16* __restrict to, i64 width, Array<const i32, 2> taps) {
  if (count == width) {
    for (i64 x = 0; x < width; x++) to[x] = (i16)(from[x] << 7);
    return;
  }
  if (2 * count == width && count > 3) {  // by quarters; fewer samples have other taps
    to[0] = (i16)(from[0] << 7), to[width - 1] = (i16)(from[count - 1] << 7);
    for (i64 x = 0; x + 1 < count; x++) {
      to[2 * x + 1] = (i16)((3 * from[x] + from[x + 1]) << 5);
      to[2 * x + 2] = (i16)((from[x] + 3 * from[x + 1]) << 5);
    }
    return;
  }
  const i32 *first = &taps(0, 0), *one = &taps(1, 0), *next = &taps(2, 0), *pairs = &taps(3, 0);
  for (i64 x = 0; x < width;) {
    const u8* at = from + first[x];
    i64 left = pairs[x];
    if (left == 0) {
      to[x] = (i16)least((at[0] * one[x] + from[least<i64>(first[x] + 1, count - 1)] * next[x]) >> 7, 32767);
      x++;
    }
    for (; left > 0; left--, at++, x += 2) {
      to[x] = (i16)((at[0] * one[x] + at[1] * next[x]) >> 7);
      to[x + 1] = (i16)((at[0] * one[x + 1] + at[1] * next[x + 1]) >> 7);
    }
  }
}
// Pixels of a row by swscale's integers, which wrap around: (luma's offset, luma, red of red, green of red, green of blue, blue
// of blue), and weights of two rows of chroma, in 2^12.
static void colored(const u8* luma, const i16* const blue[2], const i16* const red[2], const i32* weights, const i32* colors, i64 count,
                    u8* to) {
  enum { BLOCK = 64 };
  const auto channel = [](u32 v) { return (u32)between((i32)v, 0, (1 << 30) - 1) >> 22; };
  for (i64 begin = 0; begin < count; begin += BLOCK) {
    u32 made[BLOCK];
    const i64 here = least<i64>(count - begin, BLOCK);
    for (i64 i = 0; i < here; i++) {
      const i64 x = begin + i;
      const u32 u = (u32)((blue[0][x] * weights[0] + blue[1][x] * weights[1] - (128 << 19)) >> 10);
      const u32 v = (u32)((red[0][x] * weights[0] + red[1][x] * weights[1] - (128 << 19)) >> 10);
      const u32 y = (u32)(((luma[x] << 9) - colors[0]) * colors[1] + (1 << 21));
      const u32 green = y + v * (u32)colors[3] + u * (u32)colors[4];
      made[i] = channel(y + v * (u32)colors[2]) | channel(green) << 8 | channel(y + u * (u32)colors[5]) << 16;
    }
    u8* at = to + begin * 3;
    i64 i = 0;
    for (; i + 6 <= here; i += 4) {  // 16 bytes are written, of which the next ones replace four
      const auto four = read<Vector<u8, 16>>((const u8*)(made + i));
      write(at + 3 * i, __builtin_shufflevector(four, four, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0));
    }
    for (; i < here; i++) memcpy(at + 3 * i, made + i, 3);
  }
}
// What swscale makes of 8-bit planes with the flags of `video_codec.py`. `rows` has taps down, three numbers each, weights in 2^12,
// `columns` those across, weights in 2^14; `scratch` is room for two rows of each chroma.
static i64 rgb_pixels(Array<const u8, 2> luma, Array<const u8, 2> blue, Array<const u8, 2> red, Dense<u8, 3> out,
                      Dense<const i32, 2> columns, Dense<const i32, 2> rows, Dense<const i32, 1> colors, Dense<i16, 3> scratch) {
  const i64 height = out.shape[0], width = out.shape[1], last = blue.shape[0] - 1, count = blue.shape[1];
  if (luma.shape[0] != height || luma.shape[1] != width || out.shape[2] != 3 || colors.shape[0] != 6 || last < 0 || count < 1) return MISFIT;
  if (rows.shape[0] != height || rows.shape[1] != 3 || columns.shape[0] != 4 || columns.shape[1] != width) return MISFIT;
  if (red.shape[0] != last + 1 || red.shape[1] != count || scratch.shape[0] != 2 || scratch.shape[1] != 2 || scratch.shape[2] < width)
    return MISFIT;
  if (luma.strides[1] != 1 || blue.strides[1] != 1 || red.strides[1] != 1) return MISFIT;
  i64 there[2] = {-1, -1};
  for (i64 y = 0; y < height; y++) {
    const i32* taps = &rows(y, 0);
    const i16 *of_blue[2], *of_red[2];
    for (int which = 0; which < 2; which++) {
      const i64 row = between<i64>(taps[0] + which, 0, last), place = row & 1;
      if (there[place] != row) {
        widened(&blue(row, 0), count, &scratch(place, 0, 0), width, columns);
        widened(&red(row, 0), count, &scratch(place, 1, 0), width, columns);
        there[place] = row;
      }
      of_blue[which] = &scratch(place, 0, 0), of_red[which] = &scratch(place, 1, 0);
    }
    colored(&luma(y, 0), of_blue, of_red, taps + 1, colors.data, width, &out(y, 0, 0));
  }
  return 0;
}
REGISTER(rgb_pixels)
