// Loops of `sample.py`: images at points that are given, or that a homography gives. Points count from the centre of pixel (0, 0).
#include "../include/border.hpp"
#include "instantiations.hpp"
#include "picture.hpp"

enum { BLOCK = 64 };  // pixels whose points are computed at once, in vector registers
enum Interpolation { NEAREST_PIXEL, BILINEAR, BICUBIC };
enum { MOST_CHANNELS = 4, FRACTIONS = 32 };

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
  T fill[MOST_CHANNELS];

  HD bool inside(i64 x, i64 y, i64 before, i64 behind) const {
    return x >= before && y >= before && x + behind < width && y + behind < height;
  }
  HD float tap(i64 x, i64 y, i64 c) const {
    const i64 column = bordered(x, width, border), row = bordered(y, height, border);
    return load1(column < 0 || row < 0 ? fill + c : data + (row * width + column) * channels + c);
  }
};

// Farther out there is but one colour, or the same ones again and again, which floats of that size do not tell apart; so is NaN.
HD float within_reach(float x) { return between(x, -1e9f, 1e9f); }

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
  copy_pixels(src.data, src.height * src.width, src.channels, from, count, src.fill, to);
}

// One element, some of whose neighbours may lie outside.
template <class T> HD float bilinear1(const Source<T>& src, i64 x, i64 y, float right, float low, i64 c) {
  const float a = src.tap(x, y, c), b = src.tap(x + 1, y, c), d = src.tap(x, y + 1, c), e = src.tap(x + 1, y + 1, c);
  const float above = muladd(right, b - a, a), below = muladd(right, e - d, d);
  return muladd(low, below - above, above);
}

// Four pixels of 3 or 4 channels, whose neighbours lie inside, wherever vectors of eight elements are read within the image.
template <int CHANNELS, class T> HD bool four_inside(const Source<T>& src, const Places& at, i64 i, T* to) {
  typedef Vector<i64, 4> Long;
  if constexpr (sizeof(T) <= WIDEST) {
    const auto x = read<Vector<i32, 4>>(at.x + i), y = read<Vector<i32, 4>>(at.y + i);
    const i32 beyond_x = (i32)(src.width - 5 + CHANNELS), beyond_y = (i32)(src.height - 1);
    if (!__builtin_reduce_and((x >= 0) & (y >= 0) & (x < beyond_x) & (y < beyond_y))) return false;
    const i64 row = src.width * CHANNELS;
    const Long offsets = __builtin_convertvector(y, Long) * row + __builtin_convertvector(x, Long) * CHANNELS;
    const f32x16 made = Inside<CHANNELS, T>{src.data, row, offsets, read<f32x4>(at.right + i), read<f32x4>(at.low + i)}.pixels();
    if (CHANNELS == 3) store12<EVEN>(to, made);
    else store<EVEN, 16>(to, made);
    return true;
  }
  return false;
}

// Pixels whose neighbours all lie inside, of one channel.
template <class T> HD void bilinear_lines(const Source<T>& src, const Places& at, i64 count, i64 c, T* to) {
  float a[BLOCK], b[BLOCK], d[BLOCK], e[BLOCK];
  T made[BLOCK];
  const i64 channels = src.channels, row = src.width * channels;
  for (i64 i = 0; i < BLOCK; i++) {
    const T* p = src.data + (i < count ? at.y[i] * row + at.x[i] * channels + c : c);
    a[i] = load1(p), b[i] = load1(p + channels), d[i] = load1(p + row), e[i] = load1(p + row + channels);
  }
  for (int i = 0; i < BLOCK; i += 16) {
    const auto at16 = [&](const float* p) { return read<f32x16>(p + i); };
    const f32x16 right = at16(at.right), above = muladd(right, at16(b) - at16(a), at16(a)), below = muladd(right, at16(e) - at16(d), at16(d));
    store<EVEN, 16>(made + i, muladd(at16(at.low), below - above, above));
  }
  for (i64 i = 0; i < count; i++) to[i * channels] = made[i];
}

template <class T> static void bilinear_at(const Source<T>& src, const Points& at, i64 count, T* to) {
  Places places;
  const i32 last_x = (i32)src.width - 1, last_y = (i32)src.height - 1;
  i32 all = 1;
  for (int i = 0; i < BLOCK; i++) {
    const float x = within_reach(at.x[i]), y = within_reach(at.y[i]), left = floor_of(x), top = floor_of(y);
    places.x[i] = (i32)left, places.y[i] = (i32)top;
    places.right[i] = x - left, places.low[i] = y - top;
  }
  for (int i = 0; i < BLOCK; i++)
    all &= (i >= count) | ((places.x[i] >= 0) & (places.y[i] >= 0) & (places.x[i] < last_x) & (places.y[i] < last_y));
  const i64 channels = src.channels;
  const bool fours = channels >= 3 && sizeof(T) <= WIDEST;
  if (all && !fours) {
    for (i64 c = 0; c < channels; c++) bilinear_lines(src, places, count, c, to + c);
    return;
  }
  for (i64 i = 0; i < count;) {
    if (fours && i + 4 <= count && (channels == 3 ? four_inside<3>(src, places, i, to + 3 * i) : four_inside<4>(src, places, i, to + 4 * i))) {
      i += 4;
      continue;
    }
    for (const i64 end = least(i + 4, count); i < end; i++) {
      const i64 x = places.x[i], y = places.y[i];
      const bool beyond = src.border == CONSTANT && (x < -1 || y < -1 || x > last_x || y > last_y);
      for (i64 c = 0; c < channels; c++) {
        if (beyond) to[i * channels + c] = src.fill[c];
        else store1<EVEN>(to + i * channels + c, bilinear1(src, x, y, places.right[i], places.low[i], c));
      }
    }
  }
}

// Keys' kernel with a = -0.75: what four pixels count about points that lie `behind` the second one.
struct Keys {
  float weight[4][BLOCK];
  HD f32x4 of(i64 i) const { return f32x4{weight[0][i], weight[1][i], weight[2][i], weight[3][i]}; }
};
HD void keys(const float* behind, Keys& to) {
  const float a = -0.75f;
  for (int i = 0; i < BLOCK; i++) {
    const float x = behind[i], y = 1.f - x;
    const float first = ((a * (x + 1.f) - 5.f * a) * (x + 1.f) + 8.f * a) * (x + 1.f) - 4.f * a;
    const float second = ((a + 2.f) * x - (a + 3.f)) * x * x + 1.f, third = ((a + 2.f) * y - (a + 3.f)) * y * y + 1.f;
    to.weight[0][i] = first, to.weight[1][i] = second, to.weight[2][i] = third, to.weight[3][i] = 1.f - first - second - third;
  }
}

// A pixel of 3 or 4 channels from four rows, of which sixteen elements each are read.
template <int CHANNELS, class T> HD f32x4 bicubic_rows(const T* first, i64 row, f32x4 across, f32x4 down) {
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
    const f32x4 wx = across.of(i), wy = down.of(i);
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
        for (int k = 0; k < 4; k++) taps[k] = within ? load1(first + j * row + k * channels + c) : src.tap(left + k, top + j, c);
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
  if (out.shape[2] != src.channels || src.channels > MOST_CHANNELS || fill.shape[0] != MOST_CHANNELS) return MISFIT;
  if (border < CONSTANT || border > WRAP || interpolation < NEAREST_PIXEL || interpolation > BICUBIC) return MISFIT;
  if (!out.size()) return 0;
  const i64 most_pixels = 1ll << 31;
  if (!image.size() || src.width * src.height >= most_pixels) return MISFIT;
  for (int c = 0; c < MOST_CHANNELS; c++) store1<EVEN>(src.fill + c, fill.data[c]);
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
    const f64 y = (f64)row, x0 = y * m[1] + m[2], y0 = y * m[4] + m[5], w0 = y * m[7] + m[8];
    if (coarse) {
      for (int i = 0; i < BLOCK; i++) {
        const f64 x = (f64)(i32)(column + i), w = m[6] * x + w0, factor = w == 0 ? 0. : steps / w;
        const f64 most_steps = 2147483647.;
        const f64 there_x = between((m[0] * x + x0) * factor, -most_steps - 1, most_steps);
        const f64 there_y = between((m[3] * x + y0) * factor, -most_steps - 1, most_steps);
        // rounded where doubles have no fractions
        at.x[i] = (float)((there_x + 0x1.8p52 - 0x1.8p52) / steps), at.y[i] = (float)((there_y + 0x1.8p52 - 0x1.8p52) / steps);
      }
    } else {
      const float fx = (float)x0, fy = (float)y0, fw = (float)w0, mx = (float)m[0], my = (float)m[3], mw = (float)m[6];
      for (int i = 0; i < BLOCK; i += 16) {
        f32x16 x;
        for (int k = 0; k < 16; k++) x[k] = (float)(i32)(column + i + k);
        const f32x16 w = muladd((f32x16)mw, x, (f32x16)fw);
        write(at.x + i, muladd((f32x16)mx, x, (f32x16)fx) / w), write(at.y + i, muladd((f32x16)my, x, (f32x16)fy) / w);
      }
    }
  });
}
REGISTER_EACH(sample_homography, SampleHomographyTypes)
