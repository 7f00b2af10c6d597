// Resampling, row by row: a warp filters a part of a row vertically into shared memory, then horizontally, where each
// thread has two columns. Warps do not wait for each other. Only rows and columns that later parts keep are computed.

// capacity: floats of a warp's part of a row in shared memory (a multiple of 4).
extern "C" __global__ void __launch_bounds__(256, 4) rows(const Item* __restrict__ items, i32 capacity) {
  extern __shared__ float4 memory[];
  const Item t = items[blockIdx.y];
  if (!t.out_h || !t.out_w) return;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float* sums = (float*)memory + warp * capacity;
  u32 job = blockIdx.x * (blockDim.x >> 5) + warp;
  int tiles = (t.out_w + t.source.tile - 1) / t.source.tile, bands = (t.out_h + BAND - 1) / BAND;
  int first = (int)(job % tiles) * t.source.tile, band = (int)(job / tiles % bands) * BAND, plane = (int)(job / tiles / bands);
#if PLANAR_IN
  if (plane >= t.out_c) return;
  int read = min(plane, t.in_c - 1);
  const int channels = 1;
#else
  if (plane > 0) return;
  const int read = 0, channels = t.in_c;
#endif
  int end = min(first + t.source.tile, t.out_w), a = first, b = end - 1, last = t.source.width - 1;
  column(t, a);
  column(t, b);
  a = t.source.x_starts[min(max(a, 0), last)];
  b = t.source.x_starts[min(max(b, 0), last)];
  int low = min(a, b);
  i64 stride = (i64)t.in_w * channels;
  const IN* base = t.src + (i64)read * t.in_h * stride + (i64)low * channels;
  int before = lead(base, stride), count = before + (max(a, b) + t.source.x_taps - low) * channels;
  base -= before;
  Column<RESAMPLED> sources[2];
#pragma unroll
  for (int h = 0; h < 2; h++) {
    int x = first + 32 * h + lane, from = x;
    column(t, from);
    from = min(max(from, 0), last);
    Column<RESAMPLED>& source = sources[h];
    source.taps = t.source.x_taps;
    source.channels = channels;
    source.weights = t.source.x_weights + (i64)from * source.taps;
    source.sums = sums + before + (x < end ? (t.source.x_starts[from] - low) * channels : 0);
#if PLANAR_IN
    source.sums -= plane;  // the row has this one channel only
#endif
#pragma unroll
    for (int k = 0; k < HELD; k++) source.held[k] = k < source.taps ? source.weights[k] : 0.f;
  }
  int start = band + lane;  // the first input row of each output row
  start = lane < BAND && start < t.out_h && row(t, start) ? t.source.y_starts[start] : -1;
  for (int y = band; y < min(band + BAND, t.out_h); y++) {
    int line = y, begin = __shfl_sync(0xFFFFFFFFu, start, y - band);
    row(t, line);
    if (begin >= 0)
      vertical(base + begin * stride, stride, t.source.y_weights + (i64)line * t.source.y_taps, t.source.y_taps, count,
               lane, sums);
    __syncwarp();
#if PACKED && !PLANAR_IN
    const bool aligned = (((u32)(u64)t.dst + 3 * ((u32)y * t.out_w + first)) & 3) == 0;
#endif
#pragma unroll
    for (int h = 0; h < 2; h++) {
      const Column<RESAMPLED>& source = sources[h];
      int x = first + 32 * h + lane;
      bool mine = x < end;
#if PLANAR_IN
      OUT v[1];
      if (mine) {
        LAST<1>(t, source, y, x, plane, v);
        put(t.dst, t.out_h, t.out_w, t.out_c, y, x, plane, v);
      }
#else
#if PACKED
      if (t.in_c == 3 && t.out_c == 3) {
        OUT v[3] = {};
        if (mine) LAST<3>(t, source, y, x, 0, v);
        put_packed(t.dst, (u32)y * t.out_w + x, x, first, end, aligned, v);
        continue;
      }
#endif
      if (mine) pixel(t, source, y, x);
#endif
    }
    __syncwarp();
  }
}
