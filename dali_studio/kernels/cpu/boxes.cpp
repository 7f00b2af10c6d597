// Loops of `boxes.py`. Samples come as addresses of their boxes, four floats each, and numbers of boxes.
#include "../include/anchors.hpp"

#include "arguments.hpp"

typedef Box<2> Flat;

static bool alike(i64 count, const Array<const i64, 1>& a, const Array<const i64, 1>& b) { return a.shape[0] == count && b.shape[0] == count; }
static const float* floats(i64 address) { return (const float*)(u64)address; }

static i64 mirror_boxes(Array<const i64, 1> in, Array<const i64, 1> counts, Array<const i32, 1> horizontal, Array<const i32, 1> vertical,
                        bool corners, Array<const i64, 1> out) {
  const i64 samples = in.shape[0];
  if (!alike(samples, counts, out) || horizontal.shape[0] != samples || vertical.shape[0] != samples) return MISFIT;
  for (i64 s = 0; s < samples; s++) {
    const float* from = floats(in(s));
    float* to = (float*)(u64)out(s);
    for (i64 b = 0; b < counts(s); b++, from += 4, to += 4) {
      Flat box = read_box(from, corners);
      if (horizontal(s)) mirror(box, 0);
      if (vertical(s)) mirror(box, 1);
      write_box(box, corners, to);
    }
  }
  return 0;
}
REGISTER_SHORT(mirror_boxes)

static i64 paste_boxes(Array<const i64, 1> in, Array<const i64, 1> counts, Array<const f32, 1> ratios, Array<const f32, 1> places_x,
                       Array<const f32, 1> places_y, bool corners, Array<const i64, 1> out) {
  const i64 samples = in.shape[0];
  if (!alike(samples, counts, out) || ratios.shape[0] != samples || places_x.shape[0] != samples || places_y.shape[0] != samples)
    return MISFIT;
  for (i64 s = 0; s < samples; s++) {
    const Pasted x(ratios(s), places_x(s)), y(ratios(s), places_y(s));
    const float *from = floats(in(s)), scale = x.scale;
    float* to = (float*)(u64)out(s);
    for (i64 b = 0; b < counts(s); b++, from += 4, to += 4) {
      const float right = from[2] * scale, bottom = from[3] * scale;
      to[0] = from[0] * scale + x.offset, to[1] = from[1] * scale + y.offset;
      to[2] = corners ? right + x.offset : right, to[3] = corners ? bottom + y.offset : bottom;
    }
  }
  return 0;
}
REGISTER_SHORT(paste_boxes)

// How boxes are turned; see `boxes.py`.
enum { EXPAND, HALFWAY, FIXED };
struct Turn { float cosine, sine, width, height, new_width, new_height; };

// A box turned with its image, in pixels of the new canvas, before it is cut.
static Flat turned(const Flat& given, const Turn& turn, bool relative, i64 mode) {
  float x[4], y[4];
  for (int corner = 0; corner < 4; corner++) {
    const float u = corner & 1 ? given.high[0] : given.low[0], v = corner & 2 ? given.high[1] : given.low[1];
    x[corner] = relative ? (u - 0.5f) * turn.width : u - turn.width / 2;
    y[corner] = relative ? (v - 0.5f) * turn.height : v - turn.height / 2;
  }
  const float width = x[1] - x[0], height = y[2] - y[0];
  Flat box;
  for (int corner = 0; corner < 4; corner++) {
    const float u = x[corner] * turn.cosine + y[corner] * turn.sine + turn.new_width / 2;
    const float v = -x[corner] * turn.sine + y[corner] * turn.cosine + turn.new_height / 2;
    box.low[0] = corner ? least(box.low[0], u) : u, box.high[0] = corner ? most(box.high[0], u) : u;
    box.low[1] = corner ? least(box.low[1], v) : v, box.high[1] = corner ? most(box.high[1], v) : v;
  }
  if (mode == EXPAND) return box;
  Growth grown = growth(width, height, box.extent(0), box.extent(1));
  if (mode == HALFWAY) grown.width *= 0.5f, grown.height *= 0.5f;
  box.low[0] += grown.width, box.low[1] += grown.height, box.high[0] -= grown.width, box.high[1] -= grown.height;
  return box;
}

// Of each sample the boxes that are left behind its row of `starts`, their numbers in `kept`, and how many they are.
static i64 rotate_boxes(Array<const i64, 1> in, Array<const i64, 1> counts, Dense<const f32, 2> turns, bool corners, bool relative, i64 mode,
                        f32 threshold, Array<const i64, 1> starts, Dense<f32, 2> out, Dense<i64, 1> kept, Dense<i64, 1> left) {
  const i64 samples = in.shape[0];
  if (!alike(samples, counts, starts) || turns.shape[0] != samples || turns.shape[1] != 6 || out.shape[1] != 4 ||
      kept.shape[0] != out.shape[0] || left.shape[0] != samples)
    return MISFIT;
  for (i64 s = 0; s < samples; s++)
    if (starts(s) < 0 || counts(s) < 0 || starts(s) + counts(s) > out.shape[0]) return MISFIT;
  for (i64 s = 0; s < samples; s++) {
    const float* row = &turns(s, 0);
    const Turn turn = {row[0], row[1], row[2], row[3], row[4], row[5]};
    i64 at = starts(s);
    for (i64 b = 0; b < counts(s); b++) {
      Flat box = turned(read_box(floats(in(s)) + 4 * b, corners), turn, relative, mode);
      const float area = box.volume();
      for (int d = 0; d < 2; d++) {
        const float size = d ? turn.new_height : turn.new_width;
        box.low[d] = between(box.low[d], 0.f, size), box.high[d] = between(box.high[d], 0.f, size);
      }
      if (!(box.volume() / area >= threshold)) continue;
      write_box(box, corners, &out(at, 0));
      for (int k = 0; k < 4 && relative; k++) out(at, k) *= 1 / (k & 1 ? turn.new_height : turn.new_width);
      kept(at++) = b;
    }
    left(s) = at - starts(s);
  }
  return 0;
}
REGISTER_SHORT(rotate_boxes)

// --------------------------------------------------------------------------------------------------------------- anchors

// The overlaps of a box with all anchors (rows of `anchors`: left, top, right, bottom, area), the last of the best replaced by 2.
static void overlaps(const Flat& box, Dense<const f32, 2> anchors, float* made) {
  const i64 count = anchors.shape[1];
  const float *left = &anchors(0, 0), *top = &anchors(1, 0), *right = &anchors(2, 0), *bottom = &anchors(3, 0), *areas = &anchors(4, 0);
  const float area = box.volume();
  for (i64 a = 0; a < count; a++) made[a] = overlap_with(box, area, left[a], top[a], right[a], bottom[a], areas[a]);
  float best = made[0];
  for (i64 a = 1; a < count; a++) best = made[a] > best ? made[a] : best;
  i64 last = count - 1;
  while (last > 0 && !(made[last] >= best)) last--;
  made[last] = 2;
}

// Match each anchor with the box that overlaps it most, if that is more than `criteria`; each box has one anchor at least.
// `scratch`: three floats for each anchor.
static i64 encode_boxes(Array<const i64, 1> in, Array<const i64, 1> counts, Array<const i64, 1> labels, Dense<const f32, 2> anchors,
                        f32 criteria, bool offsets, f32 scale, Dense<const f32, 1> means, Dense<const f32, 1> deviations,
                        Dense<f32, 2> scratch, Array<const i64, 1> out, Array<const i64, 1> out_labels) {
  const i64 samples = in.shape[0], count = anchors.shape[1];
  if (!alike(samples, counts, labels) || !alike(samples, out, out_labels) || anchors.shape[0] != 5 || means.shape[0] != 4 ||
      deviations.shape[0] != 4 || scratch.shape[0] != 3 || scratch.shape[1] != count || count < 1)
    return MISFIT;
  const Encoding encoding = {offsets, scale, means.data, deviations.data};
  float *found = &scratch(0, 0), *best = &scratch(1, 0);
  i32* which = (i32*)&scratch(2, 0);
  auto anchor = [&](i64 a) { return Flat{{anchors(0, a), anchors(1, a)}, {anchors(2, a), anchors(3, a)}}; };
  for (i64 s = 0; s < samples; s++) {
    float* to = (float*)(u64)out(s);
    i32* to_label = (i32*)(u64)out_labels(s);
    const i32* label = (const i32*)(u64)labels(s);
    for (i64 b = 0; b < counts(s); b++) {
      overlaps(read_box(floats(in(s)) + 4 * b, true), anchors, found);
      for (i64 a = 0; a < count; a++) {
        const bool better = b == 0 || found[a] >= best[a];
        best[a] = better ? found[a] : best[a], which[a] = better ? (i32)b : which[a];
      }
    }
    for (i64 a = 0; a < count; a++, to += 4) {
      const bool matched = counts(s) > 0 && best[a] > criteria;
      to_label[a] = matched ? label[which[a]] : 0;
      if (matched) encoding.write(read_box(floats(in(s)) + 4 * which[a], true), anchor(a), to);
      else encoding.write_unmatched(anchor(a), to);
    }
  }
  return 0;
}
REGISTER(encode_boxes)
