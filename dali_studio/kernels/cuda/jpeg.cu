// Baseline JPEG decoded by kernels, to the pixels of libjpeg-turbo with its accurate integer transform, and with
// repeated or interpolated chroma samples. Sources: ITU-T T.81 for the coding; the transform is that of Loeffler,
// Ligtenberg and Moschytz with 13 bits of fraction, where SIMD code keeps 16 bits between its steps, as here; parallel
// decoding of one Huffman stream rests on its self-synchronisation (Klein and Wiseman 2003; Weissenberger and Schmidt
// 2018).

#include "../include/jpeg.hpp"

#define THREADS 512
#define FEW_PARTS 128  // of pictures of one segment
#define MIN_BITS 512u  // of a part
#define MAX_BITS 262144u  // of parts that wait for each other
#define LOOK 10          // bits of a code that a table is looked up by
#define LOOKED (1 << LOOK)
#define LONG 512         // entries for longer codes, which are the last ones: enough for usual files

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

// ------------------------------------------------------------------------------------------------ bytes of the stream

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

// For pictures of several segments.
extern "C" __global__ void __launch_bounds__(THREADS) measure(const Picture* __restrict__ pictures, Result* results) {
  const Picture& picture = pictures[blockIdx.y];
  if (picture.segments > 1 && blockIdx.x < picture.segments) unstuff_segment<false>(picture, results[blockIdx.y]);
}

extern "C" __global__ void __launch_bounds__(THREADS) unstuff(const Picture* __restrict__ pictures, Result* results) {
  const Picture& picture = pictures[blockIdx.y];
  if (blockIdx.x < picture.segments) unstuff_segment<true>(picture, results[blockIdx.y]);
}

// ------------------------------------------------------------------------------------------------------ Huffman codes

struct Codes {
  // by the next bits: bits of a code and its value together (5 bits), of the value (4), and the run (4); 0: a longer code
  u16 looked[4][LOOKED];
  u16 longer[4][LONG];    // the same for those, by how far the next 16 bits are behind the first longer code
  u32 first[4][17], index[4][17];  // the first code of each length, and where its symbol stands
  u8 order[64];
};

// Where, among 16 bits, the codes begin that are not looked up at once.
__device__ __forceinline__ u32 longest(const Codes& codes, u32 which) { return codes.first[which][LOOK + 1] << (15 - LOOK); }

// An entry for the code of `least` to `most` bits that 16 bits begin with, or 0.
__device__ u32 find(const Picture& picture, const Codes& codes, u32 which, u32 bits, u32 least, u32 most) {
  for (u32 length = least; length <= most; length++) {
    u32 number = (bits >> (16 - length)) - codes.first[which][length];
    if (number < picture.lengths[which][length - 1]) {
      u32 symbol = picture.symbols[which][codes.index[which][length] + number];
      return (length + (symbol & 15)) | (symbol & 15) << 5 | symbol >> 4 << 9;
    }
  }
  return 0;
}

template <u32 threads> __device__ void make_codes(const Picture& picture, Codes& codes) {
  if (threadIdx.x < 4) {
    u32 which = threadIdx.x, code = 0, index = 0;
    for (u32 length = 1; length <= 16; length++) {
      codes.first[which][length] = code, codes.index[which][length] = index;
      code = (code + picture.lengths[which][length - 1]) << 1, index += picture.lengths[which][length - 1];
    }
  }
  if (threadIdx.x < 64) codes.order[threadIdx.x] = ZIGZAG[threadIdx.x];
  __syncthreads();
  for (u32 i = threadIdx.x; i < 4 * LOOKED; i += threads)
    codes.looked[i / LOOKED][i % LOOKED] = find(picture, codes, i / LOOKED, (i % LOOKED) << (16 - LOOK), 1, LOOK);
  for (u32 i = threadIdx.x; i < 4 * LONG; i += threads)
    codes.longer[i / LONG][i % LONG] = find(picture, codes, i / LONG, longest(codes, i / LONG) + i % LONG, LOOK + 1, 16);
  __syncthreads();
}

// Decodes from a state on until the bit `end` or until so many blocks are finished. Adds to the DC values in `counts`,
// and, if it WRITES, puts coefficients of blocks that are needed where they belong; `first` is the block that it begins
// with. False if the data made no sense.
template <bool WRITES>
__device__ bool decode(const Picture& picture, const Codes& codes, State& state, u32 end, i32 most, Counts& counts, i32 first_block) {
  const u32* words = picture.words;
  u32 bit = state.bit, block = state.block, k = state.k, luma = picture.h * picture.v;
  u32 per_unit = picture.components == 1 ? 1 : luma + 2;
  u32 dc = picture.dc[0] | picture.dc[1] << 8 | picture.dc[2] << 16, ac = picture.ac[0] | picture.ac[1] << 8 | picture.ac[2] << 16;
  i16* made = picture.coefficients + 64ll * first_block;
  i32 needed_from = picture.first_block - first_block;
  u32 needed = picture.end_block - picture.first_block;
  i32 blocks = 0, dc0 = counts.dc[0], dc1 = counts.dc[1], dc2 = counts.dc[2];
  bool sound = true;
  // Hardly a branch, since threads in different states share a warp, and often a few threads are all that still work.
  // Words are in registers, one more than is needed: threads read far from each other, so that loads take long.
  u32 word = bit >> 5, high = words[word], low = words[word + 1], ahead = words[word + 2];
  u32 component = block < luma ? 0 : block - luma + 1;
  while (bit < end && blocks < most) {
    bool first = k == 0;
    u32 which = (first ? dc : ac) >> (8 * component) & 255;
    u32 bits = __funnelshift_l(low, high, bit & 31);
    u32 entry = codes.looked[which][bits >> (32 - LOOK)];
    if (!entry) {
      u32 behind = (bits >> 16) - longest(codes, which);
      entry = behind < LONG ? codes.longer[which][behind] : find(picture, codes, which, bits >> 16, LOOK + 1, 16);
      if (!entry) entry = 1, sound = false;  // no such code: look for one at the next bit
    }
    u32 length = entry & 31, size = entry >> 5 & 15, run = entry >> 9;
    bit += length;
    bool crossing = bit >> 5 != word;
    high = crossing ? low : high, low = crossing ? ahead : low, word = bit >> 5, ahead = words[word + 2];
    u32 rest = bits << (length - size);
    i32 value = (i32)(rest >> 1 >> (31 - size)) - (rest >> 31 ? 0 : (1 << size) - 1);  // 0 if it has no bits
    i32 difference = first ? value : 0;
    dc0 += component == 0 ? difference : 0, dc1 += component == 1 ? difference : 0, dc2 += component == 2 ? difference : 0;
    u32 place = first ? 0 : k + run;
    if (WRITES && (u32)(blocks - needed_from) < needed && (first || (size && place < 64)))
      made[codes.order[place]] = (i16)(!first ? value : component == 0 ? dc0 : component == 1 ? dc1 : dc2);
    k = first || size || run == 15 ? place + 1 : 64;  // the others end the block
    bool over = k >= 64;
    sound = sound && k <= 64;
    k = over ? 0 : k, blocks += over, made += over ? 64 : 0;
    block = !over ? block : block + 1 == per_unit ? 0 : block + 1;
    component = block < luma ? 0 : block - luma + 1;
  }
  state.bit = bit, state.block = block, state.k = k;
  counts.blocks = blocks, counts.dc[0] = dc0, counts.dc[1] = dc1, counts.dc[2] = dc2;
  return sound;
}

__device__ __forceinline__ bool differ(const State& a, const State& b) { return a.bit != b.bit || a.block != b.block || a.k != b.k; }

// Parts of the stream of a picture without restart markers.
template <u32 threads> __device__ __forceinline__ u32 part_bits(const Picture& picture, u32 total) {
  return max((total / (threads * picture.segments) / 32 + 1) * 32, MIN_BITS);
}

// Each thread decodes its part from where it is `given`, if that has `changed`, and then from where the thread before it
// ended, until nothing changes any more. False if that takes too long.
__device__ bool settle(const Picture& picture, const Codes& codes, State* ends, u32 begin, u32 end, u32 part, Part& mine, bool changed) {
  const i32 all = 0x7FFFFFFF;
  u32 me = threadIdx.x, spent = 0;
  bool again;
  do {
    if (changed) {
      mine.end = mine.given;
      mine.counts.blocks = mine.counts.dc[0] = mine.counts.dc[1] = mine.counts.dc[2] = 0;
      mine.sound = decode<false>(picture, codes, mine.end, end, all, mine.counts, 0);
    }
    ends[me] = mine.end;
    __syncthreads();
    State now = mine.given;
    if (me) now = ends[me - 1];
    changed = begin < end && differ(now, mine.given);
    mine.given = now, spent += part, again = __syncthreads_or(changed);
  } while (again && spent < MAX_BITS + 4 * part);
  return !again;  // where one part has to wait for the other, the CPU is faster
}

// Puts the coefficients of the parts where they belong. `before` is what segments in front of this one have.
template <u32 threads> __device__ void write(const Picture& picture, const Codes& codes, u32 end, u32 total, Part& mine, Counts before, bool last_segment, Result& result) {
  u32 ignored;
  i32 first = before.blocks + (i32)sum_before<threads>(mine.counts.blocks, ignored), behind = first + mine.counts.blocks;
  for (u32 c = 0; c < 3; c++) mine.counts.dc[c] = before.dc[c] + (i32)sum_before<threads>(mine.counts.dc[c], ignored);
  bool sound = true;
  if (first < picture.blocks) {
    bool last = behind >= picture.blocks;  // a block that ends in a later part is begun in this one
    sound = mine.sound;
    if (last || (behind >= picture.first_block && first < picture.end_block))
      sound = decode<true>(picture, codes, mine.given, end, picture.blocks - first, mine.counts, first);
    if (last) sound = sound && mine.counts.blocks == picture.blocks - first && mine.given.bit <= total && total - mine.given.bit < 8;
  }
  if (!sound || (last_segment && threadIdx.x == threads - 1 && behind < picture.blocks)) result.failed = 1;
}

// A block of threads for each segment. In a picture of one, each part is decoded as if a unit began there, and what is
// wrong in that put right, before it is known where its blocks belong and what DC values it begins with. Pictures of
// several segments take some `turns` for this: in the first one, 0, each segment is looked at by itself, later it begins
// where the segment before it ended the last time, so that mostly nothing changes but what is near its beginning. Their
// coefficients are written in one turn more.
template <u32 threads> __device__ void decode_segment(const Picture* pictures, Result* results, u32 turn, u32 turns) {
  const Picture& picture = pictures[blockIdx.y];
  Result& result = results[blockIdx.y];
  __shared__ Codes codes;
  __shared__ State ends[threads];
  u32 segment = blockIdx.x, segments = picture.segments, total = 8 * result.size, me = threadIdx.x;
  if (segment >= segments || (turn && (segments == 1 || picture.interval)) || __syncthreads_or(result.failed)) return;
  if (picture.interval) {
    make_codes<threads>(picture, codes);
    bool sound = true;
    i32 per_unit = picture.components == 1 ? 1 : picture.h * picture.v + 2;
    for (i32 i = segment * threads + me; i < picture.intervals; i += segments * threads) {
      State state = {8 * picture.restarts[i], 0, 0};
      u32 end = i + 1 < picture.intervals ? 8 * picture.restarts[i + 1] : total;
      i32 first = i * picture.interval, most = min(picture.interval, picture.units - first) * per_unit;
      Counts counts = {0, {0, 0, 0}};
      sound = decode<true>(picture, codes, state, end, most, counts, first * per_unit) && sound;
      sound = sound && counts.blocks == most && state.bit <= end && end - state.bit < 8;
    }
    if (!sound) result.failed = 1;
    return;
  }
  u32 part = part_bits<threads>(picture, total), begin = min((segment * threads + me) * part, total), end = min(begin + part, total);
  Part* kept = parts_of(picture) + segment * threads + me;
  State* borders = borders_of(picture);  // those of even turns, and of odd ones
  Part mine = {{begin, 0, 0}, {begin, 0, 0}, {0, {0, 0, 0}}, 1};
  Counts before = {0, {0, 0, 0}};
  bool changed = true;
  if (turn) {
    mine = *kept, changed = false;
    if (me == 0 && segment) {
      State now = borders[(turn - 1 & 1) * segments + segment - 1];
      changed = begin < end && differ(now, mine.given);
      mine.given = now;
    }
  }
  changed = changed && begin < end;
  bool any = __syncthreads_or(changed), good = !any || turn < turns;
  if (good && (any || turn == turns || segments == 1)) make_codes<threads>(picture, codes);
  if (good && any) good = settle(picture, codes, ends, begin, end, part, mine, changed);
  if (!good) {
    if (me == 0) result.failed = 1;
    return;
  }
  if (segments > 1 && turn < turns) {
    if (any || !turn) {
      u32 all;
      Counts sums;
      sum_before<threads>(mine.counts.blocks, all), sums.blocks = (i32)all;
      for (u32 c = 0; c < 3; c++) sum_before<threads>(mine.counts.dc[c], all), sums.dc[c] = (i32)all;
      if (me == 0) totals_of(picture)[segment] = sums;
      *kept = mine;
    }
    if (me == threads - 1) borders[(turn & 1) * segments + segment] = mine.end;
    return;
  }
  const Counts* totals = totals_of(picture);
  for (u32 s = 0; s < segment; s++) {
    before.blocks += totals[s].blocks;
    for (u32 c = 0; c < 3; c++) before.dc[c] += totals[s].dc[c];
  }
  write<threads>(picture, codes, end, total, mine, before, segment + 1 == segments, result);
}

extern "C" __global__ void __launch_bounds__(PARTS) huffman(const Picture* __restrict__ pictures, Result* results, u32 turn, u32 turns) {
  decode_segment<PARTS>(pictures, results, turn, turns);
}

// The same for pictures of one segment: blocks of fewer threads take longer, but four times as many fit on the GPU, which
// leaves more of it to others.
extern "C" __global__ void __launch_bounds__(FEW_PARTS) huffman_few(const Picture* __restrict__ pictures, Result* results) {
  decode_segment<FEW_PARTS>(pictures, results, 0, 1);
}

// ----------------------------------------------------------------------------------------------------------- transform

__device__ __forceinline__ i32 saturated(i32 x) { return min(max(x, -32768), 32767); }

// One dimension of the transform over eight numbers of 16 bits; results are rounded and shifted by `shift` bits.
template <int shift> __device__ __forceinline__ void transform_line(i32* x, i32 step) {
  i32 a = (i16)(x[0] + x[4 * step]) * 8192, b = (i16)(x[0] - x[4 * step]) * 8192;
  i32 middle = (x[2 * step] + x[6 * step]) * 4433;
  i32 c = middle - x[6 * step] * 15137, d = middle + x[2 * step] * 6270;
  i32 even[4] = {a + d, b + c, b - c, a - d};
  i32 p = x[7 * step], q = x[5 * step], r = x[3 * step], s = x[step];
  i32 z3 = (i16)(p + r), z4 = (i16)(q + s), z5 = (z3 + z4) * 9633;
  i32 z1 = (p + s) * -7373, z2 = (q + r) * -20995;
  z3 = z5 - z3 * 16069, z4 = z5 - z4 * 3196;
  i32 odd[4] = {s * 12299 + z1 + z4, r * 25172 + z2 + z3, q * 16819 + z2 + z4, p * 2446 + z1 + z3};
  const i32 half = 1 << (shift - 1);
#pragma unroll
  for (i32 i = 0; i < 4; i++) {
    x[i * step] = saturated((even[i] + odd[i] + half) >> shift);
    x[(7 - i) * step] = saturated((even[i] - odd[i] + half) >> shift);
  }
}

// The samples of a block, eight bytes of each row, for `put(row, low, high)`.
template <class Put> __device__ __forceinline__ void samples(const i16* coefficients, const u16* quant, Put put) {
  const uint4* given = (const uint4*)coefficients;
  i32 x[64];
  u32 below = 0;  // the first row
#pragma unroll
  for (i32 i = 0; i < 8; i++) {
    uint4 eight = given[i];
    u32 pairs[4] = {eight.x, eight.y, eight.z, eight.w};
    if (i) below |= eight.x | eight.y | eight.z | eight.w;
#pragma unroll
    for (i32 j = 0; j < 4; j++) {
      x[8 * i + 2 * j] = (i16)((i32)(i16)pairs[j] * quant[8 * i + 2 * j]);
      x[8 * i + 2 * j + 1] = (i16)((i32)(i16)(pairs[j] >> 16) * quant[8 * i + 2 * j + 1]);
    }
  }
#pragma unroll
  for (i32 i = 0; i < 8; i++) {
    if (!below) x[i] = (i16)(x[i] * 4) >> 2;  // where SIMD code cuts to 16 bits; damaged data may be that large
    transform_line<11>(x + i, 8);
  }
#pragma unroll
  for (i32 i = 0; i < 8; i++) {
    transform_line<18>(x + 8 * i, 1);
    u32 low = 0, high = 0;
#pragma unroll
    for (i32 j = 0; j < 4; j++) {
      low |= (u32)(min(max(x[8 * i + j], -128), 127) + 128) << (8 * j);
      high |= (u32)(min(max(x[8 * i + 4 + j], -128), 127) + 128) << (8 * j);
    }
    put(i, low, high);
  }
}

// Of pictures whose chroma is interpolated, the planes. A thread for each block.
extern "C" __global__ void __launch_bounds__(128) transform(const Picture* __restrict__ pictures, const Result* results) {
  const Picture& picture = pictures[blockIdx.y];
  i32 index = picture.first_block + blockIdx.x * 128 + threadIdx.x;
  if (!picture.chroma_columns || index >= picture.end_block || results[blockIdx.y].failed) return;
  i32 h = picture.h, v = picture.v, luma = h * v, per_unit = luma + 2;
  i32 unit = index / per_unit, block = index - unit * per_unit, row = unit / picture.columns_of_units;
  i32 column = unit - row * picture.columns_of_units, component = block < luma ? 0 : block - luma + 1;
  i32 width = picture.columns_of_units * 8;  // of a plane with the fewest samples
  u8* plane = picture.planes;
  if (component) {
    i64 small = (i64)picture.units * 64;
    plane += luma * small + (component - 1) * small;
  } else {
    width *= h, row = row * v + block / h, column = column * h + block % h;
    h = v = 1;
  }
  // outside the window, and not needed for its pixels?
  i32 margin = component ? CHROMA_MARGIN : 0, top = picture.first_row - margin;
  i32 left = picture.first_column - margin, bottom = picture.first_row + picture.rows + margin;
  if ((row + 1) * 8 * v <= top || row * 8 * v >= bottom) return;
  if ((column + 1) * 8 * h <= left || column * 8 * h >= picture.first_column + picture.columns + margin) return;
  samples(picture.coefficients + 64ll * index, picture.quant[component], [=](i32 i, u32 low, u32 high) {
    *(uint2*)(plane + (i64)(row * 8 + i) * width + column * 8) = make_uint2(low, high);
  });
}

// ------------------------------------------------------------------------------------------------------------- colours

__device__ __forceinline__ u8 level(i32 x) { return (u8)min(max(x, 0), 255); }

// A chroma plane at a pixel: the sample there, or a mean with its nearest neighbours.
__device__ __forceinline__ i32 chroma_at(const Picture& picture, const u8* plane, u32 y, u32 x) {
  i32 width = picture.columns_of_units * 8, h = picture.h, v = picture.v;
  i32 row = y >> (v - 1), column = x >> (h - 1), odd_row = y & 1, odd_column = x & 1;
  const u8* line = plane + (i64)row * width;
  if (h * v == 1 || picture.chroma_columns <= (h == 2 ? 2 : 0)) return line[column];
  i32 beside = h == 1 ? column : odd_column ? min(column + 1, picture.chroma_columns - 1) : max(column - 1, 0);
  i32 other = v == 1 ? row : odd_row ? min(row + 1, picture.chroma_rows - 1) : max(row - 1, 0);
  const u8* next = plane + (i64)other * width;
  if (v == 1) return (3 * line[column] + line[beside] + 1 + odd_column) >> 2;
  if (h == 1) return (3 * line[column] + next[column] + 1 + odd_row) >> 2;
  return (3 * (3 * line[column] + next[column]) + 3 * line[beside] + next[beside] + 8 - odd_column) >> 4;
}

// The three levels of a pixel, the first one lowest.
__device__ __forceinline__ u32 mixed(i32 colors, i32 luma, i32 cb, i32 cr) {
  cb -= 128, cr -= 128;
  u32 red = level(luma + ((91881 * cr + 32768) >> 16)), blue = level(luma + ((116130 * cb + 32768) >> 16));
  u32 green = level(luma + ((-22554 * cb - 46802 * cr + 32768) >> 16));
  return colors == 8 ? blue | green << 8 | red << 16 : red | green << 8 | blue << 16;
}

// Four pixels side by side, of which those from `from` to `to` are wanted. `whole`: all are, in colour, and at a word.
__device__ __forceinline__ void put_four(u8* target, const u32* four, i32 channels, i32 from, i32 to, bool whole) {
  if (whole) {
    u32* words = (u32*)target;
    words[0] = four[0] | four[1] << 24;
    words[1] = four[1] >> 8 | four[2] << 16;
    words[2] = four[2] >> 16 | four[3] << 8;
    return;
  }
#pragma unroll
  for (i32 i = 0; i < 4; i++)
    if (i >= from && i < to)
      for (i32 c = 0; c < channels; c++) target[channels * i + c] = (u8)(four[i] >> (8 * c));
}

// Pixels in groups of four, the first of which begins up to three pixels in front of a line, so that groups in colour lie
// at words.
__device__ __forceinline__ i32 in_front(const u8* line, i32 channels) { return channels == 3 ? (4 - ((u64)line & 3)) & 3 : 0; }

// Of pictures whose chroma is interpolated. A thread for four pixels of the window.
extern "C" __global__ void __launch_bounds__(256) colors(const Picture* __restrict__ pictures, const Result* results) {
  const Picture& picture = pictures[blockIdx.y];
  if (!picture.chroma_columns || results[blockIdx.y].failed) return;
  i32 columns = picture.columns, groups = (columns + 6) / 4, index = blockIdx.x * 256 + threadIdx.x, row = index / groups;
  if (row >= picture.rows) return;
  u8* line = picture.target + row * picture.pitch;
  i32 column = 4 * (index - row * groups) - in_front(line, 3), y = row + picture.first_row;
  i64 small = (i64)picture.units * 64;
  const u8* chroma = picture.planes + picture.h * picture.v * small;
  const u8* luma = picture.planes + (i64)y * picture.columns_of_units * 8 * picture.h;
  i32 from = max(-column, 0), to = min(columns - column, 4);
  u32 four[4];
#pragma unroll
  for (i32 i = 0; i < 4; i++) {
    if (i < from || i >= to) continue;
    i32 x = column + i + picture.first_column;
    four[i] = mixed(picture.colors, luma[x], chroma_at(picture, chroma, y, x), chroma_at(picture, chroma + small, y, x));
  }
  put_four(line + 3 * column, four, 3, from, to, from == 0 && to == 4);
}

// Of all other pictures, from coefficients to pixels: a block of threads for some units of one row, those of the window
// alone; a thread for each of their blocks, and then for four pixels at a time.
extern "C" __global__ void __launch_bounds__(TILE) pixels(const Picture* __restrict__ pictures, const Result* results) {
  enum { STRIDE = 72 };  // from block to block: threads of half a warp write to all banks
  __shared__ uint2 shared[TILE * STRIDE / 8];
  const Picture& picture = pictures[blockIdx.y];
  if (picture.chroma_columns || results[blockIdx.y].failed) return;
  Tiles tiles = tiles_of(picture);
  if (blockIdx.x >= tiles.count) return;
  i32 h = picture.h, v = picture.v, luma = h * v, per_unit = picture.components == 1 ? 1 : luma + 2;
  i32 row = blockIdx.x / tiles.across, at = tiles.left + (blockIdx.x - row * tiles.across) * tiles.units;
  row += tiles.top;
  i32 units = min(tiles.units, tiles.right - at), unit = threadIdx.x / per_unit, block = threadIdx.x - unit * per_unit;
  i32 component = block < luma ? 0 : block - luma + 1;
  bool colored = picture.components > 1 && picture.colors != 1;
  if (unit < units && (colored || !component)) {
    i64 index = ((i64)row * picture.columns_of_units + at) * per_unit + threadIdx.x;
    uint2* made = shared + threadIdx.x * (STRIDE / 8);
    samples(picture.coefficients + 64 * index, picture.quant[component], [=](i32 i, u32 low, u32 high) { made[i] = make_uint2(low, high); });
  }
  __syncthreads();
  const u8* blocks = (const u8*)shared;
  i32 x0 = max(at * 8 * h, picture.first_column), x1 = min((at + units) * 8 * h, picture.first_column + picture.columns);
  i32 y0 = max(row * 8 * v, picture.first_row), y1 = min((row + 1) * 8 * v, picture.first_row + picture.rows);
  i32 width = x1 - x0, groups = (width + 6) / 4, all = (y1 - y0) * groups, channels = picture.colors == 1 ? 1 : 3;
  for (i32 index = threadIdx.x; index < all; index += TILE) {
    i32 line_of = index / groups, y = y0 + line_of - row * 8 * v;
    u8* line = picture.target + (y0 + line_of - picture.first_row) * picture.pitch + channels * (x0 - picture.first_column);
    i32 column = 4 * (index - line_of * groups) - in_front(line, channels);
    i32 from = max(-column, 0), to = min(width - column, 4);
    u32 four[4];
#pragma unroll
    for (i32 i = 0; i < 4; i++) {
      if (i < from || i >= to) continue;
      i32 x = x0 + column + i - at * 8 * h, in_unit = x & (8 * h - 1);
      const u8* first = blocks + (x >> (2 + h)) * per_unit * STRIDE;  // of the unit
      i32 bright = first[((y >> 3) * h + (in_unit >> 3)) * STRIDE + (y & 7) * 8 + (x & 7)];
      const u8* chroma = first + luma * STRIDE + (y >> (v - 1)) * 8 + (in_unit >> (h - 1));
      four[i] = colored ? mixed(picture.colors, bright, chroma[0], chroma[STRIDE]) : bright * 0x10101;
    }
    put_four(line + channels * column, four, channels, from, to, channels == 3 && from == 0 && to == 4);
  }
}
