// Boxes of an image that are filled.

template <class I, class O> struct Erase {
  const i32* boxes;  // of each axis of H, W, C: begin and end
  const O* fill;     // one value a channel
  i32 count, unused;

  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int c, int y, int x) const {
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = in[i];
    for (int k = 0; k < count; k++) {
      const i32* box = boxes + 6 * k;
      if (y < box[0] || y >= box[1] || x < box[2] || x >= box[3]) continue;
#pragma unroll
      for (int i = 0; i < C; i++)
        if (c + i >= box[4] && c + i < box[5]) out[i] = fill[c + i];
    }
  }
};
