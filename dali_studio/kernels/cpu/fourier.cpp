// Loops of `fourier.py`. Eight transforms are computed at once, a lane of a vector each: no lanes are exchanged in them.
#include "../include/fourier.hpp"

#include "../include/convolution.hpp"
#include "../include/elementary.hpp"
#include "arguments.hpp"
#include "vector.hpp"

enum { LANES = 8 };
typedef Vector<f32, LANES> f32x8;

// How a transform is done (`fourier.py`): the factors of its length, or of half of it where it is even, and all roots.
struct Plan {
  i64 size;  // of the transform
  const Dense<const i64, 1>& factors;
  const Dense<const f32, 1>& roots;  // of the steps, and behind them those of `unpaired`
  bool paired() const { return size % 2 == 0; }
  i64 length() const { return paired() ? size / 2 : size; }
  i64 bins() const { return size / 2 + 1; }
  bool fits() const {
    i64 product = 1, needed = 0;
    for (i64 i = 0; i < factors.shape[0]; i++) {
      const i64 factor = factors.data[i];
      if (factor < 2 || factor > 7 || factor == 6 || product > length() / factor) return false;
      needed += 2 * (factor - 1) * (length() / (product * factor));
      product *= factor;
    }
    return size > 0 && product == length() && roots.shape[0] == needed + (paired() ? 2 * bins() : 0);
  }
  const float* last_roots() const { return roots.data + roots.shape[0] - 2 * bins(); }
};

// Memory for eight transforms: data, what Stockham's method needs beside it, and the spectra.
struct Lines {
  Complex<f32x8>*data, *other;
  f32x8* powers;
  static i64 bytes(const Plan& plan) { return 64 + (4 * plan.size + plan.bins()) * (i64)sizeof(f32x8); }
  Lines(const Plan& plan, u8* memory) {
    data = (Complex<f32x8>*)(((u64)memory + 63) / 64 * 64);
    other = data + plan.size, powers = (f32x8*)(other + plan.size);
  }
};

HD void transpose(f32x8 (&v)[8]) {
  f32x8 a[8], b[8];
  for (int i = 0; i < 4; i++) {
    a[2 * i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[2 * i + 1] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i++) {
    const int low = i / 4 * 4 + i % 2;
    b[i] = i % 4 < 2 ? __builtin_shufflevector(a[low], a[low + 2], 0, 1, 8, 9, 4, 5, 12, 13)
                     : __builtin_shufflevector(a[low], a[low + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; i++) {
    v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// `count` numbers of eight signals, which are `stride` apart in each of them, times a window if there is one.
static void load_lines(const float* const (&from)[LANES], i64 stride, i64 count, const float* window, f32x8* to) {
  i64 t = 0;
  if (stride == 1) {
    for (; t + 8 <= count; t += 8) {
      f32x8 rows[8];
      for (int lane = 0; lane < LANES; lane++) rows[lane] = read<f32x8>(from[lane] + t);
      transpose(rows);
      for (int i = 0; i < 8; i++) to[t + i] = window ? rows[i] * window[t + i] : rows[i];
    }
  } else {
    bool neighbours = true;
    for (int lane = 1; lane < LANES; lane++) neighbours = neighbours && from[lane] == from[0] + lane;
    if (neighbours)
      for (; t < count; t++) to[t] = window ? read<f32x8>(from[0] + t * stride) * window[t] : read<f32x8>(from[0] + t * stride);
  }
  for (; t < count; t++) {
    f32x8 v;
    for (int lane = 0; lane < LANES; lane++) v[lane] = from[lane][t * stride];
    to[t] = window ? v * window[t] : v;
  }
}

// The spectra of eight signals of `count` numbers, which stand in the middle of the transform's length, zeros around them.
static void spectra(const Plan& plan, const Lines& lines, const float* const (&from)[LANES], i64 stride, i64 count, const float* window,
                    bool root) {
  f32x8* real = plan.paired() ? (f32x8*)lines.data : (f32x8*)lines.other;
  const i64 before = (plan.size - count) / 2;
  memset(real, 0, before * sizeof *real);
  load_lines(from, stride, count, window, real + before);
  memset(real + before + count, 0, (plan.size - before - count) * sizeof *real);
  if (!plan.paired())
    for (i64 i = 0; i < plan.size; i++) lines.data[i] = {real[i], (f32x8)0.f};
  const i64 length = plan.length();
  const Complex<f32x8>* made = fourier(lines.data, lines.other, length, plan.factors.data, plan.factors.shape[0], plan.roots.data);
  const float* roots = plan.paired() ? plan.last_roots() : nullptr;
  for (i64 k = 0; k < plan.bins(); k++) {
    f32x8 power = power_of(roots ? unpaired(made, length, k, roots[2 * k], roots[2 * k + 1]) : made[k]);
    if (root)
      for (int lane = 0; lane < LANES; lane++) power[lane] = square_root(power[lane]);
    lines.powers[k] = power;
  }
}

// Spectra as neighbouring columns of rows that are `pitch` apart; or as rows of their own.
static void store_columns(const f32x8* powers, i64 bins, i64 lanes, float* to, i64 pitch) {
  if (lanes == LANES)
    for (i64 k = 0; k < bins; k++) write(to + k * pitch, powers[k]);
  else
    for (i64 k = 0; k < bins; k++) memcpy(to + k * pitch, powers + k, lanes * sizeof(float));
}
static void store_rows(const f32x8* powers, i64 bins, i64 lanes, float* to) {
  i64 k = 0;
  for (; k + 8 <= bins; k += 8) {
    f32x8 rows[8];
    for (int i = 0; i < 8; i++) rows[i] = powers[k + i];
    transpose(rows);
    for (i64 lane = 0; lane < lanes; lane++) write(to + lane * bins + k, rows[lane]);
  }
  for (; k < bins; k++)
    for (i64 lane = 0; lane < lanes; lane++) to[lane * bins + k] = powers[k][lane];
}

// The spectra of windows that begin at `first`, which is not above 0, and every `step` samples; beyond its ends, the signal is
// reflected or 0. out: (bins, windows), or, where time is the major axis, (windows, bins). Returns the bytes of scratch memory
// that it needs, if there are fewer.
static i64 spectrogram(Dense<const f32, 1> signal, Dense<f32, 2> out, i64 first, i64 step, bool reflect, Dense<const f32, 1> window, i64 size,
                       Dense<const i64, 1> factors, Dense<const f32, 1> roots, bool root, bool time_major, Dense<u8, 1> scratch) {
  const Plan plan = {size, factors, roots};
  const i64 count = signal.shape[0], width = window.shape[0], windows = out.shape[time_major ? 0 : 1];
  if (!plan.fits() || width > size || width < 1 || step < 1 || first > 0 || count < 1 || out.shape[time_major ? 1 : 0] != plan.bins()) return MISFIT;
  if (windows == 0) return 0;
  const i64 span = (windows - 1) * step + width;  // that all windows reach over
  const bool inside = first == 0 && span <= count;
  const i64 needed = Lines::bytes(plan) + (inside ? 0 : span * (i64)sizeof(float));
  if (scratch.shape[0] < needed) return needed;
  const Lines lines(plan, scratch.data);
  const float* samples = signal.data;
  if (!inside) {
    float* padded = (float*)(lines.powers + plan.bins());
    const i64 begin = least(-first, span), end = least(begin + count, span);
    for (i64 i = 0; i < begin; i++) padded[i] = reflect ? signal.data[reflected(i + first, count)] : 0;
    memcpy(padded + begin, signal.data, (end - begin) * sizeof(float));
    for (i64 i = end; i < span; i++) padded[i] = reflect ? signal.data[reflected(i + first, count)] : 0;
    samples = padded;
  }
  for (i64 begin = 0; begin < windows; begin += LANES) {
    const i64 lanes = least<i64>(LANES, windows - begin);
    const float* from[LANES];
    for (i64 lane = 0; lane < LANES; lane++) from[lane] = samples + (begin + least(lane, lanes - 1)) * step;
    spectra(plan, lines, from, 1, width, window.data, root);
    if (time_major) store_rows(lines.powers, plan.bins(), lanes, out.data + begin * plan.bins());
    else store_columns(lines.powers, plan.bins(), lanes, out.data + begin, windows);
  }
  return 0;
}
REGISTER(spectrogram)

// The spectra along the middle axis. Returns the bytes of scratch memory that it needs, if there are fewer.
static i64 power_spectrum(Dense<const f32, 3> in, Dense<f32, 3> out, i64 size, Dense<const i64, 1> factors, Dense<const f32, 1> roots,
                          bool root, Dense<u8, 1> scratch) {
  const Plan plan = {size, factors, roots};
  const i64 outer = in.shape[0], count = in.shape[1], inner = in.shape[2], bins = plan.bins();
  if (!plan.fits() || count > size || out.shape[0] != outer || out.shape[1] != bins || out.shape[2] != inner) return MISFIT;
  if (scratch.shape[0] < Lines::bytes(plan)) return Lines::bytes(plan);
  const Lines lines(plan, scratch.data);
  const i64 total = outer * inner, row = inner == 1 ? total : inner;  // lines whose results are neighbours
  for (i64 begin = 0, lanes; begin < total; begin += lanes) {
    lanes = least<i64>(LANES, row - begin % row);
    const float* from[LANES];
    for (i64 lane = 0; lane < LANES; lane++) {
      const i64 line = begin + least(lane, lanes - 1);
      from[lane] = in.data + line / inner * count * inner + line % inner;
    }
    spectra(plan, lines, from, inner, count, nullptr, root);
    if (inner == 1) store_rows(lines.powers, bins, lanes, out.data + begin * bins);
    else store_columns(lines.powers, bins, lanes, out.data + begin / inner * bins * inner + begin % inner, inner);
  }
  return 0;
}
REGISTER(power_spectrum)
