// Separable resampling: a block filters some rows of a tile of columns vertically into shared memory, then horizontally.
// `resample_direct` computes the same numbers pixel by pixel, for shrinkings whose rows do not fit into shared memory.

struct Item {
  const IN* src;
  OUT* dst;
  const i32 *y_starts, *x_starts;
  const float *y_weights, *x_weights;
  i32 planes, in_h, in_w, out_h, out_w, channels, y_taps, x_taps;
};

#define BAND 4

#if !BYTES
// row[0..count) = the vertical sums of the elements from `base` on; `stride` leads from one input row to the next.
__device__ __forceinline__ void vertical(const IN* base, i64 stride, const float* weights, int taps, int count, float* row) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    float sum = 0.f;
    for (int k = 0; k < taps; k++) sum = fmaf(to_float(base[k * stride + i]), weights[k], sum);
    row[i] = sum;
  }
}

#else
// Conversion instructions are slow: a byte in the last place of 2^23 is that number and the byte.
template <int I> __device__ __forceinline__ float byte_of(u32 v) {
  return __fadd_rn(__uint_as_float(__byte_perm(v, 0x4B000000u, 0x7540 | I)), -8388608.f);
}

// Bytes are read four at a time: two aligned words, shifted. Memory is padded, so that reading past the end is harmless.
__device__ __forceinline__ void vertical_bytes(const u8* base, i64 stride, const float* weights, int taps, int count, float* row) {
  for (int i = 4 * threadIdx.x; i < count; i += 4 * blockDim.x) {
    float a = 0.f, b = 0.f, c = 0.f, d = 0.f;
    for (int k = 0; k < taps; k++) {
      u64 at = (u64)(base + k * stride + i);
      const u32* words = (const u32*)(at & ~3ull);
      u32 shift = (u32)(at & 3) * 8;
      u32 v = words[0];
      if (shift) v = __funnelshift_r(v, words[1], shift);
      float w = weights[k];
      a = fmaf(byte_of<0>(v), w, a);
      b = fmaf(byte_of<1>(v), w, b);
      c = fmaf(byte_of<2>(v), w, c);
      d = fmaf(byte_of<3>(v), w, d);
    }
    *(float4*)(row + i) = make_float4(a, b, c, d);
  }
}
#endif

template <int CHANNELS> __device__ __forceinline__ void horizontal(const float* row, const float* weights, int taps, OUT* out) {
  float sums[CHANNELS] = {};
  for (int k = 0; k < taps; k++) {
    float w = weights[k];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) sums[c] = fmaf(row[k * CHANNELS + c], w, sums[c]);
  }
#pragma unroll
  for (int c = 0; c < CHANNELS; c++) out[c] = from_float_even<OUT>(sums[c]);
}

__device__ __forceinline__ void horizontal_any(const float* row, const float* weights, int taps, int channels, OUT* out) {
  for (int c = 0; c < channels; c++) {
    float sum = 0.f;
    for (int k = 0; k < taps; k++) sum = fmaf(row[k * channels + c], weights[k], sum);
    out[c] = from_float_even<OUT>(sum);
  }
}

// tile: columns of a block; capacity: floats of one row in shared memory (a multiple of 4).
extern "C" __global__ void __launch_bounds__(256) resample(const Item* items, i32 tile, i32 capacity) {
  extern __shared__ float4 memory[];
  float* rows = (float*)memory;
  const Item& item = items[blockIdx.y];
  int tiles = (item.out_w + tile - 1) / tile, bands = (item.out_h + BAND - 1) / BAND;
  u32 block = blockIdx.x;
  if (block >= (u32)tiles * bands * item.planes) return;
  int first = (int)(block % tiles) * tile;
  int band = (int)(block / tiles % bands) * BAND, plane = (int)(block / tiles / bands);
  int columns = min(tile, item.out_w - first), channels = item.channels;
  int a = item.x_starts[first], b = item.x_starts[first + columns - 1];
  int low = min(a, b), count = (max(a, b) + item.x_taps - low) * channels;
  float* weights = rows + 2 * capacity;
  i32* starts = (i32*)(weights + tile * item.x_taps);
  for (int i = threadIdx.x; i < columns * item.x_taps; i += blockDim.x) weights[i] = item.x_weights[(i64)first * item.x_taps + i];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) starts[i] = (item.x_starts[first + i] - low) * channels;
  i64 stride = (i64)item.in_w * channels;
  for (int k = 0; k < BAND && band + k < item.out_h; k++) {
    int y = band + k;
    float* row = rows + (k & 1) * capacity;
    const IN* base = item.src + ((i64)plane * item.in_h + item.y_starts[y]) * stride + (i64)low * channels;
    const float* vertical_weights = item.y_weights + (i64)y * item.y_taps;
#if BYTES
    vertical_bytes(base, stride, vertical_weights, item.y_taps, count, row);
#else
    vertical(base, stride, vertical_weights, item.y_taps, count, row);
#endif
    __syncthreads();  // two rows take turns, so that one barrier a row is enough
    OUT* out = item.dst + (((i64)plane * item.out_h + y) * item.out_w + first) * channels;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
      const float* from = row + starts[i];
      const float* w = weights + i * item.x_taps;
      if (channels == 3) horizontal<3>(from, w, item.x_taps, out + 3 * i);
      else if (channels == 1) horizontal<1>(from, w, item.x_taps, out + i);
      else horizontal_any(from, w, item.x_taps, channels, out + (i64)i * channels);
    }
  }
}

extern "C" __global__ void __launch_bounds__(256) resample_direct(const Item* items) {
  const Item& item = items[blockIdx.y];
  i64 at = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  i64 size = (i64)item.planes * item.out_h * item.out_w * item.channels;
  if (at >= size) return;
  int c = (int)(at % item.channels);
  i64 pixel = at / item.channels;
  int x = (int)(pixel % item.out_w), y = (int)(pixel / item.out_w % item.out_h), plane = (int)(pixel / item.out_w / item.out_h);
  i64 stride = (i64)item.in_w * item.channels;
  const IN* base = item.src + ((i64)plane * item.in_h + item.y_starts[y]) * stride + (i64)item.x_starts[x] * item.channels + c;
  float sum = 0.f;
  for (int i = 0; i < item.x_taps; i++) {
    float column = 0.f;
    for (int k = 0; k < item.y_taps; k++)
      column = fmaf(to_float(base[k * stride + (i64)i * item.channels]), item.y_weights[(i64)y * item.y_taps + k], column);
    sum = fmaf(column, item.x_weights[(i64)x * item.x_taps + i], sum);
  }
  item.dst[at] = from_float_even<OUT>(sum);
}
