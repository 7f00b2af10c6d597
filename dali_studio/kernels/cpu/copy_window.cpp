// The loop of `copy_window.py`.
#include <string.h>

#include "../include/border.hpp"
#include "arguments.hpp"
#include "instantiations.hpp"
#include "vector.hpp"

const int MOST_AXES = 64;

// Floats hold what bytes are cut from, but of doubles.
template <class T> struct WideOf { typedef f32 type; };
template <> struct WideOf<f64> { typedef f64 type; };

// `bytes` of copies of the first `period` of them.
static void repeat(char* to, i64 period, i64 bytes) {
  i64 piece = period;
  for (i64 done = period; done < bytes; done += piece) {
    if (piece < 4096) piece = done;  // what is copied stays in cache
    memcpy(to + done, to, (u64)least(piece, bytes - done));
  }
}

// `count` elements of SIZE bytes each, `step` bytes apart.
template <i64 SIZE> static void pick(const char* from, i64 step, char* to, i64 count) {
  for (i64 i = 0; i < count; i++) memcpy(to + i * SIZE, from + i * step, (u64)SIZE);
}
static void pick(const char* from, i64 step, char* to, i64 size, i64 count) {
  switch (size) {
    case 1: return pick<1>(from, step, to, count);
    case 2: return pick<2>(from, step, to, count);
    case 3: return pick<3>(from, step, to, count);
    case 4: return pick<4>(from, step, to, count);
    case 6: return pick<6>(from, step, to, count);
    case 8: return pick<8>(from, step, to, count);
    case 12: return pick<12>(from, step, to, count);
    default:
      for (i64 i = 0; i < count; i++) memcpy(to + i * size, from + i * step, (u64)size);
  }
}

// Elements into another type: saturated, and not rounded as `convert` does but cut, as in nvidia.dali.
template <class I, class O> HD void cut_sixteen(const I* from, O* to) {
  if constexpr (same<O, u8>::value) {
    typedef Vector<typename WideOf<I>::type, 16> V;
    V v;
    if constexpr (same<I, f64>::value) v = read<V>(from);
    else v = load<16>(from);
    v = v > 0 ? v : (V)0;  // and what is no number
    v = v < 255 ? v : (V)255;
    write(to, __builtin_convertvector(__builtin_convertvector(v, Vector<i32, 16>), Vector<u8, 16>));
  } else {
    f32x16 v = load<16>(from);
    if constexpr (same<O, f16>::value) {
      v = v > 65504.f ? (f32x16)65504.f : v;
      v = v < -65504.f ? (f32x16)-65504.f : v;
    }
    store<AWAY, 16>(to, v);
  }
}
template <class I, class O> static void cut_run(const char* source, char* target, i64 count) {
  const I* from = (const I*)source;
  O* to = (O*)target;
  i64 i = 0;
  for (; i + 16 <= count; i += 16) cut_sixteen(from + i, to + i);
  if (i == count) return;
  I last[16] = {};
  O made[16];
  memcpy(last, from + i, (u64)(count - i) * sizeof(I));
  cut_sixteen(last, made);
  memcpy(to + i, made, (u64)(count - i) * sizeof(O));
}
// How a run of elements comes from the source to the output: null where their bytes are copied.
typedef void (*Converter)(const char* from, char* to, i64 count);

struct WindowAxis {
  i64 count, begin, end;  // elements of the output, and those of them that the source has
  i64 step, pitch;        // bytes between elements, of the source and of the output
  i64 first, extent;      // the source's element that the first one shows, and the source's elements
};

struct WindowCopy {
  WindowAxis axes[MOST_AXES];
  int last;          // what lies below this axis is copied as a whole
  i64 run, read;     // bytes of that in the output, and in the source
  i64 size;          // bytes of an element of the output
  Converter convert;
  const char* fill;  // elements outside: one, or one for each index of the axis `along`
  int along;         // -1: one
  Border border;     // not CONSTANT: what the source has goes on outside, and there is no fill

  // `count` runs that follow each other in both.
  void move(const char* from, char* to, i64 count) const {
    if (convert) convert(from, to, count * (run / size));
    else memcpy(to, from, (u64)(count * run));
  }
  void fill_with(char* to, const char* value, i64 bytes) const {
    if (size == 1) {
      memset(to, *value, (u64)bytes);
    } else if (bytes > 0) {
      memcpy(to, value, (u64)size);
      repeat(to, size, bytes);
    }
  }
  // The elements [first, end) of an axis.
  void fill_range(int axis, char* to, i64 first, i64 end, const char* value) const {
    if (end <= first) return;
    const i64 pitch = axes[axis].pitch;
    if (along < axis) return fill_with(to + first * pitch, value, (end - first) * pitch);
    if (along == axis) {
      for (i64 i = first; i < end; i++) fill_with(to + i * pitch, fill + i * size, pitch);
      return;
    }
    const WindowAxis& channels = axes[along];
    to += first * pitch;
    for (i64 i = 0; i < channels.count; i++) fill_with(to + i * channels.pitch, fill + i * size, channels.pitch);
    repeat(to, channels.count * channels.pitch, channels.count ? (end - first) * pitch : 0);
  }
  // The elements [first, end) of an axis, which lie beyond the source; `from` as below.
  void go_on(int axis, i64 from, char* to, i64 first, i64 end) const {
    const WindowAxis& at = axes[axis];
    while (first < end) {
      const Stretch stretch = continued(plus(at.first, first), at.extent, border);
      const i64 count = least(stretch.count, end - first), step = stretch.step * at.step;
      i64 source = plus(from, times(minus(stretch.begin, at.first), at.step));
      char* target = to + first * at.pitch;
      if (axis == last && step == read) {
        move((const char*)source, target, count);
      } else if (axis == last && !convert) {
        pick((const char*)source, step, target, run, count);
      } else {
        for (i64 i = 0; i < count; i++, source += step, target += at.pitch) below(axis, source, target, fill);
      }
      first += count;
    }
  }
  void outside(int axis, i64 from, char* to, i64 first, i64 end, const char* value) const {
    if (border == CONSTANT) fill_range(axis, to, first, end, value);
    else go_on(axis, from, to, first, end);
  }
  // One element of `axis`.
  void below(int axis, i64 from, char* to, const char* value) const {
    if (axis == last) move((const char*)from, to, 1);
    else copy(axis + 1, from, to, value);
  }
  // What lies below `axis`: `from` is the address of the element that the output's first one shows, even if there is none.
  void copy(int axis, i64 from, char* to, const char* value) const {
    const WindowAxis& at = axes[axis];
    outside(axis, from, to, 0, at.begin, value);
    if (axis == last && at.step == read) {
      if (at.end > at.begin) move((const char*)(from + at.begin * at.step), to + at.begin * at.pitch, at.end - at.begin);
    } else {
      for (i64 i = at.begin; i < at.end; i++)
        below(axis, from + i * at.step, to + i * at.pitch, axis == along ? fill + i * size : value);
    }
    outside(axis, from, to, at.end, at.count, value);
  }
};

// Of each sample: shape and strides (in bytes) of the source, its first element that is shown, and the shape of the output.
// `read` and `size` are bytes of an element of the source and of the output.
static i64 each_window(Array<const i64, 1> sources, Array<const i64, 1> outs, Array<const i64, 3> geometry, Dense<const u8, 2> fills,
                       i64 along, i64 read, i64 size, Converter convert, int border) {
  const i64 count = sources.shape[0], axes = geometry.shape[2];
  if (outs.shape[0] != count || geometry.shape[0] != count || geometry.shape[1] != 4 || axes > MOST_AXES || along >= axes || size < 1 || border < CONSTANT || border > WRAP ||
      (fills.shape[0] != 1 && fills.shape[0] != count) || fills.shape[1] < size)
    return MISFIT;
  for (i64 i = 0; along >= 0 && i < count; i++)
    if (geometry(i, 3, along) * size > fills.shape[1]) return MISFIT;
  for (i64 i = 0; i < count; i++) {
    WindowCopy window;
    window.fill = (const char*)fills.data + (fills.shape[0] > 1 ? i * fills.shape[1] : 0);
    window.along = (int)along;
    window.border = (Border)border;
    window.size = window.run = size;
    window.read = read;
    window.convert = convert;
    window.last = (int)axes - 1;
    i64 pitch = size, from = sources(i);
    bool empty = false;
    for (int axis = (int)axes - 1; axis >= 0; axis--) {
      const i64 extent = geometry(i, 0, axis), first = geometry(i, 2, axis), wanted = geometry(i, 3, axis);
      WindowAxis& at = window.axes[axis];
      at = {wanted, between<i64>(minus(0, first), 0, wanted), between<i64>(minus(extent, first), 0, wanted), geometry(i, 1, axis), pitch, first, extent};
      at.end = most(at.begin, at.end);
      if (extent == 1) at.step = window.read;
      from = plus(from, times(first, at.step));
      pitch *= wanted;
      empty = empty || wanted == 0 || (border != CONSTANT && extent == 0);
      if (axis == window.last && at.step == window.read && at.begin == 0 && at.end == wanted)
        window.run *= wanted, window.read *= wanted, window.last--;
    }
    if (empty) continue;
    char* to = (char*)outs(i);
    if (window.last < 0) window.move((const char*)from, to, 1);
    else window.copy(0, from, to, window.fill);
  }
  return 0;
}
static i64 copy_windows(i64 size, Array<const i64, 1> sources, Array<const i64, 1> outs, Array<const i64, 3> geometry,
                        Dense<const u8, 2> fills, i64 along, int border) {
  return each_window(sources, outs, geometry, fills, along, size, size, nullptr, border);
}
REGISTER(copy_windows)

// The same into elements of another type, of which the fills are.
template <class I, class O>
static i64 cut_windows(Array<const i64, 1> sources, Array<const i64, 1> outs, Array<const i64, 3> geometry, Dense<const u8, 2> fills,
                       i64 along, int border) {
  return each_window(sources, outs, geometry, fills, along, sizeof(I), sizeof(O), cut_run<I, O>, border);
}
REGISTER_PAIRS(cut_windows, CutWindowsInputs, CutWindowsOutputs)
