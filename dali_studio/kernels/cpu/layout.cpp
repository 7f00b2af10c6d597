// The loop of `layout.py`, which sees to it that both arrays have one shape and rows of packed pixels.
#include "arguments.hpp"
#include "vector.hpp"

// A row of pixels of three elements; `width` >= 16. A vector of 16 elements holds five pixels, and of larger elements such vectors
// would too often lie across the border of cache lines.
template <class T> HD void flip_pixels(const T* from, T* to, i64 width) {
  if constexpr (sizeof(T) <= 2) {
    for (i64 x = 0; x < width - 5; x += 5) write(to + 3 * x, turned_after_one<T>(read<Vector<T, 16>>(from + 3 * (width - 5 - x) - 1)));
    write15(to + 3 * (width - 5), turned<T>(read<Vector<T, 16>>(from)));
  } else {
    typedef Vector<T, 16> V;
    for (i64 x = 0; x < width; x += 16) {
      x = least(x, width - 16);  // the last vector overlaps the one before it
      const T* p = from + 3 * x;
      write_turned<T>(to + 3 * (width - 16 - x), read<V>(p), read<V>(p + 16), read<V>(p + 32));
    }
  }
}

// Called with a constant for the usual numbers of channels, so that loops over them unroll.
template <class T> HD void flip_row(const T* from, T* to, i64 width, i64 channels) {
  for (i64 x = 0; x < width; x++)
    for (i64 c = 0; c < channels; c++) to[(width - 1 - x) * channels + c] = from[x * channels + c];
}

// Axes (C, D, H, W, c), of which one is channels. Rows lie without gaps.
template <class T> void flip(Array<const T, 5> src, Array<T, 5> out, bool horizontal, bool vertical, bool depthwise) {
  const i64 planes = out.shape[0], depth = out.shape[1], height = out.shape[2], width = out.shape[3], channels = out.shape[4];
  if (!horizontal && !vertical && src.strides[2] == width * channels) {
    for (i64 slice = 0; slice < planes * depth; slice++) {
      const i64 z = slice % depth, plane = slice / depth;
      memcpy(&out(plane, z, 0, 0, 0), &src(plane, depthwise ? depth - 1 - z : z, 0, 0, 0), (u64)(height * width * channels) * sizeof(T));
    }
    return;
  }
  for (i64 row = 0; row < planes * depth * height; row++) {
    const i64 y = row % height, z = row / height % depth, plane = row / height / depth;
    const T* from = &src(plane, depthwise ? depth - 1 - z : z, vertical ? height - 1 - y : y, 0, 0);
    T* to = &out(plane, z, y, 0, 0);
    if (!horizontal) {
      memcpy(to, from, (u64)(width * channels) * sizeof(T));
    } else if (channels == 3 && width >= 16 && sizeof(T) <= 4) {
      flip_pixels(from, to, width);
    } else if (channels == 1) {
      flip_row(from, to, width, 1);
    } else if (channels == 2) {
      flip_row(from, to, width, 2);
    } else if (channels == 3) {
      flip_row(from, to, width, 3);
    } else if (channels == 4) {
      flip_row(from, to, width, 4);
    } else {
      flip_row(from, to, width, channels);
    }
  }
}
typedef Types<u8, u16, u32, u64> Sizes;
REGISTER_EACH(flip, Sizes)
