// Loops of `separable.py`: sums of convolutions along one axis after the other, the innermost one first.
#include "../include/convolution.hpp"

#include "instantiations.hpp"
#include "lines.hpp"

// An axis without taps is left alone.
struct Window {
  const float* weights;
  i64 taps;
  HD i64 radius() const { return taps / 2; }
};
// A convolution along depths, rows and columns.
struct Term {
  Window depth, rows, columns;
  float scale;
};
enum { MAX_TERMS = 3 };

// Convolution of planes along rows and columns. Memory: as measured by a run whose `dry` is set, which does nothing else.
template <class I, class O, class S>
static u64 planes(const I* from, O* to, i64 outer, i64 height, i64 width, i64 inner, const Term* terms, int count, u64 memory, bool dry) {
  i64 reach = 0, below = 0, lines = 0, taps = 0, kept[MAX_TERMS];
  for (int t = 0; t < count; t++) reach = most(reach, terms[t].columns.radius()), below = most(below, terms[t].rows.radius());
  for (int t = 0; t < count; t++) {
    kept[t] = least(height, terms[t].rows.radius() + 1 + below);
    lines += kept[t], taps += most<i64>(1, terms[t].rows.taps);
  }
  const i64 pixels = least(width, most<i64>(1, strip(lines) / inner)), length = pixels * inner + SLACK;
  Pieces pieces = {memory};
  S *line = pieces.take<S>((pixels + 2 * reach) * inner + SLACK), *ring[MAX_TERMS];
  for (int t = 0; t < count; t++) ring[t] = pieces.take<S>(kept[t] * length);
  const S** table = pieces.take<const S*>(taps + most<i64>(1, 2 * reach + 1));
  if (dry) return pieces.next;
  memset(line, 0, (u64)((pixels + 2 * reach) * inner + SLACK) * sizeof(S));
  const S **shifted = table + taps, *nothing = nullptr;
  for (i64 o = 0; o < outer; o++, from += height * width * inner, to += height * width * inner)
    for (i64 left = 0; left < width; left += pixels) {
      const i64 here = least(pixels, width - left) * inner, first = left * inner;
      i64 made = 0;
      for (i64 y = 0; y < height; y++) {
        for (; made < least(height, y + below + 1); made++) {  // lines are convolved along the columns
          fill_line<I, S>(from + made * width * inner, width, inner, left - reach, left + here / inner + reach, REFLECT_101, 0, line);
          for (int t = 0; t < count; t++) {
            const Window window = terms[t].columns;
            for (i64 k = 0; k < most<i64>(1, window.taps); k++) shifted[k] = line + (reach - window.radius() + k) * inner;
            const Sum<S> sum = {shifted, window.weights, window.taps, 1.f};
            add_lines<AWAY, false>(&sum, 1, nothing, (here + 15) / 16 * 16, ring[t] + made % kept[t] * length);
          }
        }
        Sum<S> sums[MAX_TERMS];
        const S** at = table;
        for (int t = 0; t < count; t++) {
          const Window window = terms[t].rows;
          sums[t] = {at, window.weights, window.taps, terms[t].scale};
          for (i64 k = 0; k < most<i64>(1, window.taps); k++)
            *at++ = ring[t] + reflected(y - window.radius() + k, height) % kept[t] * length;
        }
        add_lines<AWAY, false>(sums, count, nothing, here, to + y * width * inner + first);
      }
    }
  return pieces.next;
}

// Convolution along the first axis of (outer, depth, plane) elements, of one term.
template <class O, class S>
static void depths(const S* from, O* to, i64 outer, i64 depth, i64 plane, const Window& window, float scale, const S* before, const S** table) {
  for (i64 o = 0; o < outer; o++)
    for (i64 z = 0; z < depth; z++) {
      const i64 place = (o * depth + z) * plane;
      for (i64 k = 0; k < most<i64>(1, window.taps); k++) table[k] = from + (o * depth + reflected(z - window.radius() + k, depth)) * plane;
      const Sum<S> sum = {table, window.weights, window.taps, scale};
      add_lines<AWAY, false>(&sum, 1, before ? before + place : before, plane, to + place);
    }
}

// (outer, depth, height, width, inner) elements; each row of `taps` and element of `scales` is a term. Returns the bytes of
// scratch memory that it needs, if there are fewer.
template <class I, class O>
static i64 separable(const Dense<const I, 5>& src, const Dense<O, 5>& out, const Dense<const f32, 1>& weights, const Dense<const i64, 2>& taps,
                     const Dense<const f32, 1>& scales, const Dense<u8, 1>& scratch) {
  typedef typename Between<I>::type S;
  const int count = (int)taps.shape[0];
  Term terms[MAX_TERMS];
  i64 all = 0, deepest = 0;
  for (int axis = 0; axis < 5; axis++)
    if (src.shape[axis] != out.shape[axis]) return MISFIT;
  if (count < 1 || taps.shape[0] > MAX_TERMS || taps.shape[1] != 3 || scales.shape[0] != count) return MISFIT;
  for (int t = 0; t < count; t++) {
    Window windows[3];
    for (int axis = 0; axis < 3; axis++) {
      const i64 here = taps.data[3 * t + axis];
      if (here < 0 || here > weights.shape[0] - all || (here && here % 2 == 0)) return MISFIT;
      windows[axis] = {weights.data + all, here};
      all += here;
    }
    terms[t] = {windows[0], windows[1], windows[2], scales.data[t]};
    deepest = most(deepest, windows[0].taps);
  }
  if (all != weights.shape[0]) return MISFIT;
  const i64 outer = src.shape[0], depth = src.shape[1], height = src.shape[2], width = src.shape[3], inner = src.shape[4];
  const i64 elements = src.size();
  if (!elements) return 0;
  const u64 memory = (u64)scratch.data;
  Pieces pieces = {memory};
  S *flat = nullptr, *total = nullptr, *nothing = nullptr;
  const S** table = nullptr;
  if (deepest) {
    flat = pieces.take<S>(elements + SLACK), total = pieces.take<S>(elements + SLACK);
    table = pieces.take<const S*>(deepest);
  }
  u64 end = planes<I, O, S>(src.data, out.data, 0, height, width, inner, terms, count, pieces.next, true);
  for (int t = 0; t < count; t++) end = most(end, planes<I, S, S>(src.data, flat, 0, height, width, inner, terms + t, 1, pieces.next, true));
  const i64 needed = (i64)(end - memory) + 64;
  if (scratch.shape[0] < needed) return needed;
  if (!deepest) {
    planes<I, O, S>(src.data, out.data, outer * depth, height, width, inner, terms, count, pieces.next, false);
    return 0;
  }
  const i64 plane = height * width * inner;
  for (int t = 0; t < count; t++) {
    Term level = terms[t];
    level.scale = 1.f;
    planes<I, S, S>(src.data, flat, outer * depth, height, width, inner, &level, 1, pieces.next, false);
    const S* before = t ? total : nothing;
    if (t + 1 < count) depths<S, S>(flat, total, outer, depth, plane, terms[t].depth, terms[t].scale, before, table);
    else depths<O, S>(flat, out.data, outer, depth, plane, terms[t].depth, terms[t].scale, before, table);
  }
  return 0;
}
template <class T>
i64 separable_same(Dense<const T, 5> src, Dense<T, 5> out, Dense<const f32, 1> weights, Dense<const i64, 2> taps, Dense<const f32, 1> scales,
                   Dense<u8, 1> scratch) {
  return separable(src, out, weights, taps, scales, scratch);
}
template <class T>
i64 separable_real(Dense<const T, 5> src, Dense<f32, 5> out, Dense<const f32, 1> weights, Dense<const i64, 2> taps, Dense<const f32, 1> scales,
                   Dense<u8, 1> scratch) {
  return separable(src, out, weights, taps, scales, scratch);
}
REGISTER_EACH(separable_same, SeparableTypes)
REGISTER_EACH(separable_real, SeparableTypes)

// The weights of Gaussians one after the other, which begin at `starts`.
static i64 gaussian_windows(Dense<const f32, 1> sigmas, Dense<const i64, 1> radii, Dense<const i64, 1> starts, Dense<f32, 1> weights) {
  const i64 count = sigmas.shape[0];
  if (radii.shape[0] != count || starts.shape[0] != count) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (starts.data[i] < 0 || radii.data[i] < 0 || starts.data[i] + 2 * radii.data[i] + 1 > weights.shape[0]) return MISFIT;
  for (i64 i = 0; i < count; i++) gaussian_window(sigmas.data[i], radii.data[i], weights.data + starts.data[i]);
  return 0;
}
REGISTER_SHORT(gaussian_windows)
