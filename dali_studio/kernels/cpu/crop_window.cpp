// The windows of `crop_window.py`: single precision, in nvidia.dali's order.
#include "../include/cxx_random.hpp"
#include "../include/exponential.hpp"

#include "arguments.hpp"

struct Window { i64 height, width; };
typedef const float* Range;  // least and greatest

// The draws of a sample. They suffice; should they not, the last one is given again.
struct Draws {
  const u32* next;
  i64 step, left;
  HD u32 operator()() {
    const u32 draw = *next;
    if (left > 1) next += step, left--;
    return draw;
  }
  HD float unit() { return least((float)(*this)() * 0x1p-32f, 0x1.fffffep-1f); }
};

// A length from its square, rounded, at least 1.
HD i64 length(float square) { return most<i64>(1, whole(__builtin_sqrtf(square) + 0.5f)); }

// The first attempt that fits; no height if none does.
static Window drawn_window(Draws& draws, i64 height, i64 width, Range area, Range ratio, Range log_ratio, i64 attempts) {
  const float pixels = (float)times(height, width);
  for (i64 k = 0; k < attempts; k++) {
    const float first = draws.unit(), second = draws.unit(), target = (first * (area[1] - area[0]) + area[0]) * pixels;
    // the double exponential, rounded: single ones are off by up to 2 ulp
    const float drawn = (float)exponential(second * (log_ratio[1] - log_ratio[0]) + log_ratio[0]);
    const i64 w = length(target * drawn), h = length(target / drawn);
    const float actual = (float)w / (float)h;
    if (w <= width && h <= height && actual >= ratio[0] && actual <= ratio[1]) return {h, w};
  }
  return {0, 0};
}

// The whole image, its longer side cut to the ratio limit, shrunk to the largest area.
static Window largest_window(i64 height, i64 width, i64 max_h, i64 max_w, Range area, Range ratio) {
  const float given = (float)width / (float)height;
  const i64 w = given > ratio[1] ? max_w : width, h = given < ratio[0] ? max_h : height;
  const float scale = __builtin_sqrtf(least(1.f, area[1] * (float)width * (float)height / (float)times(h, w)));
  return {most<i64>(1, whole((float)h * scale)), most<i64>(1, whole((float)w * scale))};
}

// A place below `size`, as `uniform_below` finds it.
HD i64 place(Draws& draws, i64 size) {
  const u64 limit = (u64)size, few = ((1ull << 32) - limit) % limit;
  u64 product;
  do product = draws() * limit;
  while ((u32)product < few && draws.left > 1);
  return (i64)(product >> 32);
}

static i64 random_crops(Array<const u32, 2> draws, Array<const i64, 2> shapes, Dense<const f32, 1> area, Dense<const f32, 1> ratio,
                        Dense<const f32, 1> log_ratio, i64 attempts, Array<i32, 2> anchors, Array<i32, 2> sizes) {
  const i64 count = shapes.shape[0];
  auto pairs = [&](const i64 (&shape)[2]) { return shape[0] == count && shape[1] == 2; };
  if (!pairs(shapes.shape) || !pairs(anchors.shape) || !pairs(sizes.shape) || draws.shape[0] != count || draws.shape[1] < 1 ||
      area.shape[0] != 2 || ratio.shape[0] != 2 || log_ratio.shape[0] != 2)
    return MISFIT;
  const Range areas = area.data, ratios = ratio.data;
  for (i64 i = 0; i < count; i++) {
    Draws own{&draws(i, 0), draws.strides[1], draws.shape[1]};
    const i64 height = shapes(i, 0), width = shapes(i, 1);
    const i64 max_w = most<i64>(1, whole((float)height * ratios[1])), max_h = most<i64>(1, whole((float)width * (1 / ratios[0])));
    const float min_area = (float)times(width, height) * areas[0];
    Window made;
    if ((float)times(height, max_w) < min_area) {
      made = {height, max_w};
    } else if ((float)times(width, max_h) < min_area) {
      made = {max_h, width};
    } else {
      made = drawn_window(own, height, width, areas, ratios, log_ratio.data, attempts);
      if (made.height == 0) made = largest_window(height, width, max_h, max_w, areas, ratios);
    }
    // no window leaves its image, even if an area above 1, or one that floats do not hold exactly, says so
    made = {least(made.height, height), least(made.width, width)};
    anchors(i, 0) = (i32)place(own, height - made.height + 1);
    anchors(i, 1) = (i32)place(own, width - made.width + 1);
    sizes(i, 0) = (i32)made.height;
    sizes(i, 1) = (i32)made.width;
  }
  return 0;
}
REGISTER_SHORT(random_crops)
