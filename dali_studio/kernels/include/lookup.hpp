// Tables that give a value for each element.
#pragma once
#include "numbers.hpp"

enum { TABLE_KEYS = 1 << 16 };  // keys of a table; behind their values stands that of all other elements

// Where a table has the value for an element, an integer of any type.
template <class I> HD i64 place_in_table(I key) {
  if constexpr ((u64)limits<I>::high < TABLE_KEYS && limits<I>::low == 0) return key;
  else return (u64)key < TABLE_KEYS ? (i64)key : TABLE_KEYS;  // negative ones are large
}

// The table that spreads a histogram evenly, as OpenCV's equalizeHist does: the share of elements up to each one, without those of
// the first that occurs, rounded half to even.
HD void equalizing_table(const u32 (&counts)[256], u32 total, u8 (&table)[256]) {
  int i = 0;
  while (i < 255 && !counts[i]) i++;
  const bool one = counts[i] == total;  // all are equal and stay
  const float scale = 255.f / (float)(one ? 1 : total - counts[i]);
  for (int k = 0; k <= i; k++) table[k] = (u8)(one ? i : 0);
  for (u32 sum = 0; ++i < 256;) {
    sum += counts[i];
    table[i] = (u8)between((float)(i32)sum * scale + 12582912.f - 12582912.f, 0.f, 255.f);
  }
}
