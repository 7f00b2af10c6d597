// Smallest, largest and middle elements of boxes of (outer, height, width, inner) elements: a thread computes one. Macros: IN; KIND
// is 0 for the smallest, 1 for the largest, 2 for the middle one; BORDER as in border.hpp, which hides what is nowhere; FEW: how many
// elements the boxes of all samples have, if registers hold them, or 0.
#include "../include/border.hpp"

struct Item {
  const IN* from;
  IN* to;
  i64 count, inner;
  i32 height, width;                // of the images
  i32 high, wide, above, left;      // of the box; which row and column of it lie on the element that is computed
};

// Numbers in the order of the elements, as unsigned ones.
template <class T> __device__ __forceinline__ u32 key_of(T x) { return x; }
template <> __device__ __forceinline__ u32 key_of<i32>(i32 x) { return (u32)x ^ 0x80000000u; }
template <> __device__ __forceinline__ u32 key_of<f32>(f32 x) {
  const u32 bits = bits_of(x);
  return bits ^ ((bits >> 31) * 0x7FFFFFFFu | 0x80000000u);
}
template <class T> __device__ __forceinline__ T from_key(u32 key) { return (T)key; }
template <> __device__ __forceinline__ i32 from_key<i32>(u32 key) { return (i32)(key ^ 0x80000000u); }
template <> __device__ __forceinline__ f32 from_key<f32>(u32 key) {
  return from_bits(key ^ (((key >> 31) ^ 1) * 0x7FFFFFFFu | 0x80000000u));
}

// Calls each(element) for those of the box around the pixel at (y, x), whose elements begin at `image`.
template <class EACH> __device__ __forceinline__ void each_of(const Item& t, const IN* image, int y, int x, EACH each) {
  for (int j = 0; j < t.high; j++) {
    const i64 row = bordered(y - t.above + j, t.height, (Border)BORDER);
    if (BORDER == CONSTANT && row < 0) continue;
    const IN* line = image + row * t.width * t.inner;
    for (int k = 0; k < t.wide; k++) {
      const i64 column = bordered(x - t.left + k, t.width, (Border)BORDER);
      if (BORDER == CONSTANT && column < 0) continue;
      each(line[column * t.inner]);
    }
  }
}

#if KIND == 2
__device__ __forceinline__ void order(u32& a, u32& b) {
  const u32 low = least(a, b);
  b = most(a, b), a = low;
}

// The smallest and largest of just more than half of an odd number cannot be the middle one, and make room for the next.
template <int COUNT> __device__ __forceinline__ u32 middle_of_few(u32 (&all)[COUNT]) {
  const int half = (COUNT + 3) / 2;
#pragma unroll
  for (int next = half; next <= COUNT; next++) {
    const int size = 2 * half - next;
#pragma unroll
    for (int i = 0; i < size / 2; i++) order(all[i], all[size - 1 - i]);
#pragma unroll
    for (int i = 1; i < (size + 1) / 2; i++) order(all[0], all[i]);
#pragma unroll
    for (int i = size / 2; i < size - 1; i++) order(all[i], all[size - 1]);
    if (next < COUNT) all[0] = all[next];
  }
  return all[1];
}

// Bit by bit, from the highest: the largest number that no more than half of all are less than.
__device__ __forceinline__ u32 middle_of_many(const Item& t, const IN* image, int y, int x) {
  u32 found = 0;
  for (int bit = 8 * sizeof(IN) - 1; bit >= 0; bit--) {
    const u32 tried = found | 1u << bit;
    int less = 0;
    each_of(t, image, y, x, [&](IN element) { less += key_of<IN>(element) < tried; });
    if (less <= t.high * t.wide / 2) found = tried;
  }
  return found;
}
#endif

extern "C" __global__ void __launch_bounds__(256) rank(const Item* __restrict__ items) {
  const Item t = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= t.count) return;
  const i64 pixel = t.inner == 1 ? i : t.count >> 32 ? i / t.inner : (u32)i / (u32)t.inner;
  const i64 line = t.count >> 32 ? pixel / t.width : (u32)pixel / (u32)t.width;
  const int x = (int)(pixel - line * t.width), y = (int)(line % t.height);
  const IN* image = t.from + i - ((i64)y * t.width + x) * t.inner;
#if KIND < 2
  IN found = t.from[i];  // which lies in the box
  each_of(t, image, y, x, [&](IN element) { found = KIND ? most(found, element) : least(found, element); });
  t.to[i] = found;
#elif FEW > 1
  u32 all[FEW];
  const int wide = t.wide;
  int j = 0, k = 0;
#pragma unroll
  for (int at = 0; at < FEW; at++) {
    const int row = between(y - t.above + j, 0, t.height - 1), column = between(x - t.left + k, 0, t.width - 1);
    all[at] = key_of<IN>(image[((i64)row * t.width + column) * t.inner]);
    if (++k == wide) k = 0, j++;
  }
  t.to[i] = from_key<IN>(middle_of_few(all));
#else
  t.to[i] = from_key<IN>(middle_of_many(t, image, y, x));
#endif
}
