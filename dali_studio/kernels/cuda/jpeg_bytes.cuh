// The bytes of a picture's coded data without stuffing and markers, for `jpeg.cu`.

#define THREADS 512

struct State {
  u32 bit, block, k;  // place in the stream; block of the unit; coefficient
};

struct Counts {
  i32 blocks, dc[3];  // blocks that have been finished, and differences that have been added up
};

// What the launches tell each other of a picture of several segments: of each part, where it begins and ends and what it
// has; of each segment, where its last part ended after the last launch and the one before, what it has, and its bytes.
struct Part {
  State given, end;
  Counts counts;
  u32 sound;
};
struct Sizes {
  u32 kept, restarts, ended;
};
static_assert(PARTS * sizeof(Part) + 2 * sizeof(State) + sizeof(Counts) + sizeof(Sizes) == SEGMENT_ROOM, "room");
__device__ __forceinline__ Part* parts_of(const Picture& picture) { return (Part*)picture.parts; }
__device__ __forceinline__ State* borders_of(const Picture& picture) { return (State*)(parts_of(picture) + PARTS * picture.segments); }
__device__ __forceinline__ Counts* totals_of(const Picture& picture) { return (Counts*)(borders_of(picture) + 2 * picture.segments); }
__device__ __forceinline__ Sizes* sizes_of(const Picture& picture) { return (Sizes*)(totals_of(picture) + picture.segments); }

// Sum of the values of all threads before this one; `all` gets the sum of the whole block.
template <u32 threads> __device__ u32 sum_before(u32 value, u32& all) {
  __shared__ u32 sums[threads / 32];
  u32 lane = threadIdx.x & 31, sum = value;
  for (u32 by = 1; by < 32; by <<= 1) {
    u32 other = __shfl_up_sync(0xFFFFFFFFu, sum, by);
    if (lane >= by) sum += other;
  }
  __syncthreads();  // what was there before has been read
  if (lane == 31) sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  u32 before = 0;
  all = 0;
  for (u32 w = 0; w < threads / 32; w++) {
    if (w < threadIdx.x >> 5) before += sums[w];
    all += sums[w];
  }
  return before + sum - value;
}

// Bytes `begin` to `end` of the stream, of which `kept` has those from `from` on.
__device__ __forceinline__ void put_bytes(u8* made, const u8* kept, u32 begin, u32 from, u32 end) {
  for (u32 at = begin; at < end; at++) made[at ^ 3] = kept[(at - from) ^ 3];
}

// Takes out zeros that follow 0xFF, and restart markers, whose places are noted; any other marker ends the data. A block
// of threads for each segment; if it WRITES, it begins behind what the segments in front of it have left. Otherwise it only
// tells how much that is.
template <bool WRITES> __device__ void unstuff_segment(const Picture& picture, Result& result) {
  const u8* scan = picture.scan;
  u8* made = (u8*)picture.words;
  __shared__ u32 end, wrong, kept[WRITES ? 4 * THREADS + 1 : 1];  // what a tile leaves, and what is left of a word
  u32 which_segment = blockIdx.x, size = picture.size, skip = picture.skip, done = 0, restarts = 0;
  u32 first = which_segment * picture.segment, limit = min(first + picture.segment, size);
  const Sizes* sizes = sizes_of(picture);
  if (WRITES)
    for (u32 s = 0; s < which_segment; s++) {
      if (sizes[s].ended) return;
      done += sizes[s].kept, restarts += sizes[s].restarts;
    }
  if (threadIdx.x == 0) end = size, wrong = 0;
  __syncthreads();
  bool ended = false;
  u32 start = done, from = done & ~3u;  // where this segment begins, and the first word that is not yet written
  u8* bytes_kept = (u8*)kept;
  auto sixteen = [=](u32 at) { return at < limit ? *(const uint4*)(scan + at) : make_uint4(0, 0, 0, 0); };
  uint4 ahead = sixteen(first + 16 * threadIdx.x);
  for (u32 tile = first; tile < limit; tile += 16 * THREADS) {
    u32 at = tile + 16 * threadIdx.x, keep = 0, begins = 0, again = 0;
    uint4 four = ahead;
    ahead = sixteen(at + 16 * THREADS);
    const u8* bytes = (const u8*)&four;
    u32 before = at > 0 && at < limit ? scan[at - 1] : 0, behind = at + 16 < size ? scan[at + 16] : 0;
#pragma unroll
    for (u32 i = 0; i < 16; i++) {
      u32 byte = bytes[i], next = i < 15 ? bytes[i + 1] : behind;
      if (at + i >= skip && at + i < limit) {  // a header ends with a byte that is not 0xFF
        if (byte == 0xFF ? next == 0 : before != 0xFF) keep |= 1u << i;
        if (before == 0xFF && byte == 0xFF) again |= 1u << i;
        if (before == 0xFF && byte != 0 && byte != 0xFF) {
          if (byte >= 0xD0 && byte <= 0xD7) begins |= 1u << i;
          else atomicMin(&end, at + i);
        }
      }
      before = byte;
    }
    __syncthreads();
    u32 last = end;
    if (last < at + 16) {
      u32 wanted = last > at ? (1u << (last - at)) - 1 : 0;
      keep &= wanted, begins &= wanted, again &= wanted;
    }
    if (again) wrong = 1;  // libjpeg-turbo decodes such a unit twice, the second time over what the first one left
    u32 all, rank = sum_before<THREADS>(__popc(keep) | __popc(begins) << 16, all);
    if (WRITES) {
      u32 place = done - from + (rank & 0xFFFF), which = restarts + (rank >> 16);
#pragma unroll
      for (u32 i = 0; i < 16; i++) {
        if (keep >> i & 1) bytes_kept[place++ ^ 3] = bytes[i];
        if (begins >> i & 1) {
          which++;
          if ((bytes[i] & 7) != ((which - 1) & 7) || (i32)which >= picture.intervals) wrong = 1;
          else picture.restarts[which] = from + place;
        }
      }
      __syncthreads();
      u32 words = (done - from + (all & 0xFFFF)) / 4, left = kept[words];
      for (u32 w = threadIdx.x; w < words; w += THREADS) {
        if (from + 4 * w >= start) picture.words[from / 4 + w] = kept[w];
        else put_bytes(made, bytes_kept, start, from, from + 4);  // the segment in front has written into this word
      }
      __syncthreads();
      if (threadIdx.x == 0) kept[0] = left;
      from += 4 * words;
    }
    done += all & 0xFFFF, restarts += all >> 16;
    if (last < tile + 16 * THREADS && last < size) {
      ended = true;
      break;
    }
  }
  if (WRITES) {
    __syncthreads();
    if (threadIdx.x == 0) put_bytes(made, bytes_kept, max(start, from), from, done);
    __syncthreads();
  }
  if (WRITES && (ended || which_segment + 1 == picture.segments) && threadIdx.x < READ_BEHIND) made[(done + threadIdx.x) ^ 3] = 0;
  __syncthreads();
  if (threadIdx.x) return;
  if (!WRITES) {
    sizes_of(picture)[which_segment] = {done, restarts, ended};
    return;
  }
  if (which_segment == 0) picture.restarts[0] = 0;
  if (wrong) result.failed = 1;
  if (ended || which_segment + 1 == picture.segments) {
    result.size = done;
    if ((i32)restarts + 1 != picture.intervals) result.failed = 1;
  }
}
