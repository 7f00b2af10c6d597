// Axis-aligned boxes, in single precision and nvidia.dali's order of operations.
#pragma once
#include "numbers.hpp"

template <int D> struct Box {
  float low[D], high[D];

  HD float extent(int axis) const { return high[axis] - low[axis]; }
  HD float volume() const {
    float product = extent(0);
    for (int d = 1; d < D; d++) product *= extent(d);
    return product;
  }
  HD float centre(int axis) const { return (low[axis] + high[axis]) * 0.5f; }
  HD bool holds_centre_of(const Box& other) const {
    bool inside = true;
    for (int d = 0; d < D; d++) inside = inside && other.centre(d) >= low[d] && other.centre(d) < high[d];
    return inside;
  }
  HD bool inside_unit() const {
    bool inside = true;
    for (int d = 0; d < D; d++) inside = inside && low[d] >= 0 && high[d] <= 1;
    return inside;
  }
};

// Four numbers: left and top, then right and bottom (`corners`), or width and height.
HD Box<2> read_box(const float* from, bool corners) {
  return {{from[0], from[1]}, {corners ? from[2] : from[2] + from[0], corners ? from[3] : from[3] + from[1]}};
}
HD void write_box(const Box<2>& box, bool corners, float* to) {
  for (int d = 0; d < 2; d++) to[d] = box.low[d], to[2 + d] = corners ? box.high[d] : box.extent(d);
}

// What two boxes have in common.
template <int D> HD float common_volume(const Box<D>& a, const Box<D>& b) {
  Box<D> common;
  bool empty = false;
  for (int d = 0; d < D; d++) {
    common.low[d] = most(a.low[d], b.low[d]), common.high[d] = least(a.high[d], b.high[d]);
    empty = empty || common.high[d] <= common.low[d];
  }
  return empty ? 0 : common.volume();
}
// Intersection over union.
template <int D> HD float overlap(const Box<D>& a, const Box<D>& b) {
  const float common = common_volume(a, b);
  return common > 0 ? common / (a.volume() + b.volume() - common) : 0;
}

// A box in the coordinates of a window, cut to it.
template <int D> HD Box<D> in_window(const Box<D>& box, const Box<D>& window) {
  Box<D> made;
  for (int d = 0; d < D; d++) {
    const float extent = window.extent(d);
    made.low[d] = between((most(window.low[d], box.low[d]) - window.low[d]) / extent, 0.f, 1.f);
    made.high[d] = between((least(window.high[d], box.high[d]) - window.low[d]) / extent, 0.f, 1.f);
  }
  return made;
}

// Mirrored within the unit square.
template <int D> HD void mirror(Box<D>& box, int axis) {
  const float low = 1 - box.high[axis];
  box.high[axis] = 1 - box.low[axis];
  box.low[axis] = low;
}

// Where an image lies on a canvas `ratio` times its size, of which it is to begin at `place` of what is left over.
struct Pasted {
  float scale, offset;
  HD Pasted(float ratio, float place) {
    scale = 1 / ratio, offset = place * ((ratio - 1) / ratio);
    if (scale + offset > 1) {  // what was inside stays inside
      offset = 1 - scale;
      while (scale + offset > 1) offset = from_bits(bits_of(offset) + (offset > 0 ? -1 : 1));
    }
  }
};

// How much a box grew by a rotation, on each side; of its old and new width and height.
struct Growth { float width, height; };
HD Growth growth(float old_width, float old_height, float width, float height) {
  const bool swapped = (old_width < old_height) != (width < height);
  return {(width - (swapped ? old_height : old_width)) * 0.5f, (height - (swapped ? old_width : old_height)) * 0.5f};
}
