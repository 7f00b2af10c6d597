// The loop of `video.py`.
#include "../include/video.hpp"

#include <string.h>

#include "arguments.hpp"

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
