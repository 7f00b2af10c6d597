// Pointwise parts alone: a thread takes N units (elements, or RGB pixels) that lie side by side, with the widest accesses
// that the sample's alignment allows.

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

static const int WIDEST = sizeof(IN) > sizeof(OUT) ? sizeof(IN) : sizeof(OUT);
static const int N = 16 / WIDEST < MOST_UNITS ? 16 / WIDEST : MOST_UNITS;

struct Given {
  const IN* in;
  template <int C> __device__ __forceinline__ void at(int, int, int, IN (&out)[C]) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = in[i];
  }
};

// Unit number `at` of the sample.
__device__ __forceinline__ void unit(const Item& t, const IN* in, OUT* out, i64 at) {
  Given source = {in};
  OUT v[UNIT];
  LAST<UNIT>(t, source, 0, (int)at, 0, v);
#pragma unroll
  for (int i = 0; i < UNIT; i++) out[i] = v[i];
}

template <int LIMIT>
__device__ __forceinline__ void compute(const Item& t, const IN* src, Chunk<OUT, N * UNIT, LIMIT>& out, i64 first) {
  Chunk<IN, N * UNIT, LIMIT> in;
  in.load(src);
#pragma unroll
  for (int i = 0; i < N; i++) unit(t, in.items + i * UNIT, out.items + i * UNIT, first + i);
}

template <int LIMIT> __device__ __forceinline__ void wide(const Item& t, const IN* src, OUT* dst, i64 first) {
  Chunk<OUT, N * UNIT, LIMIT> out;
  compute<LIMIT>(t, src, out, first);
  out.store(dst);
}

// Where threads have three words each, a warp exchanges them, so that every store goes to one piece of memory.
#define EXCHANGED (UNIT == 3 && N * sizeof(OUT) <= 16 && N * sizeof(OUT) % 4 == 0)
#if UNIT == 3
template <bool YES> __device__ __forceinline__ void exchanged(const Item& t, const IN* src, OUT* warp_dst, i64 first) {
  const int LIMIT = YES ? 16 : 1;  // depends on YES, so that nothing is compiled where there are other types
  typedef Chunk<OUT, N * UNIT, LIMIT> Three;
  typedef typename Three::W W;
  __shared__ W memory[8 * 96];
  W* words = memory + threadIdx.x / 32 * 96;
  int lane = threadIdx.x & 31;
  Three out;
  compute<LIMIT>(t, src, out, first);
#pragma unroll
  for (int i = 0; i < 3; i++) words[3 * lane + i] = out.words[i];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 3; i++) ((W*)warp_dst)[lane + 32 * i] = words[lane + 32 * i];
}
template <> __device__ __forceinline__ void exchanged<false>(const Item&, const IN*, OUT*, i64) {}
#endif

extern "C" __global__ void __launch_bounds__(256, MOST_UNITS == 4 ? 3 : 1) flat(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];
  i64 first = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * N, count = t.count;
  if (first >= count) return;
  const IN* src = t.src + first * UNIT;
  OUT* dst = t.dst + first * UNIT;
  u64 at = (u64)t.src | (u64)t.dst;
#if UNIT == 3
  i64 begin = first - (threadIdx.x & 31) * N;  // of the warp
  if (EXCHANGED && begin + 32 * N <= count && at % 16 == 0) {
    exchanged<EXCHANGED>(t, src, t.dst + begin * UNIT, first);
    return;
  }
#endif
  if (first + N <= count && at % 16 == 0) {
    wide<16>(t, src, dst, first);
  } else if (first + N <= count && at % 4 == 0) {
    wide<4>(t, src, dst, first);
  } else {
    int rest = (int)min((i64)N, count - first);
    for (int i = 0; i < rest; i++) unit(t, src + i * UNIT, dst + i * UNIT, first + i);
  }
}
