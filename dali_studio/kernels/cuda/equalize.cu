// Equalising histograms of bytes. An item is a sample of CHANNELS channels side by side, or one channel, whose bytes lie `step` apart.
#include "../include/lookup.hpp"

// Levels; threads of a block; bytes that they take at once, three times of which begin with the same channel again; tables of counts of
// a channel, so that the threads of a warp seldom wait for each other.
enum { LEVELS = 256, THREADS = 256, STRIDE = 16 * THREADS, COPIES = 8 };

struct Item {
  const u8* from;
  u8* to;
  u32* counts;  // of a channel LEVELS, as `tables` has them
  u8* tables;
  i64 count, step;  // of bytes; 1 if there are several channels
};

// Calls `one` with the numbers of bytes, and `wide` with the first number of sixteen, which are aligned, the channels with which they
// begin, and the bytes. A block takes a piece of them.
template <class ONE, class WIDE> __device__ __forceinline__ void walk(const Item& t, i64 piece, bool aligned, ONE one, WIDE wide) {
  const i64 begin = (i64)blockIdx.x * piece, end = min(begin + piece, t.count);
  const i64 first = aligned ? min(begin + (i64)(-(u64)(t.from + begin) & 15), end) : end, last = first + (end - first) / 16 * 16;
  const u32 channel = (u32)((first + 16 * threadIdx.x) % CHANNELS);
  for (i64 i = begin + threadIdx.x; i < first; i += THREADS) one(i);
  for (i64 i = first + 16 * threadIdx.x; i < last; i += 3 * STRIDE) {
    uint4 words[3];
#pragma unroll
    for (int k = 0; k < 3; k++)
      if (i + k * STRIDE < last) words[k] = *(const uint4*)(t.from + i + k * STRIDE);
#pragma unroll
    for (int k = 0; k < 3; k++)
      if (i + k * STRIDE < last) {
        const u32 read[4] = {words[k].x, words[k].y, words[k].z, words[k].w};
        u32 channels[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) channels[c] = (channel + k * STRIDE + c) % CHANNELS;
        wide(i + k * STRIDE, channels, read);
      }
  }
  for (i64 i = last + threadIdx.x; i < end; i += THREADS) one(i);
}

extern "C" __global__ void __launch_bounds__(256) clear_counts(const Item* __restrict__ items) {
  items[blockIdx.y].counts[blockIdx.x * LEVELS + threadIdx.x] = 0;
}

extern "C" __global__ void __launch_bounds__(256) count_levels(const Item* __restrict__ items, i64 piece) {
  __shared__ u32 counts[CHANNELS * LEVELS * COPIES];
  const Item t = items[blockIdx.y];
  if (blockIdx.x * piece >= t.count) return;
  for (int i = threadIdx.x; i < CHANNELS * LEVELS * COPIES; i += THREADS) counts[i] = 0;
  __syncthreads();
  u32* const mine = counts + threadIdx.x % COPIES;
  const auto add = [&](u32 table, u32 level) { atomicAdd(mine + table + level * COPIES, 1u); };
  walk(t, piece, t.step == 1, [&](i64 i) { add((u32)(i % CHANNELS) * LEVELS * COPIES, t.from[i * t.step]); },
       [&](i64, const u32 (&channels)[CHANNELS], const u32 (&words)[4]) {
#pragma unroll
         for (int k = 0; k < 16; k++) add(channels[k % CHANNELS] * LEVELS * COPIES, words[k / 4] >> 8 * (k % 4) & 255);
       });
  __syncthreads();
  for (int i = threadIdx.x; i < CHANNELS * LEVELS; i += THREADS) {
    u32 sum = 0;
#pragma unroll
    for (int k = 0; k < COPIES; k++) sum += counts[i * COPIES + k];
    if (sum) atomicAdd(t.counts + i, sum);
  }
}

// A block makes the table of a channel.
extern "C" __global__ void __launch_bounds__(256) make_tables(const Item* __restrict__ items) {
  __shared__ u32 counts[LEVELS];
  __shared__ u8 table[LEVELS];
  const Item t = items[blockIdx.y];
  const u32 at = blockIdx.x * LEVELS + threadIdx.x;
  counts[threadIdx.x] = t.counts[at];
  __syncthreads();
  if (threadIdx.x == 0) equalizing_table(counts, (u32)(t.count / CHANNELS), table);
  __syncthreads();
  t.tables[at] = table[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(256) spread(const Item* __restrict__ items, i64 piece) {
  enum { WORDS = LEVELS / 4, LANES = 32 };
  __shared__ u32 tables[CHANNELS * WORDS * LANES];  // four levels a word, and each word once for each lane of a warp
  const Item t = items[blockIdx.y];
  if (blockIdx.x * piece >= t.count) return;
  for (int i = threadIdx.x; i < CHANNELS * WORDS * LANES; i += THREADS) tables[i] = ((const u32*)t.tables)[i / LANES];
  __syncthreads();
  const u8* const mine = (const u8*)(tables + threadIdx.x % LANES);
  const auto look = [&](u32 table, u32 level) -> u32 { return mine[table + (level & ~3u) * LANES + (level & 3)]; };
  walk(t, piece, t.step == 1 && ((u64)t.from - (u64)t.to) % 16 == 0,
       [&](i64 i) { t.to[i * t.step] = (u8)look((u32)(i % CHANNELS) * LEVELS * LANES, t.from[i * t.step]); },
       [&](i64 i, const u32 (&channels)[CHANNELS], const u32 (&words)[4]) {
         u32 made[4] = {0, 0, 0, 0};
#pragma unroll
         for (int k = 0; k < 16; k++)
           made[k / 4] |= look(channels[k % CHANNELS] * LEVELS * LANES, words[k / 4] >> 8 * (k % 4) & 255) << 8 * (k % 4);
         *(uint4*)(t.to + i) = make_uint4(made[0], made[1], made[2], made[3]);
       });
}
