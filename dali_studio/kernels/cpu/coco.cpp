// Loops of `coco.py`: masks of objects, as a label for each pixel.
#include "arguments.hpp"

// Corners of polygons, in fifths of a pixel, are kept within this: farther ones would take long to walk to.
static const double FARTHEST = 1 << 22;
static const int STEPS = 5;  // of a pixel

static i64 grid(float x) {
  const double place = STEPS * (double)x + 0.5;
  return place == place ? (i64)between(place, -FARTHEST, FARTHEST) : 0;  // cut towards zero
}

// Where columns of pixels enter or leave a polygon, its outline being walked in steps of a fifth of a pixel: each place flips
// the pixels from there on, column by column. The rule is that of the COCO tools.
struct Outline {
  u8* flips;  // height * width + 1
  i64 height, width, x, y;
  bool begun;
  i64 low, high;  // between these all places lie

  void step(i64 u, i64 v) {
    if (begun && u != x) {
      const i64 column = least(u, x);  // the pixel's centre, from whose column to the next one it goes
      const i64 from_centre = column - STEPS / 2;
      if (from_centre >= 0 && from_centre % STEPS == 0 && from_centre / STEPS < width) {
        const double row = (least(v, y) + 0.5) / STEPS - 0.5;
        i64 first = (i64)between(row, 0.0, (double)height);
        first += (double)first < row && first < height;
        const i64 place = from_centre / STEPS * height + first;
        flips[place] ^= 1;
        low = least(low, place), high = most(high, place + 1);
      }
    }
    x = u, y = v, begun = true;
  }
  void edge(i64 x0, i64 y0, i64 x1, i64 y1) {
    const i64 dx = x1 > x0 ? x1 - x0 : x0 - x1, dy = y1 > y0 ? y1 - y0 : y0 - y1;
    if (dx >= dy) {
      const bool back = x0 > x1;
      const double slope = dx ? (back ? (double)(y0 - y1) : (double)(y1 - y0)) / (double)dx : 0;
      for (i64 d = 0; d <= dx; d++) {
        const i64 t = back ? dx - d : d;
        step(t + least(x0, x1), (i64)((double)(back ? y1 : y0) + slope * (double)t + 0.5));
      }
    } else {
      const bool back = y0 > y1;
      const double slope = (back ? (double)(x0 - x1) : (double)(x1 - x0)) / (double)dy;
      for (i64 d = 0; d <= dy; d++) {
        const i64 t = back ? dy - d : d;
        step((i64)((double)(back ? x1 : x0) + slope * (double)t + 0.5), t + least(y0, y1));
      }
    }
  }
};

// Draw the objects of an image, those of smaller labels first. What an object of a larger label covers is its, but for the last
// run of pixels that all have in common, which stays with the first: the rule of nvidia.dali.
//   polygons: (object, first vertex, end); runs: (object, first count, end) of masks given as lengths of runs, column by column,
//   outside and inside in turn. Polygons of a label replace its runs, and of those the last ones count.
//   order: the labels, ascending, each once.
static i64 draw_masks(Dense<const f32, 2> vertices, Dense<const i32, 2> polygons, Dense<const i64, 2> runs, Dense<const u32, 1> counts,
                      Dense<const i32, 1> labels, Dense<const i32, 1> order, Dense<u8, 1> scratch, Dense<i32, 2> mask) {
  const i64 height = mask.shape[0], width = mask.shape[1], size = height * width, objects = labels.shape[0];
  if (vertices.shape[1] != 2 || polygons.shape[1] != 3 || runs.shape[1] != 3 || scratch.shape[0] < 2 * size + 1) return MISFIT;
  for (i64 p = 0; p < polygons.shape[0]; p++)
    if (polygons(p, 0) < 0 || polygons(p, 0) >= objects || polygons(p, 1) < 0 || polygons(p, 2) < polygons(p, 1) ||
        polygons(p, 2) > vertices.shape[0])
      return MISFIT;
  for (i64 r = 0; r < runs.shape[0]; r++)
    if (runs(r, 0) < 0 || runs(r, 0) >= objects || runs(r, 1) < 0 || runs(r, 2) < runs(r, 1) || runs(r, 2) > counts.shape[0]) return MISFIT;
  u8 *flips = scratch.data, *cover = scratch.data + size + 1;
  for (i64 i = 0; i < size; i++) mask.data[i] = cover[i] = 0;
  for (i64 i = 0; i <= size; i++) flips[i] = 0;
  i64 tail = 0;  // where the last run of all that was drawn begins
  for (i64 l = 0; l < order.shape[0]; l++) {
    const i32 label = order(l);
    bool any = false;
    i64 low = size, high = 0;  // what is covered lies between these
    for (i64 p = 0; p < polygons.shape[0]; p++) {
      if (labels(polygons(p, 0)) != label) continue;
      any = true;
      const i64 first = polygons(p, 1), end = polygons(p, 2);
      Outline outline = {flips, height, width, 0, 0, false, size, 0};
      for (i64 i = first; i < end; i++) {
        const i64 next = i + 1 < end ? i + 1 : first;
        outline.edge(grid(vertices(i, 0)), grid(vertices(i, 1)), grid(vertices(next, 0)), grid(vertices(next, 1)));
      }
      u8 inside = 0;
      i64 i = outline.low;
      for (const i64 stop = least(outline.high, size); i < stop; i++) cover[i] |= inside ^= flips[i];
      for (; inside && i < size; i++) cover[i] = 1;
      low = least(low, outline.low), high = most(high, i);
      for (i64 f = outline.low; f < outline.high; f++) flips[f] = 0;
    }
    for (i64 r = runs.shape[0] - 1; r >= 0 && !any; r--) {
      if (labels(runs(r, 0)) != label) continue;
      any = true;
      low = 0, high = size;
      i64 at = 0;
      for (i64 i = runs(r, 1); i < runs(r, 2); i++) {
        const i64 end = least(at + (i64)counts(i), size);
        for (; at < end; at++) cover[at] = (i - runs(r, 1)) & 1;
      }
    }
    if (!any) continue;
    while (high > low && !cover[high - 1]) high--;
    i64 last = high;  // where its last run begins
    if (high == size)
      while (last > low && cover[last - 1]) last--;
    if (high > low) tail = most(tail, last);
    for (i64 i = low, x = height ? low / height : 0; i < high; x++)
      for (const i64 end = least((x + 1) * height, high), first = x * height; i < end; i++) {
        i32& pixel = mask(i - first, x);
        if (cover[i] && (i < tail || !pixel)) pixel = label;
        cover[i] = 0;
      }
  }
  return 0;
}
REGISTER(draw_masks)

// The lengths of runs in the COCO tools' text: six bits a character, the difference from the length before the last.
// Returns how many there are; negative: one is not whole, or not in range.
static i64 runs_of_text(Dense<const u8, 1> text, Dense<u32, 1> counts) {
  i64 found = 0;
  for (i64 p = 0; p < text.shape[0]; found++) {
    i64 value = 0;
    for (int shift = 0;; shift += 5) {
      const int bits = p < text.shape[0] ? text(p++) - 48 : -1;
      if (bits < 0 || bits > 63 || shift > 30) return -1;
      value |= (i64)(bits & 31) << shift;
      if (bits & 32) continue;
      if (bits & 16) value |= -1ll << (shift + 5);
      break;
    }
    if (found > 2) value += counts(found - 2);
    if (value < 0 || value > (i64)limits<u32>::high || found >= counts.shape[0]) return -1;
    counts(found) = (u32)value;
  }
  return found;
}
REGISTER_SHORT(runs_of_text)
