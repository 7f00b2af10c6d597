// A window of each image, mirrored or not, in either layout. MODE: 0 copies, 1 converts as crop does (no rounding),
// 2 normalises. A thread writes all channels of EACH pixels, so that several loads are under way at a time.
#define EACH 4

struct Item {
  const IN* src;
  OUT* dst;
  i32 in_h, in_w, out_h, out_w;
  i32 y, x, flip_y, flip_x;                // first pixel of the window; mirrored within the window
  i32 in_channels, out_channels;
  i32 src_pixel, dst_pixel;                // strides in elements; rows and channels follow from them
  i64 src_row, src_channel, dst_row, dst_channel;
};

__device__ __forceinline__ OUT value(IN x, const float* mean, const float* inverse, int c) {
#if MODE == 0
  return x;
#elif MODE == 1
  return Clamp<OUT, IN>::of(x);
#else
  return from_float<OUT>(__fmul_rn(__fadd_rn(to_float(x), -mean[c]), inverse[c]));
#endif
}

template <int CHANNELS>
__device__ __forceinline__ void pixel(const Item& item, const IN* src, OUT* dst, bool inside, const float* mean,
                                      const float* inverse, const OUT* fill) {
  int have = CHANNELS ? CHANNELS : item.in_channels, want = CHANNELS ? CHANNELS : item.out_channels;
#pragma unroll
  for (int c = 0; c < want; c++) {
    OUT made = fill[c];
    if (inside && c < have) made = value(src[c * item.src_channel], mean, inverse, c);
    dst[c * item.dst_channel] = made;
  }
}

// mean, inverse: (samples, channels), or null where MODE is not 2; fill: one value for each output channel.
extern "C" __global__ void __launch_bounds__(256)
window(const Item* __restrict__ items, const float* __restrict__ mean, const float* __restrict__ inverse,
       const OUT* __restrict__ fill, i32 channels) {
  const Item item = items[blockIdx.y];  // a copy: what is stored cannot change it
  u32 first = blockIdx.x * blockDim.x * EACH + threadIdx.x, count = (u32)item.out_h * (u32)item.out_w;
  mean += (i64)blockIdx.y * channels;
  inverse += (i64)blockIdx.y * channels;
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    u32 at = first + i * blockDim.x;
    if (at >= count) return;
    int row = at / (u32)item.out_w, column = at - row * item.out_w;
    int y = item.y + (item.flip_y ? item.out_h - 1 - row : row);
    int x = item.x + (item.flip_x ? item.out_w - 1 - column : column);
    bool inside = y >= 0 && x >= 0 && y < item.in_h && x < item.in_w;
    const IN* src = item.src + y * item.src_row + (i64)x * item.src_pixel;
    OUT* dst = item.dst + row * item.dst_row + (i64)column * item.dst_pixel;
    if (item.in_channels == 3 && item.out_channels == 3) pixel<3>(item, src, dst, inside, mean, inverse, fill);
    else pixel<0>(item, src, dst, inside, mean, inverse, fill);
  }
}
