// A source of RGB bytes that reads around a place: a block covers 64 x 48 pixels, and brings what they read into shared
// memory, a word a pixel. A warp has 32 pixels of a row at a time.

#define ROWS 48

// The part finds what a rectangle of its pixels reads (`find`), and computes pixels from that (`near`, with the matrix of
// the sample and what `origin` gives).
template <class O, class PART> struct Staged {
  static const bool inside = true;
  float matrix[6];
  u32 origin;
  template <int C> __device__ __forceinline__ void at(int y, int x, int, O (&out)[C]) const {
    PART::near(origin, matrix, y, x, out);
  }
};

template <int FILLED> __device__ __forceinline__ u32 edge_pixel(const Image<u8>& image, int y, int x, u32 fill) {
  if (FILLED && (x < 0 || y < 0 || x >= image.width || y >= image.height)) return fill;
  const u8* p = &image.at(min(max(y, 0), image.height - 1), min(max(x, 0), image.width - 1), 0);
  return (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16;
}

template <int FILLED> __device__ __forceinline__ void stage(const Image<u8>& image, const Patch& patch, u32* tile) {
  u32 inverse = (u32)__fdividef(65536.f, (float)patch.wide) + 1;
  bool inner = patch.left >= 0 && patch.top >= 0 && patch.left + 4 * patch.wide <= image.width && patch.top + patch.high <= image.height;
#pragma unroll 2
  for (u32 i = threadIdx.x; i < (u32)(patch.wide * patch.high); i += 256) {
    int line = (int)(i * inverse >> 16), group = (int)i - line * patch.wide;  // i / wide, for numbers as small as these
    int y = patch.top + line, x = patch.left + 4 * group;
    uint4 four;
    if (inner || (y >= 0 && y < image.height && x >= 0 && x + 3 < image.width))
      four = four_pixels(image.data, (u32)y * image.width + x);
    else if (FILLED && (y < 0 || y >= image.height || x + 3 < 0 || x >= image.width))
      four = make_uint4(patch.fill, patch.fill, patch.fill, patch.fill);
    else
      four = make_uint4(edge_pixel<FILLED>(image, y, x, patch.fill), edge_pixel<FILLED>(image, y, x + 1, patch.fill),
                        edge_pixel<FILLED>(image, y, x + 2, patch.fill), edge_pixel<FILLED>(image, y, x + 3, patch.fill));
    *(uint4*)(tile + line * PITCH + 4 * group) = four;
  }
}

// Pixels of the block, from column `left` and row `top` on. If rows are MOVED, up to three columns before that.
template <bool MOVED, class B> __device__ __forceinline__ void cover(const Item& t, const B& source, int top, int left) {
  const int lane = threadIdx.x & 31;
#pragma unroll 1
  for (int y = top + (threadIdx.x >> 5); y < min(top + ROWS, t.out_h); y += 8) {
    const u32 row = (u32)y * t.out_w;
    const int begin = left - (MOVED ? (int)((row - (u32)(u64)t.dst) & 3) : 0);
    if (B::inside && begin >= 0 && begin + 64 <= t.out_w) {
#pragma unroll
      for (int i = 0; i < 64; i += 32) {
        OUT v[3];
        LAST<3>(t, source, y, begin + lane + i, 0, v);
#if PACKED
        u32 j = lane & 3, word = packed_word(packed(v), j);
        if (j < 3) *(u32*)(t.dst + 3 * (u64)(row + begin + lane) + j + 3 * i) = word;
#else
        put(t.dst, t.out_h, t.out_w, 3, y, begin + lane + i, 0, v);
#endif
      }
      continue;
    }
#pragma unroll 1
    for (int x = begin + lane; x < begin + lane + 64; x += 32) {
      bool mine = (u32)x < (u32)t.out_w;
      OUT v[3] = {};
      if (mine) LAST<3>(t, source, y, x, 0, v);
#if PACKED
      put_packed(t.dst, row + x, x, 0, t.out_w, true, v);
#else
      if (mine) put(t.dst, t.out_h, t.out_w, 3, y, x, 0, v);
#endif
    }
  }
}

// What the first warp finds out for its block.
struct Task {
  Patch patch;
  i32 top, left;
  bool staged;
};

extern "C" __global__ void __launch_bounds__(256) grid(const Item* __restrict__ items) {
  __shared__ uint4 memory[PITCH * LINES / 4];
  __shared__ Task task;
  const Item t = items[blockIdx.y];  // a copy: what is stored cannot change it
  if (!t.out_h || !t.out_w) return;
  SOURCE
  Staged<SOURCED, S> staged;
  t.source.given.get(staged.matrix);
  // columns are moved so that four threads' pixels of bytes begin at a whole word
  const int moved = PACKED && ((t.out_w | (int)(u64)t.dst) & 3) ? 3 : 0;
  if (threadIdx.x < 32) {
    u32 across = (u32)(t.out_w + moved + 63) / 64;
    int top = (int)(blockIdx.x / across) * ROWS, left = (int)(blockIdx.x % across) * 64;
    int y0 = top, x0 = max(left - moved, 0), y1 = min(top + ROWS - 1, t.out_h - 1), x1 = min(left + 63, t.out_w - 1);
    bool inside = row(t, y0);
    inside = row(t, y1) && inside;
    inside = column(t, x0) && inside;
    inside = column(t, x1) && inside;
    Patch patch;
    bool found = t.source.find(image, staged.matrix, y0, x0, y1, x1, patch);
    Task made = {patch, top, left, inside && found};
    if (threadIdx.x == 0) task = made;
  }
  __syncthreads();
  const int top = task.top, left = task.left;
  if (top >= t.out_h) return;
  if (t.in_c != 3 || t.out_c != 3) {
#pragma unroll 1
    for (int i = threadIdx.x; i < 64 * ROWS; i += 256)
      if (top + i / 64 < t.out_h && left + i % 64 < t.out_w) pixel(t, source, top + i / 64, left + i % 64);
    return;
  }
  if (task.staged) {
    const Patch patch = task.patch;
    stage<S::filled>(image, patch, (u32*)memory);
    staged.origin = S::origin(memory, patch);
    __syncthreads();
    if (moved) cover<true>(t, staged, top, left);
    else cover<false>(t, staged, top, left);
  } else {
    cover<PACKED>(t, source, top, left);
  }
}
