// Equalising histograms: an item is a channel of a sample, of bytes that lie `step` apart.
#include "../include/lookup.hpp"

enum { LEVELS = 256, EACH = 16 };  // as many threads as levels, and elements of a thread

struct Channel {
  const u8* from;
  u8* to;
  u32* counts;
  u8* table;
  i64 count, step;
};

extern "C" __global__ void __launch_bounds__(256) clear_counts(const Channel* __restrict__ channels) {
  channels[blockIdx.y].counts[threadIdx.x] = 0;
}

extern "C" __global__ void __launch_bounds__(256) count_levels(const Channel* __restrict__ channels) {
  __shared__ u32 counts[LEVELS];
  const Channel t = channels[blockIdx.y];
  const i64 begin = (i64)blockIdx.x * (LEVELS * EACH) + threadIdx.x, end = min(begin + LEVELS * EACH, t.count);
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (i64 i = begin; i < end; i += LEVELS) atomicAdd(counts + t.from[i * t.step], 1u);
  __syncthreads();
  if (counts[threadIdx.x]) atomicAdd(t.counts + threadIdx.x, counts[threadIdx.x]);
}

extern "C" __global__ void __launch_bounds__(256) make_tables(const Channel* __restrict__ channels) {
  __shared__ u32 counts[LEVELS];
  __shared__ u8 table[LEVELS];
  const Channel t = channels[blockIdx.y];
  counts[threadIdx.x] = t.counts[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) equalizing_table(counts, (u32)t.count, table);
  __syncthreads();
  t.table[threadIdx.x] = table[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(256) spread(const Channel* __restrict__ channels) {
  __shared__ u8 table[LEVELS];
  const Channel t = channels[blockIdx.y];
  const i64 begin = (i64)blockIdx.x * (LEVELS * EACH) + threadIdx.x, end = min(begin + LEVELS * EACH, t.count);
  table[threadIdx.x] = t.table[threadIdx.x];
  __syncthreads();
  for (i64 i = begin; i < end; i += LEVELS) t.to[i * t.step] = table[t.from[i * t.step]];
}
