// Windows around the elements of planes of (height, width, inner) elements, which blocks of 256 threads bring to shared memory
// strip by strip. Macros: BORDER as in border.hpp; TAPS: how many elements all windows have along rows and columns, or 0; INNER and PIXELS
// where they are known: elements of a pixel, and pixels of a strip's row. What the compiler knows costs neither divisions nor additions.
#ifndef INNER
#define INNER 0
#define PIXELS 0
#endif

enum { LANES = 32, WARPS = 8 };
enum { RUN = 8 };    // results that a thread makes together
enum { PIECE = 32 };  // rows that a block brings together: one for each lane
enum { CHUNKS = TAPS ? (TAPS + RUN - 1) / RUN : 1 };  // which the compiler writes out

struct Strips {
  i64 blocks;
  i32 height, width, inner, out_height, out_width;  // of a plane, and of one of the results
  i32 pixels, rows, across, down;                   // of a strip, and how many of them a plane has
  i32 above, below, left, right;                    // how far the windows reach
  i32 unused;
  __device__ __forceinline__ int each() const { return INNER ? INNER : inner; }
  __device__ __forceinline__ int elements() const { return INNER ? INNER * PIXELS : pixels * inner; }
};

// What a block makes.
struct Strip {
  i64 plane;
  i32 y, x, rows, pixels;
};

__device__ __forceinline__ Strip strip_of(const Strips& s, i64 block) {
  const i64 plane = quotient(block, (i64)s.across * s.down);
  const i32 within = (i32)(block - plane * s.across * s.down), row = within / s.across;
  const i32 y = row * s.rows, x = (within - row * s.across) * s.pixels;
  return {plane, y, x, least(s.rows, s.out_height - y), least(s.pixels, s.out_width - x)};
}

// Elements of a row that is brought, of all of its strip.
__device__ __forceinline__ int line_of(const Strips& s) { return (s.pixels + s.left + s.right) * s.inner; }
// Rows begin in different banks.
__device__ __forceinline__ int pitch_of(int line) { return line | 1; }

// Where in its plane a row begins; a negative number: nowhere.
__device__ __forceinline__ i64 row_of(const Strips& s, int y) { return bordered(y, s.height, (Border)BORDER) * ((i64)s.width * s.inner); }

// An element of a plane that begins at `from`, or what lies nowhere instead.
template <class T> __device__ __forceinline__ T element_or(const T* from, i64 row, int column, T nowhere) {
  const bool hidden = BORDER == CONSTANT && (row < 0 || column < 0);
  const T element = from[hidden ? 0 : row + column];
  return hidden ? nowhere : element;
}

// Where in its row each element of a line lies, or -1.
__device__ __forceinline__ void find_columns(const Strips& s, const Strip& here, i32* columns) {
  for (int i = threadIdx.x; i < line_of(s); i += 256) {
    const int pixel = i / s.inner, column = (int)bordered(here.x - s.left + pixel, s.width, (Border)BORDER);
    columns[i] = column < 0 ? -1 : column * s.inner + i - pixel * s.inner;
  }
}

// Brings lines to `tile`: take(row(j), column) is an element of line j. Several are on their way at once; so that nothing keeps
// them from it, threads that have none left take the last one.
template <class V, class ROW, class TAKE>
__device__ __forceinline__ void bring(V* tile, int pitch, int lines, int count, const i32* columns, ROW row, TAKE take) {
  enum { DOWN = 4, ACROSS = 2 };
  for (int first = threadIdx.x / LANES; first < lines; first += DOWN * WARPS) {
    decltype(row(0)) rows[DOWN];
#pragma unroll
    for (int j = 0; j < DOWN; j++) rows[j] = row(least(first + j * WARPS, lines - 1));
    for (int begin = threadIdx.x % LANES; begin < count; begin += ACROSS * LANES) {
      V taken[ACROSS][DOWN];
#pragma unroll
      for (int i = 0; i < ACROSS; i++) {
        const int column = columns[least(begin + i * LANES, count - 1)];
#pragma unroll
        for (int j = 0; j < DOWN; j++) taken[i][j] = take(rows[j], column);
      }
#pragma unroll
      for (int i = 0; i < ACROSS; i++)
#pragma unroll
        for (int j = 0; j < DOWN; j++)
          if (begin + i * LANES < count && first + j * WARPS < lines) tile[(first + j * WARPS) * pitch + begin + i * LANES] = taken[i][j];
    }
  }
}

// Folds RUN windows into `made`. The first begins at `at`; the next window, and the next element of a window, lie `step` behind.
template <class V, class FOLD> __device__ __forceinline__ void fold(const V* at, int step, int given, V (&made)[RUN], FOLD folded) {
  const int taps = TAPS ? TAPS : given;
  V known[RUN];
#pragma unroll
  for (int r = 0; r < RUN - 1; r++, at += step) known[r] = *at;
#pragma unroll CHUNKS
  for (int first = 0; first < taps; first += RUN) {
    folded.begin(first);
#pragma unroll
    for (int k = 0; k < RUN; k++) {
      if (first + k >= taps) break;
      known[(k + RUN - 1) % RUN] = *at;
      at += step;
#pragma unroll
      for (int r = 0; r < RUN; r++) made[r] = folded(made[r], known[(k + r) % RUN], k);
    }
  }
}

// Folds windows along rows, and columns of what that gave; COUNT times. take(row, column) is the element at these offsets in
// the plane, or lies beyond it where one of them is negative; across(term, at, made) folds the windows of a row whose line begins at
// `at`; down(at, step, next, y, element, rows) makes results, of columns that begin at `at` and, for each further term, `next` behind.
template <int COUNT, class V, class TAKE, class ACROSS, class DOWN>
__device__ __forceinline__ void along(const Strips& s, const Strip& here, void* memory, TAKE take, ACROSS across, DOWN down) {
  const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
  const int inner = s.each(), step = pitch_of(s.elements()), line = line_of(s), pitch = pitch_of(line), width = here.pixels * inner;
  const int reach = s.above + s.below, next = (PIECE + reach) * step, end = here.y + here.rows;
  const int units = (here.pixels + RUN - 1) / RUN * inner, groups = (width + LANES - 1) / LANES;
  i32* columns = (i32*)memory;
  V *tile = (V*)(columns + line), *kept = tile + PIECE * pitch;
  find_columns(s, here, columns);
  __syncthreads();
  for (int y = here.y, top = here.y - s.above, made = 0; y < end;) {
    const int rows = least<int>(PIECE, end + s.below - top);
    const auto row = [&](int j) { return row_of(s, top + j); };
    bring(tile, pitch, rows, (here.pixels + s.left + s.right) * s.inner, columns, row, take);
    __syncthreads();
    for (int job = warp; job < COUNT * units; job += WARPS) {  // a lane takes a row
      const int term = COUNT == 1 ? 0 : job / units, unit = job - term * units, block = unit / inner;
      const int place = block * RUN * inner + unit - block * inner;
      if (lane >= rows) continue;
      V results[RUN];
      across(term, tile + lane * pitch + place, results);
      V* to = kept + term * next + (made + lane) * step + place;
#pragma unroll
      for (int r = 0; r < RUN; r++) to[r * inner] = results[r];
    }
    __syncthreads();
    top += rows, made += rows;
    const int ready = made - reach;
    if (ready <= 0) continue;
    for (int job = warp; job < groups * (PIECE / RUN); job += WARPS) {  // a lane takes a column
      const int group = job / (PIECE / RUN), from = (job - group * (PIECE / RUN)) * RUN, element = group * LANES + lane;
      if (from < ready && element < width) down(kept + from * step + element, step, next, y + from, element, least<int>(RUN, ready - from));
    }
    y += ready, made = reach;
    __syncthreads();
    for (int begin = 0; y < end && begin < reach; begin += ready) {  // the last rows become the first ones
      const int count = least(ready, reach - begin) * step;
      for (int term = 0; term < COUNT; term++) {
        V* to = kept + term * next + begin * step;
        for (int i = threadIdx.x; i < count; i += 256) to[i] = to[i + ready * step];
      }
      __syncthreads();
    }
  }
}
