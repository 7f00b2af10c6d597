// Frames of a video as pixels: what `kernels/cpu/video.cpp` does. Macros: IN, the type of its numbers; OUT, u8 or f32; FRAMES, how
// many there may be at a time.
#include "../include/video.hpp"

// Where the frames are, and where their pixels go.
struct Places {
  struct { const IN *luma, *blue, *red; OUT* to; } of[FRAMES];
};

// `like` says all of the frames but where they are; a row of pixels has `blocks` blocks.
extern "C" __global__ void __launch_bounds__(256) frame_pixels(const FramePlanes<IN> like, const Places places, u32 blocks, float scale) {
  const auto& place = places.of[blockIdx.x / blocks];
  const i64 x = (i64)(blockIdx.x % blocks) * 256 + threadIdx.x, y = blockIdx.y;
  if (x >= like.width) return;
  FramePlanes<IN> frame = like;
  frame.luma = place.luma, frame.blue = place.blue, frame.red = place.red;
  float made[3];
  frame.pixel(y, x, made);
  OUT* at = place.to + (y * frame.width + x) * 3;
  for (int channel = 0; channel < 3; channel++) put_channel(made[channel], scale, at + channel);
}
