// Loops of `box_crops.py`. Samples come as addresses of their boxes, numbers of boxes, and places in the random stream.
#include "../include/boxes.hpp"
#include "../include/random_engine.hpp"

#include "arguments.hpp"

// Why there is no window; in place of the number of boxes that are left.
enum { OUTSIDE = -1, NOT_FOUND = -2 };

// Where the boxes of the samples lie, and what is left of them.
struct Boxes {
  Array<const i64, 1> in, counts, places, starts;
  Dense<f32, 2> out;
  Dense<i64, 1> kept, left;

  bool fits(i64 columns) const {
    const i64 samples = in.shape[0];
    if (counts.shape[0] != samples || places.shape[0] != samples || starts.shape[0] != samples || left.shape[0] != samples ||
        out.shape[1] != columns || kept.shape[0] != out.shape[0])
      return false;
    for (i64 s = 0; s < samples; s++)
      if (counts(s) < 0 || starts(s) < 0 || starts(s) + counts(s) > out.shape[0]) return false;
    return true;
  }
};

// The coordinates of a box: `order` has the place of each of low_x, low_y, (low_z,) high_x, ..., in place of which extents may stand.
struct Layout {
  const i32* order;
  bool corners;
  template <int D> Box<D> read(const float* from) const {
    Box<D> box;
    for (int d = 0; d < D; d++) {
      box.low[d] = from[order[d]];
      box.high[d] = from[order[D + d]];
      if (!corners) box.high[d] += box.low[d];
    }
    return box;
  }
  template <int D> void write(const Box<D>& box, float* to) const {
    for (int d = 0; d < D; d++) to[order[d]] = box.low[d], to[order[D + d]] = corners ? box.high[d] : box.extent(d);
  }
};

// ------------------------------------------------------------------------------------------------------ random_bbox_crop

struct Range {
  float low, high;
  bool holds(float x) const { return x >= low && x <= high; }
};

// What windows are drawn from, and when one is accepted.
struct Rules {
  const f32* thresholds;
  i64 options;    // thresholds, and not to crop at all
  i64 count;      // of the thresholds
  const f32* ratios;
  i64 ratio_count;
  Range scaling;
  i64 attempts, total, limit;
  bool by_overlap, all_boxes;
  f32 prune;      // negative: by the centre
  bool fixed, sized;

  Range ratio(i64 k) const { return {ratios[2 * (k % ratio_count)], ratios[2 * (k % ratio_count) + 1]}; }
};

// A size whose sides have the ratios that are fixed, as long as before on its longest side. Sides follow from each other in an order
// that words decide which are not taken from the engine.
template <int D> static void fix_ratios(float (&size)[D], const Rules& rules, SampleEngine engine) {
  float fixed[D][D] = {}, longest = 0, longest_made = 0;
  bool any = false;
  for (int i = 0, k = 0; i < D; i++)
    for (int j = i + 1; j < D; j++, k++) {
      const Range ratio = rules.ratio(k);
      if (ratio.low < ratio.high) continue;
      fixed[i][j] = ratio.low, fixed[j][i] = (float)(1.0 / (double)ratio.low), any = true;
    }
  if (!any) return;
  int order[D];
  for (int d = 0; d < D; d++) order[d] = d, longest = most(longest, size[d]);
  shuffle_few(engine, order);
  for (int i = 0; i < D; i++)
    for (int j = i + 1; j < D; j++)
      if (fixed[order[j]][order[i]] > 0) size[order[j]] = size[order[i]] * fixed[order[j]][order[i]];
  for (int d = 0; d < D; d++) longest_made = most(longest_made, size[d]);
  for (int d = 0; d < D; d++) size[d] = longest * size[d] / longest_made;
}

template <int D> static bool valid_ratios(const float (&size)[D], const Rules& rules) {
  for (int i = 0, k = 0; i < D; i++)
    for (int j = i + 1; j < D; j++, k++)
      if (!rules.ratio(k).holds(size[i] / size[j])) return false;
  return true;
}

// A window as it is given back, and relative to the image. False: its sides have no valid ratio.
template <int D>
static bool draw_window(SampleEngine& engine, const Rules& rules, const i32* crop, const i32* image, Box<D>& given, Box<D>& relative) {
  if (rules.fixed) {
    for (int d = 0; d < D; d++) {
      const i64 room = (i64)image[d] - crop[d];  // below 0 where the window is larger: the image lies anywhere in it
      const float anchor = room ? (float)uniform_whole(engine, least<i64>(room, 0), most<i64>(room, 0)) : 0.f;
      given.low[d] = anchor, given.high[d] = (float)crop[d] + anchor;
      relative.low[d] = anchor / (float)image[d], relative.high[d] = (float)crop[d] / (float)image[d] + relative.low[d];
    }
    return true;
  }
  float size[D];
  for (int d = 0; d < D; d++) size[d] = uniform_float(engine, rules.scaling.low, rules.scaling.high);
  for (int d = 0; d < D && rules.sized; d++) size[d] *= (float)image[d];
  fix_ratios(size, rules, engine);
  if (!valid_ratios(size, rules)) return false;
  for (int d = 0; d < D && rules.sized; d++) size[d] /= (float)image[d];
  for (int d = 0; d < D; d++) {
    relative.low[d] = uniform_float(engine, 0, 1 - size[d]);
    relative.high[d] = relative.low[d] + size[d];
  }
  given = relative;
  return true;
}

// The worst, or the best, of the boxes' overlaps with a window.
template <int D> static float window_metric(const Rules& rules, const Box<D>& window, const float* boxes, i64 count, const Layout& layout) {
  float worst = 0, best = 0;
  for (i64 b = 0; b < count; b++) {
    const Box<D> box = layout.read<D>(boxes + 2 * D * b);
    const float metric = rules.by_overlap ? common_volume(window, box) / box.volume() : overlap(window, box);
    worst = b ? least(metric, worst) : metric, best = b ? most(metric, best) : metric;
  }
  return rules.all_boxes ? worst : best;
}

// The window of a sample, and its boxes in it; gives their number.
template <int D>
static i64 crop_sample(SampleEngine engine, const Rules& rules, const Layout& layout, const i32* crop, const i32* image, const float* boxes,
                       i64 count, float* anchor, float* size, float* out, i64* kept) {
  Box<D> window = {}, given, relative;
  float best = -1;
  i64 left = 0, tried = 0;
  for (i64 b = 0; b < count; b++)
    if (!layout.read<D>(boxes + 2 * D * b).inside_unit()) return OUTSIDE;
  for (bool found = false; !found && (rules.total < 0 || tried < rules.total);) {
    const i64 option = uniform_whole(engine, 0, rules.options - 1);
    if (option >= rules.count) {
      for (int d = 0; d < D; d++) window.low[d] = 0, window.high[d] = rules.fixed ? (float)image[d] : 1.f;
      for (i64 b = 0; b < count; b++) layout.write(layout.read<D>(boxes + 2 * D * b), out + 2 * D * b), kept[b] = b;
      left = count;
      break;
    }
    for (i64 k = 0; k < rules.attempts; k++, tried++) {
      if (tried >= rules.limit) return NOT_FOUND;
      if (!draw_window(engine, rules, crop, image, given, relative)) continue;
      const float metric = window_metric(rules, relative, boxes, count, layout);
      const bool accepted = !count || metric >= rules.thresholds[option];  // there is no box that is not in it
      if (metric <= best && !accepted) continue;
      best = metric, window = given, left = 0;
      for (i64 b = 0; b < count; b++) {
        const Box<D> box = layout.read<D>(boxes + 2 * D * b);
        const float common = common_volume(relative, box);
        if (rules.prune < 0 ? !relative.holds_centre_of(box) : !(common > 0 && common / box.volume() >= rules.prune)) continue;
        layout.write(in_window(box, relative), out + 2 * D * left);
        kept[left++] = b;
      }
      found = accepted && (left > 0 || count == 0);  // the last window of a round counts, not the first
    }
  }
  for (int d = 0; d < D; d++) anchor[d] = window.low[d], size[d] = window.extent(d);
  return left;
}

static i64 random_box_crops(Array<const i64, 1> in, Array<const i64, 1> counts, Dense<const u64, 1> stream, Array<const i64, 1> places,
                            Array<const i64, 1> starts, Dense<const i32, 1> order, bool corners, Dense<const f32, 1> thresholds,
                            bool allow_none, Dense<const f32, 1> ratios, Dense<const f32, 1> scaling, Dense<const i64, 1> attempts,
                            bool by_overlap, bool all_boxes, f32 prune, Dense<const i32, 2> crops, Dense<const i32, 2> images,
                            Dense<f32, 2> anchors, Dense<f32, 2> sizes, Dense<f32, 2> out, Dense<i64, 1> kept, Dense<i64, 1> left) {
  const Boxes all = {in, counts, places, starts, out, kept, left};
  const i64 samples = in.shape[0], axes = anchors.shape[1], count = thresholds.shape[0], pairs = ratios.shape[0] / 2;
  const bool fixed = crops.shape[0] > 0, sized = images.shape[0] > 0;
  auto table = [&](const i64 (&shape)[2]) { return shape[0] == 0 || (shape[0] == samples && shape[1] == axes); };
  if ((axes != 2 && axes != 3) || !all.fits(2 * axes) || anchors.shape[0] != samples || !table(crops.shape) || !table(images.shape) ||
      sizes.shape[0] != samples || sizes.shape[1] != axes || order.shape[0] != 2 * axes || count < 1 || ratios.shape[0] % 2 ||
      (pairs != 1 && pairs != axes * (axes - 1) / 2) || scaling.shape[0] != 2 || attempts.shape[0] != 3 || (fixed && !sized))
    return MISFIT;
  for (i64 k = 0; k < 2 * axes; k++)
    if (order(k) < 0 || order(k) >= 2 * axes) return MISFIT;
  const Rules rules = {thresholds.data, count + allow_none, count, ratios.data, pairs, {scaling(0), scaling(1)},
                       attempts(0), attempts(1), attempts(2), by_overlap, all_boxes, prune, fixed, sized};
  const Layout layout = {order.data, corners};
  for (i64 s = 0; s < samples; s++) {
    const i32 *crop = fixed ? &crops(s, 0) : nullptr, *image = sized ? &images(s, 0) : nullptr;
    const float* boxes = (const float*)(u64)in(s);
    const SampleEngine engine(Stream(stream.data), (u64)places(s));
    auto made = axes == 2 ? crop_sample<2> : crop_sample<3>;
    left(s) = made(engine, rules, layout, crop, image, boxes, counts(s), &anchors(s, 0), &sizes(s, 0), out.data + 2 * axes * starts(s),
                   kept.data + starts(s));
  }
  return 0;
}
REGISTER(random_box_crops)

// ------------------------------------------------------------------------------------------------------- ssd_random_crop

// The first word of an attempt chooses what the boxes' overlaps with the window have to be at least, or not to crop.
static const float SSD_THRESHOLDS[] = {-1.f, 0.1f, 0.3f, 0.5f, 0.7f, 0.9f};

static i64 ssd_sample(SampleEngine engine, const float* boxes, i64 count, const i64* image, i64 attempts, i64 limit, i64* window, float* out,
                      i64* kept) {
  for (i64 tried = 0;;) {
    const i64 option = uniform_whole(engine, 0, 6);
    if (option == 6) {
      window[0] = window[1] = 0, window[2] = image[0], window[3] = image[1];
      for (i64 b = 0; b < 4 * count; b++) out[b] = boxes[b];
      for (i64 b = 0; b < count; b++) kept[b] = b;
      return count;
    }
    for (i64 k = 0; k < attempts; k++) {
      if (++tried > limit) return NOT_FOUND;
      const float width = uniform_float(engine, 0.3f, 1), height = uniform_float(engine, 0.3f, 1);
      if (width / height < 0.5f || width / height > 2) continue;
      const double low[2] = {uniform_float(engine, 0, (float)(1. - (double)width)), uniform_float(engine, 0, (float)(1. - (double)height))};
      const double size[2] = {width, height}, high[2] = {low[0] + size[0], low[1] + size[1]};
      const Box<2> tight = {{(float)low[0], (float)low[1]}, {(float)high[0], (float)high[1]}};
      bool accepted = true;
      i64 left = 0;
      for (i64 b = 0; b < count; b++) {
        const float* row = boxes + 4 * b;
        const Box<2> box = {{row[0], row[1]}, {row[2], row[3]}};
        const float common_w = most(least(box.high[0], tight.high[0]) - most(box.low[0], tight.low[0]), 0.f);
        const float common_h = most(least(box.high[1], tight.high[1]) - most(box.low[1], tight.low[1]), 0.f);
        const float common = common_w * common_h;
        accepted = accepted && !(common / (box.volume() + tight.volume() - common) < SSD_THRESHOLDS[option]);
        bool inside = true;
        for (int d = 0; d < 2; d++) {
          const double centre = 0.5 * (double)(row[d] + row[2 + d]);
          inside = inside && centre >= low[d] && centre <= high[d];
        }
        if (!inside) continue;
        for (int c = 0; c < 4; c++) out[4 * left + c] = (float)between(((double)row[c] - low[c & 1]) / size[c & 1], 0., 1.);
        kept[left++] = b;
      }
      if (!accepted || left == 0) continue;
      for (int d = 0; d < 2; d++) {
        window[d] = whole(low[1 - d] * (double)image[d] + 0.5);
        window[2 + d] = least(whole(high[1 - d] * (double)image[d] + 0.5), image[d]);
      }
      return left;
    }
  }
}

// Windows are (top, left, bottom, right) in pixels.
static i64 ssd_crops(Array<const i64, 1> in, Array<const i64, 1> counts, Dense<const u64, 1> stream, Array<const i64, 1> places, Array<const i64, 1> starts,
                     Dense<const i64, 2> images, i64 attempts, i64 limit, Dense<i64, 2> windows, Dense<f32, 2> out, Dense<i64, 1> kept,
                     Dense<i64, 1> left) {
  const Boxes all = {in, counts, places, starts, out, kept, left};
  const i64 samples = in.shape[0];
  if (!all.fits(4) || images.shape[0] != samples || images.shape[1] != 2 || windows.shape[0] != samples || windows.shape[1] != 4)
    return MISFIT;
  for (i64 s = 0; s < samples; s++)
    left(s) = ssd_sample(SampleEngine(Stream(stream.data), (u64)places(s)), (const float*)(u64)in(s), counts(s), &images(s, 0), attempts, limit, &windows(s, 0),
                         out.data + 4 * starts(s), kept.data + starts(s));
  return 0;
}
REGISTER(ssd_crops)

// ------------------------------------------------------------------------------------------------------- roi_random_crop

// Where windows begin that hold a region, or lie in it; inside of `images`, if there are some.
static i64 region_crops(Dense<const i32, 2> regions, Dense<const i32, 2> extents, Dense<const i32, 2> crops, Dense<const i64, 2> images, Dense<const u64, 1> stream,
                        Array<const i64, 1> places, Dense<i64, 2> made) {
  const i64 samples = made.shape[0], axes = made.shape[1];
  auto table = [&](const i64 (&shape)[2]) { return shape[0] == samples && shape[1] == axes; };
  const bool bounded = images.shape[0] > 0;
  if (!table(regions.shape) || !table(extents.shape) || !table(crops.shape) || places.shape[0] != samples || (bounded && !table(images.shape)))
    return MISFIT;
  for (i64 s = 0; s < samples; s++) {
    SampleEngine engine(Stream(stream.data), (u64)places(s));
    for (i64 d = 0; d < axes; d++) {
      const i64 start = regions(s, d), other = start + extents(s, d) - crops(s, d);
      if (other == start) {
        made(s, d) = start;
        continue;
      }
      i64 low = least(start, other), high = most(start, other);
      if (bounded) low = most<i64>(0, low), high = least<i64>(images(s, d) - crops(s, d), high);
      made(s, d) = uniform_whole(engine, low, high);
    }
  }
  return 0;
}
REGISTER_SHORT(region_crops)
