// The library's face towards `native.py`.
#include "arguments.hpp"

#ifdef _WIN32
#define VISIBLE extern "C" __declspec(dllexport)
#else
#define VISIBLE extern "C" __attribute__((visibility("default")))
#endif

// What kernels need of Python. `head`: the bytes before the fields of an object; `ndarray`: the class of numpy. Gives the first of
// all kernels.
VISIBLE Entry* dali_studio_begin(i64 head, Object ndarray, const Python* functions) {
  object_head = head;
  array_class = ndarray;
  python = *functions;
  return entries;
}

// A kernel by its name and types, each after a space, or null.
VISIBLE Entry* dali_studio_kernel(const char* key) {
  for (Entry* entry = entries; entry; entry = entry->next) {
    const char* rest = key;
    auto takes = [&](const char* word) {
      while (*word && *word == *rest) word++, rest++;
      return *word == 0;
    };
    bool fits = takes(entry->method.name);
    for (const char* type : entry->types) fits = fits && (!type || (takes(" ") && takes(type)));
    if (fits && *rest == 0) return entry;
  }
  return nullptr;
}

// Whether an array is read here as numpy says it is; otherwise another version of numpy lays its objects out differently.
VISIBLE int dali_studio_reads(Object object, i64 data, i64 rows, i64 columns, i64 row, i64 column) {
  Array<const f32, 2> array;
  return accept<const f32, 2, false>(object, array) == 0 && (i64)array.data == data && array.shape[0] == rows &&
         array.shape[1] == columns && array.strides[0] == row && array.strides[1] == column;
}

// The level of x86-64 that this processor, and the system below us, have: 1, 3 or 4; 0 on other processors.
VISIBLE int dali_studio_level() {
#if defined(__x86_64__)
  u32 a, b, c, d;
  auto ask = [&](u32 leaf) { __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(leaf), "c"(0)); };
  auto all = [](u32 word, u32 bits) { return (word & bits) == bits; };
  ask(0);
  if (a < 7) return 1;
  ask(1);
  if (!all(c, 1u << 12 | 1u << 22 | 1u << 23 | 1u << 27 | 1u << 28 | 1u << 29)) return 1;  // FMA, MOVBE, POPCNT, OSXSAVE, AVX, F16C
  u32 saved, high;  // the registers that the system keeps for each process
  __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  ask(0x80000001);
  if (!all(saved, 6) || !all(c, 1u << 5)) return 1;  // LZCNT
  ask(7);
  if (!all(b, 1u << 3 | 1u << 5 | 1u << 8)) return 1;  // BMI1, AVX2, BMI2
  return all(b, 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31) && all(saved, 0xE6) ? 4 : 3;  // AVX-512 F, DQ, CD, BW, VL
#else
  return 0;
#endif
}
