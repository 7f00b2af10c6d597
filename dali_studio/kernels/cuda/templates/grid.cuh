// A block covers 32 x 32 pixels in four steps; a warp WARP_WIDE pixels of each of its rows, so that neighbouring threads read
// neighbouring pixels in both directions; several loads are under way at a time.
#define WARP_HIGH (32 / WARP_WIDE)

extern "C" __global__ void __launch_bounds__(256) grid(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];  // a copy: what is stored cannot change it
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int across = (t.out_w + 3 + 31) / 32, down = (int)(blockIdx.x / across) * 32;
  if (down >= t.out_h) return;
  int left = (int)(blockIdx.x % across) * 32 + warp % WARP_HIGH * WARP_WIDE + lane % WARP_WIDE;
  int top = down + warp / WARP_HIGH * WARP_HIGH + lane / WARP_WIDE;
  SOURCE
  if (t.in_c != 3 || t.out_c != 3) {
#pragma unroll 1
    for (int y = top; y < min(down + 32, t.out_h); y += 8)
      if (left < t.out_w) pixel(t, source, y, left);
    return;
  }
#pragma unroll 4
  for (int i = 0; i < 4; i++) {
    int y = top + 8 * i;
    OUT v[3] = {};
#if PACKED
    // columns are moved so that four threads' pixels begin at a whole word
    u32 row = (u32)y * t.out_w;
    int x = left - (int)((row - (u32)(u64)t.dst) & 3);
    bool mine = y < t.out_h && x >= 0 && x < t.out_w;
    if (mine) LAST<3>(t, source, y, x, 0, v);
    put_packed(t.dst, row + x, x, 0, y < t.out_h ? t.out_w : 0, true, v);
#else
    if (y < t.out_h && left < t.out_w) {
      LAST<3>(t, source, y, left, 0, v);
      put(t.dst, t.out_h, t.out_w, 3, y, left, 0, v);
    }
#endif
  }
}
