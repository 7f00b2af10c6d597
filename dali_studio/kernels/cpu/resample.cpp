// Loops of `resample.py`. Rows are filtered vertically first, over the columns that are needed, then horizontally; the other way round
// where that is much less work and nvidia.dali does so.
#include "arguments.hpp"
#include "axes.hpp"
#include "instantiations.hpp"
#include "vector.hpp"

// row[i] = the sum of weights[k] * src[k * stride + i] over the taps, for i < count.
template <class I> static void vertical(const I* src, i64 stride, const float* weights, i64 taps, i64 count, float* row) {
  i64 i = 0;
  for (; i + 64 <= count; i += 64) {
    const I* at = src + i;
    f32x16 a = load<16>(at) * weights[0], b = load<16>(at + 16) * weights[0];
    f32x16 c = load<16>(at + 32) * weights[0], d = load<16>(at + 48) * weights[0];
    for (i64 k = 1; k < taps; k++) {
      at += stride;
      f32x16 weight = weights[k];
      a = muladd(load<16>(at), weight, a);
      b = muladd(load<16>(at + 16), weight, b);
      c = muladd(load<16>(at + 32), weight, c);
      d = muladd(load<16>(at + 48), weight, d);
    }
    write(row + i, a);
    write(row + i + 16, b);
    write(row + i + 32, c);
    write(row + i + 48, d);
  }
  for (; i < count && count >= 16; i += 16) {
    i = least(i, count - 16);  // the last vector overlaps the one before it
    f32x16 a = load<16>(src + i) * weights[0];
    for (i64 k = 1; k < taps; k++) a = muladd(load<16>(src + i + k * stride), (f32x16)weights[k], a);
    write(row + i, a);
  }
  for (; i < count; i++) {
    float sum = load1(src + i) * weights[0];
    for (i64 k = 1; k < taps; k++) sum = muladd(load1(src + i + k * stride), weights[k], sum);
    row[i] = sum;
  }
}

// The weighted sum of `taps` pixels of four lanes, `step` floats apart.
HD f32x4 pixel(const float* at, i64 step, const float* weights, i64 taps) {
  f32x4 total = read<f32x4>(at) * weights[0];
  for (i64 k = 1; k < taps; k++) total = muladd(read<f32x4>(at + k * step), (f32x4)weights[k], total);
  return total;
}

// Four pixels of C channels at a time; `width` >= 4.
template <int C, class O>
static void horizontal(const float* row, const i32* starts, const float* weights, i64 taps, O* out, i64 width) {
  for (i64 x = 0; x < width; x += 4) {
    x = least(x, width - 4);  // the last four pixels overlap the ones before them
    const float* w = weights + x * taps;
    f32x4 a = pixel(row + (i64)starts[x] * C, C, w, taps), b = pixel(row + (i64)starts[x + 1] * C, C, w + taps, taps);
    f32x4 c = pixel(row + (i64)starts[x + 2] * C, C, w + 2 * taps, taps), d = pixel(row + (i64)starts[x + 3] * C, C, w + 3 * taps, taps);
    if constexpr (C == 3) store12<EVEN>(out + 3 * x, join3(a, b, c, d));
    else store<EVEN, 16>(out + 4 * x, join4(a, b, c, d));
  }
}
// The weighted sum of `taps` floats, `step` apart.
HD float weighted(const float* at, i64 step, const float* weights, i64 taps) {
  float sum = at[0] * weights[0];
  for (i64 k = 1; k < taps; k++) sum = muladd(at[k * step], weights[k], sum);
  return sum;
}
// Any number of channels, or CHANNELS. Sums are rounded 16 at a time.
template <int CHANNELS, Rounding R, class O>
static void each_element(const float* row, const i32* starts, const float* weights, i64 taps, i64 channels, O* out, i64 width) {
  float sums[16];
  int held = 0;
  if (CHANNELS) channels = CHANNELS;
  for (i64 x = 0; x < width; x++, weights += taps)
    for (i64 channel = 0; channel < channels; channel++) {
      sums[held++] = weighted(row + starts[x] * channels + channel, channels, weights, taps);
      if (held == 16) {
        store<R, 16>(out, read<f32x16>(sums));
        out += 16;
        held = 0;
      }
    }
  for (int i = 0; i < held; i++) store1<R>(out + i, sums[i]);
}
template <class O>
static void horizontal(const float* row, const i32* starts, const float* weights, i64 taps, i64 channels, O* out, i64 width) {
  if (channels == 3 && width >= 4) horizontal<3>(row, starts, weights, taps, out, width);
  else if (channels == 4 && width >= 4) horizontal<4>(row, starts, weights, taps, out, width);
  else if (channels == 1) each_element<1, EVEN>(row, starts, weights, taps, channels, out, width);
  else each_element<0, EVEN>(row, starts, weights, taps, channels, out, width);
}

template <int CHANNELS, class T> static void copy_pixels(const T* src, const i32* starts, T* out, i64 width) {
  for (i64 x = 0; x < width; x++) {
    T pixel[CHANNELS];
    memcpy(pixel, src + (i64)starts[x] * CHANNELS, sizeof pixel);
    memcpy(out + x * CHANNELS, pixel, sizeof pixel);
  }
}
template <class T> static void copy_pixels(const T* src, const i32* starts, T* out, i64 width, i64 channels) {
  if (channels == 1) return copy_pixels<1>(src, starts, out, width);
  if (channels == 3) return copy_pixels<3>(src, starts, out, width);
  for (i64 x = 0; x < width; x++)
    for (i64 channel = 0; channel < channels; channel++) out[x * channels + channel] = src[starts[x] * channels + channel];
}

// Where in a row of bytes nvidia.dali rounds halves up, in elements. Its vectors of 16 lanes round them to even, its loops over what
// they leave up, in the pass that comes last.
struct Gaps {
  struct { i64 begin, end; } at[4];
  int count = 0;

  void add(i64 begin, i64 end) {
    if (begin < end) at[count].begin = begin, at[count++].end = end;
  }
};
// Where the rows' pass is last, 16 elements are a vector.
static Gaps gaps_of_rows(i64 elements) {
  Gaps gaps;
  gaps.add(elements / 16 * 16, elements);
  return gaps;
}
// Where the columns' is: 16 pixels, of those whose filters stay inside, reach beyond one edge, or beyond both.
static Gaps gaps_of_columns(const Axis& columns, i64 channels) {
  auto start = [&](i64 i) { return ceiling(table_begin(columns, i)); };
  auto beyond = [&](i64 i, bool end) { return end ? start(i) + columns.wide > columns.in_size : start(i) < 0; };
  const i64 width = columns.out_size;
  const bool flipped = start(width - 1) < start(0);
  i64 first = 0, last = width;
  while (first < width && beyond(first, flipped)) first++;
  while (last > 0 && beyond(last - 1, !flipped)) last--;
  const i64 cuts[] = {0, least(first, last), first, most(first, last), width};
  Gaps gaps;
  for (int i = 0; i < 4; i++) gaps.add((cuts[i + 1] - (cuts[i + 1] - cuts[i]) % 16) * channels, cuts[i + 1] * channels);
  return gaps;
}
// Input pixels of an axis that are read for a region.
struct Reads {
  i64 begin, end;
  i64 size() const { return end - begin; }
};
static Reads reads_of(const Axis& axis, f64 low, f64 high) {
  const bool nearest = axis.kind == NEAREST;
  const float radius = nearest ? 0.f : axis.radius, wide = nearest ? 1.f : (float)axis.wide;
  const i64 begin = floored((float)least(low, high) - radius), end = ceiling((float)most(low, high) - radius + wide);
  return {between<i64>(begin, 0, axis.in_size), between<i64>(end, 0, axis.in_size)};
}
// Whether nvidia.dali filters rows first: it estimates what a pass costs from its taps and the pixels that it makes.
static bool rows_first(const Axis& rows, const Axis& columns, i64 rows_read, i64 columns_read) {
  auto cost = [](const Axis& axis, float tap, i64 pixels) {
    return tap * (float)((axis.kind == NEAREST ? 1 : axis.wide) * pixels) + (float)pixels * 3.f;
  };
  const i64 height = rows.out_size, width = columns.out_size;
  return cost(rows, 1.f, columns_read * height) + cost(columns, 1.4f, width * height) <
         cost(columns, 1.4f, width * rows_read) + cost(rows, 1.f, width * height);
}
// Whether to filter columns first takes less than a quarter of the work. A tap of a row costs what four of a column do.
static bool columns_are_cheaper(const Axis& rows, const Axis& columns, i64 rows_read, i64 columns_read) {
  const f64 height = rows.out_size, width = columns.out_size, row_taps = 4 * width * columns.taps;
  if (rows.taps == 1 && columns.taps == 1) return false;  // pixels are copied
  return 4 * (rows_read * (columns_read + row_taps) + height * width * rows.taps) < height * (columns_read * rows.taps + row_taps);
}
static Gaps gaps_of(const Axis& rows, const Axis& columns, bool columns_last, i64 channels) {
  if ((columns_last ? columns : rows).kind == NEAREST) {  // one by one
    Gaps gaps;
    gaps.add(0, columns.out_size * channels);
    return gaps;
  }
  return columns_last ? gaps_of_columns(columns, channels) : gaps_of_rows(columns.out_size * channels);
}

// Memory in pieces that begin at multiples of 64 bytes.
struct Pieces {
  u64 begin, end;
  i64 needed() const { return (i64)(end - begin) + 64; }
  template <class T> T* take(i64 count) {
    T* piece = (T*)end;
    end += ((u64)count * sizeof(T) + 63) / 64 * 64;
    return piece;
  }
};

inline Pieces in_scratch(const Dense<u8, 1>& scratch) {
  const u64 begin = ((u64)scratch.data + 63) / 64 * 64;
  return {begin, begin};
}

// Rows and columns of one slice: where its output pixels read, and how much of it.
struct Slice {
  Axis rows, columns;
  i32 *y_starts, *x_starts;  // of columns, behind the first that is read
  float *y_weights, *x_weights, *row;
  i64 low, count;  // the first column that is read, and the elements of a row from there
  Gaps gaps;  // in the window; of the pixel `partial`, elements from the first channel in it only
  i64 partial = -1, channel = 0;
  float *between = nullptr, *sums = nullptr;  // of `resize_columns_first`: rows that are as wide as the output, from `top` on
  i64 top = 0, rows_read = 0;

  void place(Pieces& pieces, i64 height, i64 width, i64 channels) {
    y_starts = pieces.take<i32>(height), x_starts = pieces.take<i32>(width);
    y_weights = pieces.take<float>(height * rows.taps), x_weights = pieces.take<float>(width * columns.taps);
    row = pieces.take<float>(columns.in_size * channels + 16);  // behind it, vectors touch up to 16 floats
  }
  // The window of the output that begins at (top, left). `y_origin` and `x_origin` are as `fill_axis` has them.
  void fill(Dense<const f32, 1> filters, Dense<const i32, 2> places, i64 top, i64 height, i64 left, i64 width, i64 channels, bool mirror,
            i64 y_origin = 0, i64 x_origin = 0) {
    fill_axis(rows, filter_of(rows, filters.data, places.data), top, height, false, y_starts, y_weights, y_origin);
    fill_axis(columns, filter_of(columns, filters.data, places.data), left, width, mirror, x_starts, x_weights, x_origin);
    low = x_starts[0];
    i64 high = low;
    for (i64 x = 1; x < width; x++) {
      low = least<i64>(low, x_starts[x]);
      high = most<i64>(high, x_starts[x]);
    }
    for (i64 x = 0; x < width; x++) x_starts[x] -= (i32)low;
    count = (high - low + columns.taps) * channels;
  }
  // Takes the gaps of the full output.
  void set_gaps(const Gaps& full, i64 left, i64 width, i64 channels, bool mirror) {
    for (int i = 0; i < full.count; i++) {
      const auto gap = full.at[mirror ? full.count - 1 - i : i];
      const i64 begin = most<i64>(gap.begin / channels - left, 0), end = least(gap.end / channels - left, width);
      if (gap.begin % channels && gap.begin / channels == left + begin) {
        channel = gap.begin % channels;
        partial = mirror ? width - 1 - begin : begin;
      }
      if (mirror) gaps.add(width - end, width - begin);
      else gaps.add(begin, end);
    }
  }
  // src_row and out_row are the elements from one row to the next.
  template <class I, class O>
  void resize(const I* src, i64 src_row, O* out, i64 out_row, i64 height, i64 width, i64 channels) const {
    for (i64 y = 0; y < height; y++) {
      const I* from = src + y_starts[y] * src_row + low * channels;
      O* to = out + y * out_row;
      if constexpr (same<I, O>::value)
        if (rows.taps == 1 && columns.taps == 1) {
          copy_pixels(from, x_starts, to, width, channels);
          continue;
        }
      vertical(from, src_row, y_weights + y * rows.taps, rows.taps, count, row);
      if constexpr (same<O, u8>::value) {
        if (channels == 1) one_channel(to, width);
        else horizontal(row, x_starts, x_weights, columns.taps, channels, to, width), round_up(to, channels);
      } else {
        horizontal(row, x_starts, x_weights, columns.taps, channels, to, width);
      }
    }
  }
  // Takes the memory of `resize_columns_first`.
  void place_columns_first(Pieces& pieces, i64 height, i64 width, i64 channels) {
    top = y_starts[0];
    i64 last = top;
    for (i64 y = 1; y < height; y++) {
      top = least<i64>(top, y_starts[y]);
      last = most<i64>(last, y_starts[y]);
    }
    rows_read = last - top + rows.taps;
    between = pieces.take<float>(rows_read * width * channels + 16);
    sums = pieces.take<float>(width * channels + 16);
  }
  template <class I, class O>
  void resize_columns_first(const I* src, i64 src_row, O* out, i64 out_row, i64 height, i64 width, i64 channels) const {
    const float as_it_is = 1.f;
    const i64 wide = width * channels;
    for (i64 y = 0; y < rows_read; y++) {
      vertical(src + (top + y) * src_row + low * channels, src_row, &as_it_is, 1, count, row);
      horizontal(row, x_starts, x_weights, columns.taps, channels, between + y * wide, width);
    }
    for (i64 y = 0; y < height; y++) {
      O* to = out + y * out_row;
      vertical(between + (y_starts[y] - top) * wide, wide, y_weights + y * rows.taps, rows.taps, wide, sums);
      i64 i = 0;
      for (; i + 16 <= wide; i += 16) store<EVEN, 16>(to + i, read<f32x16>(sums + i));
      for (; i < wide; i++) store1<EVEN>(to + i, sums[i]);
      if constexpr (same<O, u8>::value)
        in_gaps(channels, [&](i64 x, i64 c) { store1<AWAY>(to + x * channels + c, sums[x * channels + c]); });
    }
  }
  template <class F> void in_gaps(i64 channels, F each) const {
    for (int i = 0; i < gaps.count; i++)
      for (i64 x = gaps.at[i].begin; x < gaps.at[i].end; x++)
        for (i64 c = x == partial ? channel : 0; c < channels; c++) each(x, c);
  }
  template <Rounding R> void pixels(u8* to, i64 begin, i64 end) const {
    each_element<1, R>(row, x_starts + begin, x_weights + begin * columns.taps, columns.taps, 1, to + begin, end - begin);
  }
  void one_channel(u8* to, i64 width) const {
    i64 done = 0;
    for (int i = 0; i < gaps.count; i++) {
      pixels<EVEN>(to, done, gaps.at[i].begin);
      pixels<AWAY>(to, gaps.at[i].begin, gaps.at[i].end);
      done = gaps.at[i].end;
    }
    pixels<EVEN>(to, done, width);
  }
  // The gaps of a filtered row once more.
  void round_up(u8* to, i64 channels) const {
    in_gaps(channels, [&](i64 x, i64 c) {
      store1<AWAY>(to + x * channels + c,
                   weighted(row + x_starts[x] * channels + c, channels, x_weights + x * columns.taps, columns.taps));
    });
  }
};

// Planes (P, H, W, C), whose last two axes are without gaps. `out` is the window of the full output that begins at (top, left);
// the full output covers [y0, y1) x [x0, x1) of the input. `alone` says that it is one axis of an array that is resized, before
// those that are the channels. Returns 0, or the bytes of scratch memory that are needed where
// `scratch` is too small and nothing was done.
template <class I, class O>
i64 resize(Array<const I, 4> src, Array<O, 4> out, f64 y0, f64 x0, f64 y1, f64 x1, i64 full_height, i64 full_width, i64 top, i64 left,
           bool mirror, int shrinking, int growing, bool antialias, bool alone, Dense<const f32, 1> filters,
           Dense<const i32, 2> places, Dense<u8, 1> scratch) {
  i64 height = out.shape[1], width = out.shape[2], channels = out.shape[3];
  Slice slice;
  slice.rows = axis_of(src.shape[1], full_height, y0, y1, shrinking, growing, antialias, true);
  slice.columns = axis_of(src.shape[2], full_width, x0, x1, shrinking, growing, antialias, false);
  Pieces pieces = in_scratch(scratch);
  slice.place(pieces, height, width, channels);
  if (pieces.needed() > scratch.shape[0]) return pieces.needed();
  const Reads rows_read = reads_of(slice.rows, y0, y1), columns_read = reads_of(slice.columns, x0, x1);
  const bool columns_last = rows_first(slice.rows, slice.columns, rows_read.size(), columns_read.size());
  // the first pass of nvidia.dali leaves what is read of the other axis, where positions are counted from then on
  slice.fill(filters, places, top, height, left, width, channels, mirror, columns_last ? 0 : rows_read.begin,
             columns_last ? columns_read.begin : 0);
  if constexpr (same<O, u8>::value) {
    const Gaps gaps = !alone          ? gaps_of(slice.rows, slice.columns, columns_last, channels)
                      : channels == 1 ? gaps_of_columns(slice.columns, 1)
                                      : gaps_of_rows(channels);
    slice.set_gaps(gaps, left, width, channels, mirror);
  }
  if (!columns_last && columns_are_cheaper(slice.rows, slice.columns, rows_read.size(), columns_read.size())) {
    slice.place_columns_first(pieces, height, width, channels);
    if (pieces.needed() > scratch.shape[0]) return pieces.needed();
  }
  for (i64 plane = 0; plane < out.shape[0]; plane++) {
    const I* from = src.data + plane * src.strides[0];
    O* to = out.data + plane * out.strides[0];
    if (slice.between) slice.resize_columns_first(from, src.strides[1], to, out.strides[1], height, width, channels);
    else slice.resize(from, src.strides[1], to, out.strides[1], height, width, channels);
  }
  return 0;
}
REGISTER_PAIRS(resize, ResizeInputs, ResizeOutputs)

// The tap that alone has a weight, of 1; -1 if there is none such.
HD i64 only_tap(const float* weights, i64 taps) {
  i64 found = -1;
  for (i64 k = 0; k < taps; k++)
    if (weights[k] != 0.f) {
      if (found >= 0 || weights[k] != 1.f) return -1;
      found = k;
    }
  return found;
}

// Volumes (P, D, H, W, C) without gaps; `region` is the begin of the depth, the height and the width, and their ends. The depth is
// filtered first where it shrinks, and last where it grows, on floats. Returns what `resize` does.
template <class I, class O>
i64 resize_volume(Dense<const I, 5> src, Dense<O, 5> out, Dense<const f64, 1> region, int shrinking, int growing, bool antialias,
                  Dense<const f32, 1> filters, Dense<const i32, 2> places, Dense<u8, 1> scratch) {
  if (region.shape[0] != 6 || src.shape[0] != out.shape[0] || src.shape[4] != out.shape[4]) return MISFIT;
  const f64* at = region.data;
  const i64 in_depth = src.shape[1], depth = out.shape[1], height = out.shape[2], width = out.shape[3], channels = out.shape[4];
  const i64 in_row = src.shape[3] * channels, in_slice = src.shape[2] * in_row, row = width * channels, slice_size = height * row;
  Axis slices = axis_of(in_depth, depth, at[0], at[3], shrinking, growing, antialias, true);
  Slice slice;
  slice.rows = axis_of(src.shape[2], height, at[1], at[4], shrinking, growing, antialias, true);
  slice.columns = axis_of(src.shape[3], width, at[2], at[5], shrinking, growing, antialias, false);
  Pieces pieces = in_scratch(scratch);
  slice.place(pieces, height, width, channels);
  i32* z_starts = pieces.take<i32>(depth);
  float* z_weights = pieces.take<float>(depth * slices.taps);
  const bool last = depth > in_depth && slices.taps > 1;
  float* between = pieces.take<float>((last ? in_depth * slice_size : in_slice) + 16);  // one tap may have a weight beside 1, too
  float* sums = pieces.take<float>(last ? row + 16 : 0);
  if (pieces.needed() > scratch.shape[0]) return pieces.needed();
  slice.fill(filters, places, 0, height, 0, width, channels, false);
  fill_axis(slices, filter_of(slices, filters.data, places.data), 0, depth, false, z_starts, z_weights);
  for (i64 plane = 0; plane < out.shape[0]; plane++) {
    const I* from = src.data + plane * in_depth * in_slice;
    O* to = out.data + plane * depth * slice_size;
    if (last)
      for (i64 z = 0; z < in_depth; z++)
        slice.resize(from + z * in_slice, in_row, between + z * slice_size, row, height, width, channels);
    for (i64 z = 0; z < depth; z++, to += slice_size) {
      const float* weights = z_weights + z * slices.taps;
      const i64 tap = only_tap(weights, slices.taps);
      if (last) {
        for (i64 y = 0; y < height; y++) {
          vertical(between + z_starts[z] * slice_size + y * row, slice_size, weights, slices.taps, row, sums);
          i64 i = 0;
          for (; i + 16 <= row; i += 16) store<EVEN, 16>(to + y * row + i, read<f32x16>(sums + i));
          for (; i < row; i++) store1<EVEN>(to + y * row + i, sums[i]);
        }
      } else if (tap >= 0) {
        slice.resize(from + (z_starts[z] + tap) * in_slice, in_row, to, row, height, width, channels);
      } else {
        vertical(from + z_starts[z] * in_slice, in_slice, weights, slices.taps, in_slice, between);
        slice.resize((const float*)between, in_row, to, row, height, width, channels);
      }
    }
  }
  return 0;
}
REGISTER_PAIRS(resize_volume, ResizeInputs, ResizeOutputs)
