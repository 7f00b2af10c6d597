// Pointwise operators. A thread takes N elements (or pixels) that lie side by side, with the widest accesses that the
// sample's alignment allows. MODE: 0 scales and shifts, 1 casts, 2 multiplies RGB pixels by a 3x4 matrix.

template <int BYTES> struct Word;
template <> struct Word<16> { typedef uint4 type; };
template <> struct Word<8> { typedef uint2 type; };
template <> struct Word<4> { typedef u32 type; };
template <> struct Word<2> { typedef u16 type; };
template <> struct Word<1> { typedef u8 type; };

template <class T, int N, int LIMIT> struct Chunk {
  static const int bytes = N * sizeof(T);
  static const int fit = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
  static const int word = fit < LIMIT ? fit : LIMIT < (int)sizeof(T) ? (int)sizeof(T) : LIMIT;
  typedef typename Word<word>::type W;
  union { W words[bytes / word]; T items[N]; };
  __device__ __forceinline__ Chunk() {}
  __device__ __forceinline__ void load(const T* p) {
#pragma unroll
    for (int i = 0; i < bytes / word; i++) words[i] = reinterpret_cast<const W*>(p)[i];
  }
  __device__ __forceinline__ void store(T* p) const {
#pragma unroll
    for (int i = 0; i < bytes / word; i++) reinterpret_cast<W*>(p)[i] = words[i];
  }
};

struct Item {
  const IN* src;
  OUT* dst;
  i64 count;  // elements, or pixels where MODE is 2
  float factors[12];
};

#if MODE == 2
#define UNIT 3
#else
#define UNIT 1
#endif
static const int WIDEST = sizeof(IN) > sizeof(OUT) ? sizeof(IN) : sizeof(OUT);
static const int N = 16 / WIDEST;

__device__ __forceinline__ void compute(const IN* in, OUT* out, const float* f) {
#if MODE == 0
  out[0] = from_float<OUT>(__fadd_rn(__fmul_rn(to_float(in[0]), f[0]), f[1]));
#elif MODE == 1
  out[0] = Cast<OUT, IN>::of(in[0]);
#else
  float r = to_float(in[0]), g = to_float(in[1]), b = to_float(in[2]);
#pragma unroll
  for (int k = 0; k < 3; k++) {
    float v = __fadd_rn(__fmul_rn(f[4 * k], r), __fmul_rn(f[4 * k + 1], g));
    out[k] = from_float<OUT>(__fadd_rn(__fadd_rn(v, __fmul_rn(f[4 * k + 2], b)), f[4 * k + 3]));
  }
#endif
}

template <int LIMIT> __device__ __forceinline__ void wide(const IN* src, OUT* dst, const float* f) {
  Chunk<IN, N * UNIT, LIMIT> in;
  Chunk<OUT, N * UNIT, LIMIT> out;
  in.load(src);
#pragma unroll
  for (int i = 0; i < N; i++) compute(in.items + i * UNIT, out.items + i * UNIT, f);
  out.store(dst);
}

extern "C" __global__ void __launch_bounds__(256) pointwise(const Item* items) {
  const Item& item = items[blockIdx.y];
  i64 first = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * N;
  if (first >= item.count) return;
  float f[12];
#pragma unroll
  for (int i = 0; i < 12; i++) f[i] = item.factors[i];
  const IN* src = item.src + first * UNIT;
  OUT* dst = item.dst + first * UNIT;
  u64 at = (u64)item.src | (u64)item.dst;
  if (first + N <= item.count && at % 16 == 0) {
    wide<16>(src, dst, f);
  } else if (first + N <= item.count && at % 4 == 0) {
    wide<4>(src, dst, f);
  } else {
    int rest = (int)min((i64)N, item.count - first);
    for (int i = 0; i < rest; i++) compute(src + i * UNIT, dst + i * UNIT, f);
  }
}
