// The spectra of windows of sounds: what `kernels/cpu/fourier.cpp` does, in the same order of operations. Those of a length that
// the registers of a block hold are made by `spectrogram_held.cu`.
#include "../include/convolution.hpp"
#include "../include/division.hpp"
#include "../include/elementary.hpp"
#include "../include/fourier.hpp"

struct Item {
  const float* from;
  float* to;
  i64 count, windows;
};
struct Settings {
  i64 first, step, width;  // where the first window begins, samples from one to the next, and of one
  i64 size, factors;       // of the transform
  i64 reflect, root, time_major;
  Complex<float>* room;    // for the window that a block is at, twice

  __device__ i64 bins() const { return size / 2 + 1; }
  // Number i of what is transformed: the window stands in the middle, zeros around it.
  __device__ float value(const Item& item, i64 window, i64 i, const float* weights) const {
    const i64 t = i - (size - width) / 2, place = first + window * step + t;
    if (t < 0 || t >= width) return 0;
    const bool inside = place >= 0 && place < item.count;
    return inside || reflect ? item.from[inside ? place : reflected(place, item.count)] * weights[t] : 0;
  }
  __device__ void store(const Item& item, i64 window, i64 k, float power) const {
    item.to[time_major ? window * bins() + k : k * item.windows + window] = power;
  }
};

template <int R>
__device__ void step_of(const Complex<float>* from, Complex<float>* to, i64 count, i64 stride, const float* roots) {
  for (i64 i = threadIdx.x; i < count * stride; i += 256) {
    const i64 p = quotient(i, stride);
    fourier_part<R>(from, to, count, stride, p, i - p * stride, roots + p * 2 * (R - 1));
  }
}

// A block takes one window after the other, those of all blocks of the grid apart.
extern "C" __global__ void __launch_bounds__(256) spectra(
    const Item* __restrict__ items, const Settings* __restrict__ settings, const float* __restrict__ weights,
    const i64* __restrict__ factors, const float* __restrict__ roots) {
  const Item& item = items[blockIdx.y];
  const Settings& s = *settings;
  const bool paired = s.size % 2 == 0;
  const i64 length = paired ? s.size / 2 : s.size;
  Complex<float>* const data = s.room + ((i64)blockIdx.y * gridDim.x + blockIdx.x) * 2 * length;
  for (i64 window = blockIdx.x; window < item.windows; window += gridDim.x) {
    __syncthreads();
    for (i64 i = threadIdx.x; i < length; i += 256)
      data[i] = paired ? Complex<float>{s.value(item, window, 2 * i, weights), s.value(item, window, 2 * i + 1, weights)}
                       : Complex<float>{s.value(item, window, i, weights), 0.f};
    Complex<float> *from = data, *to = data + length;
    const float* root = roots;
    i64 stride = 1;
    for (i64 step = 0; step < s.factors; step++) {
      const i64 factor = factors[step], count = length / stride / factor;
      __syncthreads();
      switch (factor) {
        case 2: step_of<2>(from, to, count, stride, root); break;
        case 3: step_of<3>(from, to, count, stride, root); break;
        case 4: step_of<4>(from, to, count, stride, root); break;
        case 5: step_of<5>(from, to, count, stride, root); break;
        default: step_of<7>(from, to, count, stride, root);
      }
      root += 2 * (factor - 1) * count, stride *= factor;
      Complex<float>* swapped = from;
      from = to, to = swapped;
    }
    __syncthreads();
    for (i64 k = threadIdx.x; k < s.bins(); k += 256) {
      const float power = power_of(paired ? unpaired(from, length, k, root[2 * k], root[2 * k + 1]) : from[k]);
      s.store(item, window, k, s.root ? square_root(power) : power);
    }
  }
}

// The spectra of lengths with other factors, as sums of all products, in double precision; roots: those of unity. A thread makes
// one number.
extern "C" __global__ void __launch_bounds__(256) spectra_by_sums(
    const Item* __restrict__ items, const Settings* __restrict__ settings, const float* __restrict__ weights,
    const Complex<double>* __restrict__ roots) {
  const Item& item = items[blockIdx.y];
  const Settings& s = *settings;
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x, window = quotient(i, s.bins()), k = i - window * s.bins();
  if (window >= item.windows) return;
  Complex<double> sum = {0, 0};
  for (i64 t = 0, turn = 0; t < s.size; t++) {
    const double x = s.value(item, window, t, weights);
    sum = {sum.re + x * roots[turn].re, sum.im + x * roots[turn].im};
    turn += k;
    if (turn >= s.size) turn -= s.size;
  }
  const double power = power_of(sum);
  s.store(item, window, k, (float)(s.root ? square_root(power) : power));
}
