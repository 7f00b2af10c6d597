// A row of elements for each number, all alike but one. Macros: IN, the type of the numbers; OUT, of the size of the results.
#include "../include/one_hot.hpp"

struct Item {
  const IN* from;
  OUT* to;
  i64 count, inner;  // elements of the result; numbers whose rows alternate
};

// values: what stands where the class is not that of the number, and where it is.
extern "C" __global__ void __launch_bounds__(256) one_hot(const Item* __restrict__ items, const OUT* __restrict__ values, i64 classes) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  const i64 row = i / item.inner;
  item.to[i] = values[class_of(item.from[row / classes * item.inner + i % item.inner]) == row % classes];
}
