// Separable resampling: where the rows and columns of the output read, and with which weights.

template <class I, class O> struct Resample {
  const i32 *y_starts, *x_starts;
  const float *y_weights, *x_weights;
  i32 y_taps, x_taps, height, width;  // of the resampled image

  // A pixel at a time, for shrinkings whose rows do not fit into shared memory.
  template <int C> __device__ __forceinline__ void at(const Image<I>& image, int y, int x, int c, O (&out)[C]) const {
    for (int i = 0; i < C; i++) {
      float sum = 0.f;
      for (int k = 0; k < x_taps; k++) {
        float column = 0.f;
        for (int j = 0; j < y_taps; j++)
          column = fmaf(to_float(image.at(y_starts[y] + j, x_starts[x] + k, c + i)), y_weights[(i64)y * y_taps + j], column);
        sum = fmaf(column, x_weights[(i64)x * x_taps + k], sum);
      }
      out[i] = from_float_even<O>(sum);
    }
  }
};

#define HELD 8  // weights of a column that a thread keeps in registers

// One column of a row of vertical sums: the horizontal pass.
template <class O> struct Column {
  const float *sums, *weights;
  float held[HELD];
  int taps, channels;

  template <int C> __device__ __forceinline__ void at(int, int, int c, O (&out)[C]) const {
    const float* from = sums + c;
    const int step = C == 3 ? 3 : channels;
    float total[C] = {};
#pragma unroll
    for (int k = 0; k < HELD; k++)
      if (k < taps)
#pragma unroll
        for (int i = 0; i < C; i++) total[i] = fmaf(from[k * step + i], held[k], total[i]);
    for (int k = HELD; k < taps; k++)
#pragma unroll
      for (int i = 0; i < C; i++) total[i] = fmaf(from[k * step + i], weights[k], total[i]);
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = from_float_even<O>(total[i]);
  }
};

// row[0..count) = the vertical sums of the elements from `base` on; `stride` leads from one input row to the next.
template <class I>
__device__ __forceinline__ void vertical(const I* base, i64 stride, const float* weights, int taps, int count, int lane, float* row) {
  for (int i = lane; i < count; i += 32) {
    float sum = 0.f;
    for (int k = 0; k < taps; k++) sum = fmaf(to_float(base[k * stride + i]), weights[k], sum);
    row[i] = sum;
  }
}

__device__ __forceinline__ void add_word(u32 v, float w, float (&sums)[4]) {
#pragma unroll
  for (int b = 0; b < 4; b++) sums[b] = fmaf(byte_of(make_uint2(v, 0), b), w, sums[b]);
}

// Elements to read before `base`, so that words are whole: bytes only, where that holds in all rows. What lies before a
// sample is in the same slab.
template <class I> __device__ __forceinline__ int lead(const I*, i64) { return 0; }
__device__ __forceinline__ int lead(const u8* base, i64 stride) { return stride & 3 ? 0 : (int)((u64)base & 3); }

// Bytes are read four at a time. Memory is padded, so that reading past the end is harmless.
__device__ __forceinline__ void vertical(const u8* base, i64 stride, const float* weights, int taps, int count, int lane, float* row) {
  bool aligned = (((u64)base | (u64)stride) & 3) == 0;
  for (int i = 4 * lane; i < count; i += 128) {
    float sums[4] = {};
    const u8* at = base + i;
    if (aligned) {
#pragma unroll 4
      for (int k = 0; k < taps; k++, at += stride) add_word(*(const u32*)at, weights[k], sums);
    } else {  // two aligned words, shifted
#pragma unroll 2
      for (int k = 0; k < taps; k++, at += stride) {
        const u32* words = (const u32*)((u64)at & ~3ull);
        add_word(__funnelshift_r(words[0], words[1], (u32)(u64)at << 3), weights[k], sums);
      }
    }
    *(float4*)(row + i) = make_float4(sums[0], sums[1], sums[2], sums[3]);
  }
}
