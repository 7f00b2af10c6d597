// The loop of `correlate.py`.
#include "instantiations.hpp"
#include "lines.hpp"

// Returns the bytes of scratch memory that it needs, if there are fewer.
template <class I, class O>
static i64 correlated(const Dense<const I, 5>& src, const Dense<O, 5>& out, const Dense<const f32, 3>& filter, const Dense<const i64, 1>& anchor,
                      int border, const Dense<const I, 1>& fill, const Dense<u8, 1>& scratch) {
  if (anchor.shape[0] != 3 || fill.shape[0] != 1) return MISFIT;
  Box box;
  for (int axis = 0; axis < 3; axis++) box.extent[axis] = filter.shape[axis], box.anchor[axis] = anchor.data[axis];
  if (!boxes_fit(src, out, box, (Border)border)) return MISFIT;
  if (!out.size()) return 0;
  const i64 inner = src.shape[4], wide = box.extent[2];
  Pieces pieces = {(u64)scratch.data};
  float* weights = pieces.take<float>(filter.size());
  i64* places = pieces.take<i64>(2 * filter.size());  // line and column of each weight
  const f32** lines = pieces.take<const f32*>(filter.size());
  const f32 outside = load1(fill.data), *nothing = nullptr;
  const auto run = [&](bool dry, i64 taps) {
    return each_box<f32>(src, out, box, (Border)border, outside, pieces.next, dry, [&](const f32* const* from, i64 place, i64 count) {
      for (i64 k = 0; k < taps; k++) lines[k] = from[places[2 * k]] + places[2 * k + 1];
      const Sum<f32> sum = {lines, weights, taps, 1.f};
      add_lines<EVEN, true>(&sum, 1, nothing, count, out.data + place);
    });
  };
  const i64 needed = (i64)(run(true, 0) - (u64)scratch.data) + 64;
  if (scratch.shape[0] < needed) return needed;
  i64 taps = 0;
  for (i64 k = 0; k < filter.size(); k++) {
    // weights of 0 are left out, so that infinities beneath them do no harm; of nothing else, one remains
    if (filter.data[k] == 0 && (taps || k + 1 < filter.size())) continue;
    weights[taps] = filter.data[k], places[2 * taps] = k / wide, places[2 * taps + 1] = k % wide * inner;
    taps++;
  }
  run(false, taps);
  return 0;
}
template <class T>
i64 correlate_same(Dense<const T, 5> src, Dense<T, 5> out, Dense<const f32, 3> filter, Dense<const i64, 1> anchor, int border,
                   Dense<const T, 1> fill, Dense<u8, 1> scratch) {
  return correlated(src, out, filter, anchor, border, fill, scratch);
}
template <class T>
i64 correlate_real(Dense<const T, 5> src, Dense<f32, 5> out, Dense<const f32, 3> filter, Dense<const i64, 1> anchor, int border,
                   Dense<const T, 1> fill, Dense<u8, 1> scratch) {
  return correlated(src, out, filter, anchor, border, fill, scratch);
}
REGISTER_EACH(correlate_same, CorrelateSameTypes)
REGISTER_EACH(correlate_real, CorrelateRealTypes)
