// Loops of `fourier.py`. Eight transforms are computed at once, a lane of a vector each: no lanes are exchanged in them. Where there
// are only one or two, V is a float.
#include "../include/fourier.hpp"

#include "../include/convolution.hpp"
#include "../include/elementary.hpp"
#include "arguments.hpp"
#include "vector.hpp"

template <class V> constexpr i64 lanes_of = sizeof(V) / sizeof(float);
// A lane of a vector, or the float itself.
template <class V> HD float& lane_of(V& v, i64 lane) { return ((float*)&v)[lane]; }

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

// Memory for as many transforms as V has lanes: data, what Stockham's method needs beside it, and the spectra.
template <class V> struct Lines {
  Complex<V>*data, *other;
  V* powers;
  Lines(const Plan& plan, u8* memory) {
    data = (Complex<V>*)(((u64)memory + 63) / 64 * 64);
    other = data + plan.size, powers = (V*)(other + plan.size);
  }
};
static i64 bytes_of_lines(const Plan& plan) { return 64 + (4 * plan.size + plan.bins()) * (i64)sizeof(f32x8); }

// `count` numbers of some signals, which are `stride` apart in each of them, times a window if there is one.
template <class V> void load_lines(const float* const* from, i64 stride, i64 count, const float* window, V* to) {
  i64 t = 0;
  if constexpr (lanes_of<V> == 8) {
    if (stride == 1) {
      for (; t + 8 <= count; t += 8) {
        V rows[8];
        for (int lane = 0; lane < 8; lane++) rows[lane] = read<V>(from[lane] + t);
        transpose(rows);
        for (int i = 0; i < 8; i++) to[t + i] = window ? rows[i] * window[t + i] : rows[i];
      }
    } else {
      bool neighbours = true;
      for (int lane = 1; lane < 8; lane++) neighbours = neighbours && from[lane] == from[0] + lane;
      if (neighbours)
        for (; t < count; t++) to[t] = window ? read<V>(from[0] + t * stride) * window[t] : read<V>(from[0] + t * stride);
    }
  }
  for (; t < count; t++) {
    V v;
    for (i64 lane = 0; lane < lanes_of<V>; lane++) lane_of(v, lane) = from[lane][t * stride];
    to[t] = window ? v * window[t] : v;
  }
}

// The spectra of signals of `count` numbers, which stand in the middle of the transform's length, zeros around them.
template <class V>
void spectra(const Plan& plan, const Lines<V>& lines, const float* const* from, i64 stride, i64 count, const float* window, bool root) {
  V* real = plan.paired() ? (V*)lines.data : (V*)lines.other;
  const i64 before = (plan.size - count) / 2;
  memset(real, 0, before * sizeof *real);
  load_lines(from, stride, count, window, real + before);
  memset(real + before + count, 0, (plan.size - before - count) * sizeof *real);
  if (!plan.paired())
    for (i64 i = 0; i < plan.size; i++) lines.data[i] = {real[i], (V)0.f};
  const i64 length = plan.length();
  const Complex<V>* made = fourier(lines.data, lines.other, length, plan.factors.data, plan.factors.shape[0], plan.roots.data);
  const float* roots = plan.paired() ? plan.last_roots() : nullptr;
  for (i64 k = 0; k < plan.bins(); k++) {
    V power = power_of(roots ? unpaired(made, length, k, roots[2 * k], roots[2 * k + 1]) : made[k]);
    if (root)
      for (i64 lane = 0; lane < lanes_of<V>; lane++) lane_of(power, lane) = square_root(lane_of(power, lane));
    lines.powers[k] = power;
  }
}

// Spectra as neighbouring columns of rows that are `pitch` apart; or as rows of their own.
template <class V> void store_columns(const V* powers, i64 bins, i64 lanes, float* to, i64 pitch) {
  if (lanes == lanes_of<V>)
    for (i64 k = 0; k < bins; k++) write(to + k * pitch, powers[k]);
  else
    for (i64 k = 0; k < bins; k++) memcpy(to + k * pitch, powers + k, lanes * sizeof(float));
}
template <class V> void store_rows(V* powers, i64 bins, i64 lanes, float* to) {
  i64 k = 0;
  if constexpr (lanes_of<V> == 8)
    for (; k + 8 <= bins; k += 8) {
      V rows[8];
      for (int i = 0; i < 8; i++) rows[i] = powers[k + i];
      transpose(rows);
      for (i64 lane = 0; lane < lanes; lane++) write(to + lane * bins + k, rows[lane]);
    }
  for (; k < bins; k++)
    for (i64 lane = 0; lane < lanes; lane++) to[lane * bins + k] = lane_of(powers[k], lane);
}

// Calls `compute` for `count` lines, as a number without a value that has the type to compute in, the first line and how many.
template <class F> HD void in_groups(i64 count, i64 row, F compute) {
  for (i64 begin = 0, lanes; begin < count; begin += lanes) {
    lanes = least<i64>(8, least(row - begin % row, count - begin));
    if (lanes > 2) compute(f32x8(), begin, lanes);
    else compute(f32(), begin, lanes = 1);
  }
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
  const i64 needed = bytes_of_lines(plan) + (inside ? 0 : span * (i64)sizeof(float));
  if (scratch.shape[0] < needed) return needed;
  const float* samples = signal.data;
  if (!inside) {
    float* padded = (float*)(scratch.data + bytes_of_lines(plan));
    const i64 begin = least(-first, span), end = least(begin + count, span);
    for (i64 i = 0; i < begin; i++) padded[i] = reflect ? signal.data[reflected(i + first, count)] : 0;
    memcpy(padded + begin, signal.data, (end - begin) * sizeof(float));
    for (i64 i = end; i < span; i++) padded[i] = reflect ? signal.data[reflected(i + first, count)] : 0;
    samples = padded;
  }
  in_groups(windows, windows, [&](auto v, i64 begin, i64 lanes) {
    const Lines<decltype(v)> lines(plan, scratch.data);
    const float* from[8];
    for (i64 lane = 0; lane < 8; lane++) from[lane] = samples + (begin + least(lane, lanes - 1)) * step;
    spectra(plan, lines, from, 1, width, window.data, root);
    if (time_major) store_rows(lines.powers, plan.bins(), lanes, out.data + begin * plan.bins());
    else store_columns(lines.powers, plan.bins(), lanes, out.data + begin, windows);
  });
  return 0;
}
REGISTER(spectrogram)

// The spectra along the middle axis of (outer, count, inner) numbers.
static void spectra_along(const Plan& plan, const float* in, i64 outer, i64 count, i64 inner, float* out, bool root, u8* scratch) {
  const i64 bins = plan.bins(), total = outer * inner, row = inner == 1 ? total : inner;  // lines whose results are neighbours
  in_groups(total, most<i64>(row, 1), [&](auto v, i64 begin, i64 lanes) {
    const Lines<decltype(v)> lines(plan, scratch);
    const float* from[8];
    for (i64 lane = 0; lane < 8; lane++) {
      const i64 line = begin + least(lane, lanes - 1);
      from[lane] = in + line / inner * count * inner + line % inner;
    }
    spectra(plan, lines, from, inner, count, nullptr, root);
    if (inner == 1) store_rows(lines.powers, bins, lanes, out + begin * bins);
    else store_columns(lines.powers, bins, lanes, out + begin / inner * bins * inner + begin % inner, inner);
  });
}

// Of each sample, (outer, count, inner) in `extents`, at these addresses. Returns the bytes of scratch memory that it needs, if
// there are fewer.
static i64 power_spectrum(Array<const i64, 1> in, Array<const i64, 2> extents, Array<const i64, 1> out, i64 size,
                          Dense<const i64, 1> factors, Dense<const f32, 1> roots, bool root, Dense<u8, 1> scratch) {
  const Plan plan = {size, factors, roots};
  const i64 samples = in.shape[0];
  if (!plan.fits() || extents.shape[0] != samples || extents.shape[1] != 3 || out.shape[0] != samples) return MISFIT;
  for (i64 i = 0; i < samples; i++)
    if (extents(i, 1) > size) return MISFIT;
  if (scratch.shape[0] < bytes_of_lines(plan)) return bytes_of_lines(plan);
  for (i64 i = 0; i < samples; i++)
    spectra_along(plan, (const float*)(u64)in(i), extents(i, 0), extents(i, 1), extents(i, 2), (float*)(u64)out(i), root, scratch.data);
  return 0;
}
REGISTER(power_spectrum)

// Shapes of the spectra of sounds: `bins` numbers of each window, of which there is one more than steps fit. Gives the first sound
// that has several channels, or is too short for a window, or -1.
static i64 spectrogram_shapes(Array<const i64, 2> sounds, i64 width, i64 step, bool centred, i64 bins, bool time_major, Dense<i64, 2> shapes) {
  if (shapes.shape[0] != sounds.shape[0] || shapes.shape[1] != 2 || width < 1 || step < 1) return MISFIT;
  for (i64 i = 0; i < sounds.shape[0]; i++) {
    i64 length = 1, axes = 0;
    for (i64 axis = 0; axis < sounds.shape[1]; axis++)
      if (sounds(i, axis) != 1) length = sounds(i, axis), axes++;
    const i64 room = length - width;  // a sound shorter than a window by less than a step has one, too
    const i64 windows = centred ? length / step + 1 : (room < 0 ? -(-room / step) : room / step) + 1;
    if (axes > 1 || length < 1 || windows < 1) return i;
    shapes(i, time_major ? 0 : 1) = windows, shapes(i, time_major ? 1 : 0) = bins;
  }
  return -1;
}
REGISTER_SHORT(spectrogram_shapes)

// Those of several signals, by addresses, (samples,) and (rows, columns) of their spectra.
static i64 spectrograms(Array<const i64, 1> signals, Array<const i64, 1> counts, Array<const i64, 1> out, Array<const i64, 2> shapes, i64 first,
                        i64 step, bool reflect, Dense<const f32, 1> window, i64 size, Dense<const i64, 1> factors, Dense<const f32, 1> roots,
                        bool root, bool time_major, Dense<u8, 1> scratch) {
  const i64 samples = signals.shape[0];
  if (counts.shape[0] != samples || out.shape[0] != samples || shapes.shape[0] != samples || shapes.shape[1] != 2) return MISFIT;
  for (i64 i = 0; i < samples; i++) {
    Dense<const f32, 1> signal;
    Dense<f32, 2> made;
    signal.data = (const f32*)(u64)signals(i), signal.shape[0] = counts(i);
    made.data = (f32*)(u64)out(i), made.shape[0] = shapes(i, 0), made.shape[1] = shapes(i, 1);
    const i64 needed = spectrogram(signal, made, first, step, reflect, window, size, factors, roots, root, time_major, scratch);
    if (needed) return needed;
  }
  return 0;
}
REGISTER(spectrograms)
