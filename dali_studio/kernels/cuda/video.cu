// A frame of a video as pixels: what `kernels/cpu/video.cpp` does. Macros: IN, the type of its numbers; OUT, u8 or f32.
#include "../include/video.hpp"

extern "C" __global__ void __launch_bounds__(256) frame_pixels(const FramePlanes<IN> frame, OUT* to, float scale) {
  const i64 x = (i64)blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
  if (x >= frame.width) return;
  float made[3];
  frame.pixel(y, x, made);
  OUT* at = to + (y * frame.width + x) * 3;
  for (int channel = 0; channel < 3; channel++) put_channel(made[channel], scale, at + channel);
}
