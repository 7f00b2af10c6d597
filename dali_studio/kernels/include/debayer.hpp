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
