// Pixels of three bytes, and the planes of their channels. A thread has 4 * WORDS pixels, a macro: 4, where everything begins at a
// multiple of 16 bytes, or 1.

struct Item {
  const u8* from;
  u8* to;
  i64 count;  // of pixels
};

struct alignas(4 * WORDS) Words { u32 values[WORDS]; };

// To planes.
extern "C" __global__ void __launch_bounds__(256) apart(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];
  const i64 first = ((i64)blockIdx.x * 256 + threadIdx.x) * (4 * WORDS);
  if (first >= t.count) return;
  union {
    Words words[3];
    u32 values[3 * WORDS];
  } in;
  Words out[3];
#pragma unroll
  for (int k = 0; k < 3; k++) in.words[k] = ((const Words*)(t.from + 3 * first))[k];
#pragma unroll
  for (int k = 0; k < WORDS; k++) {
    const u32 a = in.values[3 * k], b = in.values[3 * k + 1], c = in.values[3 * k + 2];
    out[0].values[k] = __byte_perm(__byte_perm(a, b, 0x0630), c, 0x5210);
    out[1].values[k] = __byte_perm(__byte_perm(a, b, 0x0741), c, 0x6210);
    out[2].values[k] = __byte_perm(__byte_perm(a, b, 0x0052), c, 0x7410);
  }
#pragma unroll
  for (int k = 0; k < 3; k++) *(Words*)(t.to + k * t.count + first) = out[k];
}

// To pixels.
extern "C" __global__ void __launch_bounds__(256) together(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];
  const i64 first = ((i64)blockIdx.x * 256 + threadIdx.x) * (4 * WORDS);
  if (first >= t.count) return;
  Words in[3];
  union {
    Words words[3];
    u32 values[3 * WORDS];
  } out;
#pragma unroll
  for (int k = 0; k < 3; k++) in[k] = *(const Words*)(t.from + k * t.count + first);
#pragma unroll
  for (int k = 0; k < WORDS; k++) {
    const u32 a = in[0].values[k], b = in[1].values[k], c = in[2].values[k];
    out.values[3 * k] = __byte_perm(__byte_perm(a, b, 0x5140), c, 0x2410);
    out.values[3 * k + 1] = __byte_perm(__byte_perm(b, c, 0x2051), a, 0x3610);
    out.values[3 * k + 2] = __byte_perm(__byte_perm(c, a, 0x3072), b, 0x3710);
  }
#pragma unroll
  for (int k = 0; k < 3; k++) ((Words*)(t.to + 3 * first))[k] = out.words[k];
}
