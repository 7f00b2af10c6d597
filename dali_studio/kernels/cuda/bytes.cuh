// Bytes of pixels, by whole words.

// Conversion instructions are slow: a byte in the last place of 2^23 is that number and the byte.
// An instruction takes one constant; the compiler must not see that the other is one too, to keep it in a register.
#define RAISED 8388608.f
__device__ __forceinline__ float raised_byte(uint2 w, int i) {
  return __uint_as_float(__byte_perm(i < 4 ? w.x : w.y, gridDim.z * 0x4B000000u, 0x7540 | (i & 3)));
}
__device__ __forceinline__ float byte_of(uint2 w, int i) { return __fadd_rn(raised_byte(w, i), -RAISED); }

// Four RGB pixels side by side, a word each, whose last byte means nothing. Whole words are read; memory is padded behind
// its end.
__device__ __forceinline__ uint4 four_pixels(const u8* data, u32 pixel) {
  u32 offset = ((u32)(u64)data & 3) + 3 * pixel, shift = offset << 3;  // the shift counts modulo 32
  const u32* words = (const u32*)(((u64)data & ~3ull) + (offset & ~3u));
  u32 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2), d = 0;
  if (offset & 3) d = __ldg(words + 3);
  a = __funnelshift_r(a, b, shift), b = __funnelshift_r(b, c, shift), c = __funnelshift_r(c, d, shift);
  return make_uint4(a, __funnelshift_r(a, b, 24), __funnelshift_r(b, c, 16), c >> 8);
}

// Six bytes at base + offset, as two words: aligned words are read and shifted. Memory is padded behind its end.
__device__ __forceinline__ uint2 six_bytes(const u8* base, u32 offset) {
  const u32* words = (const u32*)(base + (offset & ~3u));
  u32 a = words[0], b = words[1], c = words[2], shift = offset << 3;  // the shift counts modulo 32
  return make_uint2(__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift));
}
