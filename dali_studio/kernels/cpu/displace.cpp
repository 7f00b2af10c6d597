// Loops of `displace.py`.
#include "../include/displacement.hpp"

#include "../include/gaussian.hpp"
#include "instantiations.hpp"
#include "picture.hpp"

enum { BLOCK = 64 };  // pixels whose points are computed at once, in vector registers

struct Points { float x[BLOCK], y[BLOCK]; };

// Pixels that points lie in.
template <class T> static void nearest_pixels(const Picture<T>& src, const Points& at, const T* fill, i64 count, T* to) {
  i32 from[BLOCK];
  const float width = (float)src.width, height = (float)src.height;
  const i32 row = (i32)src.width;
  for (int i = 0; i < BLOCK; i++) {
    const bool inside = (at.x[i] >= 0) & (at.y[i] >= 0) & (at.x[i] < width) & (at.y[i] < height);  // not of NaN
    from[i] = inside ? (i32)(inside ? at.y[i] : 0.f) * row + (i32)(inside ? at.x[i] : 0.f) : -1;
  }
  copy_pixels(src.data, src.height * src.width, src.channels, from, count, fill, to);
}

template <class T> static void linear_pixels(const Picture<T>& src, const Points& at, T* to, i64 count) {
  i64 i = 0;
  if (src.channels == 3 || src.channels == 4)
    for (; i + 4 <= count; i += 4) {
      const f32x4 x = read<f32x4>(at.x + i) - 0.5f, y = read<f32x4>(at.y + i) - 0.5f;
      if (src.channels == 3) store_four<3>(to, i, four_pixels<3>(src, x, y));
      else store_four<4>(to, i, four_pixels<4>(src, x, y));
    }
  for (; i < count; i++) {
    const Place place = place_of(at.x[i] - 0.5f, at.y[i] - 0.5f);
    for (i64 c = 0; c < src.channels; c++) store1<AWAY>(to + i * src.channels + c, src.bilinear1(place, c));
  }
}

// POINTS(row, column, points) gives the points of BLOCK pixels of a row.
template <class T, class POINTS>
HD i64 displaced(const Dense<const T, 3>& image, const Dense<T, 3>& out, bool linear, const Dense<const T, 1>& fill, POINTS points) {
  for (int axis = 0; axis < 3; axis++)
    if (image.shape[axis] != out.shape[axis]) return MISFIT;
  const i64 pixels = image.shape[0] * image.shape[1], most_pixels = 1ll << 31;
  if (fill.shape[0] < 1 || fill.shape[0] < image.shape[2] || pixels >= most_pixels) return MISFIT;
  const Picture<T> src = picture_of(image, true, load1(fill.data));
  Points at;
  for (i64 row = 0; row < src.height; row++)
    for (i64 column = 0; column < src.width; column += BLOCK) {
      const i64 count = least<i64>(BLOCK, src.width - column);
      T* to = out.data + row * src.row + column * src.channels;
      points(row, column, at);
      if (linear) linear_pixels(src, at, to, count);
      else nearest_pixels(src, at, fill.data, count, to);
    }
  return 0;
}

// Columns are moved by what `across` has for the row, and rows by what `down` has for the column, which is longer than a row.
template <class T>
i64 water(Dense<const T, 3> src, Dense<T, 3> out, bool linear, Dense<const T, 1> fill, Dense<const f32, 1> across, Dense<const f32, 1> down) {
  if (across.shape[0] < src.shape[0] || down.shape[0] < src.shape[1] + BLOCK) return MISFIT;
  return displaced(src, out, linear, fill, [&](i64 row, i64 column, Points& at) {
    const float y = (float)row, moved = across.data[row];
    const float* down_here = down.data + column;
    for (int i = 0; i < BLOCK; i++) at.x[i] = (float)(i32)(column + i) + moved, at.y[i] = y + down_here[i];
  });
}
REGISTER_EACH(water, WaterTypes)

template <class T> i64 sphere(Dense<const T, 3> src, Dense<T, 3> out, bool linear, Dense<const T, 1> fill) {
  const Sphere ball = Sphere::of(src.shape[0], src.shape[1]);
  return displaced(src, out, linear, fill, [&](i64 row, i64 column, Points& at) {
    for (int i = 0; i < BLOCK; i++) {
      const Point point = ball((float)(i32)(column + i), (float)row);
      at.x[i] = point.x, at.y[i] = point.y;
    }
  });
}
REGISTER_EACH(sphere, SphereTypes)

// Two words for each pixel, from the place of its first element in the stream.
template <class T> i64 jitter(Dense<const T, 3> src, Dense<T, 3> out, Dense<const u64, 1> stream_words, u64 high, int degree) {
  const i64 height = src.shape[0], width = src.shape[1], channels = src.shape[2];
  if (degree < 1) return MISFIT;
  const Jitter pick = {degree};
  const Stream stream(stream_words.data);
  const u64 from = stream.first();
  const Dense<const T, 1> fill = {{src.data, {channels}, {1}}};  // which no point needs
  return displaced(src, out, false, fill, [&](i64 row, i64 column, Points& at) {
    u32 words[4][2 * BLOCK];
    for (int i = 0; i < 2 * BLOCK; i++) {
      const u64 element = (u64)(channels * (column + (i & (BLOCK - 1)) + width * row) + stream.phase);
      const u64 low = (element * ELEMENT_STRIDE >> 2) + (i >= BLOCK) + from;
      words[0][i] = (u32)low, words[1][i] = (u32)(low >> 32), words[2][i] = (u32)high, words[3][i] = (u32)(high >> 32);
    }
    u32 first = (u32)stream.key, second = (u32)(stream.key >> 32);
    for (int round = 0; round < 10; round++, first += 0x9E3779B9u, second += 0xBB67AE85u)
      for (int i = 0; i < 2 * BLOCK; i++) philox_round(words[0][i], words[1][i], words[2][i], words[3][i], first, second);
    for (int i = 0; i < BLOCK; i++) {
      const int begin = (int)(channels * (column + i + width * row) + stream.phase & 3), next = begin + 1;  // the stride is 1 modulo 4
      const i64 x = column + i + pick.step(words[begin][i]), y = row + pick.step(next < 4 ? words[next][i] : words[0][i + BLOCK]);
      at.x[i] = (float)between<i64>(x, 0, width - 1), at.y[i] = (float)between<i64>(y, 0, height - 1);
    }
  });
}
REGISTER_EACH(jitter, JitterTypes)
