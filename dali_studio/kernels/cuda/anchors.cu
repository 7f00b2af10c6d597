// Boxes and anchors: what `encode_boxes` of `kernels/cpu/boxes.cpp` does.
#include "../include/anchors.hpp"

struct Item {
  const float* boxes;
  const i32* labels;
  float* to;
  i32* to_labels;
  i64 count, first;  // boxes of the sample, and where `matched` has the first of them
};
// `table` has rows for left, top, right, bottom and area of `count` anchors.
__device__ __forceinline__ float overlap_at(const Box<2>& box, const float* table, i64 count, i64 a) {
  return overlap_with(box, box.volume(), table[a], table[count + a], table[2 * count + a], table[3 * count + a], table[4 * count + a]);
}

// The anchor that each box overlaps most; of equal ones the last.
extern "C" __global__ void __launch_bounds__(256) match_boxes(
    const Item* __restrict__ items, const float* __restrict__ table, i64 count, i64* __restrict__ matched) {
  const Item& item = items[blockIdx.y];
  const i64 b = (i64)blockIdx.x * 256 + threadIdx.x;
  if (b >= item.count) return;
  const Box<2> box = read_box(item.boxes + 4 * b, true);
  i64 last = 0;
  float best = overlap_at(box, table, count, 0);
  for (i64 a = 1; a < count; a++) {
    const float found = overlap_at(box, table, count, a);
    if (found >= best) best = found, last = a;
  }
  matched[item.first + b] = last;
}

// Of each anchor the box that overlaps it most, of equal ones the last; a box has the anchor that it was matched with.
// `numbers`: four means and four deviations.
extern "C" __global__ void __launch_bounds__(256) encode_boxes(
    const Item* __restrict__ items, const float* __restrict__ table, const float* __restrict__ numbers, i64 count,
    const i64* __restrict__ matched, float criteria, i64 offsets, float scale) {
  const Item& item = items[blockIdx.y];
  const i64 a = (i64)blockIdx.x * 256 + threadIdx.x;
  if (a >= count) return;
  float best = 0;
  i64 which = 0;
  for (i64 b = 0; b < item.count; b++) {
    const float found = matched[item.first + b] == a ? 2.f : overlap_at(read_box(item.boxes + 4 * b, true), table, count, a);
    if (b == 0 || found >= best) best = found, which = b;
  }
  const Encoding encoding = {offsets != 0, scale, numbers, numbers + 4};
  const Box<2> anchor = {{table[a], table[count + a]}, {table[2 * count + a], table[3 * count + a]}};
  const bool there = item.count > 0 && best > criteria;
  item.to_labels[a] = there ? item.labels[which] : 0;
  if (there) encoding.write(read_box(item.boxes + 4 * which, true), anchor, item.to + 4 * a);
  else encoding.write_unmatched(anchor, item.to + 4 * a);
}
