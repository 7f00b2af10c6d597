// Loops of `rank.py`: smallest, largest and middle elements of boxes.
#include "instantiations.hpp"
#include "lines.hpp"

template <class T> struct Row { enum { count = 64 / sizeof(T) }; };
template <class T> using Wide = Vector<T, Row<T>::count>;

template <class T> HD void put(T* to, Wide<T> v, i64 count) {
  if (count >= Row<T>::count) write(to, v);
  else memcpy(to, &v, (u64)count * sizeof(T));
}

template <bool LARGEST, class V> HD V extreme_of(V a, V b) {
  return LARGEST ? __builtin_elementwise_max(a, b) : __builtin_elementwise_min(a, b);
}

// Of lines first, then of the columns of what they gave.
template <bool LARGEST, class T> static void extremes(const T* const* lines, i64 high, i64 wide, i64 inner, i64 count, T* column, T* to) {
  const i64 length = count + (wide - 1) * inner;
  for (i64 i = 0; i < length; i += Row<T>::count) {
    Wide<T> v = read<Wide<T>>(lines[0] + i);
    for (i64 j = 1; j < high; j++) v = extreme_of<LARGEST>(v, read<Wide<T>>(lines[j] + i));
    write(column + i, v);
  }
  for (i64 i = 0; i < count; i += Row<T>::count) {
    Wide<T> v = read<Wide<T>>(column + i);
    for (i64 k = 1; k < wide; k++) v = extreme_of<LARGEST>(v, read<Wide<T>>(column + i + k * inner));
    put(to + i, v, count - i);
  }
}

template <class V> HD void order(V& a, V& b) {
  const V low = __builtin_elementwise_min(a, b);
  b = __builtin_elementwise_max(a, b), a = low;
}

enum { FEW = 49 };  // elements of a box whose middle one is found by taking away the smallest and largest

// Of an odd number of vectors, which are overwritten, the middle element of each lane: the smallest and largest of just more than
// half of them cannot be it, and make room for the next one.
template <class V> HD V middle_of_few(V* all, i64 count) {
  if (count == 1) return all[0];
  i64 size = (count + 3) / 2;
  for (i64 next = size;; next++, size--) {
    for (i64 i = 0; i < size / 2; i++) order(all[i], all[size - 1 - i]);
    for (i64 i = 1; i < (size + 1) / 2; i++) order(all[0], all[i]);
    for (i64 i = size / 2; i < size - 1; i++) order(all[i], all[size - 1]);
    if (next >= count) return all[1];
    all[0] = all[next];
  }
}

// Numbers in the order of the elements, as unsigned ones.
template <class T> struct Key { typedef T type; };
template <> struct Key<i32> { typedef u32 type; };
template <> struct Key<f32> { typedef u32 type; };
template <class T, class V> HD auto key_of(V v) {
  typedef Vector<typename Key<T>::type, Row<T>::count> K;
  const K bits = __builtin_bit_cast(K, v);
  if constexpr (same<T, i32>::value) return bits ^ 0x80000000u;
  else if constexpr (same<T, f32>::value) return bits ^ ((bits >> 31) * 0x7FFFFFFFu | 0x80000000u);
  else return bits;
}
template <class T, class K> HD Wide<T> from_key(K key) {
  if constexpr (same<T, i32>::value) key = key ^ 0x80000000u;
  else if constexpr (same<T, f32>::value) key = key ^ (((key >> 31) ^ 1) * 0x7FFFFFFFu | 0x80000000u);
  return __builtin_bit_cast(Wide<T>, key);
}

// Bit by bit, from the highest: the largest number that no more than half of all are less than.
template <class T> HD Wide<T> middle_of_many(const T* const* taps, i64 count, i64 at) {
  typedef Vector<typename Key<T>::type, Row<T>::count> K;
  typedef Vector<i32, Row<T>::count> Count;
  K found = {};
  for (int bit = 8 * sizeof(T) - 1; bit >= 0; bit--) {
    const K tried = found | (K)((typename Key<T>::type)1 << bit);
    Count less = {};
    for (i64 begin = 0; begin < count; begin += 255) {  // what a byte can count
      const i64 end = least(count, begin + 255);
      K some = {};
      for (i64 k = begin; k < end; k++) some -= __builtin_bit_cast(K, key_of<T>(read<Wide<T>>(taps[k] + at)) < tried);
      less += __builtin_convertvector(some, Count);
    }
    const auto take = __builtin_convertvector(less <= (i32)(count / 2), Vector<typename Key<T>::type, Row<T>::count>);
    found = found | (take & (tried ^ found));
  }
  return from_key<T>(found);
}

template <class T> static void middles(const T* const* taps, i64 count, i64 width, T* to) {
  for (i64 i = 0; i < width; i += Row<T>::count) {
    if (count > FEW) {
      put(to + i, middle_of_many(taps, count, i), width - i);
    } else {
      Wide<T> all[FEW];
      for (i64 k = 0; k < count; k++) all[k] = read<Wide<T>>(taps[k] + i);
      put(to + i, middle_of_few(all, count), width - i);
    }
  }
}

// (N, height, width, inner) elements as those of one depth each.
template <class T> HD Dense<T, 5> flat(const Dense<T, 4>& array) {
  Dense<T, 5> made = {};
  made.data = array.data;
  for (int axis = 0; axis < 4; axis++) made.shape[axis + (axis > 0)] = array.shape[axis];
  made.shape[1] = 1;
  return made;
}
static bool rank_box(const Dense<const i64, 1>& window, const Dense<const i64, 1>& anchor, Box& box) {
  if (window.shape[0] != 2 || anchor.shape[0] != 2) return false;
  box = {{1, window.data[0], window.data[1]}, {0, anchor.data[0], anchor.data[1]}};
  return true;
}

// `window` and `anchor` count rows and columns. Both return the bytes of scratch memory that they need, if there are fewer.
template <class T>
i64 box_extremes(Dense<const T, 4> image, Dense<T, 4> result, Dense<const i64, 1> window, Dense<const i64, 1> anchor, int border,
                 Dense<const T, 1> fill, bool largest, Dense<u8, 1> scratch) {
  const auto src = flat(image);
  const auto out = flat(result);
  Box box;
  if (!rank_box(window, anchor, box) || fill.shape[0] != 1 || !boxes_fit(src, out, box, (Border)border)) return MISFIT;
  if (!out.size()) return 0;
  const i64 high = box.extent[1], wide = box.extent[2], inner = src.shape[4];
  Pieces pieces = {(u64)scratch.data};
  T* column = pieces.take<T>(most<i64>(1024, inner) + wide * inner + SLACK);
  const auto run = [&](bool dry) {
    return each_box<T>(src, out, box, (Border)border, fill.data[0], pieces.next, dry, [&](const T* const* lines, i64 place, i64 count) {
      if (largest) extremes<true>(lines, high, wide, inner, count, column, out.data + place);
      else extremes<false>(lines, high, wide, inner, count, column, out.data + place);
    });
  };
  const i64 needed = (i64)(run(true) - (u64)scratch.data) + 64;
  if (scratch.shape[0] < needed) return needed;
  run(false);
  return 0;
}
REGISTER_EACH(box_extremes, BoxExtremesTypes)

template <class T>
i64 box_medians(Dense<const T, 4> image, Dense<T, 4> result, Dense<const i64, 1> window, Dense<const i64, 1> anchor, Dense<u8, 1> scratch) {
  const auto src = flat(image);
  const auto out = flat(result);
  Box box;
  if (!rank_box(window, anchor, box) || !boxes_fit(src, out, box, CLAMP) || box.lines() * box.extent[2] % 2 == 0) return MISFIT;
  if (!out.size()) return 0;
  const i64 high = box.extent[1], wide = box.extent[2], inner = src.shape[4];
  Pieces pieces = {(u64)scratch.data};
  const T** taps = pieces.take<const T*>(high * wide);
  const auto run = [&](bool dry) {
    return each_box<T>(src, out, box, CLAMP, T{}, pieces.next, dry, [&](const T* const* lines, i64 place, i64 count) {
      for (i64 j = 0; j < high; j++)
        for (i64 k = 0; k < wide; k++) taps[j * wide + k] = lines[j] + k * inner;
      middles(taps, high * wide, count, out.data + place);
    });
  };
  const i64 needed = (i64)(run(true) - (u64)scratch.data) + 64;
  if (scratch.shape[0] < needed) return needed;
  run(false);
  return 0;
}
REGISTER_EACH(box_medians, BoxMediansTypes)
