// Colours from a mosaic of sensors: `kernels/cpu/debayer.cpp`. KIND: 0 takes means, 1 green along edges, 2 makes grey; for these,
// rows and columns at the edges are those beside them. 3 takes the directions of small gradients; it mirrors pictures, and leaves
// small ones to 0.

// A sensor and the two around it on each side.
struct Around {
  i32 sensors[5][5];
  bool alone;

  template <class I> __device__ __forceinline__ Around(const Image<I>& image, int y, int x, bool alone) : alone(alone) {
#pragma unroll
    for (int row = 0; row < 5; row++)
#pragma unroll
      for (int column = 0; column < 5; column++)
        sensors[row][column] = image.at(mirrored(y + row - 2, image.height), mirrored(x + column - 2, image.width), 0);
  }
  static __device__ __forceinline__ int mirrored(int i, int size) { return i < 0 ? -i : i < size ? i : 2 * size - 2 - i; }
  __device__ __forceinline__ i32 sensor(int row, int column) const { return sensors[row + 2][column + 2]; }
  __device__ __forceinline__ i32 gradient(int kind, int row, int column) const {
    const Gradients<i32> g = gradients_of(
        sensor(row - 1, column - 1), sensor(row - 1, column), sensor(row - 1, column + 1), sensor(row, column - 1),
        sensor(row, column + 1), sensor(row + 1, column - 1), sensor(row + 1, column), sensor(row + 1, column + 1));
    const i32 all[] = {g.along, g.across, g.rising, g.falling, g.rising_beside, g.falling_beside, g.nearest};
    return all[kind];
  }
  __device__ __forceinline__ i32 average(i32 sum, i32 count) const {
    const float factor = count == 7 && alone ? 0.0714286f : 0.5f / (float)count;
    return (i32)((float)sum * factor + 12582912.f - 12582912.f);
  }
};

template <class I, class O, int KIND> struct DebayerPart {
  i32 blue_row, blue_column;  // 0 or 1, of the sensors that see blue

  template <int C> __device__ __forceinline__ void at(const Image<I>& image, int y, int x, int c, O (&out)[C]) const {
    O all[3] = {};
    if (KIND == 3 && least(image.height, image.width) >= 8) {
      const i32 colored = (y + blue_row + x + blue_column) & 1 ? 0 : -1, first = (y + blue_row + blue_column) & 1;
      // OpenCV takes 8 pixels at once, from the first that is not green, as long as there are as many
      const int behind = first + (image.width - first) / 8 * 8;
      const Found<i32> found = by_gradients(Around(image, y, x, x < first || x >= behind), colored);
      const bool blue = (y & 1) == blue_row;
      all[0] = (O)(blue ? found.other : found.own), all[1] = (O)found.green, all[2] = (O)(blue ? found.own : found.other);
    } else if (image.height > 2 && image.width > 2) {
      y = between(y, 1, image.height - 2), x = between(x, 1, image.width - 2);
      const auto sensor = [&](int row, int column) { return (u32)image.at(y + row, x + column, 0); };
      const u32 corners = sensor(-1, -1) + sensor(-1, 1) + sensor(1, -1) + sensor(1, 1);
      const Site<u32> site = {sensor(0, 0), sensor(0, -1), sensor(0, 1), sensor(-1, 0), sensor(1, 0), corners};
      const u32 colored = (y + blue_row + x + blue_column) & 1 ? 0u : ~0u;
      const bool blue = (y & 1) == blue_row;
      if (KIND == 2) {
        all[0] = (O)weighed(site, colored, !blue);
      } else {
        const Found<u32> found = KIND == 1 ? along_edges(site, colored) : bilinear(site, colored);
        all[0] = (O)(blue ? found.other : found.own), all[1] = (O)found.green, all[2] = (O)(blue ? found.own : found.other);
      }
    }
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = all[c + i];
  }
};
