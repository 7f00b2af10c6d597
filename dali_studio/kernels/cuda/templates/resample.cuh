// Separable resampling: where the rows and columns of the output read, and with which weights.

template <class I, class O> struct Resample {
  const i32 *y_starts, *x_starts;
  const float *y_weights, *x_weights;
  i32 y_taps, x_taps, height, width;  // of the resampled image
  i32 tile, unused;                   // columns of a warp, at most 64, in fours

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

#define HELD 6  // taps up to which weights stay in registers and loops are unrolled

// Calls f.run<taps>(), which knows the number while it is compiled; run<0> is for any other.
template <class F> __device__ __forceinline__ void unrolled(int taps, const F& f) {
  switch (taps) {
    case 1: return f.template run<1>();
    case 2: return f.template run<2>();
    case 3: return f.template run<3>();
    case 4: return f.template run<4>();
    case 5: return f.template run<5>();
    case 6: return f.template run<6>();
    default: return f.template run<0>();
  }
}

// One column of a row of vertical sums: the horizontal pass.
template <class O> struct Column {
  static const bool inside = false;
  const float *sums, *weights;
  float held[HELD];
  int taps, channels;

  template <int C> struct Sum {
    const Column& column;
    const float* from;
    float (&total)[C];
    template <int TAPS> __device__ __forceinline__ void run() const {
      const int step = C == 3 ? 3 : column.channels, many = TAPS ? TAPS : HELD;
#pragma unroll
      for (int k = 0; k < many; k++) add(k * step, column.held[k]);
      if (!TAPS)
        for (int k = HELD; k < column.taps; k++) add(k * step, column.weights[k]);
    }
    __device__ __forceinline__ void add(int at, float weight) const {
#pragma unroll
      for (int i = 0; i < C; i++) total[i] = fmaf(from[at + i], weight, total[i]);
    }
  };
  template <int C> __device__ __forceinline__ void at(int, int, int c, O (&out)[C]) const {
    float total[C] = {};
    Sum<C> sum = {*this, sums + c, total};
    unrolled(taps, sum);
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

// Bytes are read four at a time, and a thread has four such words of a row at once. Memory is padded, so that reading past
// the end is harmless.
template <bool ALIGNED> struct Vertical {
  const u8* base;
  i64 stride;
  const float* weights;
  int taps, count;  // from `base` on
  float* row;

  // MANY: words of each thread, the last of which may lie behind the end.
  template <int MANY> __device__ __forceinline__ void run() const {
    float sums[MANY][4] = {};
    const u8* at = base;
    bool last = 128 * (MANY - 1) < count;
#pragma unroll 2
    for (int k = 0; k < taps; k++, at += stride) {
      const u32* line = (const u32*)((u64)at & ~3ull);
      u32 shift = (u32)(u64)at << 3;  // counts modulo 32
      float weight = weights[k];
#pragma unroll
      for (int i = 0; i < MANY; i++) {
        u32 word = 0;
        if (i < MANY - 1 || last) word = ALIGNED ? line[32 * i] : __funnelshift_r(line[32 * i], line[32 * i + 1], shift);
        add_word(word, weight, sums[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < MANY; i++)
      if (i < MANY - 1 || last) *(float4*)(row + 128 * i) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
  }
};

template <bool ALIGNED>
__device__ __forceinline__ void vertical(const u8* base, i64 stride, const float* weights, int taps, int count, int lane, float* row) {
  for (int from = 0; from < count; from += 512) {
    int at = from + 4 * lane, rest = count - from;
    Vertical<ALIGNED> sums = {base + at, stride, weights, taps, count - at, row + at};
    if (rest > 384) sums.template run<4>();
    else if (rest > 256) sums.template run<3>();
    else if (rest > 128) sums.template run<2>();
    else sums.template run<1>();
  }
}

__device__ __forceinline__ void vertical(const u8* base, i64 stride, const float* weights, int taps, int count, int lane, float* row) {
  if ((((u64)base | (u64)stride) & 3) == 0) vertical<true>(base, stride, weights, taps, count, lane, row);
  else vertical<false>(base, stride, weights, taps, count, lane, row);
}
