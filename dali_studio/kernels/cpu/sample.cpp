// Loops of `sample.py`: images at points that are given, or that a homography gives. Points count from the centre of pixel (0, 0).
#include "../include/sampling.hpp"
#include "instantiations.hpp"
#include "picture.hpp"

enum { BLOCK = 64 };  // pixels whose points are computed at once, in vector registers
enum Interpolation { NEAREST_PIXEL, BILINEAR, BICUBIC };
enum { MAX_CHANNELS = 4, FRACTIONS = 32 };

struct Points { float x[BLOCK], y[BLOCK]; };
// Pixels to the left of and above points, and how far behind these the points lie.
struct Places {
  i32 x[BLOCK], y[BLOCK];
  float right[BLOCK], low[BLOCK];
};

template <class T> struct Source {
  const T* data;
  i64 height, width, channels;
  Border border;
  T fill[MAX_CHANNELS];

  HD bool inside(i64 x, i64 y, i64 before, i64 behind) const {
    return x >= before && y >= before && x + behind < width && y + behind < height;
  }
  HD T at(i64 x, i64 y, i64 c) const {
    const i64 column = bordered(x, width, border), row = bordered(y, height, border);
    return column < 0 || row < 0 ? fill[c] : data[(row * width + column) * channels + c];
  }
};

template <class T> static void nearest_at(const Source<T>& src, const Points& at, i64 count, T* to) {
  i32 from[BLOCK];
  const i32 width = (i32)src.width, height = (i32)src.height;
  const auto nearest = [](float x) { return (i32)(magnitude_of(x) < 0x1p22f ? rounded<EVEN>(x) : x); };
  for (int i = 0; i < BLOCK; i++) {
    const i32 x = nearest(within_reach(at.x[i])), y = nearest(within_reach(at.y[i]));
    const bool inside = (x >= 0) & (y >= 0) & (x < width) & (y < height);
    from[i] = inside ? y * width + x : -1;
  }
  if (src.border != CONSTANT)
    for (i64 i = 0; i < count; i++)
      if (from[i] < 0) {
        const i64 x = bordered(nearest(within_reach(at.x[i])), width, src.border);
        from[i] = (i32)(bordered(nearest(within_reach(at.y[i])), height, src.border) * width + x);
      }
  const i64 pixels = src.height * src.width;
  i32 lowest = 0, highest = 0;
  for (int i = 0; i < BLOCK; i++) lowest = least(lowest, from[i]), highest = most(highest, from[i]);
  i64 done = 0;
  if constexpr (same<T, u8>::value)
    if (src.channels == 3 && lowest >= 0 && highest + 1 < pixels)  // as in `copy_each`, without asking each time
      for (; done + 1 < count; done++) write(to + 3 * done, read<u32>(src.data + from[done] * 3ll));
  copy_pixels(src.data, pixels, src.channels, from + done, count - done, src.fill, to + done * src.channels);
}

HD f32x16 bilinear(f32x16 a, f32x16 b, f32x16 d, f32x16 e, f32x16 right, f32x16 low) {
  const f32x16 above = muladd(right, b - a, a), below = muladd(right, e - d, d);
  return muladd(low, below - above, above);
}

// Of one channel, the neighbours of all points are brought together first.
template <class T> HD void bilinear_lines(const Source<T>& src, const Places& at, i64 count, i64 c, T* to) {
  T a[BLOCK] = {}, b[BLOCK] = {}, d[BLOCK] = {}, e[BLOCK] = {}, made[BLOCK];
  const i64 channels = src.channels, row = src.width * channels;
  for (i64 i = 0; i < count; i++) {
    const i64 x = at.x[i], y = at.y[i];
    if (src.inside(x, y, 0, 1)) {
      const T* p = src.data + y * row + x * channels + c;
      a[i] = p[0], b[i] = p[channels], d[i] = p[row], e[i] = p[row + channels];
    } else {
      a[i] = src.at(x, y, c), b[i] = src.at(x + 1, y, c), d[i] = src.at(x, y + 1, c), e[i] = src.at(x + 1, y + 1, c);
    }
  }
  for (int i = 0; i < BLOCK; i += 16)
    store<EVEN, 16>(made + i, bilinear(load<16>(a + i), load<16>(b + i), load<16>(d + i), load<16>(e + i), read<f32x16>(at.right + i),
                                       read<f32x16>(at.low + i)));
  for (i64 i = 0; i < count; i++) to[i * channels] = made[i];
}

// Pixels of 3 or 4 bytes, as words.
template <int CHANNELS> HD u32 pixel_word(const Source<u8>& src, i64 x, i64 y) {
  u32 word = 0;
  for (int c = 0; c < CHANNELS; c++) word |= (u32)src.at(x, y, c) << 8 * c;
  return word;
}
template <int CHANNELS> static void bilinear_bytes(const Source<u8>& src, const Places& at, i64 count, u8* to) {
  typedef Vector<u32, 16> Words;
  u32 a[BLOCK] = {}, b[BLOCK] = {}, d[BLOCK] = {}, e[BLOCK] = {};
  const i64 row = src.width * CHANNELS;
  for (i64 i = 0; i < count; i++) {
    const i64 x = at.x[i], y = at.y[i];
    if (src.inside(x, y, 0, 1) && x + 5 - CHANNELS < src.width) {  // words reach one byte behind pixels of three
      const u8* p = src.data + y * row + x * CHANNELS;
      a[i] = read<u32>(p), b[i] = read<u32>(p + CHANNELS), d[i] = read<u32>(p + row), e[i] = read<u32>(p + row + CHANNELS);
    } else {
      a[i] = pixel_word<CHANNELS>(src, x, y), b[i] = pixel_word<CHANNELS>(src, x + 1, y);
      d[i] = pixel_word<CHANNELS>(src, x, y + 1), e[i] = pixel_word<CHANNELS>(src, x + 1, y + 1);
    }
  }
  for (i64 i = 0; i < count; i += 16) {
    const Words words[4] = {read<Words>(a + i), read<Words>(b + i), read<Words>(d + i), read<Words>(e + i)};
    const f32x16 right = read<f32x16>(at.right + i), low = read<f32x16>(at.low + i);
    Words made = {};
    for (int c = 0; c < CHANNELS; c++) {
      f32x16 taps[4];
      for (int k = 0; k < 4; k++) taps[k] = __builtin_convertvector(__builtin_bit_cast(Vector<i32, 16>, words[k] >> 8 * c & 255), f32x16);
      // between bytes there are but bytes: what they are rounded to lies in the last bits of the sum
      const f32x16 sum = bilinear(taps[0], taps[1], taps[2], taps[3], right, low) + 12582912.f;
      made |= (__builtin_bit_cast(Words, sum) & 255) << 8 * c;
    }
    const i64 bytes = least<i64>(16, count - i) * CHANNELS;
    if (CHANNELS == 4) {
      memcpy(to + i * CHANNELS, &made, (u64)bytes);
    } else {
      const auto packed = packed_pixels(made);
      memcpy(to + i * CHANNELS, &packed, (u64)bytes);
    }
  }
}

template <class T> static void bilinear_at(const Source<T>& src, const Points& at, i64 count, T* to) {
  Places places;
  for (int i = 0; i < BLOCK; i++) {
    const float x = within_reach(at.x[i]), y = within_reach(at.y[i]), left = floor_of(x), top = floor_of(y);
    places.x[i] = (i32)left, places.y[i] = (i32)top;
    places.right[i] = x - left, places.low[i] = y - top;
  }
  if constexpr (same<T, u8>::value) {
    if (src.channels == 3) return bilinear_bytes<3>(src, places, count, to);
    if (src.channels == 4) return bilinear_bytes<4>(src, places, count, to);
  }
  for (i64 c = 0; c < src.channels; c++) bilinear_lines(src, places, count, c, to + c);
}

struct Keys { float weight[BLOCK][4]; };
HD void keys(const float* behind, Keys& to) {
  for (int i = 0; i < BLOCK; i++) keys_weights(behind[i], to.weight[i]);
}

// A pixel of 3 or 4 channels from four rows, of which sixteen elements each are read.
template <int CHANNELS, class T> HD f32x4 bicubic_rows(const T* first, i64 row, f32x4 across, const float* down) {
  f32x16 sum = load<16>(first) * down[0];
  for (int j = 1; j < 4; j++) sum = muladd(load<16>(first + j * row), (f32x16)down[j], sum);
  const f32x16 weights = CHANNELS == 3 ? __builtin_shufflevector(across, across, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3)
                                       : __builtin_shufflevector(across, across, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  sum = sum * weights;
  const int C = CHANNELS;
  const f32x4 a = __builtin_shufflevector(sum, sum, 0, 1, 2, 3), b = __builtin_shufflevector(sum, sum, C, C + 1, C + 2, C + 3);
  const f32x4 d = __builtin_shufflevector(sum, sum, 2 * C, 2 * C + 1, 2 * C + 2, 2 * C + 3);
  const f32x4 e = __builtin_shufflevector(sum, sum, 3 * C, 3 * C + 1, 3 * C + 2, 3 * C + 3);
  return (a + b) + (d + e);
}

template <class T> static void bicubic_at(const Source<T>& src, const Points& at, i64 count, T* to) {
  Places places;
  for (int i = 0; i < BLOCK; i++) {
    const float x = within_reach(at.x[i]), y = within_reach(at.y[i]), left = floor_of(x), top = floor_of(y);
    places.x[i] = (i32)left - 1, places.y[i] = (i32)top - 1;
    places.right[i] = x - left, places.low[i] = y - top;
  }
  Keys across, down;
  keys(places.right, across), keys(places.low, down);
  const i64 channels = src.channels, row = src.width * channels;
  for (i64 i = 0; i < count; i++, to += channels) {
    const i64 left = places.x[i], top = places.y[i];
    const T* first = src.data + top * row + left * channels;
    if (src.border == CONSTANT && (left < -3 || top < -3 || left >= src.width || top >= src.height)) {
      for (i64 c = 0; c < channels; c++) to[c] = src.fill[c];
      continue;
    }
    const f32x4 wx = read<f32x4>(across.weight[i]);
    const float* wy = down.weight[i];
    if (channels >= 3 && src.inside(left, top, 0, 3) && left + 5 < src.width) {
      const f32x4 made = channels == 3 ? bicubic_rows<3>(first, row, wx, wy) : bicubic_rows<4>(first, row, wx, wy);
      const auto narrow = narrowed<T, EVEN, 4>(made);
      memcpy(to, &narrow, (u64)channels * sizeof(T));
      continue;
    }
    const bool within = src.inside(left, top, 0, 3);
    for (i64 c = 0; c < channels; c++) {
      float sum = 0;
      for (int j = 0; j < 4; j++) {
        f32x4 taps;
        for (int k = 0; k < 4; k++) taps[k] = within ? load1(first + j * row + k * channels + c) : to_float(src.at(left + k, top + j, c));
        const f32x4 part = taps * wx;
        sum = muladd((part[0] + part[1]) + (part[2] + part[3]), wy[j], sum);
      }
      store1<EVEN>(to + c, sum);
    }
  }
}

// POINTS(row, column, points) gives the points of BLOCK pixels of a row.
template <class T, class POINTS>
HD i64 sampled(const Dense<const T, 3>& image, const Dense<T, 3>& out, int interpolation, int border, const Dense<const f32, 1>& fill,
               POINTS points) {
  Source<T> src = {image.data, image.shape[0], image.shape[1], image.shape[2], (Border)border, {}};
  if (out.shape[2] != src.channels || src.channels > MAX_CHANNELS || fill.shape[0] != MAX_CHANNELS) return MISFIT;
  if (border < CONSTANT || border > WRAP || interpolation < NEAREST_PIXEL || interpolation > BICUBIC) return MISFIT;
  if (!out.size()) return 0;
  const i64 most_pixels = 1ll << 31;
  if (!image.size() || src.width * src.height >= most_pixels) return MISFIT;
  for (int c = 0; c < MAX_CHANNELS; c++) store1<EVEN>(src.fill + c, fill.data[c]);
  Points at;
  for (i64 row = 0; row < out.shape[0]; row++)
    for (i64 column = 0; column < out.shape[1]; column += BLOCK) {
      const i64 count = least<i64>(BLOCK, out.shape[1] - column);
      T* to = out.data + (row * out.shape[1] + column) * src.channels;
      points(row, column, at);
      if (interpolation == NEAREST_PIXEL) nearest_at(src, at, count, to);
      else if (interpolation == BILINEAR) bilinear_at(src, at, count, to);
      else bicubic_at(src, at, count, to);
    }
  return 0;
}

// The points of `across` and `down`, less `shift`.
template <class T>
i64 sample_mapped(Dense<const T, 3> src, Dense<T, 3> out, Dense<const f32, 2> across, Dense<const f32, 2> down, float shift, int interpolation,
                  int border, Dense<const f32, 1> fill) {
  for (int axis = 0; axis < 2; axis++)
    if (across.shape[axis] != out.shape[axis] || down.shape[axis] != out.shape[axis]) return MISFIT;
  return sampled(src, out, interpolation, border, fill, [&](i64 row, i64 column, Points& at) {
    const i64 count = least<i64>(BLOCK, out.shape[1] - column), place = row * out.shape[1] + column;
    for (i64 i = 0; i < count; i++) at.x[i] = across.data[place + i] - shift, at.y[i] = down.data[place + i] - shift;
    for (i64 i = count; i < BLOCK; i++) at.x[i] = at.y[i] = 0;
  });
}
REGISTER_EACH(sample_mapped, SampleMappedTypes)

// The points that a matrix of three rows of three numbers gives. COARSE: in steps of 1/32, or of 1 for the nearest pixel.
template <class T>
i64 sample_homography(Dense<const T, 3> src, Dense<T, 3> out, Dense<const f64, 1> matrix, bool coarse, int interpolation, int border,
                      Dense<const f32, 1> fill) {
  if (matrix.shape[0] != 9) return MISFIT;
  const f64* m = matrix.data;
  const f64 steps = interpolation == NEAREST_PIXEL ? 1. : (f64)FRACTIONS;
  return sampled(src, out, interpolation, border, fill, [&](i64 row, i64 column, Points& at) {
      const HomographyRow line(m, row);
    if (coarse) {
      for (int i = 0; i < BLOCK; i++) line.coarse(m, (i32)(column + i), steps, at.x[i], at.y[i]);
    } else {
      const float fx = (float)line.x, fy = (float)line.y, fw = (float)line.w, mx = (float)m[0], my = (float)m[3], mw = (float)m[6];
      for (int i = 0; i < BLOCK; i += 16) {
        const f32x16 x = (float)(i32)(column + i) + f32x16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        const f32x16 w = muladd((f32x16)mw, x, (f32x16)fw);
        write(at.x + i, muladd((f32x16)mx, x, (f32x16)fx) / w), write(at.y + i, muladd((f32x16)my, x, (f32x16)fy) / w);
      }
    }
  });
}
REGISTER_EACH(sample_homography, SampleHomographyTypes)
