// Loops of `axis_batch.py`; and the weights of an axis by themselves, for tests.
#include "axes.hpp"

#include "arguments.hpp"

// The taps of an axis.
static i64 axis_taps(int kind, bool antialias, i64 in_size, f64 low, f64 high, i64 out_size) {
  return axis_of(in_size, out_size, low, high, kind, kind, antialias, false).taps;
}
REGISTER_SHORT(axis_taps)

// Starts and weights of the window of an axis that begins at `first`.
static void axis_weights(int kind, bool antialias, i64 in_size, f64 low, f64 high, i64 out_size, i64 first, bool mirrored, bool accumulate,
                         Dense<const f32, 1> filters, Dense<const i32, 2> places, Dense<i32, 1> starts, Dense<f32, 2> weights) {
  Axis axis = axis_of(in_size, out_size, low, high, kind, kind, antialias, accumulate);
  fill_axis(axis, filter_of(axis, filters.data, places.data), first, starts.shape[0], mirrored, starts.data, weights.data);
}
REGISTER_SHORT(axis_weights)

// What the kernel of the GPU's pixels reads of a sample; `axis_batch.py` has the same layout.
struct Row {
  u64 y_starts, x_starts, y_weights, x_weights;
  i32 y_taps, x_taps, height, width, tile, unused;
};

// The geometry of all axes, all rows before all columns. found: the bytes of all weights, the largest number of elements that a
// tile reads of a row, the smallest size of an image, the smallest tile.
static void axes(Array<const i64, 2> in_shapes, Array<const i64, 2> out_shapes, i64 height, i64 width, i64 channel,
                 Array<const f64, 2> rois, Array<const i32, 2> kinds, i64 most_tile, i64 least_tile, i64 at_once, bool antialias,
                 Dense<u8, 1> table, Dense<u8, 1> row_table, Dense<i64, 1> starts, Dense<i64, 1> found) {
  i64 count = in_shapes.shape[0], end = 0, span = 1, smallest = 1, least_used = most_tile;
  Axis* axes = (Axis*)table.data;
  Row* rows = (Row*)row_table.data;
  for (int side = 0; side < 2; side++) {
    i64 at = side == 0 ? height : width;
    for (i64 i = 0; i < count; i++) {
      i64 in_size = in_shapes(i, at), out_size = out_shapes(i, at);
      Axis axis = axis_of(in_size, out_size, rois(i, side), rois(i, 2 + side), kinds(i, 0), kinds(i, 1), antialias, side == 0);
      axes[side * count + i] = axis;
      smallest = least(smallest, in_size);
      starts(side * count + i) = end;
      end += 4 * out_size * (1 + axis.taps);
      Row& row = rows[i];
      (side == 0 ? row.y_taps : row.x_taps) = axis.taps;
      (side == 0 ? row.height : row.width) = (i32)out_size;
      if (side == 0) continue;
      f64 step = axis.scale < 0 ? -(f64)axis.scale : (f64)axis.scale;
      i64 channels = channel < 0 ? 1 : in_shapes(i, channel);
      // as many columns as are filtered at once, if that is neither too few nor more than a warp takes
      f64 room = ((f64)(at_once - 3) / (f64)most<i64>(channels, 1) - axis.taps - 3) / most(step, 1e-6) + 1;
      i64 tile = room < (f64)least_tile ? most_tile : (i64)least(room, (f64)most_tile) / 4 * 4;
      // the columns that a warp reads: as far as its outputs lie apart, and the filter's width
      f64 apart = least((f64)(tile - 1) * step, (f64)in_size);
      i64 reads = least(in_size, (i64)apart + ((f64)(i64)apart < apart) + axis.taps + 2);
      span = most(span, reads * channels);
      row.tile = (i32)tile;
      least_used = least(least_used, tile);
    }
  }
  found(0) = end;
  found(1) = span;
  found(2) = smallest;
  found(3) = least_used;
}
REGISTER_SHORT(axes)

// The addresses in both tables, of weights in memory at `address`.
static void place(Dense<const i64, 1> starts, i64 address, Dense<u8, 1> table, Dense<u8, 1> row_table) {
  i64 count = starts.shape[0] / 2;
  Axis* axes = (Axis*)table.data;
  Row* rows = (Row*)row_table.data;
  for (i64 at = 0; at < 2 * count; at++) {
    u64 first = (u64)(address + starts(at)), weights = first + 4 * (u64)axes[at].out_size;
    axes[at].starts = (i32*)first;
    axes[at].weights = (float*)weights;
    Row& row = rows[at % count];
    (at < count ? row.y_starts : row.x_starts) = first;
    (at < count ? row.y_weights : row.x_weights) = weights;
  }
}
REGISTER_SHORT(place)
