// The loops of `reduce.py`.
//
// Real numbers are added in nvidia.dali's order, so that sums are equal to the last bit: an axis is halved until at most 32
// elements are left, which are added one after the other; of several axes, the outermost is halved first.
#include "../include/reduction.hpp"

#include "arguments.hpp"
#include "vector.hpp"

enum { LEAF = 32, MOST_AXES = 32, LANES = 16 };
enum Taken { ITSELF, SQUARE, DEVIATION };
enum Finish { AS_IS, MEAN, ROOT };

// Axes of a sample, outermost first; neighbours that are reduced count as one, as do those that are kept.
struct Axes {
  int count;
  i64 extents[MOST_AXES], strides[MOST_AXES], elements;
  void begin() { count = 0, elements = 1; }
  void add(i64 extent, i64 stride, bool joined) {
    if (joined) {
      extents[count - 1] *= extent;
      strides[count - 1] = stride;
    } else {
      extents[count] = extent;
      strides[count++] = stride;
    }
    elements *= extent;
  }
};

static void divide_axes(const Array<const i64, 2>& shapes, const Array<const b8, 1>& reduced, i64 i, Axes& gone, Axes& kept) {
  i64 strides[MOST_AXES], step = 1;
  const int rank = (int)shapes.shape[1];
  for (int axis = rank - 1; axis >= 0; axis--) strides[axis] = step, step *= shapes(i, axis);
  gone.begin(), kept.begin();
  for (int axis = 0; axis < rank; axis++) {
    const bool is_reduced = reduced(axis).value;
    const bool joined = axis > 0 && (reduced(axis - 1).value != 0) == is_reduced;
    (is_reduced ? gone : kept).add(shapes(i, axis), strides[axis], joined);
  }
}

// One output.
template <class R, class A, class I, class P> struct Scalar {
  typedef A Result;
  P part;
  A neutral() const { return R::template neutral<A>(); }
  A take(const I* p) const { return part.template operator()<A>(*p); }
  static A join(A a, A b) { return R::of(a, b); }
};
// The sums of as many outputs as a vector has lanes, whose elements are neighbours.
template <class I, class P> struct Lanes {
  typedef f32x16 Result;
  P part;
  Result neutral() const { return 0; }
  Result take(const I* p) const {
    Result x = load<LANES>(p);
    if constexpr (same<P, Square>::value) return x * x;
    else return x;
  }
  static Result join(Result a, Result b) { return a + b; }
};

template <class S, class I> typename S::Result reduce_row(const S& s, const I* from, i64 stride, i64 count) {
  if (count > LEAF) {
    const i64 half = count >> 1;
    auto first = reduce_row(s, from, stride, half);
    return s.join(first, reduce_row(s, from + half * stride, stride, count - half));
  }
  auto result = s.neutral();
  if (stride == 1)
    for (i64 i = 0; i < count; i++) result = s.join(result, s.take(from + i));
  else
    for (i64 i = 0; i < count; i++) result = s.join(result, s.take(from + i * stride));
  return result;
}

template <class S, class I> typename S::Result reduce_axes(const S& s, const Axes& axes, int axis, i64 extent, const I* from) {
  if (axes.count == 0) return s.take(from);
  const i64 stride = axes.strides[axis];
  if (axis == axes.count - 1) return reduce_row(s, from, stride, extent);
  i64 inner = 1;
  for (int next = axis + 1; next < axes.count; next++) inner *= axes.extents[next];
  if (extent >= 2 && extent * inner > LEAF) {
    const i64 half = extent / 2;
    auto first = reduce_axes(s, axes, axis, half, from);
    return s.join(first, reduce_axes(s, axes, axis, extent - half, from + half * stride));
  }
  auto result = s.neutral();
  for (i64 i = 0; i < extent; i++) result = s.join(result, reduce_axes(s, axes, axis + 1, axes.extents[axis + 1], from + i * stride));
  return result;
}

// What is made of the sum of one output; whole numbers are cut towards zero.
template <class A> struct Finisher {
  Finish finish;
  float factor;
  A operator()(A sum) const {
    if (finish == AS_IS) return sum;
    const float mean = (float)sum * factor, result = finish == MEAN ? mean : __builtin_sqrtf(mean);
    if constexpr (same<A, f32>::value) return result;
    else if constexpr (same<A, u64>::value) return cut_u64(result);
    else return (A)cut_i64(result);
  }
};

template <class R, class A, class I, class P>
void reduce_sample(const I* from, const Axes& gone, const Axes& kept, const Finisher<A>& finish, P part, const float* means, A* to) {
  if (kept.elements == 0) return;
  i64 index[MOST_AXES] = {}, at = 0;
  const int last = kept.count - 1;
  const i64 whole = gone.count ? gone.extents[0] : 0;
  // neighbouring outputs are sums of neighbouring elements
  constexpr bool vectors = same<R, Sum>::value && same<A, f32>::value && !same<P, SquaredDeviation>::value &&
                           (same<I, f32>::value || sizeof(I) <= 2);
  for (i64 out = 0; out < kept.elements;) {
    i64 done = 1;
    if constexpr (vectors) {
      if (last >= 0 && kept.strides[last] == 1 && gone.count && kept.extents[last] - index[last] >= LANES) {
        f32x16 sums = reduce_axes(Lanes<I, P>{part}, gone, 0, whole, from + at);
        for (int lane = 0; lane < LANES; lane++) to[out + lane] = finish(sums[lane]);
        done = LANES;
      }
    }
    if (done == 1) {
      if constexpr (same<P, SquaredDeviation>::value) part.mean = means[out];
      to[out] = finish(reduce_axes(Scalar<R, A, I, P>{part}, gone, 0, whole, from + at));
    }
    out += done;
    for (int axis = last; axis >= 0; axis--) {
      index[axis] += done, at += done * kept.strides[axis];
      if (index[axis] < kept.extents[axis]) break;
      at -= index[axis] * kept.strides[axis];
      index[axis] = 0, done = 1;
    }
  }
}

typedef Array<const i64, 1> Places;

static bool reducible(const Places& src, const Array<const i64, 2>& shapes, const Array<const b8, 1>& reduced, const Places& out) {
  return shapes.shape[0] == src.shape[0] && out.shape[0] == src.shape[0] && reduced.shape[0] == shapes.shape[1] &&
         shapes.shape[1] <= MOST_AXES;
}

template <class A, class I>
i64 sum_batch(Places src, Array<const i64, 2> shapes, Array<const b8, 1> reduced, Places means, i64 taken, i64 finish, i64 ddof, Places out) {
  if (!reducible(src, shapes, reduced, out) || (taken == DEVIATION && means.shape[0] != src.shape[0])) return MISFIT;
  Axes gone, kept;
  for (i64 i = 0; i < src.shape[0]; i++) {
    divide_axes(shapes, reduced, i, gone, kept);
    const Finisher<A> finisher{(Finish)finish, (float)(1.0 / (double)(gone.elements - ddof))};
    const I* from = (const I*)(u64)src(i);
    A* to = (A*)(u64)out(i);
    if (taken == DEVIATION && gone.count == 0 && shapes.shape[1] > 0) {  // nvidia.dali's answer where no axis is reduced
      for (i64 k = 0; k < kept.elements; k++) to[k] = 0;
      continue;
    }
    if (taken == SQUARE) reduce_sample<Sum, A, I>(from, gone, kept, finisher, Square{}, nullptr, to);
    else if (taken == DEVIATION) {
      if constexpr (same<A, f32>::value)
        reduce_sample<Sum, A, I>(from, gone, kept, finisher, SquaredDeviation{0}, (const float*)(u64)means(i), to);
      else return MISFIT;
    } else reduce_sample<Sum, A, I>(from, gone, kept, finisher, Itself{}, nullptr, to);
  }
  return 0;
}

template <class R, class I> i64 extremes(const Places& src, const Array<const i64, 2>& shapes, const Array<const b8, 1>& reduced, const Places& out) {
  if (!reducible(src, shapes, reduced, out)) return MISFIT;
  Axes gone, kept;
  for (i64 i = 0; i < src.shape[0]; i++) {
    divide_axes(shapes, reduced, i, gone, kept);
    reduce_sample<R, I, I>((const I*)(u64)src(i), gone, kept, Finisher<I>{AS_IS, 1}, Itself{}, nullptr, (I*)(u64)out(i));
  }
  return 0;
}
template <class I> i64 minimum_batch(Places src, Array<const i64, 2> shapes, Array<const b8, 1> reduced, Places out) {
  return extremes<Minimum, I>(src, shapes, reduced, out);
}
template <class I> i64 maximum_batch(Places src, Array<const i64, 2> shapes, Array<const b8, 1> reduced, Places out) {
  return extremes<Maximum, I>(src, shapes, reduced, out);
}

typedef Types<u8, i8, u16, i16, u32, i32, u64, i64, f32> Reduced;
REGISTER_EACH(minimum_batch, Reduced)
REGISTER_EACH(maximum_batch, Reduced)

// The sums of numbers of type I, each in the types that it may become; A is that of the additions too, as in nvidia.dali.
#define SUMS(NAME, A)                                                                                                             \
  template <class I>                                                                                                              \
  i64 NAME(Places src, Array<const i64, 2> shapes, Array<const b8, 1> reduced, Places means, i64 taken, i64 finish, i64 ddof,     \
           Places out) {                                                                                                          \
    return sum_batch<A, I>(src, shapes, reduced, means, taken, finish, ddof, out);                                                \
  }
template <class I> struct Long { typedef i64 type; };
template <> struct Long<u8> { typedef u64 type; };
template <> struct Long<u16> { typedef u64 type; };
template <> struct Long<u32> { typedef u64 type; };
template <> struct Long<u64> { typedef u64 type; };
SUMS(float_sums, f32)
SUMS(long_sums, typename Long<I>::type)
SUMS(own_sums, I)
typedef Types<u8, i8, u16, i16, u32, i32, u64, i64> Integers;
typedef Types<u8, i8, u16, i16, u32, i32> Narrow;
REGISTER_EACH(float_sums, Reduced)
REGISTER_EACH(long_sums, Integers)
REGISTER_EACH(own_sums, Narrow)

// For the GPU: of each sample the axes that are reduced, then those that are kept: how many, their elements, extents and strides.
static i64 divided_axes(Array<const i64, 2> shapes, Array<const b8, 1> reduced, Array<i64, 2> words) {
  enum { KEPT = 16, WORDS = 2 + 2 * KEPT };
  if (words.shape[0] != shapes.shape[0] || words.shape[1] != 2 * WORDS || reduced.shape[0] != shapes.shape[1] ||
      shapes.shape[1] > MOST_AXES)
    return MISFIT;
  Axes gone, kept;
  const Axes* both[] = {&gone, &kept};
  for (i64 i = 0; i < shapes.shape[0]; i++) {
    divide_axes(shapes, reduced, i, gone, kept);
    for (int k = 0; k < 2; k++) {
      const Axes& axes = *both[k];
      words(i, k * WORDS) = axes.count, words(i, k * WORDS + 1) = axes.elements;
      for (int axis = 0; axis < axes.count && axis < KEPT; axis++)
        words(i, k * WORDS + 2 + axis) = axes.extents[axis], words(i, k * WORDS + 2 + KEPT + axis) = axes.strides[axis];
    }
  }
  return 0;
}
REGISTER_SHORT(divided_axes)
