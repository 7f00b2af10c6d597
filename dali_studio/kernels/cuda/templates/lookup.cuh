// The value that a table has for each element, an integer.

template <class I, class O> struct LookUp {
  const O* table;

  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = table[place_in_table(in[i])];
  }
};
