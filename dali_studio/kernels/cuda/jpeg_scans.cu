// The scans of progressive JPEG, to coefficients of which `jpeg.cu` makes pixels. Source: ITU-T T.81, annex G.
//
// A scan says a little more of blocks that earlier scans have said something of, and its bits have to be read one after the
// other. But of a block it needs to know only what was said of that block: a warp for each scan of a picture follows the warp
// of the scan before it at a distance of some blocks. All lanes of a warp read the same bits; each keeps two coefficients of
// the block that the warp is at.

#include "../include/jpeg.hpp"

#define ALL 0xFFFFFFFFu
#define RING 128         // words of the stream that a warp has at hand
#define ENOUGH 2080      // bits that are there before a block, or a chunk of DC: no more than 63 times 31, and what is read ahead
#define CHUNK 32         // blocks, a lane for what is known of each
#define LOOK_AC 9        // bits of a code that a table is looked up by
#define LOOK_DC 7
#define ENDS (1u << 13)  // of an entry: no more coefficients in as many blocks as its bits say

// What a warp has of its scan in shared memory.
struct Work {
  enum { NONE = 255 };
  u32 ring[RING];        // words whose highest bits come first
  u16 looked[512];       // by the next bits: bits of a code and its value together (5 bits), of the value (4), and the run (4)
  u32 ends[3][16];       // what the first 16 bits of codes of 1 to 16 bits are less than
  u16 before[3][16];     // how many codes are shorter
  // Of a block that is refined, by rank among the coefficients that were zero: the sign of one that is not, or 0; and how many
  // in front of it were not zero, NONE where there are no more. A run leads 15 beyond the last one at most.
  u32 fresh[64 + 16];
  u8 ones[64 + 16];
};

__device__ __forceinline__ u32 lane_of() { return threadIdx.x & 31; }
// 0 for symbols that such a scan does not have.
__device__ __forceinline__ u32 entry_of(const CodedScan& scan, u32 symbol, u32 length) {
  u32 size = symbol & 15, run = symbol >> 4;
  if (scan.first && size == 0 && run < 15) return (length + run) | run << 5 | ENDS;
  return scan.refines && size > 1 ? 0 : (length + size) | size << 5 | run << 9;
}

__device__ void make_codes(const CodedScan& scan, Work& work, bool ac) {
  u32 lane = lane_of(), tables = ac ? 1 : 3, look = ac ? LOOK_AC : LOOK_DC;
  if (lane < tables)
    for (u32 i = 0, end = 0, count = 0; i < 16; i++) {
      work.before[lane][i] = (u16)count;
      count += scan.lengths[lane][i], end += (u32)scan.lengths[lane][i] << (15 - i);
      work.ends[lane][i] = end;
    }
  __syncwarp();
  for (u32 i = lane; i < tables << look; i += 32) {
    u32 table = i >> look, bits = (i - (table << look)) << (16 - look), entry = 0;
    u32 n = 0, from = 0;
    while (n < look && bits >= work.ends[table][n]) from = work.ends[table][n++];
    if (n < look) entry = entry_of(scan, scan.symbols[16 * table + work.before[table][n] + ((bits - from) >> (15 - n))], n + 1);
    work.looked[i] = (u16)entry;
  }
  __syncwarp();
}

// An entry for a code that the table does not hold, or 0.
__device__ u32 longer_code(const CodedScan& scan, const Work& work, u32 table, u32 bits) {
  u32 lane = lane_of(), found = __ballot_sync(ALL, lane < 16 && bits >> 16 < work.ends[table][lane & 15]);
  if (!found) return 0;
  u32 n = __ffs(found) - 1, from = n ? work.ends[table][n - 1] : 0;
  return entry_of(scan, scan.symbols[16 * table + work.before[table][n] + (((bits >> 16) - from) >> (15 - n))], n + 1);
}

// The bits of a scan, without zeros that follow 0xFF.
struct Stream {
  const u8* data;
  u32* ring;
  u32 at, end;            // bytes that have not been read
  u32 have;               // bits that have been read, from the beginning or the last restart marker on
  u32 high, low, ahead;   // the next bits, first ones highest, and the word behind them
  u32 word;               // where that is
  i32 count;              // of the next bits, at least 32
  bool closed, marked;    // whether a marker was reached, and whether the byte in front of `at` is 0xFF

  __device__ void begin(u32 from) {
    at = from, have = word = 0, count = 0, closed = marked = false;
    fill();
    high = ring[0], low = ring[1], ahead = ring[2], word = 2, count = 64;
  }
  __device__ __forceinline__ u32 bit() const { return 32 * word - count; }  // which is next
  // So that there are enough, or all up to a marker.
  __device__ __forceinline__ void fill() {
    while (!closed && have - bit() < ENOUGH) read_on();
  }
  __device__ void read_on() {
    u32 lane = lane_of(), base = at & ~3u, first = base + 4 * lane;
    u32 four = first < end ? *(const u32*)(data + first) : 0;
    u32 next = __shfl_down_sync(ALL, four, 1) & 255, previous = __shfl_up_sync(ALL, four, 1) >> 24, last = __shfl_sync(ALL, four, 30) >> 24;
    u32 limit = min(base + 124, end), keep = 0, stop = ALL;  // of the last four, only the first byte is looked at
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
      u32 place = first + i, byte = four >> (8 * i) & 255, before = i ? four >> (8 * i - 8) & 255 : previous;
      u32 behind = i < 3 ? four >> (8 * i + 8) & 255 : next;
      bool inside = place >= at && place < limit, after = place == at ? marked : before == 255;
      if (inside && !(after && byte == 0)) keep |= 1u << i;
      if (inside && byte == 255 && (behind != 0 || place + 1 >= end)) stop = min(stop, place);
    }
    u32 stopped = __ballot_sync(ALL, stop != ALL);
    bool found = stopped != 0;
    if (found) {
      limit = __shfl_sync(ALL, stop, __ffs(stopped) - 1);
      if (first + 4 > limit) keep &= first >= limit ? 0 : (1u << (limit - first)) - 1;
    }
    u32 lower = (1u << lane) - 1, rank = 0, all = 0;
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
      u32 kept = __ballot_sync(ALL, keep >> i & 1);
      rank += __popc(kept & lower), all += __popc(kept);
    }
    u8* bytes = (u8*)ring;
    u32 place = have / 8 + rank;
#pragma unroll
    for (u32 i = 0; i < 4; i++)
      if (keep >> i & 1) bytes[(place++ & (4 * RING - 1)) ^ 3] = (u8)(four >> (8 * i));
    have += 8 * all, at = limit, marked = last == 255, closed = found || limit == end;
    if (closed) bytes[((have / 8 + lane) & (4 * RING - 1)) ^ 3] = 0;
    __syncwarp();
    ahead = ring[word & (RING - 1)];
  }
  // Up to 31.
  __device__ __forceinline__ void drop(u32 size) {
    high = __funnelshift_l(low, high, size), low <<= size, count -= size;
    if (count < 32) {
      high |= ahead >> count, low = ahead << 1 << (31 - count);
      count += 32, word++, ahead = ring[word & (RING - 1)];
    }
  }
  __device__ bool passed() const { return closed && bit() > have; }
  // Whether all bits up to a marker were used.
  __device__ bool at_marker() {
    fill();
    return closed && have - bit() < 8;
  }
};

struct Place {
  i32 block, component;
};

// Block and component of a place in a scan.
__device__ Place place_of(const Picture& picture, const CodedScan& scan, i32 number) {
  i32 luma = picture.h * picture.v, per_unit = picture.components == 1 ? 1 : luma + 2, which = scan.components;
  if (scan.columns) {
    i32 component = which >> 1, across = component ? 0 : picture.h - 1, down = component ? 0 : picture.v - 1;  // logarithms
    i32 row = number / scan.columns, column = number - row * scan.columns;
    i32 unit = (row >> down) * picture.columns_of_units + (column >> across);
    return {unit * per_unit + (component ? luma + component - 1 : (row & down) << across | (column & across)), component};
  }
  i32 first = which & 1 ? luma : 0, size = first + (which >> 1 & 1) + (which >> 2), unit = number / size, at = number - unit * size;
  i32 component = at < first ? 0 : which & 2 ? at - first + 1 : 2;
  return {unit * per_unit + (component ? luma + component - 1 : at), component};
}

// A scan, as far as it has been decoded: the blocks of a chunk, one for each lane, and what is known of them.
struct Decoder {
  const Picture& picture;
  const CodedScan& scan;
  Work& work;
  Stream in;
  u32 over;              // blocks whose part of the scan is over
  i32 dc[3];
  i32 block, component;  // of this lane; -1: its coefficients are not needed
  u32 known[2];

  // Signed numbers of so many bits, which come first.
  __device__ __forceinline__ static i32 value_of(u32 bits, u32 size) {
    return (i32)(bits >> 1 >> (31 - size)) - (bits >> 31 ? 0 : (1 << size) - 1);
  }
  __device__ __forceinline__ i16* coefficients(i32 of) const { return picture.coefficients + 64ll * of; }

  __device__ bool first_dc(u32 count) {
    const i32 low = scan.low;
    i32 mine = 0;
    in.fill();
    for (u32 i = 0; i < count; i++) {
      u32 which = __shfl_sync(ALL, component, i), bits = in.high, found = work.looked[which << LOOK_DC | bits >> (32 - LOOK_DC)];
      if (!found && !(found = longer_code(scan, work, which, bits))) return false;
      u32 size = found >> 5 & 15;
      in.drop(found & 31);
      i32 last = (which == 0 ? dc[0] : which == 1 ? dc[1] : dc[2]) + value_of(bits << ((found & 31) - size), size);
      (which == 0 ? dc[0] : which == 1 ? dc[1] : dc[2]) = last;
      last *= 1 << low;
      if (last != (i16)last) return false;
      if (i == lane_of()) mine = last;
    }
    if (block >= 0) coefficients(block)[0] = (i16)mine;
    return true;
  }

  __device__ bool refine_dc(u32 count) {
    in.fill();
    u32 bits = in.high;
    in.drop(count / 2), in.drop(count - count / 2);
    if (block >= 0 && bits << lane_of() >> 31) coefficients(block)[0] |= (i16)(1 << scan.low);
    return true;
  }

  __device__ bool first_ac(u32 count, u32 to, u32 to_far) {
    const u32 lane = lane_of();
    const i32 first = scan.first, last = scan.last, low = scan.low;
    for (u32 i = 0; i < count; i++) {
      if (over) {
        u32 some = min(over, count - i);
        over -= some, i += some - 1;
        continue;
      }
      i32 near = 0, far = 0;
      in.fill();
      for (i32 k = first; k <= last; k++) {
        u32 bits = in.high, found = work.looked[bits >> (32 - LOOK_AC)];
        if (found - 1 >= ENDS - 1) {
          if (!found && !(found = longer_code(scan, work, 0, bits))) return false;
          if (found & ENDS) {
            u32 size = found >> 5 & 15;
            over = (1u << size) + (bits << ((found & 31) - size) >> 1 >> (31 - size)) - 1;
            in.drop(found & 31);
            break;
          }
        }
        u32 size = found >> 5 & 15;
        in.drop(found & 31);
        k += found >> 9;
        if (k > last) return false;
        i32 value = value_of(bits << ((found & 31) - size), size) * (1 << low);
        near = (i32)lane == k ? value : near, far = (i32)lane + 32 == k ? value : far;
      }
      u32 near_known = __ballot_sync(ALL, near != 0), far_known = __ballot_sync(ALL, far != 0);
      if (lane == i) known[0] |= near_known, known[1] |= far_known;
      i32 target = __shfl_sync(ALL, block, i);
      if (target < 0) continue;
      if (near) coefficients(target)[to] = (i16)near;
      if (far) coefficients(target)[to_far] = (i16)far;
    }
    return true;
  }

  // One of the two coefficients of a lane in a block that is refined: rank among those that were not zero, or among the others.
  struct Half {
    u32 one, zero;
    i32 before;
    u32 bits;  // the highest one: the correction
    __device__ __forceinline__ void see(u32 window, u32 done, u32 count) {
      if (one - done < count) bits = window << (one - done);
    }
    // The coefficient, if it has changed.
    __device__ __forceinline__ bool changes(const u32* fresh, i32 step, i32& value) const {
      u32 sign = zero == ALL ? 0 : fresh[zero];
      value = sign ? ((i32)sign < 0 ? step : -step) : before + (before < 0 ? -step : step);
      return sign || (i32)bits < 0;
    }
  };

  __device__ __forceinline__ void correct(Half& near, Half& far, u32 done, u32 count) {
    while (count) {
      u32 some = min(count, 31u);
      near.see(in.high, done, some), far.see(in.high, done, some);
      in.drop(some);
      done += some, count -= some;
    }
  }

  // Bits of coefficients that were not zero before lie between the symbols; how many follows from the places of those
  // coefficients.
  __device__ bool refine_ac(u32 count, u32 to, u32 to_far) {
    const u32 lane = lane_of(), lower = (1u << lane) - 1;
    const i32 first = scan.first, last = scan.last, step = 1 << scan.low;
    const u64 band = (2ull << last) - (1ull << first);
    const u32 size = last - first + 1;
    for (u32 i = 0; i < count; i++) {
      u32 ones = __shfl_sync(ALL, known[0], i) & (u32)band, far_ones = __shfl_sync(ALL, known[1], i) & (u32)(band >> 32);
      u32 zeros = (u32)band & ~ones, far_zeros = (u32)(band >> 32) & ~far_ones, all = __popc(ones) + __popc(far_ones);
      if (over && !all) {
        over--;
        continue;
      }
      i32 target = __shfl_sync(ALL, block, i);
      Half near = {ALL, ALL, 0, 0}, far = {ALL, ALL, 0, 0};
      u32 before = __popc(ones & lower), far_before = __popc(ones) + __popc(far_ones & lower);
      if (ones >> lane & 1) near.one = before;
      if (far_ones >> lane & 1) far.one = far_before;
      if (target >= 0 && near.one != ALL) near.before = coefficients(target)[to];
      if (target >= 0 && far.one != ALL) far.before = coefficients(target)[to_far];
      in.fill();
      if (!over) {
        u32 rank = __popc(zeros & lower), far_rank = __popc(zeros) + __popc(far_zeros & lower);
        work.ones[lane] = work.ones[lane + 32] = work.ones[(lane & 15) + 64] = Work::NONE;
        work.fresh[lane] = work.fresh[lane + 32] = 0;
        __syncwarp();
        if (zeros >> lane & 1) near.zero = rank, work.ones[rank] = (u8)before;
        if (far_zeros >> lane & 1) far.zero = far_rank, work.ones[far_rank] = (u8)far_before;
        __syncwarp();
        u32 done = 0, passed = 0;  // of those that were not zero, and of the others
        while (passed + done < size) {
          u32 bits = in.high, found = work.looked[bits >> (32 - LOOK_AC)];
          if (found - 1 >= ENDS - 1) {
            if (!found && !(found = longer_code(scan, work, 0, bits))) return false;
            if (found & ENDS) {
              u32 more = found >> 5 & 15;
              over = (1u << more) + (bits << ((found & 31) - more) >> 1 >> (31 - more));
              in.drop(found & 31);
              break;
            }
          }
          u32 used = found & 31;
          passed += found >> 9;
          u32 now = work.ones[passed], corrections = now - done;
          if (found & 32) work.fresh[passed] = bits << (used - 1) | 1;
          if (used + corrections < 32) {
            u32 window = bits << used;
            near.see(window, done, corrections), far.see(window, done, corrections);
            in.drop(used + corrections);
          } else {
            if (now == Work::NONE) return false;
            in.drop(used);
            correct(near, far, done, corrections);
          }
          done = now, passed++;
        }
        if (over) correct(near, far, done, all - done), over--;
        __syncwarp();
      } else {
        correct(near, far, 0, all), over--;
      }
      i32 value, far_value;
      bool changed = near.changes(work.fresh, step, value), far_changed = far.changes(work.fresh, step, far_value);
      u32 near_known = __ballot_sync(ALL, changed), far_known = __ballot_sync(ALL, far_changed);  // or known before
      if (lane == i) known[0] |= near_known, known[1] |= far_known;
      if (target < 0) continue;
      if (changed) coefficients(target)[to] = (i16)value;
      if (far_changed) coefficients(target)[to_far] = (i16)far_value;
    }
    return true;
  }
};

// Waits until a scan is through with so many blocks.
__device__ void wait_for(volatile u32* progress, i32 scan, u32 blocks) {
  while (__shfl_sync(ALL, progress[scan], 0) < blocks) __nanosleep(200);
  __threadfence_block();
}

// False if the data made no sense.
__device__ bool decode_scan(const Picture& picture, const ScanList& list, i32 which, Work& work, volatile u32* progress, volatile u32* failed) {
  const CodedScan& scan = list.scans[which];
  u32 lane = lane_of(), to = ZIGZAG[lane], to_far = ZIGZAG[lane + 32], marker = 0;
  bool ac = scan.first > 0;
  if (ac || !scan.refines) make_codes(scan, work, ac);
  Decoder decoder = {picture, scan, work, {list.data, work.ring, 0, scan.end}, 0, {0, 0, 0}, -1, 0, {0, 0}};
  Stream& in = decoder.in;
  in.begin(scan.begin);
  i32 left = scan.interval ? scan.interval : scan.blocks;
  if (!ac && scan.waits >= 0) wait_for(progress, scan.waits, ALL);
  for (i32 number = 0; number < scan.blocks;) {
    if (left == 0) {
      if (decoder.over || !in.at_marker() || in.end - in.at < 2 || in.data[in.at] != 0xFF || in.data[in.at + 1] != 0xD0 + marker) return false;
      __syncwarp();
      in.begin(in.at + 2);
      decoder.dc[0] = decoder.dc[1] = decoder.dc[2] = 0;
      marker = (marker + 1) & 7, left = scan.interval;
    }
    i32 count = min(min(CHUNK, scan.blocks - number), left);
    bool mine = (i32)lane < count;
    Place place = place_of(picture, scan, number + min((i32)lane, count - 1));
    u64* known = list.known + place.block;
    decoder.component = place.component;
    decoder.block = mine && place.block >= picture.first_block && place.block < picture.end_block ? place.block : -1;
    bool sound;
    if (ac) {
      if (scan.waits >= 0) wait_for(progress, scan.waits, number + count);
      if (__shfl_sync(ALL, *failed, 0)) return false;
      u64 before = mine ? *known : 0;
      decoder.known[0] = (u32)before, decoder.known[1] = (u32)(before >> 32);
      sound = scan.refines ? decoder.refine_ac(count, to, to_far) : decoder.first_ac(count, to, to_far);
      if (mine) *known = (u64)decoder.known[1] << 32 | decoder.known[0];
    } else {
      sound = scan.refines ? decoder.refine_dc(count) : decoder.first_dc(count);
    }
    if (!sound || in.passed()) return false;
    number += count, left -= count;
    __threadfence_block();
    __syncwarp();
    if (lane == 0 && ac) progress[which] = number;
  }
  return !decoder.over && in.at_marker() && in.at == in.end;
}

// A block of threads for each picture.
extern "C" __global__ void __launch_bounds__(32 * SCANS_AT_ONCE, 1) scans(const Picture* __restrict__ pictures, const ScanList* lists, Result* results) {
  __shared__ Work works[SCANS_AT_ONCE];
  __shared__ u32 progress[MAX_SCANS], failed;
  const Picture& picture = pictures[blockIdx.x];
  const ScanList& list = lists[blockIdx.x];
  if (threadIdx.x < MAX_SCANS) progress[threadIdx.x] = 0;  // there are as many threads, or fewer scans
  if (threadIdx.x == 0) failed = 0;
  __syncthreads();
  u32 warp = threadIdx.x / 32;
  for (i32 which = warp; which < list.count; which += blockDim.x / 32) {
    bool sound = !__shfl_sync(ALL, *(volatile u32*)&failed, 0) && decode_scan(picture, list, which, works[warp], progress, &failed);
    __threadfence_block();
    __syncwarp();
    if (lane_of()) continue;
    if (!sound) *(volatile u32*)&failed = 1, results[blockIdx.x].failed = 1;
    *(volatile u32*)&progress[which] = ALL;  // nobody waits for it any more
  }
}
