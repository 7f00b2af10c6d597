// Colours from a mosaic of sensors (Bayer's pattern), each of which sees one: OpenCV's formulas. V is an integer or a vector of
// them, and `colored` of the same type, all bits set where the sensor sees the colour of its row, none where it sees green.
#pragma once
#include "numbers.hpp"

// A sensor and its neighbours.
template <class V> struct Site {
  V center, left, right, above, below, corners;  // `corners`: the sum of four
};
// The colour of the row, green, and that of the rows beside it.
template <class V> struct Found { V own, green, other; };

template <class V> HD Found<V> bilinear(const Site<V>& s, V colored) {
  const V across = s.left + s.right, along = s.above + s.below;
  return {colored ? s.center : (across + 1) >> 1, colored ? (across + along + 2) >> 2 : s.center,
          colored ? (s.corners + 2) >> 2 : (along + 1) >> 1};
}

template <class V> HD V distance(V a, V b) { return a > b ? a - b : b - a; }

// Green is taken along edges.
template <class V> HD Found<V> along_edges(const Site<V>& s, V colored) {
  const V across = s.left + s.right + 1, along = s.above + s.below + 1;
  const V green = distance(s.left, s.right) > distance(s.above, s.below) ? along : across;
  return {colored ? s.center : across >> 1, colored ? green >> 1 : s.center, colored ? (s.corners + 2) >> 2 : along >> 1};
}

// Grey, with weights of 14 bits.
template <class V> HD V weighed(const Site<V>& s, V colored, bool red) {
  const u32 own = red ? 4899 : 1868, green = 9617, other = red ? 1868 : 4899;
  const V across = s.left + s.right, along = s.above + s.below;
  const V site = (s.corners * other + (across + along) * green + s.center * (4 * own) + (1u << 15)) >> 16;
  const V gap = (along * other + across * own + s.center * (2 * green) + (1u << 14)) >> 15;
  return colored ? site : gap;
}

// ------------------------------------------------------------------------------------------- variable number of gradients

// Differences about a sensor, of its eight neighbours in the order of rows: along columns and rows, twice along both diagonals, and
// with the differences beside those; half the sum of the four nearest.
template <class V> struct Gradients { V along, across, rising, falling, rising_beside, falling_beside, nearest; };
template <class V> HD Gradients<V> gradients_of(V a, V b, V c, V d, V f, V g, V h, V i) {
  Gradients<V> made;
  made.along = distance(a, g) + distance(b, h) * 2 + distance(c, i);
  made.across = distance(a, c) + distance(d, f) * 2 + distance(g, i);
  made.rising = distance(c, g) * 2, made.falling = distance(a, i) * 2;
  made.rising_beside = made.rising + distance(b, d) + distance(h, f);
  made.falling_beside = made.falling + distance(b, f) + distance(h, d);
  made.nearest = (b + d + f + h) >> 1;
  return made;
}

// What eight directions say: sums of the colours in those whose gradient is small, twice their number of each.
template <class V> struct Directions {
  V limit, own, next, third, count;
  HD void add(V gradient, V more_own, V more_next, V more_third) {
    const V taken = gradient < limit ? (V)-1 : (V)0;
    own = own + (more_own & taken), next = next + (more_next & taken), third = third + (more_third & taken);
    count = count - taken;
  }
};

// The colours at a sensor. `around` gives what lies `row` and `column` from it: sensors, one of the gradients there by its place in
// `Gradients`, and the half of a sum for each of some directions, rounded.
template <class V, class AROUND> HD Found<V> by_gradients(const AROUND& around, V colored) {
  auto sensor = [&](int row, int column) { return around.sensor(row, column); };
  auto of = [&](int kind, int row, int column) { return around.gradient(kind, row, column); };
  auto pick = [&](V site, V gap) { return colored ? site : gap; };
  auto diagonal = [&](int beside, int kind, int row, int column) {
    return pick(of(beside, row, column) + of(beside, 0, 0), of(kind, row, 0) + of(kind, row, column) + of(kind, 0, 0) + of(kind, 0, column));
  };
  const V gradients[] = {of(0, -1, 0) + of(0, 0, 0), of(0, 0, 0) + of(0, 1, 0), of(1, 0, -1) + of(1, 0, 0), of(1, 0, 0) + of(1, 0, 1),
                         diagonal(4, 2, -1, 1), diagonal(4, 2, 1, -1), diagonal(5, 3, -1, -1), diagonal(5, 3, 1, 1)};
  V low = gradients[0], high = low;
  for (const V& one : gradients) {
    low = one < low ? one : low;
    high = one > high ? one : high;
  }
  const V half = high >> 1, center = sensor(0, 0);
  // own: what the sensor sees; next: the other colour of its row; third: that of the rows beside it
  Directions<V> sum{low + (half > 1 ? half : (V)1), (V)0, (V)0, (V)0, (V)0};
#pragma unroll
  for (int i = 0; i < 2; i++) {  // to the north and south, west and east
    const int step = i ? 1 : -1;
    sum.add(gradients[i], sensor(2 * step, 0) + center, pick(sensor(step, 0) * 2, sensor(2 * step, -1) + sensor(2 * step, 1)),
            pick(sensor(step, -1) + sensor(step, 1), sensor(step, 0) * 2));
    sum.add(gradients[2 + i], sensor(0, 2 * step) + center, sensor(0, step) * 2,
            pick(sensor(-1, step) + sensor(1, step), sensor(-1, 2 * step) + sensor(1, 2 * step)));
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {  // north-east, south-west, north-west, south-east
    const int r = i & 1 ? 1 : -1, c = i == 0 || i == 3 ? 1 : -1;
    sum.add(gradients[4 + i], pick(sensor(2 * r, 2 * c) + center, sensor(r, c) * 2), pick(of(6, r, c), sensor(2 * r, c) + sensor(0, c)),
            pick(sensor(r, c) * 2, sensor(r, 0) + sensor(r, 2 * c)));
  }
  auto clamped = [](V v) {
    v = v > 0 ? v : (V)0;
    return v < 255 ? v : (V)255;
  };
  const V next = clamped(center + around.average(sum.next - sum.own, sum.count));
  const V third = clamped(center + around.average(sum.third - sum.own, sum.count));
  return {pick(center, next), pick(next, center), third};
}
