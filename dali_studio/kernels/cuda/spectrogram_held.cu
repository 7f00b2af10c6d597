// The spectra of windows of sounds whose transforms the registers of a block hold: what `spectrogram.cu` does, in the same order of
// operations, but two steps at once, between which nothing goes through shared memory. Macros: SIZE and WIDTH of the transform and
// of the window; FACTORS, digits from the last to the first; LINES, windows of a block.
#include "../include/convolution.hpp"
#include "../include/elementary.hpp"
#include "../include/fourier.hpp"

struct Item {
  const float* from;
  float* to;
  i64 count, windows;
};
enum { THREADS = 256, PAIRED = SIZE % 2 == 0, LENGTH = PAIRED ? SIZE / 2 : SIZE, BINS = SIZE / 2 + 1, BEFORE = (SIZE - WIDTH) / 2 };
enum { PITCH = (LENGTH + LENGTH / 16) | 1 };  // from line to line; what neighbouring threads reach lies in different banks

__device__ __forceinline__ int padded(int i) { return i + i / 16; }

// One window: where number 0 of what is transformed lies in the sound, which may be before its begin.
struct Window {
  const float* from;
  i64 place, count;
  const float* weights;
  bool reflect;

  __device__ __noinline__ float beyond(int t) const {
    const i64 at = place + BEFORE + t;
    const bool inside = at >= 0 && at < count;
    return inside || reflect ? from[inside ? at : reflected(at, count)] * weights[t] : 0;
  }
  template <bool INSIDE> __device__ __forceinline__ float value(int i) const {
    const int t = i - BEFORE;
    if (t < 0 || t >= WIDTH) return 0;
    return INSIDE ? (from + place)[i] * weights[t] : beyond(t);
  }
  template <bool INSIDE> __device__ __forceinline__ Complex<float> number(int i) const {
    return PAIRED ? Complex<float>{value<INSIDE>(2 * i), value<INSIDE>(2 * i + 1)} : Complex<float>{value<INSIDE>(i), 0.f};
  }
};

// Two steps of all lines, or one if R1 is 1: each thread makes what R0 * R1 numbers become. The first ones read the sound.
template <int R0, int R1, int STRIDE, class LINE>
__device__ __forceinline__ void steps(Complex<float>* memory, int lines, const Complex<float>* roots, LINE window_of) {
  constexpr int PARTS = LENGTH / (R0 * R1), COUNT = LENGTH / STRIDE / R0, LEFT = COUNT / R1;
  constexpr int EACH = (LINES * PARTS + THREADS - 1) / THREADS;
  Complex<float> x[EACH][R1][R0];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int i = e * THREADS + threadIdx.x, line = i / PARTS, part = i % PARTS, p = part / STRIDE, q = part % STRIDE;
    if (line >= lines) continue;
    if constexpr (STRIDE == 1) {
      const Window window = window_of(line);
      const i64 begin = window.place + BEFORE;
      if (begin >= 0 && begin + WIDTH <= window.count) {
#pragma unroll
        for (int j = 0; j < R1; j++)
#pragma unroll
          for (int k = 0; k < R0; k++) x[e][j][k] = window.template number<true>(q + STRIDE * (p + LEFT * (j + R1 * k)));
      } else {
#pragma unroll
        for (int j = 0; j < R1; j++)
#pragma unroll
          for (int k = 0; k < R0; k++) x[e][j][k] = window.template number<false>(q + STRIDE * (p + LEFT * (j + R1 * k)));
      }
    } else {
#pragma unroll
      for (int j = 0; j < R1; j++)
#pragma unroll
        for (int k = 0; k < R0; k++) x[e][j][k] = memory[line * PITCH + padded(q + STRIDE * (p + LEFT * (j + R1 * k)))];
    }
#pragma unroll
    for (int j = 0; j < R1; j++) {
      transform(x[e][j]);
#pragma unroll
      for (int k = 1; k < R0; k++) {
        const Complex<float> root = roots[(p + LEFT * j) * (R0 - 1) + k - 1];
        x[e][j][k] = times(x[e][j][k], root.re, root.im);
      }
    }
    if constexpr (R1 > 1) {
#pragma unroll
      for (int k = 0; k < R0; k++) {
        Complex<float> y[R1];
#pragma unroll
        for (int j = 0; j < R1; j++) y[j] = x[e][j][k];
        transform(y);
        x[e][0][k] = y[0];
#pragma unroll
        for (int j = 1; j < R1; j++) {
          const Complex<float> root = roots[(R0 - 1) * COUNT + p * (R1 - 1) + j - 1];
          x[e][j][k] = times(y[j], root.re, root.im);
        }
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    const int i = e * THREADS + threadIdx.x, line = i / PARTS, part = i % PARTS, p = part / STRIDE, q = part % STRIDE;
    if (line >= lines) continue;
#pragma unroll
    for (int j = 0; j < R1; j++)
#pragma unroll
      for (int k = 0; k < R0; k++) memory[line * PITCH + padded(q + STRIDE * (k + R0 * (R1 * p + j)))] = x[e][j][k];
  }
  __syncthreads();
}

// All steps; gives the roots behind theirs.
template <int STRIDE, int LEFT, class LINE>
__device__ __forceinline__ const Complex<float>* all(Complex<float>* memory, int lines, const Complex<float>* roots, LINE window_of) {
  if constexpr (LEFT == 0) {
    return roots;
  } else {
    constexpr int R0 = LEFT % 10, NEXT = LEFT / 10 % 10, R1 = NEXT > 0 && R0 * NEXT <= 16 ? NEXT : 1, COUNT = LENGTH / STRIDE / R0;
    constexpr int AFTER = LEFT / (R1 > 1 ? 100 : 10);
    steps<R0, R1, STRIDE>(memory, lines, roots, window_of);
    return all<STRIDE * R0 * R1, AFTER>(memory, lines, roots + (R0 - 1) * COUNT + (R1 - 1) * (COUNT / R1), window_of);
  }
}

extern "C" __global__ void __launch_bounds__(256) spectra_held(
    const Item* __restrict__ items, const float* __restrict__ weights, const Complex<float>* __restrict__ roots, i64 first, i64 step,
    i64 reflect, i64 root, i64 time_major) {
  __shared__ Complex<float> memory[LINES * PITCH];
  const Item& item = items[blockIdx.y];
  const i64 begin = (i64)blockIdx.x * LINES;
  if (begin >= item.windows) return;
  const int lines = (int)least<i64>(LINES, item.windows - begin);
  const Complex<float>* const last = all<1, FACTORS>(memory, lines, roots, [&](int line) {
    return Window{item.from, first + (begin + line) * step - BEFORE, item.count, weights, reflect != 0};
  });
  for (int i = threadIdx.x; i < LINES * BINS; i += THREADS) {  // neighbouring threads write neighbouring numbers
    const int line = time_major ? i / BINS : i % LINES, k = time_major ? i % BINS : i / LINES;
    if (line >= lines) continue;
    const Complex<float>* made = memory + line * PITCH;
    const float power = power_of(PAIRED ? unpaired(made[padded(k == LENGTH ? 0 : k)], made[padded(k == 0 ? 0 : LENGTH - k)], last[k].re, last[k].im)
                                        : made[padded(k)]);
    item.to[time_major ? (begin + line) * BINS + k : k * item.windows + begin + line] = root ? square_root(power) : power;
  }
}
