// How threads store four pixels that lie side by side.

template <int SIZE> struct Vector { typedef u32 type; };
template <> struct Vector<8> { typedef uint2 type; };
template <> struct Vector<16> { typedef uint4 type; };

// N elements that lie side by side, in pieces of SIZE bytes if the address allows.
template <int SIZE, int N> __device__ __forceinline__ void put_wide(OUT* p, const OUT (&v)[N]) {
  typedef typename Vector<SIZE>::type V;
  if (SIZE < 4 || (u64)p % (SIZE < 4 ? 4 : SIZE)) {
#pragma unroll
    for (int i = 0; i < N; i++) p[i] = v[i];
    return;
  }
  union Words {
    V words[N * sizeof(OUT) / sizeof(V)];
    OUT items[N];
    __device__ __forceinline__ Words() {}
  } all;
#pragma unroll
  for (int i = 0; i < N; i++) all.items[i] = v[i];
#pragma unroll
  for (int i = 0; i < (int)(N * sizeof(OUT) / sizeof(V)); i++) ((V*)p)[i] = all.words[i];
}

// Pixels `first` to first + 3 of the output, which are in one row or not; `left` of them exist.
__device__ __forceinline__ void put_quad(const Item& t, u32 first, u32 left, const OUT (&v)[4][3]) {
#if PLANAR_OUT
  u32 plane = (u32)t.out_h * t.out_w;
#pragma unroll
  for (int c = 0; c < 3; c++) {
    OUT* p = t.dst + (c * plane + first);
    const OUT four[4] = {v[0][c], v[1][c], v[2][c], v[3][c]};
    if (left >= 4) {
      put_wide<4 * sizeof(OUT) < 16 ? 4 * sizeof(OUT) : 16>(p, four);
    } else {
#pragma unroll
      for (int i = 0; i < 3; i++)
        if (i < left) p[i] = four[i];
    }
  }
#else
  OUT* p = t.dst + 3 * (u64)first;
  if (left >= 4) {
    OUT all[12];
#pragma unroll
    for (int i = 0; i < 12; i++) all[i] = v[i / 3][i % 3];
    put_wide<sizeof(OUT) == 2 ? 8 : 4 * sizeof(OUT) < 16 ? 4 : 16>(p, all);
  } else {
#pragma unroll
    for (int i = 0; i < 9; i++)
      if (i < 3 * left) p[i] = v[i / 3][i % 3];
  }
#endif
}
