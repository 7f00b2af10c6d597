// Blocks of the format LZ4: a warp decompresses a chunk. All its threads read the tokens, and share the copies.
#include "../include/lz4.hpp"

struct Chunk {
  const u8* from;
  u8* to;
  i64* made;  // the bytes that it gives, or what is wrong with it
  i64 size, room;
};

struct SharedCopies {
  int lane;
  __device__ void literals(u8* to, const u8* from, i64 count) const {
    for (i64 i = lane; i < count; i += 32) to[i] = from[i];
  }
  __device__ void match(u8* to, i64 offset, i64 count) const {
    __syncwarp();  // what other threads have written
    for (i64 i = lane; i < count; i += 32) to[i] = to[i % offset - offset];
  }
};

extern "C" __global__ void __launch_bounds__(256) inflate(const i64* __restrict__ counts, const Chunk* __restrict__ chunks) {
  const i64 i = ((i64)blockIdx.x * 256 + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (i >= *counts) return;
  const Chunk& chunk = chunks[i];
  const i64 made = decode_lz4(SharedCopies{lane}, chunk.from, chunk.size, chunk.to, chunk.room);
  for (i64 k = most<i64>(made, 0) + lane; k < chunk.room; k += 32) chunk.to[k] = 0;
  if (lane == 0) *chunk.made = made;
}
