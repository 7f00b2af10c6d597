// A source that draws random numbers by the numbers of pixels, and pointwise parts, for pixels of three channels. A thread takes four
// pixels that follow each other, the number of the first divisible by four: the compiler then knows in which of Philox's counters
// the words of each lie.

// The source at a pixel whose number is known.
struct Numbered {
  static const bool inside = true;
  const Image<IN>& image;
  const S& part;
  u32 number;
  template <int C, class O> __device__ __forceinline__ void at(int y, int x, int c, O (&out)[C]) const {
    part.template at_number<C>(image, number, y, x, c, out);
  }
};

extern "C" __global__ void __launch_bounds__(256) grid(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];  // a copy: what is stored cannot change it
  if (!t.out_h || !t.out_w) return;
  const u32 first = (blockIdx.x * 256 + threadIdx.x) * 4, width = t.out_w, count = (u32)t.out_h * width;
  if (t.in_c != 3 || t.out_c != 3) {
    SOURCE
#pragma unroll 1
    for (u32 i = first; i < min(first + 4, count); i++) pixel(t, source, (int)(i / width), (int)(i % width));
    return;
  }
  const Image<IN> image = {t.src, t.in_h, t.in_w, 3};
  int y = (int)(first / width), x = (int)(first - y * width);
  OUT v[4][3];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    LAST<3>(t, Numbered{image, t.source, first + i}, min(y, t.out_h - 1), x, 0, v[i]);  // what is beyond the last is not stored
    if (++x == (int)width) x = 0, y++;
  }
#if PACKED
  __shared__ u32 memory[8 * 96];  // a warp exchanges its words, so that every store goes to one piece of memory
  u32* words = memory + threadIdx.x / 32 * 96;
  const int lane = threadIdx.x & 31;
  const u32 a = packed(v[0]), b = packed(v[1]), c = packed(v[2]), d = packed(v[3]), begin = first - 4 * lane;
  words[3 * lane] = __byte_perm(a, b, 0x4210), words[3 * lane + 1] = __byte_perm(b, c, 0x5421), words[3 * lane + 2] = __byte_perm(c, d, 0x6542);
  __syncwarp();
  if (begin + 128 <= count && (u64)t.dst % 4 == 0) {
    u32* p = (u32*)t.dst + begin / 4 * 3;
#pragma unroll
    for (int i = 0; i < 96; i += 32) p[lane + i] = words[lane + i];
  } else if (begin < count) {
    OUT* p = t.dst + 3 * (u64)begin;
    const int end = 3 * (int)min(count - begin, 128u);
    for (int i = lane; i < end; i += 32) p[i] = ((const OUT*)words)[i];
  }
#else
  if (first < count) put_quad(t, first, count - first, v);
#endif
}
