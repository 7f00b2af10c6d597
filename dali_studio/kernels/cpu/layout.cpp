// The loop of `layout.py`, which sees to it that both arrays have one shape and rows of packed pixels.
#include "arguments.hpp"
#include "vector.hpp"

// 16 pixels of three elements in reverse order. Bytes as in `load16x3`, words of 16 and 32 bits from anywhere.
#define TURNED4(AT) AT + 9, AT + 10, AT + 11, AT + 6, AT + 7, AT + 8, AT + 3, AT + 4, AT + 5, AT, AT + 1, AT + 2
template <class T> HD void copy16x3_reversed(const T* from, T* to) {
  if constexpr (sizeof(T) == 1) {
    auto v = four_groups(from);
    auto turned = __builtin_bit_cast(Vector<u32, 16>, __builtin_shufflevector(v, v, TURNED4(0), 0, 0, 0, 0, TURNED4(16), 0, 0, 0, 0, TURNED4(32),
                                                                             0, 0, 0, 0, TURNED4(52), 0, 0, 0, 0));
    auto joined = __builtin_shufflevector(turned, turned, 12, 13, 14, 8, 9, 10, 4, 5, 6, 0, 1, 2, 0, 0, 0, 0);
    memcpy(to, &joined, 48);
  } else {
    Vector<T, 64> v = 0;
    memcpy(&v, from, 48 * sizeof(T));
    auto turned = __builtin_shufflevector(v, v, TURNED4(36), TURNED4(24), TURNED4(12), TURNED4(0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    memcpy(to, &turned, 48 * sizeof(T));
  }
}

// Called with a constant for the usual numbers of channels, so that loops over them unroll.
template <class T> HD void flip_row(const T* from, T* to, i64 width, i64 channels) {
  for (i64 x = 0; x < width; x++)
    for (i64 c = 0; c < channels; c++) to[(width - 1 - x) * channels + c] = from[x * channels + c];
}

// Left to right, and top to bottom if `vertical`.
template <class T> void flip(Array<const T, 3> src, Array<T, 3> out, bool vertical) {
  const i64 height = out.shape[0], width = out.shape[1], channels = out.shape[2];
  for (i64 y = 0; y < height; y++) {
    const T* from = &src(vertical ? height - 1 - y : y, 0, 0);
    T* to = &out(y, 0, 0);
    if (channels == 3 && width >= 16 && sizeof(T) <= 4) {
      for (i64 x = 0; x < width; x += 16) {
        x = least(x, width - 16);  // the last vector overlaps the one before it
        copy16x3_reversed(from + 3 * x, to + 3 * (width - 16 - x));
      }
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
