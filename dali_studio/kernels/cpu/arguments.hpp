// What Python hands to a kernel, and how it finds the kernels.
//
// A kernel is a C++ function of arrays and numbers. REGISTER puts it in a list that Python reads when the library is loaded,
// with a wrapper that checks each numpy array (element type, axes, writable, aligned, order of bytes) before the kernel begins.
// Arrays are read from numpy's own objects (PyArrayObject_fields, which is part of its binary interface): to ask Python for
// the address, shape and strides of each would take longer than many kernels run. See `native.py`.
#pragma once
#include "../include/numbers.hpp"

// ---------------------------------------------------------------------------------------------------- numpy's objects

struct NumpyArray {
  char* data;
  int axes;
  i64 *shape, *strides;  // in bytes
  void *base, *descriptor;
  int flags;
};
struct NumpyType {  // begins like this
  void* type_object;
  char kind, letter, order, flags;
  int number;
};
enum { C_CONTIGUOUS = 1, ALIGNED = 0x100, WRITEABLE = 0x400 };

inline i64 object_head = 16;         // bytes before the fields of any object
inline void* array_class = nullptr;  // numpy.ndarray

// numpy's numbers of the element types; 64 bits may have either of two.
template <class T> constexpr bool is_type(int number) {
  if constexpr (same<T, b8>::value) return number == 0;
  else if constexpr (same<T, i8>::value) return number == 1;
  else if constexpr (same<T, u8>::value) return number == 2;
  else if constexpr (same<T, i16>::value) return number == 3;
  else if constexpr (same<T, u16>::value) return number == 4;
  else if constexpr (same<T, i32>::value) return number == 5 || (sizeof(long) == 4 && number == 7);
  else if constexpr (same<T, u32>::value) return number == 6 || (sizeof(long) == 4 && number == 8);
  else if constexpr (same<T, i64>::value) return number == 9 || (sizeof(long) == 8 && number == 7);
  else if constexpr (same<T, u64>::value) return number == 10 || (sizeof(long) == 8 && number == 8);
  else if constexpr (same<T, f32>::value) return number == 11;
  else if constexpr (same<T, f64>::value) return number == 12;
  else { static_assert(same<T, f16>::value, "no element type of numpy"); return number == 23; }
}
template <class T> struct Name;
template <class T> struct Name<const T> : Name<T> {};
#define NAMED(T, TEXT) template <> struct Name<T> { static constexpr const char* text = TEXT; };
NAMED(b8, "bool") NAMED(i8, "int8") NAMED(u8, "uint8") NAMED(i16, "int16") NAMED(u16, "uint16") NAMED(i32, "int32") NAMED(u32, "uint32")
NAMED(i64, "int64") NAMED(u64, "uint64") NAMED(f16, "float16") NAMED(f32, "float32") NAMED(f64, "float64")
#undef NAMED

template <class T> struct plain { typedef T type; static const bool writable = true; };
template <class T> struct plain<const T> { typedef T type; static const bool writable = false; };

// ------------------------------------------------------------------------------------------------------------ arrays

// An array of N axes with any strides, which count elements. Array<const T, N> is only read.
template <class T, int N> struct Array {
  T* data;
  i64 shape[N], strides[N];
  HD i64 size() const {
    i64 product = 1;
    for (int i = 0; i < N; i++) product *= shape[i];
    return product;
  }
  template <class... I> HD T& operator()(I... index) const {
    i64 at = 0;
    int axis = 0;
    ((at += index * strides[axis++]), ...);
    return data[at];
  }
};
// The same without gaps, in C order.
template <class T, int N> struct Dense : Array<T, N> {};

// ------------------------------------------------------------------------------------------------------------- Python

typedef void* Object;  // PyObject*

// Python's functions, all of its stable interface, whose addresses Python itself brings (`native.py`, same order): the library
// is not linked to a Python, and serves all versions.
struct Python {
  i64 (*as_integer)(Object);
  u64 (*as_word)(Object);
  double (*as_real)(Object);
  Object (*integer)(i64);
  Object (*failed)();
  void (*clear)();
  void* (*release_lock)();
  void (*take_lock)(void*);
  Object (*tuple)(i64);
  int (*set_item)(Object, i64, Object);
  void (*keep)(Object);
  void (*drop)(Object);
  Object (*call)(Object, Object);
};
inline Python python{};

struct Method {  // PyMethodDef
  const char* name;
  Object (*call)(Object self, Object const* given, i64 count);
  int flags;
  const char* text;
};
enum { FAST_CALL = 0x80 };

// ------------------------------------------------------------------------------------------- from Python's arguments

enum Problem {
  NOT_AN_ARRAY = 1, WRONG_TYPE, WRONG_AXES, READ_ONLY, NOT_ALIGNED, NOT_DENSE, NOT_A_NUMBER, OUT_OF_RANGE, WRONG_COUNT, WRONG_SIZES
};
// What a kernel returns, before it has done anything, where the sizes of its arguments do not fit each other.
constexpr i64 MISFIT = limits<i64>::low;

struct Parameter {
  char kind;  // 'o': an array, 'i': an integer, 'd': a real number
  char axes;
  bool writable, dense;
  const char* type;
};

template <class T, int N, bool DENSE> HD int accept(Object object, Array<T, N>& array) {
  if (*(void**)((char*)object + object_head - sizeof(void*)) != array_class) return NOT_AN_ARRAY;
  const NumpyArray& from = *(const NumpyArray*)((char*)object + object_head);
  const NumpyType& type = *(const NumpyType*)((char*)from.descriptor + object_head);
  typedef typename plain<T>::type E;
  if (!is_type<E>(type.number) || type.order == '>') return WRONG_TYPE;
  if (from.axes != N) return WRONG_AXES;
  if (plain<T>::writable && !(from.flags & WRITEABLE)) return READ_ONLY;
  if (!(from.flags & ALIGNED)) return NOT_ALIGNED;
  if (DENSE && !(from.flags & C_CONTIGUOUS)) return NOT_DENSE;
  array.data = (T*)from.data;
  for (int i = 0; i < N; i++) {
    array.shape[i] = from.shape[i];
    array.strides[i] = from.strides[i] / (i64)sizeof(E);
  }
  return 0;
}

template <class P> struct Given;  // how a parameter of type P comes from Python
template <class P> struct Number {
  P value;
  HD int take(Object object) {
    i64 raw = python.as_integer(object);
    if (raw == -1 && python.failed()) return NOT_A_NUMBER;
    value = (P)raw;
    return (i64)value == raw ? 0 : OUT_OF_RANGE;
  }
  static constexpr Parameter parameter{'i', 0, false, false, "int"};
};
template <> struct Given<i64> : Number<i64> {};
template <> struct Given<int> : Number<int> {};
template <> struct Given<u32> : Number<u32> {};
template <> struct Given<bool> : Number<bool> {};
template <> struct Given<u64> {  // modulo 2^64
  u64 value;
  HD int take(Object object) {
    value = python.as_word(object);
    return value == ~0ull && python.failed() ? NOT_A_NUMBER : 0;
  }
  static constexpr Parameter parameter{'i', 0, false, false, "int"};
};
template <class P> struct Real {
  P value;
  HD int take(Object object) {
    double raw = python.as_real(object);
    if (raw == -1 && python.failed()) return NOT_A_NUMBER;
    value = (P)raw;
    return 0;
  }
  static constexpr Parameter parameter{'d', 0, false, false, "float"};
};
template <> struct Given<float> : Real<float> {};
template <> struct Given<double> : Real<double> {};
template <class T, int N> struct Given<Array<T, N>> {
  Array<T, N> value;
  HD int take(Object object) { return accept<T, N, false>(object, value); }
  static constexpr Parameter parameter{'o', N, plain<T>::writable, false, Name<T>::text};
};
template <class T, int N> struct Given<Dense<T, N>> {
  Dense<T, N> value;
  HD int take(Object object) { return accept<T, N, true>(object, value); }
  static constexpr Parameter parameter{'o', N, plain<T>::writable, true, Name<T>::text};
};

// ------------------------------------------------------------------------------------------------------- registration

struct Entry {
  Method method;
  const char* types[3];  // of the template's parameters; unused ones are null
  const Parameter* parameters;
  int count;
  int keeps_lock;  // runs for microseconds, so that giving Python's lock away and taking it again would cost more
  Entry* next;
};
inline Entry* entries = nullptr;

// refuse(position, problem, *given): its answer, or the error that it raises.
inline Object refused(Object refuse, int position, int problem, Object const* given, i64 count) {
  python.clear();
  Object all = python.tuple(count + 2);
  if (!all) return nullptr;
  python.set_item(all, 0, python.integer(position));
  python.set_item(all, 1, python.integer(problem));
  for (i64 i = 0; i < count; i++) {
    python.keep(given[i]);
    python.set_item(all, i + 2, given[i]);
  }
  Object answer = python.call(refuse, all);
  python.drop(all);
  return answer;
}

template <auto F> struct Wrapped;
template <class R, class... P, R (*F)(P...)> struct Wrapped<F> {
  static Object call(Object refuse, Object const* given, i64 count) { return run(refuse, given, count, Given<P>{}...); }
  static HD Object run(Object refuse, [[maybe_unused]] Object const* objects, i64 count, Given<P>... given) {
    int position = 0, problem = count == (i64)sizeof...(P) ? 0 : WRONG_COUNT;
    ((problem || (problem = given.take(objects[position++]))), ...);
    if (problem) return refused(refuse, position, problem, objects, count);
    void* thread = entry.keeps_lock ? nullptr : python.release_lock();
    i64 result = 0;
    if constexpr (same<R, void>::value) F(given.value...);
    else result = (i64)F(given.value...);
    if (thread) python.take_lock(thread);
    return result == MISFIT ? refused(refuse, 0, WRONG_SIZES, objects, count) : python.integer(result);
  }
  static constexpr Parameter parameters[] = {Given<P>::parameter..., {}};
  static inline Entry entry{};
  static bool add(const char* name, bool keeps_lock, const char* first = nullptr, const char* second = nullptr,
                  const char* third = nullptr) {
    entry = {{name, &call, FAST_CALL, nullptr}, {first, second, third}, parameters, (int)sizeof...(P), keeps_lock, entries};
    entries = &entry;
    return true;
  }
};

template <class... T> struct Types {};
template <class F, class... I> bool add_each(const char* name, bool keeps, Types<I...>) {
  return (Wrapped<F::template of<I>()>::add(name, keeps, Name<I>::text) && ...);
}
template <class F, class I, class... O> bool add_row(const char* name, bool keeps, Types<O...>) {
  return (Wrapped<F::template of<I, O>()>::add(name, keeps, Name<I>::text, Name<O>::text) && ...);
}
template <class F, class... I, class O> bool add_pairs(const char* name, bool keeps, Types<I...>, O outputs) {
  return (add_row<F, I>(name, keeps, outputs) && ...);
}

// A function without template parameters; one for each type of a list; one for each pair of two lists. The lists come from
// the operators' declarations (`instantiations.hpp`). SHORT: keeps Python's lock.
#define REGISTER(NAME) static const bool NAME##_registered = Wrapped<&NAME>::add(#NAME, false);
#define REGISTER_SHORT(NAME) static const bool NAME##_registered = Wrapped<&NAME>::add(#NAME, true);
#define REGISTER_EACH(NAME, TYPES)                                                     \
  struct NAME##_kernel { template <class T> static constexpr auto of() { return &NAME<T>; } }; \
  static const bool NAME##_registered = add_each<NAME##_kernel>(#NAME, false, TYPES{});
#define REGISTER_PAIRS(NAME, INPUTS, OUTPUTS)                                                     \
  struct NAME##_kernel { template <class I, class O> static constexpr auto of() { return &NAME<I, O>; } }; \
  static const bool NAME##_registered = add_pairs<NAME##_kernel>(#NAME, false, INPUTS{}, OUTPUTS{});
