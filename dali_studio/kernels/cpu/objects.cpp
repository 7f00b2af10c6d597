// Loops of `objects.py`.
#include "../include/random_engine.hpp"
#include "../include/rounding.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"

// ------------------------------------------------------------------------------------------------------------ masks

// What an element is, as a whole number.
template <class T> static i64 number(T x) { return (i64)x; }
template <> i64 number<b8>(b8 x) { return x.value; }

// Equal elements side by side, in rows of `length`: (row, begin, end, number), in order, but for those of the background.
// Gives how many there are; as many as there is room for are written.
template <class T> i64 mask_runs(Dense<const T, 1> mask, i64 length, i64 background, Dense<i32, 2> runs) {
  const i64 size = mask.shape[0], room = runs.shape[0];
  if (runs.shape[1] != 4 || length < 1 || size % length) return MISFIT;
  i64 found = 0;
  for (i64 row = 0; row * length < size; row++) {
    const T* at = mask.data + row * length;
    for (i64 begin = 0, end; begin < length; begin = end) {
      const i64 value = number(at[begin]);
      for (end = begin + 1; end < length && number(at[end]) == value;) end++;
      if (value == background) continue;
      if (found < room) runs(found, 0) = (i32)row, runs(found, 1) = (i32)begin, runs(found, 2) = (i32)end, runs(found, 3) = (i32)value;
      found++;
    }
  }
  return found;
}
REGISTER_EACH(mask_runs, MaskRunsTypes)

// The first run of the blob that a run belongs to.
static i32 root(i32* parents, i32 run) {
  while (parents[run] != run) run = parents[run] = parents[parents[run]];
  return run;
}

// Blobs, runs of one number that touch along an axis: their boxes (begin of each axis, then end) and numbers, in the order in which
// they begin. Gives how many there are. `firsts`: room for one more than there are rows; `parents`: two for each run.
static i64 blob_boxes(Dense<const i32, 2> runs, Dense<const i64, 1> shape, Dense<i32, 1> firsts, Dense<i32, 2> parents, Dense<i32, 2> boxes,
                      Dense<i32, 1> numbers) {
  const i64 count = runs.shape[0], axes = shape.shape[0];
  i64 rows = 1;
  for (i64 a = 0; a + 1 < axes; a++) rows *= shape(a);
  if (axes < 1 || runs.shape[1] != 4 || firsts.shape[0] != rows + 1 || parents.shape[0] != 2 || parents.shape[1] != count ||
      boxes.shape[0] != count || boxes.shape[1] != 2 * axes || numbers.shape[0] != count)
    return MISFIT;
  for (i64 k = 0; k < count; k++)
    if (runs(k, 0) < 0 || runs(k, 0) >= rows || (k && runs(k, 0) < runs(k - 1, 0))) return MISFIT;
  i32 *parent = parents.data, *blob = parents.data + count;
  for (i64 row = 0, k = 0; row <= rows; row++) {
    while (k < count && runs(k, 0) < row) k++;
    firsts(row) = (i32)k;
  }
  for (i64 k = 0; k < count; k++) parent[k] = (i32)k;
  for (i64 axis = axes - 2, stride = 1; axis >= 0; stride *= shape(axis--))
    for (i64 row = stride; row < rows; row++) {
      if (row / stride % shape(axis) == 0) continue;
      i64 a = firsts(row - stride), b = firsts(row);
      while (a < firsts(row - stride + 1) && b < firsts(row + 1)) {
        if (runs(a, 1) < runs(b, 2) && runs(b, 1) < runs(a, 2) && runs(a, 3) == runs(b, 3)) {
          const i32 first = root(parent, (i32)a), second = root(parent, (i32)b);
          parent[most(first, second)] = least(first, second);
        }
        if (runs(a, 2) < runs(b, 2)) a++;
        else b++;
      }
    }
  i64 found = 0;
  for (i64 k = 0; k < count; k++) {
    const i32 own = root(parent, (i32)k);
    const bool first = own == k;
    if (first) blob[k] = (i32)found, numbers(found) = runs(k, 3);
    i32* box = &boxes(blob[own], 0);
    i64 row = runs(k, 0);
    auto grow = [&](i64 axis, i64 begin, i64 end) {
      box[axis] = first ? (i32)begin : least(box[axis], (i32)begin);
      box[axes + axis] = first ? (i32)end : most(box[axes + axis], (i32)end);
    };
    grow(axes - 1, runs(k, 1), runs(k, 2));
    for (i64 axis = axes - 2; axis >= 0; row /= shape(axis--)) grow(axis, row % shape(axis), row % shape(axis) + 1);
    found += first;
  }
  return found;
}
REGISTER(blob_boxes)

// ------------------------------------------------------------------------------------------------------- random objects

// The blobs that are large enough, and one of them, drawn among the `largest`, or all of them. None: -1.
static i64 pick_blob(SampleEngine& engine, const Dense<const i32, 2>& boxes, const Dense<const i32, 1>& threshold, i64 largest, i64* blobs,
                     i64 count) {
  const i64 axes = boxes.shape[1] / 2;
  auto volume = [&](i64 blob) {
    i64 product = 1;
    for (i64 a = 0; a < axes; a++) product *= boxes(blob, axes + a) - boxes(blob, a);
    return product;
  };
  i64 left = 0;
  for (i64 k = 0; k < count; k++) {
    bool fits = true;
    for (i64 a = 0; a < threshold.shape[0]; a++) fits = fits && boxes(blobs[k], axes + a) - boxes(blobs[k], a) >= threshold(a);
    if (fits) blobs[left++] = blobs[k];
  }
  if (left == 0) return -1;
  if (largest < 1 || largest >= left) return blobs[uniform_whole(engine, 0, left - 1)];
  const i64 wanted = uniform_whole(engine, 0, largest - 1);
  for (i64 k = 0; k <= wanted; k++) {  // the largest first; of equal ones the first
    i64 best = k;
    for (i64 other = k + 1; other < left; other++) {
      const i64 size = volume(blobs[other]), best_size = volume(blobs[best]);
      if (size > best_size || (size == best_size && blobs[other] < blobs[best])) best = other;
    }
    const i64 kept = blobs[k];
    blobs[k] = blobs[best], blobs[best] = kept;
  }
  return blobs[wanted];
}

// A blob of a class that is drawn by weights, which become 0 for those without one; with `any_class`, of all blobs. None: -1.
// `sums`: room for a number of each class; `scratch`: for one of each blob.
static i64 pick_object(Dense<const i32, 2> boxes, Dense<const i32, 1> numbers, Dense<const i32, 1> classes, Dense<f32, 1> weights,
                       Dense<f32, 1> sums, Dense<const i32, 1> threshold, i64 largest, bool any_class, f32 probability, Dense<const u64, 1> stream, u64 place,
                       Dense<i64, 1> scratch) {
  const i64 count = numbers.shape[0], choices = classes.shape[0];
  if (boxes.shape[0] != count || boxes.shape[1] % 2 || weights.shape[0] != choices || sums.shape[0] != choices ||
      scratch.shape[0] < count || (threshold.shape[0] && threshold.shape[0] != boxes.shape[1] / 2))
    return MISFIT;
  SampleEngine engine(Stream(stream.data), place);
  if (!(unit_double(engine) < (double)probability)) return -1;
  if (any_class) {
    for (i64 k = 0; k < count; k++) scratch(k) = k;
    return pick_blob(engine, boxes, threshold, largest, scratch.data, count);
  }
  auto blobs_of = [&](i32 wanted) {
    i64 found = 0;
    for (i64 k = 0; k < count; k++)
      if (numbers(k) == wanted) scratch(found++) = k;
    return found;
  };
  for (i64 c = 0; c < choices; c++)
    if (blobs_of(classes(c)) == 0) weights(c) = 0;
  for (;;) {
    double sum = 0;
    for (i64 c = 0; c < choices; c++) sum += (double)weights(c), sums(c) = (float)sum;
    if (!(sum > 0)) return -1;
    const double position = unit_double(engine) * (double)sums(choices - 1);
    i64 c = 0;
    while (c < choices && (double)sums(c) < position) c++;
    while (c < choices && !(weights(c) < 0 || weights(c) > 0)) c++;
    if (c == choices) return -1;
    const i64 blob = pick_blob(engine, boxes, threshold, largest, scratch.data, blobs_of(classes(c)));
    if (blob >= 0) return blob;
    weights(c) = 0;
  }
}
REGISTER(pick_object)

// --------------------------------------------------------------------------------------------------------- random pixels

enum Foreground { ANY, ABOVE, EQUAL };

// Whether an element belongs to the foreground.
template <class T> struct Above {
  float threshold;
  bool operator()(T x) const {
    if constexpr (same<T, b8>::value) return (float)x.value > threshold;
    else return (float)x > threshold;
  }
};
template <class T> struct Equal {
  T value;
  bool operator()(T x) const {
    if constexpr (same<T, b8>::value) return (x.value != 0) == (value.value != 0);
    else return !(x < value) && !(value < x);
  }
};

// A random element of those that are wanted; -1: there is none.
template <class T, class Wanted> static i64 wanted_element(const T* mask, i64 size, Wanted wanted, SampleEngine& engine) {
  i64 count = 0;
  for (i64 i = 0; i < size; i++) count += wanted(mask[i]);
  if (count == 0) return -1;
  i64 left = uniform_whole(engine, 0, count - 1), i = 0;
  for (;; i += 1024) {  // by pieces, whose sums are vectors
    i64 piece = 0;
    const i64 end = least(i + 1024, size);
    for (i64 k = i; k < end; k++) piece += wanted(mask[k]);
    if (left < piece) break;
    left -= piece;
  }
  while (!wanted(mask[i]) || left-- > 0) i++;
  return i;
}

// The place of a random element along each axis; `shape` has a number for each.
template <class T>
static void random_place(const T* mask, i64 size, const i64* shape, i64 axes, i64 kind, f32 threshold, i64 value, SampleEngine engine, i64* made) {
  i64 found = -1;
  if (kind == ABOVE) found = wanted_element(mask, size, Above<T>{threshold}, engine);
  if (kind == EQUAL) {
    T same_value;
    bool fits;
    if constexpr (same<T, b8>::value) same_value = b8{(u8)(value != 0)}, fits = value == 0 || value == 1;
    else same_value = (T)value, fits = (i64)(i32)same_value == value;
    if (fits) found = wanted_element(mask, size, Equal<T>{same_value}, engine);
  }
  for (i64 a = axes - 1, rest = found; found >= 0 && a >= 0; rest /= shape[a--]) made[a] = rest % shape[a];
  for (i64 a = 0; found < 0 && a < axes; a++) made[a] = uniform_whole(engine, 0, shape[a] - 1);
}

// Of masks, by their addresses; results go to addresses, too. Where `foreground` is 0, any element is drawn.
template <class T>
i64 random_pixels(Array<const i64, 1> masks, Dense<const i64, 2> shapes, Array<const i64, 1> made, i64 kind, Array<const i32, 1> foreground,
                  Array<const f32, 1> thresholds, Array<const i32, 1> values, Dense<const u64, 1> stream, Array<const i64, 1> places) {
  const i64 samples = masks.shape[0], axes = shapes.shape[1];
  if (shapes.shape[0] != samples || made.shape[0] != samples || foreground.shape[0] != samples || thresholds.shape[0] != samples ||
      values.shape[0] != samples || places.shape[0] != samples || stream.shape[0] != 3 || axes < 1)
    return MISFIT;
  for (i64 i = 0; i < shapes.size(); i++)
    if (shapes.data[i] < 1) return MISFIT;
  for (i64 i = 0; i < samples; i++) {
    const i64* shape = shapes.data + i * axes;
    i64 size = 1;
    for (i64 a = 0; a < axes; a++) size *= shape[a];
    const SampleEngine engine(Stream(stream.data), (u64)places(i));
    random_place((const T*)(u64)masks(i), size, shape, axes, foreground(i) ? kind : ANY, thresholds(i), values(i), engine, (i64*)(u64)made(i));
  }
  return 0;
}
REGISTER_EACH(random_pixels, RandomPixelsTypes)
