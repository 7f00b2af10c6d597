// Loops of `descriptors.py`.
#include "arguments.hpp"

enum { HWC, CHW, ROW };

static i64 elements(const Array<const i64, 2>& shapes, i64 i) {
  i64 product = 1;
  for (i64 axis = 0; axis < shapes.shape[1]; axis++) product *= shapes(i, axis);
  return product;
}

// Bytes of all.
static i64 place_samples(Array<const i64, 2> shapes, i64 itemsize, i64 alignment, Array<i64, 1> offsets) {
  const i64 count = shapes.shape[0], axes = shapes.shape[1];
  if (offsets.shape[0] != count || alignment < 1) return MISFIT;
  bool equal = true;
  for (i64 i = 1; i < count; i++)
    for (i64 axis = 0; axis < axes; axis++) equal &= shapes(i, axis) == shapes(0, axis);
  i64 end = 0;
  for (i64 i = 0; i < count; i++) {
    const i64 length = itemsize * elements(shapes, i);
    offsets(i) = end;
    end += equal ? length : (length + alignment - 1) / alignment * alignment;
  }
  return end;
}
REGISTER_SHORT(place_samples)

// Elements of the largest sample, or a number above all others where 63 bits do not hold them.
static i64 largest_sample(Array<const i64, 2> shapes) {
  i64 largest = 0;
  for (i64 i = 0; i < shapes.shape[0]; i++) {
    i64 product = 1;
    bool zero = false, over = false;
    for (i64 axis = 0; axis < shapes.shape[1]; axis++) zero |= shapes(i, axis) == 0, over |= __builtin_mul_overflow(product, shapes(i, axis), &product);
    if (!zero) largest = most(largest, over ? (i64)limits<i64>::high : product);
  }
  return largest;
}
REGISTER_SHORT(largest_sample)

// Elements of the largest sample, and the most tiles of one.
static i64 measure_samples(Array<const i64, 2> shapes, i64 order, i64 tile_y, i64 tile_x, i64 more_x, bool planes, Array<i64, 1> found) {
  if (found.shape[0] != 2 || (order != ROW && shapes.shape[1] < 3) || tile_y < 1 || tile_x < 1) return MISFIT;
  i64 largest = 0, tiles = 0;
  for (i64 i = 0; i < shapes.shape[0]; i++) {
    const i64 all = elements(shapes, i);
    i64 height = 1, width = all, channels = 1;
    if (order == HWC) height = shapes(i, 0), width = shapes(i, 1), channels = shapes(i, 2);
    if (order == CHW) channels = shapes(i, 0), height = shapes(i, 1), width = shapes(i, 2);
    const i64 here = (height + tile_y - 1) / tile_y * ((width + more_x + tile_x - 1) / tile_x);
    largest = most(largest, all);
    tiles = most(tiles, planes ? here * channels : here);
  }
  found(0) = largest, found(1) = tiles;
  return 0;
}
REGISTER_SHORT(measure_samples)

static void write_extents(i32* to, const Array<const i64, 2>& shapes, i64 i, i64 order) {
  if (order == ROW) {
    to[0] = 1, to[1] = (i32)elements(shapes, i), to[2] = 1;
  } else {
    const int first = order == CHW;
    to[0] = (i32)shapes(i, first), to[1] = (i32)shapes(i, first + 1), to[2] = (i32)shapes(i, first ? 0 : 2);
  }
}

// A descriptor of `words` 64-bit words begins with two addresses, a count, and the extents of input and output (6 x 32 bits).
static i64 descriptor_heads(Dense<i64, 1> host, i64 words, i64 src, Array<const i64, 1> src_offsets, i64 dst, Array<const i64, 1> dst_offsets,
                 i64 unit, Array<const i64, 2> in_shapes, i64 in_order, Array<const i64, 2> out_shapes, i64 out_order) {
  const i64 count = src_offsets.shape[0];
  if (words < 6 || host.shape[0] < count * words || dst_offsets.shape[0] != count || in_shapes.shape[0] != count ||
      out_shapes.shape[0] != count || (in_order != ROW && in_shapes.shape[1] < 3) || (out_order != ROW && out_shapes.shape[1] < 3))
    return MISFIT;
  for (i64 i = 0; i < count; i++) {
    i64* to = host.data + i * words;
    to[0] = src + src_offsets(i);
    to[1] = dst + dst_offsets(i);
    to[2] = unit > 0 ? elements(in_shapes, i) / unit : 0;
    write_extents((i32*)(to + 3), in_shapes, i, in_order);
    write_extents((i32*)(to + 3) + 3, out_shapes, i, out_order);
  }
  return 0;
}
REGISTER_SHORT(descriptor_heads)

// The product of extents `begin` to `end`, or to the last one, of a sample.
static i64 extent(const Array<const i64, 2>& shapes, i64 i, i64 begin, i64 end) {
  i64 product = 1;
  for (i64 axis = begin; axis < least(end, shapes.shape[1]); axis++) product *= shapes(i, axis);
  return product;
}

// A descriptor of `words` 64-bit words begins with two addresses; then comes of each row of `fields` (0 for the input or 1 for the
// result; the first axis, and the one behind the last, or any number above) a product of extents, and zeros. Gives the largest of the field `largest`.
static i64 descriptor_extents(Dense<i64, 1> host, i64 words, i64 src, Array<const i64, 1> src_offsets, i64 dst, Array<const i64, 1> dst_offsets,
                              Array<const i64, 2> in_shapes, Array<const i64, 2> out_shapes, Dense<const i64, 2> fields, i64 largest) {
  const i64 count = src_offsets.shape[0], products = fields.shape[0];
  if (host.shape[0] < count * words || dst_offsets.shape[0] != count || in_shapes.shape[0] != count || out_shapes.shape[0] != count ||
      fields.shape[1] != 3 || words < 2 + products || largest < 0 || largest >= products)
    return MISFIT;
  for (i64 k = 0; k < products; k++)
    if (fields(k, 1) < 0) return MISFIT;
  i64 found = 0;
  for (i64 i = 0; i < count; i++) {
    i64* to = host.data + i * words;
    to[0] = src + src_offsets(i), to[1] = dst + dst_offsets(i);
    for (i64 k = 0; k < products; k++) to[2 + k] = extent(fields(k, 0) ? out_shapes : in_shapes, i, fields(k, 1), fields(k, 2));
    for (i64 k = 2 + products; k < words; k++) to[k] = 0;
    found = most(found, to[2 + largest]);
  }
  return found;
}
REGISTER_SHORT(descriptor_extents)

// Fields of 32 bits, from the one at `first` on; a descriptor has `words` of them.
static i64 descriptor_rows(Dense<i32, 1> host, i64 words, i64 first, Array<const i32, 2> rows) {
  const i64 count = rows.shape[0], fields = rows.shape[1];
  if (first < 0 || fields > words - first || host.shape[0] < count * words) return MISFIT;
  for (i64 i = 0; i < count; i++)
    for (i64 k = 0; k < fields; k++) host.data[i * words + first + k] = rows(i, k);
  return 0;
}
REGISTER_SHORT(descriptor_rows)

static i64 descriptor_addresses(Dense<i64, 1> host, i64 words, i64 first, i64 count, i64 address, i64 step) {
  if (first < 0 || first >= words || host.shape[0] < count * words) return MISFIT;
  for (i64 i = 0; i < count; i++) host.data[i * words + first] = address + i * step;
  return 0;
}
REGISTER_SHORT(descriptor_addresses)
