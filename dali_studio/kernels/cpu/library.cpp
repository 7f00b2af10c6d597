// The library's face towards `native.py`.
#include "arguments.hpp"
#include "visible.hpp"

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
