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
  const float* fill;  // of each channel

  HD bool inside(i64 x, i64 y, i64 before, i64 behind) const {
    return x >= before && y >= before && x + behind < width && y + behind < height;
  }
  HD float tap(i64 x, i64 y, i64 c) const {
    const i64 column = bordered(x, width, border), row = bordered(y, height, border);
    return column < 0 || row < 0 ? fill[c] : load1(data + (row * width + column) * channels + c);
  }
};

HD i32 whole_or_least(float x) { return magnitude_of(x) < 0x1p31f ? (i32)x : (i32)limits<i32>::low; }

template <class T> static void nearest_at(const Source<T>& src, const Points& at, i64 count, T* to) {
  i32 x[BLOCK], y[BLOCK];
  for (int i = 0; i < BLOCK; i++) {
    x[i] = whole_or_least(rounded<EVEN>(between(at.x[i], -4194303.f, 4194303.f)));
    y[i] = whole_or_least(rounded<EVEN>(between(at.y[i], -4194303.f, 4194303.f)));
  }
  const i64 channels = src.channels;
  for (i64 i = 0; i < count; i++, to += channels) {
    if (src.inside(x[i], y[i], 0, 0)) {
      const T* from = src.data + (y[i] * src.width + x[i]) * channels;
      if (channels == 3) to[0] = from[0], to[1] = from[1], to[2] = from[2];
      else for (i64 c = 0; c < channels; c++) to[c] = from[c];
    } else {
      for (i64 c = 0; c < channels; c++) store1<EVEN>(to + c, src.tap(x[i], y[i], c));
    }
  }
}

// What lies between the sides of all points, of one channel.
template <class T, class TAP> HD void bilinear_lines(const Places& at, TAP tap, i64 count, i64 channels, T* to) {
  float a[BLOCK], b[BLOCK], d[BLOCK], e[BLOCK];
  T made[BLOCK];
  for (i64 i = 0; i < count; i++) a[i] = tap(i, 0, 0), b[i] = tap(i, 0, 1), d[i] = tap(i, 1, 0), e[i] = tap(i, 1, 1);
  for (i64 i = count; i < BLOCK; i++) a[i] = b[i] = d[i] = e[i] = 0;
  for (int i = 0; i < BLOCK; i += 16) {
    const auto at16 = [&](const float* p) { return read<f32x16>(p + i); };
    const f32x16 right = at16(at.right), above = muladd(right, at16(b) - at16(a), at16(a)), below = muladd(right, at16(e) - at16(d), at16(d));
    store<EVEN, 16>(made + i, muladd(at16(at.low), below - above, above));
  }
  for (i64 i = 0; i < count; i++) to[i * channels] = made[i];
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

template <class T> static void bilinear_at(const Source<T>& src, const Points& at, i64 count, T* to) {
  Places places;
  int all = 1;
  const float width = (float)src.width, height = (float)src.height;
  for (int i = 0; i < BLOCK; i++) {
    // farther out there is but one colour, or the same ones again and again, which floats of that size do not tell apart
    const float x = between(at.x[i], -1e9f, 1e9f), y = between(at.y[i], -1e9f, 1e9f), left = floor_of(x), top = floor_of(y);
    places.x[i] = whole_or_least(left), places.y[i] = whole_or_least(top);
    places.right[i] = x - left, places.low[i] = y - top;
    all &= (i >= count) | ((left >= 0) & (top >= 0) & (left < width - 1) & (top < height - 1));
  }
  const i64 channels = src.channels, row = src.width * channels;
  i64 begin = 0;
  if (channels >= 3)
    for (; begin + 4 <= count; begin += 4)
      if (!(channels == 3 ? four_inside<3>(src, places, begin, to + 3 * begin) : four_inside<4>(src, places, begin, to + 4 * begin))) break;
  if (begin == count) return;
  for (i64 c = 0; c < channels; c++) {
    if (all) {
      const auto tap = [&](i64 i, int below, int right) { return load1(src.data + (places.y[i] + below) * row + (places.x[i] + right) * channels + c); };
      bilinear_lines(places, tap, count, channels, to + c);
    } else {
      const auto tap = [&](i64 i, int below, int right) { return src.tap((i64)places.x[i] + right, (i64)places.y[i] + below, c); };
      bilinear_lines(places, tap, count, channels, to + c);
    }
  }
}

// Keys' kernel with a = -0.75: what the four pixels count about a point that lies `behind` the second one.
struct Keys { float weight[4]; };
HD Keys keys(float behind) {
  const float a = -0.75f, x = behind, y = 1.f - x;
  const float first = ((a * (x + 1.f) - 5.f * a) * (x + 1.f) + 8.f * a) * (x + 1.f) - 4.f * a;
  const float second = ((a + 2.f) * x - (a + 3.f)) * x * x + 1.f, third = ((a + 2.f) * y - (a + 3.f)) * y * y + 1.f;
  return {{first, second, third, 1.f - first - second - third}};
}
// V is a float, or a vector of channels; tap(j, i) is the pixel in row j and column i of the four by four.
template <class V, class TAP> HD V bicubic(const Keys& across, const Keys& down, TAP tap) {
  V sum = (V)0.f;
  for (int j = 0; j < 4; j++) {
    V row = (V)0.f;
    for (int i = 0; i < 4; i++) row += tap(j, i) * across.weight[i];
    sum += row * down.weight[j];
  }
  return sum;
}

template <class T> static void bicubic_at(const Source<T>& src, const Points& at, i64 count, T* to) {
  const i64 channels = src.channels, row = src.width * channels;
  for (i64 i = 0; i < count; i++, to += channels) {
    const float x = between(at.x[i], -1e9f, 1e9f), y = between(at.y[i], -1e9f, 1e9f), column = floor_of(x), line = floor_of(y);
    const Keys across = keys(x - column), down = keys(y - line);
    const i64 left = whole_or_least(column) - 1ll, top = whole_or_least(line) - 1ll;
    const T* first = src.data + top * row + left * channels;
    if (channels >= 3 && src.inside(left, top, 0, 4)) {  // four lanes are read: of three channels, one of the next pixel
      const f32x4 made = bicubic<f32x4>(across, down, [&](int j, int k) { return load<4>(first + j * row + k * channels); });
      const auto narrow = narrowed<T, EVEN, 4>(made);
      memcpy(to, &narrow, (u64)channels * sizeof(T));
      continue;
    }
    const bool within = src.inside(left, top, 0, 3);
    for (i64 c = 0; c < channels; c++)
      store1<EVEN>(to + c, bicubic<float>(across, down, [&](int j, int k) {
        return within ? load1(first + j * row + k * channels + c) : src.tap(left + k, top + j, c);
      }));
  }
}

// POINTS(row, column, points) gives the points of BLOCK pixels of a row.
template <class T, class POINTS>
HD i64 sampled(const Dense<const T, 3>& image, const Dense<T, 3>& out, int interpolation, int border, const Dense<const f32, 1>& fill,
               POINTS points) {
  const Source<T> src = {image.data, image.shape[0], image.shape[1], image.shape[2], (Border)border, fill.data};
  if (out.shape[2] != src.channels || src.channels > MOST_CHANNELS || fill.shape[0] != MOST_CHANNELS) return MISFIT;
  if (border < CONSTANT || border > WRAP || interpolation < NEAREST_PIXEL || interpolation > BICUBIC) return MISFIT;
  if (!out.size()) return 0;
  if (!image.size() || src.width > 1 << 30 || src.height > 1 << 30) return MISFIT;
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
