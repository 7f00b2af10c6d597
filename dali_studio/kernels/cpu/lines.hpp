// Lines of images with what lies beyond their ends, and weighted sums of lines: what convolutions are made of.
#pragma once
#include "../include/border.hpp"
#include "arguments.hpp"
#include "vector.hpp"

// Lanes that sums of elements of type S are computed in.
template <class S> struct LanesOf { enum { count = 16 }; };
template <> struct LanesOf<f64> { enum { count = 8 }; };
template <class S> using Lanes = Vector<S, LanesOf<S>::count>;
template <class S> using Totals = Vector<float, LanesOf<S>::count>;

#if defined(__AVX512F__)
enum { AT_ONCE = 8 };  // vectors: as many as fit the registers
#else
enum { AT_ONCE = 2 };
#endif
enum { SLACK = 128 };  // elements behind a line that may be read, and written where it is memory of our own

template <class T, class S> HD void widen(const T* from, i64 count, S* to) {
  i64 i = 0;
  if constexpr (same<T, S>::value) {
    memcpy(to, from, (u64)count * sizeof(S));
  } else {
    if constexpr (same<S, f32>::value)
      for (; i + 16 <= count; i += 16) write(to + i, load<16>(from + i));
    for (; i < count; i++) to[i] = Cast<S, T>::of(from[i]);
  }
}

// Pixels `begin` to end - 1 of a line of `width` pixels, some of which may lie beyond its ends. A line that is null is all `fill`.
template <class T, class S> HD void fill_line(const T* line, i64 width, i64 channels, i64 begin, i64 end, Border border, S fill, S* to) {
  const i64 first = between<i64>(0, begin, end), last = between<i64>(width, first, end);
  const auto one = [&](i64 i) {
    const i64 at = line ? bordered(i, width, border) : -1;
    S* pixel = to + (i - begin) * channels;
    if (at < 0) for (i64 c = 0; c < channels; c++) pixel[c] = fill;
    else widen(line + at * channels, channels, pixel);
  };
  if (!line) {
    for (i64 i = begin; i < end; i++) one(i);
    return;
  }
  for (i64 i = begin; i < first; i++) one(i);
  widen(line + first * channels, (last - first) * channels, to + (first - begin) * channels);
  for (i64 i = last; i < end; i++) one(i);
}

// A weighted sum of lines; without taps, the first line itself.
template <class S> struct Sum {
  const S* const* lines;
  const float* weights;
  i64 taps;
  float scale;
};

template <class V, int N> struct Several { V at[N]; };

// One product after the other is added to a float. FUSED: products are not rounded, which only those of floats are.
template <bool FUSED, int N, class S> HD Several<Totals<S>, N> weighed(const Sum<S>& sum, i64 i) {
  typedef Lanes<S> V;
  typedef Totals<S> F;
  enum { LANES = LanesOf<S>::count };
  Several<F, N> made;
  const S* first = sum.lines[0] + i;
  for (int n = 0; n < N; n++) made.at[n] = sum.taps ? (F)0.f : __builtin_convertvector(read<V>(first + n * LANES), F);
  for (i64 k = 0; k < sum.taps; k++) {
    const S* line = sum.lines[k] + i;
    const V weight = (S)sum.weights[k];
    for (int n = 0; n < N; n++) {
      if constexpr (FUSED) made.at[n] = muladd(read<V>(line + n * LANES), weight, made.at[n]);
      else made.at[n] = __builtin_convertvector(__builtin_convertvector(made.at[n], V) + read<V>(line + n * LANES) * weight, F);
    }
  }
  return made;
}

// Up to one vector as elements of the result.
template <Rounding R, int LANES, class O> HD void emit(O* to, Vector<float, LANES> v, i64 count) {
  if (count >= LANES) {
    store<R, LANES>(to, v);
  } else {
    const auto made = narrowed<O, R, LANES>(v);
    memcpy(to, &made, (u64)count * sizeof(O));
  }
}

// Elements `i` to end - 1 of the sum of scaled sums, in order, and of `before` them if it is not null.
template <Rounding R, bool FUSED, int N, class O, class S>
HD i64 add_some(const Sum<S>* sums, int count, const S* before, i64 i, i64 end, O* to) {
  typedef Totals<S> F;
  enum { LANES = LanesOf<S>::count };
  for (; i < end && (N == 1 || i + N * LANES <= end); i += N * LANES) {
    Several<F, N> total;
    for (int t = 0; t < count; t++) {
      const Several<F, N> made = weighed<FUSED, N>(sums[t], i);
      const F scale = sums[t].scale;
      for (int n = 0; n < N; n++) {
        if (t) total.at[n] = total.at[n] + made.at[n] * scale;
        else if (before) total.at[n] = __builtin_convertvector(read<Lanes<S>>(before + i + n * LANES), F) + made.at[n] * scale;
        else total.at[n] = made.at[n] * scale;
      }
    }
    for (int n = 0; n < N; n++) emit<R, LANES>(to + i + n * LANES, total.at[n], end - i - n * LANES);
  }
  return i;
}
template <Rounding R, bool FUSED, class O, class S> HD void add_lines(const Sum<S>* sums, int count, const S* before, i64 width, O* to) {
  const i64 done = add_some<R, FUSED, AT_ONCE>(sums, count, before, 0, width, to);
  add_some<R, FUSED, 1>(sums, count, before, done, width, to);
}

// Hands out the memory of a call.
struct Pieces {
  u64 next;
  template <class T> HD T* take(i64 count) {
    const u64 at = (next + 63) / 64 * 64;
    next = at + (u64)count * sizeof(T);
    return (T*)at;
  }
};

// Elements of a line of results that are computed at once, so that all lines that they follow from stay in the innermost cache.
inline i64 strip(i64 lines) { return between<i64>(6144 / lines / 128 * 128, 128, 1024); }

// A box around each pixel of a result: its extents, and which of its pixels lies on that of the result.
struct Box {
  i64 extent[3], anchor[3];  // depth, rows, columns
  HD i64 lines() const { return extent[0] * extent[1]; }
};

// The lines that boxes cover, of (outer, depth, height, width, inner) elements. For each part of a line of results,
// each(lines, place, count): the lines, depth by depth, from the first column of the box on; where the results begin in `out`, and
// how many elements there are. Memory: as measured by a run whose `dry` is set, which does nothing else.
template <class S, class I, class O, class EACH>
HD u64 each_box(const Dense<const I, 5>& src, const Dense<O, 5>& out, const Box& box, Border border, S fill, u64 memory, bool dry, EACH each) {
  const i64 depth = src.shape[1], height = src.shape[2], width = src.shape[3], inner = src.shape[4];
  const i64 deep = box.extent[0], high = box.extent[1], wide = box.extent[2];
  const i64 pixels = least(out.shape[3], most<i64>(1, strip(box.lines()) / most<i64>(1, inner))), length = (pixels + wide - 1) * inner + SLACK;
  Pieces pieces = {memory};
  S* ring = pieces.take<S>(box.lines() * length);
  const S** lines = pieces.take<const S*>(box.lines());
  if (dry) return pieces.next;
  memset((void*)ring, 0, (u64)(box.lines() * length) * sizeof(S));
  for (i64 o = 0; o < out.shape[0]; o++)
    for (i64 left = 0; left < out.shape[3]; left += pixels) {
      const i64 here = least(pixels, out.shape[3] - left), begin = left - box.anchor[2];
      for (i64 z = 0; z < out.shape[1]; z++) {
        i64 made = 0;  // rows of the boxes, counted from the first row of the first box
        for (i64 y = 0; y < out.shape[2]; y++) {
          for (; made < y + high; made++)
            for (i64 i = 0; i < deep; i++) {
              const i64 slice = bordered(z - box.anchor[0] + i, depth, border), row = bordered(made - box.anchor[1], height, border);
              const I* line = slice < 0 || row < 0 ? nullptr : src.data + ((o * depth + slice) * height + row) * width * inner;
              fill_line<I, S>(line, width, inner, begin, begin + here + wide - 1, border, fill, ring + (i * high + made % high) * length);
            }
          for (i64 i = 0; i < deep; i++)
            for (i64 j = 0; j < high; j++) lines[i * high + j] = ring + (i * high + (y + j) % high) * length;
          each(lines, ((o * out.shape[1] + z) * out.shape[2] + y) * out.shape[3] * inner + left * inner, here * inner);
        }
      }
    }
  return pieces.next;
}

// Whether extents and anchors of boxes can be used for data and results of these shapes.
template <class I, class O> HD bool boxes_fit(const Dense<const I, 5>& src, const Dense<O, 5>& out, const Box& box, Border border) {
  const i64 most_elements = 1ll << 31;
  i64 all = 1;
  for (int axis = 0; axis < 3; axis++) {
    const i64 extent = box.extent[axis], size = src.shape[axis + 1];
    if (extent < 1 || extent > most_elements || box.anchor[axis] > most_elements || box.anchor[axis] < -most_elements) return false;
    if (!size && border != CONSTANT && out.size()) return false;
    all *= extent;
    if (all > most_elements) return false;
  }
  return src.shape[0] == out.shape[0] && src.shape[4] == out.shape[4] && border >= CONSTANT && border <= WRAP;
}
