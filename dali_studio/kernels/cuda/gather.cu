// Copies of many arrays at once. A block copies 32 KiB of one.
#define PIECE 32768u

struct Copy {
  const u8* from;
  u8* to;
  i64 size;  // in bytes
};

// Sixteen bytes at any address: whole words, shifted. No word is read that has none of the bytes.
__device__ __forceinline__ uint4 sixteen(const u8* p) {
  if (((u64)p & 15) == 0) return *(const uint4*)p;
  const u32* words = (const u32*)((u64)p & ~3ull);
  u32 shift = (u32)(u64)p << 3;  // counts modulo 32
  u32 a = words[0], b = words[1], c = words[2], d = words[3], e = (u64)p & 3 ? words[4] : 0;
  return make_uint4(__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift),
                    __funnelshift_r(d, e, shift));
}

extern "C" __global__ void __launch_bounds__(256) gather(const Copy* __restrict__ copies) {
  const Copy copy = copies[blockIdx.y];
  i64 begin = (i64)blockIdx.x * PIECE, end = min(begin + PIECE, copy.size);
  if (begin >= end) return;
  // up to where stores of sixteen bytes begin, and what is left behind the last
  i64 first = min(begin + (i64)(-(u64)(copy.to + begin) & 15), end), last = first + (end - first) / 16 * 16;
  if (threadIdx.x < 16 && begin + threadIdx.x < first) copy.to[begin + threadIdx.x] = copy.from[begin + threadIdx.x];
  if (threadIdx.x < 16 && last + threadIdx.x < end) copy.to[last + threadIdx.x] = copy.from[last + threadIdx.x];
#pragma unroll 4
  for (i64 i = first + 16 * threadIdx.x; i < last; i += 16 * 256) *(uint4*)(copy.to + i) = sixteen(copy.from + i);
}
