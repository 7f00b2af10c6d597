// Boxes and anchors, as SSD's training matches them.
#pragma once
#include "boxes.hpp"
#include "elementary.hpp"

// Intersection over union of a box and an anchor, whose corners and area are given.
HD float overlap_with(const Box<2>& box, float area, float left, float top, float right, float bottom, float anchor_area) {
  const float width = least(box.high[0], right) - most(box.low[0], left);
  const float height = least(box.high[1], bottom) - most(box.low[1], top), common = width * height;
  return width > 0 && height > 0 && common > 0 ? common / (area + anchor_area - common) : 0.f;
}

// The nearest float to the logarithm.
HD float rounded_log(float x) {
  if (!(x > 0)) return x < 0 || x != x ? from_bits(0x7FC00000) : -from_bits(0x7F800000);
  return x <= 0x1.fffffep127f ? (float)logarithm((double)x) : x;
}

// What is written for an anchor and its box: centre and size, or how far it is from the anchor.
struct Encoding {
  bool offsets;
  float scale;
  const float *means, *deviations;
  HD void write(const Box<2>& box, const Box<2>& anchor, float* to) const {
    for (int d = 0; d < 2; d++) {
      if (!offsets) {
        to[d] = box.centre(d), to[2 + d] = box.extent(d);
        continue;
      }
      const float size = anchor.extent(d) * scale, extent = box.extent(d) * scale;
      to[d] = ((box.centre(d) * scale - anchor.centre(d) * scale) / size - means[d]) / deviations[d];
      to[2 + d] = (rounded_log(extent / size) - means[2 + d]) / deviations[2 + d];
    }
  }
  // For one that has no box.
  HD void write_unmatched(const Box<2>& anchor, float* to) const {
    if (offsets) to[0] = to[1] = to[2] = to[3] = 0;
    else write(anchor, anchor, to);
  }
};
