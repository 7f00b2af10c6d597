// Boxes that are filled, in arrays of any number of axes. A thread computes one element.
enum { MOST_AXES = 16 };

struct Array {
  const IN* from;
  IN* to;
  i64 count, boxes, first;  // elements; how many boxes there are, and the first one's number
  i64 fills, channels;      // where the values of the channels begin, and which axis has them; -1: one for all
  i64 extents[MOST_AXES];
};

// A box has begin and end of each axis.
extern "C" __global__ void __launch_bounds__(256)
    erase(const Array* __restrict__ arrays, const i64* __restrict__ boxes, const IN* __restrict__ fills, int axes) {
  const Array& array = arrays[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= array.count) return;
  i64 index[MOST_AXES], rest = i;
  for (int axis = axes - 1; axis >= 0; axis--) index[axis] = rest % array.extents[axis], rest /= array.extents[axis];
  bool inside = false;
  for (i64 k = 0; k < array.boxes && !inside; k++) {
    const i64* box = boxes + 2 * axes * (array.first + k);
    inside = true;
    for (int axis = 0; axis < axes; axis++) inside = inside && index[axis] >= box[2 * axis] && index[axis] < box[2 * axis + 1];
  }
  array.to[i] = inside ? fills[array.fills + (array.channels < 0 ? 0 : index[array.channels])] : array.from[i];
}
