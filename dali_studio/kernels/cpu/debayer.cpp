// The loops of `debayer.py`.
#include "../include/debayer.hpp"

#include "arguments.hpp"
#include "vector.hpp"

enum { LANES = 16, ROOM = LANES + 4 };  // pixels at once; elements of a row that they need, with two on either side

template <class T> struct WideOf { typedef u32 type; };
template <> struct WideOf<u8> { typedef u16 type; };

// The picture, and which sensors see blue.
template <class T> struct Mosaic {
  const T* data;
  i64 height, width;
  int blue_row, blue_column;
  HD const T* row(i64 y) const { return data + y * width; }
  HD bool sees_blue(i64 y) const { return (y & 1) == blue_row; }  // or red
  HD bool colored(i64 y, i64 x) const { return ((y + blue_row + x + blue_column) & 1) == 0; }
};

// Lanes that see colours, where the first does or does not.
template <class V> HD V in_turns(bool first) {
  V mask;
  for (int i = 0; i < LANES; i++) mask[i] = (i & 1) == (first ? 0 : 1) ? -1 : 0;
  return mask;
}

// Sensors from `x` on, whose neighbours are all there.
template <class T, class V> HD Site<V> site_at(const T* above, const T* here, const T* below) {
  auto wide = [](const T* p) { return __builtin_convertvector(read<Vector<T, LANES>>(p), V); };
  return {wide(here), wide(here - 1), wide(here + 1), wide(above), wide(below),
          wide(above - 1) + wide(above + 1) + wide(below - 1) + wide(below + 1)};
}

template <class T, class V> HD void write_found(T* to, const Found<V>& found, bool blue) {
  auto narrow = [](V v) { return __builtin_convertvector(v, Vector<T, LANES>); };
  const auto own = narrow(found.own), other = narrow(found.other);
  write16x3<T>(to, blue ? other : own, narrow(found.green), blue ? own : other);
}

// What is computed of LANES sensors: `operator()(mosaic, y, x, above, here, below, to)` writes CHANNELS numbers for each.
template <class T, bool EDGES> struct ThreeColors {
  typedef T Element;
  enum { CHANNELS = 3 };
  HD void operator()(const Mosaic<T>& mosaic, i64 y, i64 x, const T* above, const T* here, const T* below, T* to) const {
    typedef Vector<typename WideOf<T>::type, LANES> V;
    const Site<V> site = site_at<T, V>(above, here, below);
    const V colored = in_turns<V>(mosaic.colored(y, x));
    write_found<T, V>(to, EDGES ? along_edges(site, colored) : bilinear(site, colored), mosaic.sees_blue(y));
  }
};
template <class T> struct Gray {
  typedef T Element;
  enum { CHANNELS = 1 };
  HD void operator()(const Mosaic<T>& mosaic, i64 y, i64 x, const T* above, const T* here, const T* below, T* to) const {
    typedef Vector<u32, LANES> V;
    const Site<V> site = site_at<T, V>(above, here, below);
    const V colored = in_turns<V>(mosaic.colored(y, x));
    const V made = weighed(site, colored, !mosaic.sees_blue(y));
    typedef Vector<T, LANES> N;
    write(to, __builtin_convertvector(made, N));
  }
};

// Rows and columns at the edges are those beside them.
template <class T> static void repeat_edges(T* out, i64 height, i64 width, i64 channels) {
  const i64 row = width * channels, pixel = channels * sizeof(T);
  for (i64 y = 1; y < height - 1; y++) {
    memcpy(out + y * row, out + y * row + channels, pixel);
    memcpy(out + (y + 1) * row - channels, out + (y + 1) * row - 2 * channels, pixel);
  }
  memcpy(out, out + row, row * sizeof(T));
  memcpy(out + (height - 1) * row, out + (height - 2) * row, row * sizeof(T));
}

template <class F> static i64 each_site(Dense<const typename F::Element, 2> src, Dense<typename F::Element, 3> out, int row, int column) {
  typedef typename F::Element T;
  const Mosaic<T> mosaic{src.data, src.shape[0], src.shape[1], (row + 1) & 1, (column + 1) & 1};
  const i64 height = mosaic.height, width = mosaic.width;
  if (out.shape[0] != height || out.shape[1] != width || out.shape[2] != F::CHANNELS) return MISFIT;
  if (height <= 2 || width <= 2) {
    memset(out.data, 0, out.size() * sizeof(T));
    return 0;
  }
  for (i64 y = 1; y < height - 1; y++) {
    const T* rows[3] = {mosaic.row(y - 1), mosaic.row(y), mosaic.row(y + 1)};
    T* to = out.data + y * width * F::CHANNELS;
    i64 x = 1;
    for (; x + LANES < width; x += LANES) F{}(mosaic, y, x, rows[0] + x, rows[1] + x, rows[2] + x, to + x * F::CHANNELS);
    if (const i64 left = width - 1 - x; left > 0) {
      T copies[3][ROOM] = {}, made[LANES * F::CHANNELS];
      for (int i = 0; i < 3; i++) memcpy(copies[i], rows[i] + x - 1, (left + 2) * sizeof(T));
      F{}(mosaic, y, x, copies[0] + 1, copies[1] + 1, copies[2] + 1, made);
      memcpy(to + x * F::CHANNELS, made, left * F::CHANNELS * sizeof(T));
    }
  }
  repeat_edges(out.data, height, width, F::CHANNELS);
  return 0;
}

template <class T> static i64 debayer_bilinear(Dense<const T, 2> src, Dense<T, 3> out, int row, int column) {
  return each_site<ThreeColors<T, false>>(src, out, row, column);
}
template <class T> static i64 debayer_edges(Dense<const T, 2> src, Dense<T, 3> out, int row, int column) {
  return each_site<ThreeColors<T, true>>(src, out, row, column);
}
template <class T> static i64 debayer_gray(Dense<const T, 2> src, Dense<T, 3> out, int row, int column) {
  return each_site<Gray<T>>(src, out, row, column);
}
typedef Types<u8, u16> MosaicTypes;
REGISTER_EACH(debayer_bilinear, MosaicTypes)
REGISTER_EACH(debayer_edges, MosaicTypes)
REGISTER_EACH(debayer_gray, MosaicTypes)

// ------------------------------------------------------------------------------------------- variable number of gradients

typedef Vector<i16, LANES> Shorts;
typedef Vector<u8, LANES> Eight;
HD Shorts shorts(const u8* p) { return __builtin_convertvector(read<Eight>(p), Shorts); }
HD Shorts shorts(const i16* p) { return read<Shorts>(p); }

// The gradients of a row, each kind in a row of its own.
enum { KINDS = 7 };
struct GradientRow {
  i16* data;
  i64 pitch;
  HD i16* kind(int number) const { return data + number * pitch; }

  // From the second element to the last but one of rows of `width`.
  HD void compute(const u8* above, const u8* here, const u8* below, i64 width) const {
    for (i64 x = 1; x < width - 1; x += LANES) {
      const Gradients<Shorts> g = gradients_of(shorts(above + x - 1), shorts(above + x), shorts(above + x + 1), shorts(here + x - 1),
                                               shorts(here + x + 1), shorts(below + x - 1), shorts(below + x), shorts(below + x + 1));
      const Shorts all[KINDS] = {g.along, g.across, g.rising, g.falling, g.rising_beside, g.falling_beside, g.nearest};
      for (int i = 0; i < KINDS; i++) write(kind(i) + x, all[i]);
    }
  }
};

// Sensors and gradients of a row and of those around it, two columns beyond the picture, which is mirrored at its edges.
enum { BEYOND = 2, SENSOR_ROWS = 5, GRADIENT_ROWS = 3 };
struct Window {
  u8* sensors[SENSOR_ROWS];
  GradientRow gradients[GRADIENT_ROWS];
  const Mosaic<u8>* mosaic;

  HD const u8* row(i64 y) const { return sensors[(y + SENSOR_ROWS) % SENSOR_ROWS]; }
  HD const GradientRow& gradient(i64 y) const { return gradients[(y + GRADIENT_ROWS) % GRADIENT_ROWS]; }
  HD void copy(i64 y) const {
    const i64 height = mosaic->height, width = mosaic->width, from = y < 0 ? -y : y < height ? y : 2 * height - 2 - y;
    u8* to = sensors[(y + SENSOR_ROWS) % SENSOR_ROWS] + BEYOND;
    memcpy(to, mosaic->row(from), width);
    to[-2] = to[2], to[-1] = to[1], to[width] = to[width - 2], to[width + 1] = to[width - 3];
  }
  HD void compute(i64 y) const { gradient(y).compute(row(y - 1), row(y), row(y + 1), mosaic->width + 2 * BEYOND); }
};

// LANES sensors from (y, x) on, and what is around them. OpenCV's other factor for seven directions is where it computes single
// pixels, which are `alone`.
struct Around {
  const Window* window;
  i64 y, at;
  Shorts alone;

  HD Shorts sensor(int row, int column) const { return shorts(window->row(y + row) + at + column); }
  HD Shorts gradient(int kind, int row, int column) const { return shorts(window->gradient(y + row).kind(kind) + at + column); }
  HD Shorts average(Shorts sum, Shorts count) const {
    typedef Vector<i32, LANES> W;
    f32x16 factor = 0.5f / __builtin_convertvector(count, f32x16);
    factor = __builtin_convertvector((count == 7) & alone, W) ? (f32x16)0.0714286f : factor;
    return __builtin_convertvector(__builtin_convertvector(sum, f32x16) * factor + 12582912.f - 12582912.f, Shorts);
  }
};

// Returns the size of `scratch` that is needed, if it is too small, or 0.
static i64 debayer_gradients(Dense<const u8, 2> src, Dense<u8, 3> out, Dense<u8, 1> scratch, int blue_row, int blue_column) {
  const i64 height = src.shape[0], width = src.shape[1];
  if (out.shape[0] != height || out.shape[1] != width || out.shape[2] != 3) return MISFIT;
  if (least(height, width) < 8) return debayer_bilinear<u8>(src, out, blue_row, blue_column);
  const i64 pitch = width + 2 * BEYOND + 2 * LANES;
  const i64 needed = pitch * (SENSOR_ROWS + GRADIENT_ROWS * KINDS * (i64)sizeof(i16)) + (i64)sizeof(i16);
  if (scratch.shape[0] < needed) return needed;
  const Mosaic<u8> mosaic{src.data, height, width, (blue_row + 1) & 1, (blue_column + 1) & 1};
  Window window{{}, {}, &mosaic};
  i16* gradients = (i16*)(scratch.data + (u64)scratch.data % sizeof(i16));
  for (int i = 0; i < GRADIENT_ROWS; i++) window.gradients[i] = {gradients + i * KINDS * pitch, pitch};
  u8* sensors = (u8*)(gradients + GRADIENT_ROWS * KINDS * pitch);
  for (int i = 0; i < SENSOR_ROWS; i++) window.sensors[i] = sensors + i * pitch;
  memset(sensors, 0, SENSOR_ROWS * pitch);
  for (i64 y = -2; y < 2; y++) window.copy(y);
  window.compute(-1), window.compute(0);
  for (i64 y = 0; y < height; y++) {
    window.copy(y + 2);
    window.compute(y + 1);
    // OpenCV takes 8 pixels at once, from the first that is not green, as long as there are as many
    const i64 first = mosaic.colored(y, 0) ? 0 : 1, behind = first + (width - 8 < first ? 0 : (width - 8 - first) / 8 * 8 + 8);
    for (i64 x = 0; x < width; x += LANES) {
      Shorts alone;
      for (int i = 0; i < LANES; i++) alone[i] = x + i < first || x + i >= behind ? -1 : 0;
      u8 made[3 * LANES];
      const Found<Shorts> found = by_gradients(Around{&window, y, x + BEYOND, alone}, in_turns<Shorts>(mosaic.colored(y, x)));
      write_found<u8, Shorts>(made, found, mosaic.sees_blue(y));
      memcpy(out.data + (y * width + x) * 3, made, 3 * least<i64>(LANES, width - x));
    }
  }
  return 0;
}
REGISTER(debayer_gradients)
