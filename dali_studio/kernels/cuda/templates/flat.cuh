// Pointwise parts alone: a thread takes N units (elements, or pixels) that lie side by side, with the widest accesses that the
// sample's alignment allows. A unit has UNIT elements, and MADE ones become of it. BY_WORDS: the only part makes MADE words of UNIT
// ones, bytes of four pixels.

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
  union { W words[bytes / word]; u32 fours[(bytes + 3) / 4]; T items[N]; };
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
  OUT v[MADE];
  LAST<MADE>(t, source, 0, (int)at, 0, v);
#pragma unroll
  for (int i = 0; i < MADE; i++) out[i] = v[i];
}

template <int LIMIT> using Taken = Chunk<IN, N * UNIT, LIMIT>;
template <int LIMIT> using Result = Chunk<OUT, N * MADE, LIMIT>;

template <int LIMIT> __device__ __forceinline__ void compute(const Item& t, const Taken<LIMIT>& in, Result<LIMIT>& out, i64 first) {
#if BY_WORDS
#pragma unroll
  for (int i = 0; i < N / 4; i++) t.p0.four(in.fours + i * UNIT, out.fours + i * MADE);
#else
#pragma unroll
  for (int i = 0; i < N; i++) unit(t, in.items + i * UNIT, out.items + i * MADE, first + i);
#endif
}

template <int LIMIT> __device__ __forceinline__ void wide(const Item& t, const IN* src, OUT* dst, i64 first) {
  Taken<LIMIT> in;
  Result<LIMIT> out;
  in.load(src);
  compute<LIMIT>(t, in, out, first);
  out.store(dst);
}

// Where threads have three words each, a warp exchanges them, so that every store goes to one piece of memory.
#define EXCHANGED (MADE == 3 && N * sizeof(OUT) <= 16 && N * sizeof(OUT) % 4 == 0)
#if MADE == 3
template <bool YES> __device__ __forceinline__ void exchanged(const Item& t, const IN* src, OUT* warp_dst, i64 first) {
  const int LIMIT = YES ? 16 : 1;  // depends on YES, so that nothing is compiled where there are other types
  typedef typename Result<LIMIT>::W W;
  __shared__ W memory[8 * 96];
  W* words = memory + threadIdx.x / 32 * 96;
  const int lane = threadIdx.x & 31;
  Taken<LIMIT> in;
  Result<LIMIT> out;
  in.load(src);
  compute<LIMIT>(t, in, out, first);
#pragma unroll
  for (int i = 0; i < MADE; i++) words[MADE * lane + i] = out.words[i];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < MADE; i++) ((W*)warp_dst)[lane + 32 * i] = words[lane + 32 * i];
}
template <> __device__ __forceinline__ void exchanged<false>(const Item&, const IN*, OUT*, i64) {}
#endif

extern "C" __global__ void __launch_bounds__(256, MOST_UNITS == 4 ? 3 : BY_WORDS ? 6 : 1) flat(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];
  i64 first = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * N, count = t.count;
  if (first >= count) return;
  const IN* src = t.src + first * UNIT;
  OUT* dst = t.dst + first * MADE;
  u64 at = (u64)t.src | (u64)t.dst;
#if MADE == 3
  i64 begin = first - (threadIdx.x & 31) * N;  // of the warp
  if (EXCHANGED && begin + 32 * N <= count && at % 16 == 0) {
    exchanged<EXCHANGED>(t, src, t.dst + begin * MADE, first);
    return;
  }
#endif
  if (first + N <= count && at % 16 == 0) {
    wide<16>(t, src, dst, first);
  } else if (first + N <= count && at % 4 == 0) {
    wide<4>(t, src, dst, first);
  } else {
    int rest = (int)min((i64)N, count - first);
    for (int i = 0; i < rest; i++) unit(t, src + i * UNIT, dst + i * MADE, first + i);
  }
}
