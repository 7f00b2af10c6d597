// Normalisation of rows of neighbouring elements by their own means and deviations: LANES threads take a row, of which they
// read the sum, the distances and what they write. Macros: IN and OUT, the types of the elements; LANES.
#include "../include/division.hpp"
#include "../include/normalize.hpp"

struct Item {
  const IN* from;
  OUT* to;
  i64 rows, length;
};

// The sum of what the threads of a row have.
__device__ __forceinline__ float total(float* sums, float own) {
  const int lane = threadIdx.x % LANES;
  __syncthreads();
  sums[threadIdx.x] = own;
  for (int half = LANES / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  return sums[threadIdx.x - lane];
}

extern "C" __global__ void __launch_bounds__(256) normalize_rows(
    const Item* __restrict__ items, i64 ddof, float epsilon, float scale, float shift) {
  __shared__ float sums[256];
  const Item& item = items[blockIdx.y];
  const i64 row = ((i64)blockIdx.x * 256 + threadIdx.x) / LANES, length = row < item.rows ? item.length : 0;
  const float weight = 1.f / (float)most<i64>(item.length, 1), free = item.length > ddof ? 1.f / (float)(item.length - ddof) : 0.f;
  const IN* const from = item.from + row * item.length;
  OUT* const to = item.to + row * item.length;
  float sum = 0, squares = 0;
#pragma unroll 8
  for (i64 i = threadIdx.x % LANES; i < length; i += LANES) sum += to_float(from[i]);
  const float mean = total(sums, sum) * weight;
#pragma unroll 8
  for (i64 i = threadIdx.x % LANES; i < length; i += LANES) {
    const float distance = to_float(from[i]) - mean;
    squares += distance * distance;
  }
  const float deviation = sqrtf(total(sums, squares) * free + epsilon);
  const Normalize<float> normalize{mean, free > 0 && deviation != 0 ? scale / deviation : 0.f};
#pragma unroll 8
  for (i64 i = threadIdx.x % LANES; i < length; i += LANES) {
    const float value = normalize(to_float(from[i]));
    to[i] = from_float<OUT>(shift != 0 ? value + shift : value);
  }
}
