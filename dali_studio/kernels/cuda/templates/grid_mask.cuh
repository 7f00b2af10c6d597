// Squares of a grid, which cover pixels. PLANES: the first axis is that of channels, and stands for rows; rows for columns.

template <class I, class O, int PLANES> struct GridMaskPart {
  GridMask mask;

  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int c, int y, int x) const {
#pragma unroll
    for (int i = 0; i < C; i++) {
      const int row = PLANES ? c + i : y, column = PLANES ? y : x;
      const bool covered = mask.covers(mask.row_x(row), mask.row_y(row), column);
      out[i] = (O)(in[i] * (O)(covered ? 0 : 1));  // a product: -0 and NaN stay
    }
  }
};
