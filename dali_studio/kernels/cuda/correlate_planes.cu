// Correlation of planes with filters of two axes; the sums of `correlate.cu`. Macros: IN, OUT; BORDER as in border.hpp; TAPS: the
// width of all filters, or 0.
#include "../include/border.hpp"
#include "../include/division.hpp"
#include "narrowed.cuh"
#include "strip.cuh"

struct Item {
  const IN* from;
  OUT* to;
  const f32* filter;
  const IN* fill;  // one element, or null for 0
  Strips strips;
  i32 high, wide;  // of the filter
};

struct Fused {
  const float4* weights;
  int kept;  // the weight that is not left out if it is 0
  int first;
  f32 here[RUN];
  __device__ __forceinline__ void begin(int from) {
    const float4 a = weights[from / 4], b = weights[from / 4 + 1];
    here[0] = a.x, here[1] = a.y, here[2] = a.z, here[3] = a.w, here[4] = b.x, here[5] = b.y, here[6] = b.z, here[7] = b.w;
    first = from;
  }
  // Weights of 0 are left out so that infinities beneath them do no harm.
  __device__ __forceinline__ f32 operator()(f32 sum, f32 element, int k) const {
    return is_real<IN>::value && here[k] == 0 && first + k != kept ? sum : fused(element, here[k], sum);
  }
};

extern "C" __global__ void __launch_bounds__(256) correlate_planes(const Item* __restrict__ items) {
  extern __shared__ float4 memory[];
  const Item t = items[blockIdx.y];
  const Strips& s = t.strips;
  if (blockIdx.x >= s.blocks) return;
  const Strip here = strip_of(s, blockIdx.x);
  const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, width = here.pixels * s.inner;
  const int padded = (t.wide + RUN - 1) / RUN * RUN, line = line_of(s), pitch = pitch_of(line), step = pitch_of(s.pixels * s.inner);
  f32* weights = (f32*)memory;
  i32* columns = (i32*)(weights + t.high * padded);
  f32 *tile = (f32*)(columns + line), *sums = tile + (PIECE + t.high - 1) * pitch;
  bool any = false;
  for (int i = threadIdx.x; i < t.high * padded; i += 256) {
    const int row = i / padded, column = i - row * padded;
    weights[i] = column < t.wide ? t.filter[row * t.wide + column] : 0.f;
    any = any || weights[i] != 0;
  }
  find_columns(s, here, columns);
  const int last = __syncthreads_or(any) ? -1 : t.wide - 1;  // of the last row

  const i64 length = (i64)s.width * s.inner;
  const IN* from = t.from + here.plane * s.height * length;
  const IN outside = t.fill ? *t.fill : IN{};
  const auto rows = [&](int j) { return row_of(s, here.y - s.above + j); };
  const auto take = [=](i64 row, int column) { return to_float(element_or(from, row, column, outside)); };
  bring(tile, pitch, here.rows + t.high - 1, (here.pixels + s.left + s.right) * s.inner, columns, rows, take);
  __syncthreads();
  for (int unit = warp; unit < (here.pixels + RUN - 1) / RUN * s.inner; unit += WARPS) {  // a lane takes a row
    const int block = unit / s.inner, place = block * RUN * s.inner + unit - block * s.inner;
    if (lane >= here.rows) continue;
    f32 made[RUN] = {};
    for (int j = 0; j < t.high; j++)
      fold(tile + (lane + j) * pitch + place, s.inner, t.wide, made, Fused{(const float4*)(weights + j * padded), j + 1 < t.high ? -1 : last, 0, {}});
#pragma unroll
    for (int r = 0; r < RUN; r++) sums[lane * step + place + r * s.inner] = made[r];
  }
  __syncthreads();
  const i64 out_length = (i64)s.out_width * s.inner;
  OUT* to = t.to + (here.plane * s.out_height + here.y) * out_length + (i64)here.x * s.inner;
  for (int j = warp; j < here.rows; j += WARPS)
    for (int i = lane; i < width; i += LANES) to[j * out_length + i] = narrowed<OUT>(sums[j * step + i]);
}
