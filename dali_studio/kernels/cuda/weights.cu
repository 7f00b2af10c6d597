// Where every output pixel of an axis reads, and with which weights: the arithmetic of the CPU's table, value by value.

struct Axis {
  i32* starts;
  float* weights;
  float low, scale;
  i32 in_size, out_size, kind, taps, wide, accumulate;
  float radius;
  i32 unused;
};

__device__ float look_up(const float* table, int size, float x) {
  if (x >= (float)size) return 0.f;
  int index = (int)x;
  float here = table[index], after = index + 1 < size ? table[index + 1] : 0.f;
  return __fadd_rn(here, __fmul_rn(__fadd_rn(x, -(float)index), __fadd_rn(after, -here)));
}

// filters: the tables one after the other; sizes and first places by kind in `layout`.
extern "C" __global__ void axis_weights(const Axis* axes, const float* filters, const i32* layout) {
  const Axis& axis = axes[blockIdx.y];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= axis.out_size) return;
  if (axis.kind == 0) {
    float where = __fadd_rn(axis.low, __fmul_rn(__fadd_rn((float)i, 0.5f), axis.scale));
    if (axis.accumulate) {
      where = __fadd_rn(axis.low, __fmul_rn(0.5f, axis.scale));
      for (int k = 0; k < i; k++) where = __fadd_rn(where, axis.scale);
    }
    axis.starts[i] = min(max((int)floorf(where), 0), axis.in_size - 1);
    axis.weights[i] = 1.f;
    return;
  }
  const float* table = filters + layout[2 * axis.kind];
  int size = layout[2 * axis.kind + 1];
  float step = (float)((double)(size - 1) / (2.0 * (double)axis.radius));
  float origin = __fadd_rn(__fadd_rn(__fadd_rn(axis.low, __fmul_rn(0.5f, axis.scale)), -0.5f), -axis.radius);
  float edge = __fadd_rn(__fmul_rn((float)i, axis.scale), origin);
  int leftmost = (int)ceilf(edge);
  float begin = __fmul_rn(__fadd_rn((float)leftmost, -edge), step), position = begin, total = 0.f;
  for (int k = 0; k < axis.wide; k++) {
    total = __fadd_rn(total, look_up(table, size, position));
    position = __fadd_rn(position, step);
  }
  int start = min(max(leftmost, 0), axis.in_size - axis.taps);
  float* row = axis.weights + (i64)i * axis.taps;
  for (int k = 0; k < axis.taps; k++) row[k] = 0.f;
  position = begin;
  for (int k = 0; k < axis.wide; k++) {
    int tap = min(max(leftmost + k, 0), axis.in_size - 1) - start;
    row[tap] = __fadd_rn(row[tap], __fdiv_rn(look_up(table, size, position), total));
    position = __fadd_rn(position, step);
  }
  axis.starts[i] = start;
}
