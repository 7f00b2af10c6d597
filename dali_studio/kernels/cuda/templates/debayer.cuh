// Colours from a mosaic of sensors: `kernels/cpu/debayer.cpp`. KIND: 0 takes means, 1 green along edges, 2 makes grey. Rows and
// columns at the edges are those beside them.

template <class I, class O, int KIND> struct DebayerPart {
  i32 blue_row, blue_column;  // 0 or 1, of the sensors that see blue

  template <int C> __device__ __forceinline__ void at(const Image<I>& image, int y, int x, int c, O (&out)[C]) const {
    O all[3] = {};
    if (image.height > 2 && image.width > 2) {
      y = between(y, 1, image.height - 2), x = between(x, 1, image.width - 2);
      const auto sensor = [&](int row, int column) { return (u32)image.at(y + row, x + column, 0); };
      const u32 corners = sensor(-1, -1) + sensor(-1, 1) + sensor(1, -1) + sensor(1, 1);
      const Site<u32> site = {sensor(0, 0), sensor(0, -1), sensor(0, 1), sensor(-1, 0), sensor(1, 0), corners};
      const u32 colored = (y + blue_row + x + blue_column) & 1 ? 0u : ~0u;
      const bool blue = (y & 1) == blue_row;
      if (KIND == 2) {
        all[0] = (O)weighed(site, colored, !blue);
      } else {
        const Found<u32> found = KIND ? along_edges(site, colored) : bilinear(site, colored);
        all[0] = (O)(blue ? found.other : found.own), all[1] = (O)found.green, all[2] = (O)(blue ? found.own : found.other);
      }
    }
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = all[c + i];
  }
};
