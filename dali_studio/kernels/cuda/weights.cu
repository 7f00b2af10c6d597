// Where every output pixel of an axis reads, and with which weights, for all axes of a batch.
#include "../include/weights.hpp"

extern "C" __global__ void axis_weights(const Axis* axes, const float* filters, const i32* places) {
  const Axis& axis = axes[blockIdx.y];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= axis.out_size) return;
  if (axis.kind != NEAREST) {
    axis.starts[i] = weigh(axis, filter_of(axis, filters, places), i, axis.weights + (i64)i * axis.taps);
    return;
  }
  float position = nearest_position(axis, axis.accumulate ? 0 : i);
  if (axis.accumulate)
    for (int k = 0; k < i; k++) position += axis.scale;
  axis.starts[i] = nearest_pixel(axis, position);
  axis.weights[i] = 1.f;
}
