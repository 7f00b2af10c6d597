// Loops of functors over the elements of a batch, whose operands are broadcast as numpy does it, and converted on the way.
//
// An output is computed in blocks that fit into the first cache: an operand that lies there as it is needed is read in place, any
// other is gathered into a block of the functor's type; one that repeats itself (a number, one for each channel) only once.
#pragma once
#include <string.h>

#include "../include/arithmetic.hpp"

#include "arguments.hpp"

enum { BLOCK = 768, MAX_AXES = 32, MAX_OPERANDS = 3 };

// Element types by number, as `elementwise.py` has them.
template <class T> struct CodeOf;
#define CODE(T, NUMBER) template <> struct CodeOf<T> { static const int value = NUMBER; };
CODE(b8, 0) CODE(u8, 1) CODE(i8, 2) CODE(u16, 3) CODE(i16, 4) CODE(u32, 5) CODE(i32, 6) CODE(u64, 7) CODE(i64, 8) CODE(f32, 9) CODE(f64, 10)
#undef CODE
enum { CODES = 11 };
static const int sizes_of[CODES] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

// Whether an element of that type is one of T without a conversion: integers of one size are, since they wrap around.
template <class T> bool same_bits(i64 code) {
  constexpr int own = CodeOf<T>::value;
  return code == own || (own > 0 && own < 9 && code > 0 && code < 9 && (code - 1) / 2 == (own - 1) / 2);
}

// `count` elements, `stride` apart, as T.
template <class T> using Loader = void (*)(const void* from, i64 stride, T* to, i64 count);
template <class I, class T> void load_as(const void* data, i64 stride, T* to, i64 count) {
  const I* from = (const I*)data;
  if (stride == 1)
    for (i64 i = 0; i < count; i++) to[i] = Plain<T, I>::of(from[i]);
  else if (stride == 0)
    for (i64 i = 0; i < count; i++) to[i] = Plain<T, I>::of(from[0]);
  else
    for (i64 i = 0; i < count; i++) to[i] = Plain<T, I>::of(from[i * stride]);
}
template <class T> Loader<T> loader(i64 code) {
  static constexpr Loader<T> all[CODES] = {load_as<b8, T>, load_as<u8, T>, load_as<i8, T>, load_as<u16, T>, load_as<i16, T>, load_as<u32, T>,
                                           load_as<i32, T>, load_as<u64, T>, load_as<i64, T>, load_as<f32, T>, load_as<f64, T>};
  return all[code];
}

// The shape that all operands of a sample have in common, as few axes as possible, and how they walk through it.
struct Walk {
  int axes;
  i64 extents[MAX_AXES], strides[MAX_OPERANDS][MAX_AXES], elements;
};

// Of sample `i`; false where an operand does not fit the output.
template <int K> bool begin_walk(Walk& walk, const Array<const i64, 2> (&shapes)[K], const Array<const i64, 2>& out, i64 i) {
  const i64 rank = out.shape[1];
  walk.axes = 0, walk.elements = 1;
  i64 steps[K];
  for (int k = 0; k < K; k++) steps[k] = 1;
  i64 extents[MAX_AXES], strides[K][MAX_AXES];
  int found = 0;
  for (i64 axis = rank - 1; axis >= 0; axis--) {  // from the innermost
    const i64 extent = out(i, axis);
    i64 step[K];
    for (int k = 0; k < K; k++) {
      const i64 own = axis - rank + shapes[k].shape[1], length = own >= 0 ? shapes[k](i, own) : 1;
      if (length != extent && length != 1) return false;
      step[k] = length == 1 ? 0 : steps[k];
      steps[k] *= length;
    }
    walk.elements *= extent;
    if (extent == 1) continue;
    bool joined = found > 0;
    for (int k = 0; k < K; k++) joined = joined && step[k] == strides[k][found - 1] * extents[found - 1];
    if (joined) {
      extents[found - 1] *= extent;
    } else {
      extents[found] = extent;
      for (int k = 0; k < K; k++) strides[k][found] = step[k];
      found++;
    }
  }
  for (int k = 0; k < K; k++)
    for (i64 own = 0; own < shapes[k].shape[1] - rank; own++)
      if (shapes[k](i, own) != 1) return false;
  walk.axes = found;
  for (int axis = 0; axis < found; axis++) {
    walk.extents[axis] = extents[found - 1 - axis];
    for (int k = 0; k < K; k++) walk.strides[k][axis] = strides[k][found - 1 - axis];
  }
  return true;
}

// Elements after which operand k repeats itself, or 0 if it never does.
inline i64 period_of(const Walk& walk, int k) {
  i64 period = 1;
  int axis = walk.axes;
  for (int outer = 0; outer < walk.axes; outer++)
    if (walk.strides[k][outer] != 0) {
      if (outer == 0) return 0;
      axis = outer;
      break;
    }
  for (; axis < walk.axes; axis++) period *= walk.extents[axis];
  return period;
}

inline bool lies_straight(const Walk& walk, int k) {
  i64 step = 1;
  for (int axis = walk.axes - 1; axis >= 0; axis--) {
    if (walk.strides[k][axis] != step) return false;
    step *= walk.extents[axis];
  }
  return true;
}

template <class T> void gather(const Walk& walk, int k, const char* data, i64 code, i64 start, i64 count, T* to) {
  const Loader<T> load = loader<T>(code);
  if (walk.axes == 0) return load(data, 0, to, count);
  const int last = walk.axes - 1;
  const i64 size = sizes_of[code], *strides = walk.strides[k];
  i64 index[MAX_AXES], rest = start, at = 0;
  for (int axis = last; axis >= 0; axis--) {
    index[axis] = rest % walk.extents[axis];
    rest /= walk.extents[axis];
    at += index[axis] * strides[axis];
  }
  while (true) {
    const i64 here = least(walk.extents[last] - index[last], count);
    load(data + at * size, strides[last], to, here);
    to += here, count -= here;
    if (count == 0) return;
    at -= index[last] * strides[last];
    index[last] = 0;
    for (int axis = last - 1; axis >= 0; axis--) {
      at += strides[axis];
      if (++index[axis] < walk.extents[axis]) break;
      at -= index[axis] * strides[axis];
      index[axis] = 0;
    }
  }
}

// One operand of type T while a sample is computed.
template <class T> struct Operand {
  const char* data;
  i64 code, period;
  bool straight, direct, kept;
  T block[BLOCK];

  const T* at(const Walk& walk, int k, i64 start, i64 count) {
    if (direct) return (const T*)data + start;
    if (straight) loader<T>(code)(data + start * sizes_of[code], 1, block, count);
    else if (!kept || start == 0) gather(walk, k, data, code, start, count, block);
    return block;
  }
};

// Whether a functor divides whole numbers, by `b`: zero is refused.
template <class F, class... T> struct DividesIntegers { static const bool value = false; };
template <class T> struct DividesIntegers<Divide, T, T> { static const bool value = !is_float<T>::value; };
template <class T> struct DividesIntegers<Modulo, T, T> { static const bool value = !is_float<T>::value; };
template <class T> bool has_zero(i64 count, const T*, const T* b) {
  bool found = false;
  for (i64 i = 0; i < count; i++) found |= b[i] == 0;
  return found;
}

template <class F, class R, class... T> HD void compute_block(R* out, i64 count, const T*... operands) {
  for (i64 i = 0; i < count; i++) out[i] = F::of(operands[i]...);
}

struct Addresses {
  Array<const i64, 1> at;
  Array<const i64, 2> shapes;
  i64 code;
};

// Gives 0, or the number of a sample with a division by zero, plus 1.
template <class F, class... T> struct Elementwise {
  typedef decltype(F::of(T()...)) R;
  static constexpr int K = sizeof...(T);

  template <int... I> struct Indices {};

  template <int... I> static i64 run(const Addresses (&given)[K], const Addresses& out, Indices<I...>) {
    const i64 samples = out.at.shape[0];
    const bool straight = same_bits<R>(out.code) || (out.code == CodeOf<b8>::value && same<R, u8>::value);  // u8 are 0 and 1 then
    Array<const i64, 2> shapes[K];
    bool fits = out.shapes.shape[0] == samples && out.shapes.shape[1] <= MAX_AXES && out.code >= 0 && out.code < CODES;
    for (int k = 0; k < K; k++) {
      shapes[k] = given[k].shapes;
      fits = fits && given[k].at.shape[0] == samples && shapes[k].shape[0] == samples && given[k].code >= 0 && given[k].code < CODES;
    }
    if (!fits) return MISFIT;
    Storage<Pack<T, I>...> operands;
    R results[BLOCK];
    Walk walk;
    for (i64 sample = 0; sample < samples; sample++) {
      if (!begin_walk(walk, shapes, out.shapes, sample)) return MISFIT;
      const i64 periods[] = {period_of(walk, I)...};
      i64 period = 1;
      for (i64 one : periods)
        if (one <= BLOCK) period = most(period, one);
      const i64 step = BLOCK - BLOCK % period;
      (operands.Pack<T, I>::begin(given[I], sample, lies_straight(walk, I), periods[I] > 0 && period % periods[I] == 0), ...);
      char* to = (char*)(u64)out.at(sample);
      for (i64 start = 0; start < walk.elements; start += step) {
        const i64 count = least(step, walk.elements - start);
        R* block = straight ? (R*)to + start : results;
        if (compute(block, count, operands.Pack<T, I>::operand.at(walk, I, start, count)...)) return sample + 1;
        if (!straight) store(results, count, to + start * sizes_of[out.code], out.code);
      }
    }
    return 0;
  }

  static bool compute(R* out, i64 count, const T*... operands) {
    if constexpr (DividesIntegers<F, T...>::value)
      if (has_zero(count, operands...)) return true;
    compute_block<F>(out, count, operands...);
    return false;
  }

  static void store(const R* from, i64 count, void* to, i64 code) {
    switch (code) {
      case 0: return load_as<R, b8>(from, 1, (b8*)to, count);
      case 1: case 2: return load_as<R, u8>(from, 1, (u8*)to, count);
      case 3: case 4: return load_as<R, u16>(from, 1, (u16*)to, count);
      case 5: case 6: return load_as<R, u32>(from, 1, (u32*)to, count);
      case 7: case 8: return load_as<R, u64>(from, 1, (u64*)to, count);
      case 9: return load_as<R, f32>(from, 1, (f32*)to, count);
      default: return load_as<R, f64>(from, 1, (f64*)to, count);
    }
  }

  template <class E, int I> struct Pack {
    Operand<E> operand;
    void begin(const Addresses& given, i64 sample, bool straight, bool repeats) {
      operand.data = (const char*)(u64)given.at(sample);
      operand.code = given.code;
      operand.straight = straight;
      operand.direct = straight && same_bits<E>(given.code);
      operand.kept = repeats;
    }
  };
  template <class... P> struct Storage : P... {};
};

typedef Array<const i64, 1> Places;
typedef Array<const i64, 2> Shapes;

template <class F, class A> i64 unary_batch(Places a, Shapes a_shapes, i64 a_code, Places out, Shapes out_shapes, i64 out_code) {
  typedef Elementwise<F, A> E;
  return E::run({{a, a_shapes, a_code}}, {out, out_shapes, out_code}, typename E::template Indices<0>());
}
template <class F, class A, class B>
i64 binary_batch(Places a, Shapes a_shapes, i64 a_code, Places b, Shapes b_shapes, i64 b_code, Places out, Shapes out_shapes, i64 out_code) {
  typedef Elementwise<F, A, B> E;
  return E::run({{a, a_shapes, a_code}, {b, b_shapes, b_code}}, {out, out_shapes, out_code}, typename E::template Indices<0, 1>());
}
template <class F, class T>
i64 ternary_batch(Places a, Shapes a_shapes, i64 a_code, Places b, Shapes b_shapes, i64 b_code, Places c, Shapes c_shapes, i64 c_code,
                  Places out, Shapes out_shapes, i64 out_code) {
  typedef Elementwise<F, T, T, T> E;
  return E::run({{a, a_shapes, a_code}, {b, b_shapes, b_code}, {c, c_shapes, c_code}}, {out, out_shapes, out_code},
                typename E::template Indices<0, 1, 2>());
}

template <class F, class... T> bool add_unary(const char* name, Types<T...>) {
  return (Wrapped<&unary_batch<F, T>>::add(name, false, Name<T>::text) && ...);
}
template <class F, class... T> bool add_binary(const char* name, Types<T...>) {
  return (Wrapped<&binary_batch<F, T, T>>::add(name, false, Name<T>::text, Name<T>::text) && ...);
}
template <class F> bool add_mixed(const char* name) {
  return Wrapped<&binary_batch<F, u64, i64>>::add(name, false, "uint64", "int64") &&
         Wrapped<&binary_batch<F, i64, u64>>::add(name, false, "int64", "uint64");
}
template <class F, class... T> bool add_ternary(const char* name, Types<T...>) {
  return (Wrapped<&ternary_batch<F, T>>::add(name, false, Name<T>::text, Name<T>::text, Name<T>::text) && ...);
}
#define REGISTER_UNARY(F, ...) static const bool F##_unary = add_unary<F>(#F, Types<__VA_ARGS__>{});
#define REGISTER_BINARY(F, ...) static const bool F##_binary = add_binary<F>(#F, Types<__VA_ARGS__>{});
#define REGISTER_MIXED(F) static const bool F##_mixed = add_mixed<F>(#F);
#define REGISTER_TERNARY(F, ...) static const bool F##_ternary = add_ternary<F>(#F, Types<__VA_ARGS__>{});
