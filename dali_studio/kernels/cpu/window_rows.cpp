// Loops of `window_rows.py`.
#include "arguments.hpp"

enum { TRIM = 1 };

static bool column(i64 at, const i64 (&shape)[2]) { return at >= 0 && at < shape[1]; }
static bool is_table(const i64 (&shape)[2], i64 rows, i64 columns) { return shape[0] == rows && shape[1] == columns; }

static i64 crop_windows(Array<const i64, 2> sizes, Array<const f32, 1> heights, Array<const f32, 1> widths, Array<const f32, 1> places_y,
                   Array<const f32, 1> places_x, bool nearest, i64 policy, Array<i64, 2> anchors, Array<i64, 2> crops,
                   Array<b8, 1> outside) {
  const i64 count = sizes.shape[0];
  if (sizes.shape[1] != 2 || heights.shape[0] != count || widths.shape[0] != count || places_y.shape[0] != count ||
      places_x.shape[0] != count || !is_table(anchors.shape, count, 2) || !is_table(crops.shape, count, 2) || outside.shape[0] != count)
    return MISFIT;
  for (i64 i = 0; i < count; i++) {
    bool leaves = false;
    for (int axis = 0; axis < 2; axis++) {
      const float wanted = axis == 0 ? heights(i) : widths(i), place = axis == 0 ? places_y(i) : places_x(i);
      const i64 size = sizes(i, axis);
      i64 crop = wanted >= 1 ? whole(wanted) : size, anchor;
      const double corner = (double)place * (double)minus(size, crop);
      if (nearest) {  // half away from zero
        anchor = whole((corner < 0 ? -corner : corner) + 0.5);
        if (corner < 0) anchor = minus(0, anchor);
      } else {
        anchor = whole(corner);
      }
      if (policy == TRIM) {
        i64 end = least(most<i64>(plus(anchor, crop), 0), size);
        anchor = least(most<i64>(anchor, 0), size);
        crop = end - anchor;
      }
      leaves = leaves || anchor < 0 || plus(anchor, crop) > size;
      anchors(i, axis) = anchor;
      crops(i, axis) = crop;
    }
    outside(i).value = leaves;
  }
  return 0;
}
REGISTER_SHORT(crop_windows)

// The most channels of an image, at least 1.
static i64 window_shapes(Array<const i64, 2> shapes, i64 channel, Array<const i64, 2> crops, i64 to_y, i64 to_x, i64 to_c, bool padded,
                         Array<i64, 2> made) {
  const i64 count = shapes.shape[0];
  if (!column(channel, shapes.shape) || !is_table(crops.shape, count, 2) || made.shape[0] != count || !column(to_y, made.shape) ||
      !column(to_x, made.shape) || !column(to_c, made.shape))
    return MISFIT;
  i64 largest = 1;
  for (i64 i = 0; i < count; i++) {
    const i64 channels = shapes(i, channel);
    largest = most(largest, channels);
    i64 target = channels;
    if (padded)
      for (target = 1; target < channels; target *= 2) {}
    made(i, to_y) = crops(i, 0), made(i, to_x) = crops(i, 1), made(i, to_c) = target;
  }
  return largest;
}
REGISTER_SHORT(window_shapes)

static i64 table_columns(Array<const i64, 2> table, i64 first, i64 second, Array<i64, 2> made) {
  const i64 count = table.shape[0];
  if (!column(first, table.shape) || !column(second, table.shape) || !is_table(made.shape, count, 2)) return MISFIT;
  for (i64 i = 0; i < count; i++) made(i, 0) = table(i, first), made(i, 1) = table(i, second);
  return 0;
}
REGISTER_SHORT(table_columns)

static i64 table_with_columns(Array<const i64, 2> table, i64 first, i64 second, Array<const i64, 2> values, Array<i64, 2> made) {
  const i64 count = table.shape[0], axes = table.shape[1];
  if (!column(first, table.shape) || !column(second, table.shape) || !is_table(values.shape, count, 2) ||
      !is_table(made.shape, count, axes))
    return MISFIT;
  for (i64 i = 0; i < count; i++) {
    for (i64 axis = 0; axis < axes; axis++) made(i, axis) = table(i, axis);
    made(i, first) = values(i, 0), made(i, second) = values(i, 1);
  }
  return 0;
}
REGISTER_SHORT(table_with_columns)

// The most channels of an output, at least 1.
static i64 window_words(Array<const i64, 2> shapes, i64 height, i64 width, i64 channel, Array<const i64, 2> anchors,
                        Array<const i64, 2> out_shapes, i64 out_height, i64 out_width, i64 out_channel, Array<const i64, 1> flips_y,
                        Array<const i64, 1> flips_x, Array<i32, 2> words) {
  const i64 count = shapes.shape[0], each_y = flips_y.shape[0] > 1, each_x = flips_x.shape[0] > 1;
  const bool axes = column(height, shapes.shape) && column(width, shapes.shape) && column(channel, shapes.shape) &&
                    column(out_height, out_shapes.shape) && column(out_width, out_shapes.shape) && column(out_channel, out_shapes.shape);
  if (!axes || !is_table(anchors.shape, count, 2) || out_shapes.shape[0] != count || words.shape[0] != count || words.shape[1] < 7 ||
      (flips_y.shape[0] != 1 && flips_y.shape[0] != count) || (flips_x.shape[0] != 1 && flips_x.shape[0] != count))
    return MISFIT;
  i64 largest = 1;
  for (i64 i = 0; i < count; i++) {
    const bool down = flips_y(i * each_y) != 0, right = flips_x(i * each_x) != 0;
    words(i, 0) = (i32)(anchors(i, 0) + (down ? out_shapes(i, out_height) - 1 : 0));
    words(i, 1) = (i32)(anchors(i, 1) + (right ? out_shapes(i, out_width) - 1 : 0));
    words(i, 2) = down ? -1 : 1;
    words(i, 3) = right ? -1 : 1;
    words(i, 4) = (i32)shapes(i, height);
    words(i, 5) = (i32)shapes(i, width);
    words(i, 6) = (i32)shapes(i, channel);
    largest = most(largest, out_shapes(i, out_channel));
  }
  return largest;
}
REGISTER_SHORT(window_words)
