// Huffman codes of baseline JPEG, in parts that are decoded at the same time, for `jpeg.cu`; behind `jpeg_bytes.cuh`.
// Source: ITU-T T.81. Parallel decoding of one Huffman stream rests on its self-synchronisation (Klein and Wiseman 2003;
// Weissenberger and Schmidt 2018).

#define MIN_BITS 512u     // of a part
#define MAX_BITS 262144u  // of parts that wait for each other
#define LOOK 10           // bits of a code that a table is looked up by
#define LOOKED (1u << LOOK)
#define LONG 512u         // entries for longer codes, which are the last ones: enough for usual files
#define PAIR_STEP 16u     // how far two codes together go on at most, the end of a block apart

// An entry: bits of a code and its value together (5 bits), of the value (4), and how far it goes on in the block (7),
// END for a code that ends it.
enum : u32 { LENGTH = 31, SIZE_AT = 5, STEP_AT = 9, END = 64 };

struct Codes {
  // By the next bits, in the low half the entry of the code that they begin with; 0: a longer one. In the high half, for
  // those who need no values of AC, that of two codes together, if the bits show a second one of the same block.
  u32 looked[4 * LOOKED];
  u16 longer[4][LONG];  // entries of those, by how far the next 16 bits are behind the first longer code
  u32 behind[4][17];    // 16 bits that follow the last code of each length, and of shorter ones
  u32 offset[4][17];    // from a code of each length to the place of its symbol
  u8 order[64];
};

// The entry for the code of `least` to `most` bits that 16 bits begin with, or 0.
template <u32 least, u32 most> __device__ __forceinline__ u32 find(const Picture& picture, const Codes& codes, u32 which, u32 bits) {
  u32 length = least;
#pragma unroll
  for (u32 i = least; i <= most; i++) length += bits >= codes.behind[which][i];
  if (length > most) return 0;
  u32 symbol = picture.symbols[which][(bits >> (16 - length)) + codes.offset[which][length] & 255];
  u32 size = symbol & 15, run = symbol >> 4, step = which < 2 ? 1 : size || run == 15 ? run + 1 : END;
  return (length + size) | size << SIZE_AT | step << STEP_AT;
}

template <u32 threads> __device__ void make_codes(const Picture& picture, Codes& codes) {
  if (threadIdx.x < 4) {
    u32 which = threadIdx.x, code = 0, index = 0;
    for (u32 length = 1; length <= 16; length++) {
      u32 count = picture.lengths[which][length - 1];
      codes.offset[which][length] = index - code;
      code += count, index += count;
      codes.behind[which][length] = code << (16 - length);
      code <<= 1;
    }
  }
  if (threadIdx.x < 64) codes.order[threadIdx.x] = ZIGZAG[threadIdx.x];
  __syncthreads();
  for (u32 i = threadIdx.x; i < 4 * LOOKED; i += threads)
    codes.looked[i] = find<1, LOOK>(picture, codes, i / LOOKED, (i % LOOKED) << (16 - LOOK)) * 0x10001u;
  for (u32 i = threadIdx.x; i < 4 * LONG; i += threads)
    codes.longer[i / LONG][i % LONG] = find<LOOK + 1, 16>(picture, codes, i / LONG, codes.behind[i / LONG][LOOK] + i % LONG);
  __syncthreads();
  u16* halves = (u16*)codes.looked;  // the low ones are read while the high ones of AC are written
  for (u32 i = 2 * LOOKED + threadIdx.x; i < 4 * LOOKED; i += threads) {
    u32 entry = halves[2 * i], length = entry & LENGTH, step = entry >> STEP_AT;
    u32 second = halves[2 * ((i & ~(LOOKED - 1)) | (i << length & (LOOKED - 1)))], next = second >> STEP_AT;
    u32 both = length + (second & LENGTH), shown = both - (second >> SIZE_AT & 15);
    if (second && step != END && shown <= LOOK && step + (next & ~END) <= PAIR_STEP)
      halves[2 * i + 1] = both | (step + next) << STEP_AT;
  }
  __syncthreads();
}

// Decodes from a state on until the bit `end` or until so many blocks are finished. Adds to the DC values in `counts`,
// and, if it WRITES, puts coefficients of blocks that are needed where they belong; `first_block` is the one that it
// begins with. False if the data made no sense.
template <bool WRITES>
__device__ bool decode(const Picture& picture, const Codes& codes, State& state, u32 end, i32 most, Counts& counts, i32 first_block) {
  u32 bit = state.bit, k = state.k, luma = picture.h * picture.v, per_unit = picture.components == 1 ? 1 : luma + 2;
  // of each block of a unit, four bits: its component, and its tables
  u32 components = picture.components == 1 ? 0 : 0x21u << (4 * luma), dcs = 0, acs = 0;
  for (u32 b = 0; b < per_unit; b++) {
    u32 component = components >> (4 * b) & 15;
    dcs |= (u32)picture.dc[component] << (4 * b), acs |= (u32)picture.ac[component] << (4 * b);
  }
  u32 at = 4 * state.block, behind_unit = 4 * per_unit;
  u32 table = ((k ? acs : dcs) >> at & 15) << LOOK;
  i16* made = picture.coefficients + 64ll * first_block;
  i32 needed_from = picture.first_block - first_block;
  u32 needed = picture.end_block - picture.first_block;
  i32 blocks = 0, dc0 = counts.dc[0], dc1 = counts.dc[1], dc2 = counts.dc[2];
  bool sound = true;
  // Hardly a branch, since threads in different states share a warp, and often a few threads are all that still work.
  // Words are in registers, one more than is needed: threads read far from each other, so that loads take long. Who needs
  // no word reads the first one, all of them the same. What the next table may be is known before the entry is there.
  const u32* words = picture.words;
  u32 word = bit >> 5, high = words[word], low = words[word + 1], ahead = words[word + 2], loaded = ahead;
  bool crossed = false;
  while (bit < end && (!WRITES || blocks < most)) {
    u32 bits = __funnelshift_l(low, high, bit);
    u32 entry = codes.looked[table + (bits >> (32 - LOOK))];
    u32 next = at + 4 == behind_unit ? 0 : at + 4, component = components >> at & 15;
    u32 ac = (acs >> at & 15) << LOOK, next_dc = (dcs >> next & 15) << LOOK;
    bool first = k == 0, two = !WRITES && k <= 63 - PAIR_STEP && bit + 32 < end;
    if (!entry) {
      u32 which = table >> LOOK, beyond = (bits >> 16) - codes.behind[which][LOOK];
      entry = beyond < LONG ? codes.longer[which][beyond] : find<LOOK + 1, 16>(picture, codes, which, bits >> 16);
      if (!entry) entry = 1 | (first ? 1 : END) << STEP_AT, sound = false;  // no such code: look for one at the next bit
      entry *= 0x10001u;
    }
    if (two) entry >>= 16;
    u32 length = entry & LENGTH, size = entry >> SIZE_AT & 15, step = entry >> STEP_AT & 127;
    bit += length;
    bool crossing = bit >> 5 != word;
    word = bit >> 5, ahead = crossed ? loaded : ahead, crossed = crossing;
    high = crossing ? low : high, low = crossing ? ahead : low, loaded = words[crossing ? word + 2 : 0];
    if (WRITES || first) {
      u32 rest = bits << (length - size);
      i32 value = (i32)(rest >> 1 >> (31 - size)) - (rest >> 31 ? 0 : (1 << size) - 1);  // 0 if it has no bits
      i32 difference = first ? value : 0;
      dc0 += component == 0 ? difference : 0, dc1 += component == 1 ? difference : 0, dc2 += component == 2 ? difference : 0;
      u32 place = k + step - 1;
      if (WRITES && (u32)(blocks - needed_from) < needed && (first || (size && place < 64)))
        made[codes.order[place]] = (i16)(!first ? value : component == 0 ? dc0 : component == 1 ? dc1 : dc2);
    }
    k += step;
    bool over = k >= 64;
    sound = sound && (k <= 64 || step >= END);
    k = over ? 0 : k, blocks += over, made += over ? 64 : 0, at = over ? next : at, table = over ? next_dc : ac;
  }
  state.bit = bit, state.block = at / 4, state.k = k;
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
  bool changed = !turn;
  if (turn) {
    mine = *kept;
    if (me == 0 && segment) {
      State now = borders[(turn - 1 & 1) * segments + segment - 1];
      changed = differ(now, mine.given);
      mine.given = now;
    }
  }
  changed = changed && begin < end;
  bool any = __syncthreads_or(changed), good = !any || turn < turns;
  if (good && (any || turn == turns)) make_codes<threads>(picture, codes);
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
