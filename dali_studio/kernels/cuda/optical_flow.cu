// Between pictures, vectors and the buffers of the optical flow hardware, whose rows have a pitch in bytes. One row of
// the grid's second axis is one row of them.

// Pixels as the hardware takes them: red, green, blue and 255, or a level of grey. Macros: CHANNELS, 3 or 1.
extern "C" __global__ void __launch_bounds__(256)
to_buffer(const u8* from, u8* to, i64 width, i64 pitch, i64 blue_first) {
  const i64 x = (i64)blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  const u8* pixel = from + (y * width + x) * CHANNELS;
  if (CHANNELS == 1) {
    to[y * pitch + x] = pixel[0];
    return;
  }
  u8* at = to + y * pitch + x * 4;
  at[0] = pixel[blue_first ? 2 : 0];
  at[1] = pixel[1];
  at[2] = pixel[blue_first ? 0 : 2];
  at[3] = 255;
}

// Components of vectors, which have five binary places there; `width` counts components.
extern "C" __global__ void __launch_bounds__(256) from_fixed(const u8* from, f32* to, i64 width, i64 pitch) {
  const i64 x = (i64)blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
  if (x < width) to[y * width + x] = (f32)((const i16*)(from + y * pitch))[x] * (1 / 32.f);
}

extern "C" __global__ void __launch_bounds__(256) to_fixed(const f32* from, u8* to, i64 width, i64 pitch) {
  const i64 x = (i64)blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  const f32 scaled = from[y * width + x] * 32.f;
  ((i16*)(to + y * pitch))[x] = (i16)(scaled > -32768.f ? scaled < 32767.f ? scaled : 32767.f : -32768.f);
}
