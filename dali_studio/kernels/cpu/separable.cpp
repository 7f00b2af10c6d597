// Loops of `separable.py`: convolution along one axis after the other, the innermost one first.
#include "../include/convolution.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"
#include "vector.hpp"

template <class S, class T> HD void widen(const T* from, i64 count, S* to) {
  i64 i = 0;
  if constexpr (same<S, f32>::value)
    for (; i + 16 <= count; i += 16) write(to + i, load<16>(from + i));
  for (; i < count; i++) to[i] = Cast<S, T>::of(from[i]);
}

// to[i] = the sum of weights[k] * from[i + k * step].
template <class S, class T> static void convolve(const S* from, i64 step, const float* weights, i64 taps, i64 count, T* to) {
  i64 i = 0;
  if constexpr (same<S, f32>::value) {
    struct Four { f32x16 a, b, c, d; };
    for (; i + 64 <= count; i += 64) {
      Four sum = {0.f, 0.f, 0.f, 0.f};
      const float* at = from + i;
      for (i64 k = 0; k < taps; k++, at += step) {
        const f32x16 weight = weights[k];
        sum = {sum.a + read<f32x16>(at) * weight, sum.b + read<f32x16>(at + 16) * weight, sum.c + read<f32x16>(at + 32) * weight,
               sum.d + read<f32x16>(at + 48) * weight};
      }
      store<AWAY, 16>(to + i, sum.a), store<AWAY, 16>(to + i + 16, sum.b);
      store<AWAY, 16>(to + i + 32, sum.c), store<AWAY, 16>(to + i + 48, sum.d);
    }
    for (; i + 16 <= count; i += 16)
      store<AWAY, 16>(to + i, Convolution<f32x16>{weights, taps}([&](i64 k) { return read<f32x16>(from + i + k * step); }));
  }
  for (; i < count; i++)
    store1<AWAY>(to + i, Convolution<f32>{weights, taps}([&](i64 k) { return from[i + k * step]; }));
}

enum { BLOCK = 64 };  // elements of the inner axes that are taken at once, so that their lines stay in the cache

// The middle axis of (outer, size, inner) elements. Lines are copied with their reflected ends to `padded`.
template <class I, class O, class S>
static void along(const I* from, O* to, i64 outer, i64 size, i64 inner, const float* weights, i64 taps, S* padded) {
  const i64 radius = taps / 2;
  for (i64 o = 0; o < outer; o++)
    for (i64 begin = 0; begin < inner; begin += BLOCK) {
      const i64 width = least<i64>(BLOCK, inner - begin), first = o * size * inner + begin;
      for (i64 i = 0; i < size; i++) widen(from + first + i * inner, width, padded + (radius + i) * width);
      for (i64 i = 0; i < radius; i++) {
        memcpy(padded + i * width, padded + (radius + reflected(i - radius, size)) * width, width * sizeof(S));
        memcpy(padded + (radius + size + i) * width, padded + (radius + reflected(size + i, size)) * width, width * sizeof(S));
      }
      if (width == inner) convolve(padded, width, weights, taps, size * width, to + first);
      else for (i64 i = 0; i < size; i++) convolve(padded + i * width, width, weights, taps, width, to + first + i * inner);
    }
}

// Axes without taps are left alone; one of the three has some. Returns the bytes of scratch memory that it needs, if there are fewer.
template <class I, class O>
static i64 separable(const Dense<const I, 5>& src, const Dense<O, 5>& out, const Dense<const f32, 1>& weights, const Dense<const i64, 1>& taps,
                     const Dense<u8, 1>& scratch) {
  typedef typename Between<I>::type S;
  if (taps.shape[0] != 3) return MISFIT;
  i64 all = 0, longest = 0, passes = 0;
  for (int axis = 0; axis < 5; axis++)
    if (src.shape[axis] != out.shape[axis]) return MISFIT;
  for (int axis = 0; axis < 3; axis++) {
    all += taps.data[axis], passes += taps.data[axis] > 0;
    longest = most(longest, src.shape[axis + 1] + taps.data[axis]);
  }
  if (all != weights.shape[0] || !passes) return MISFIT;
  const i64 count = src.size(), line = (longest * BLOCK + 16) * (i64)sizeof(S), needed = 64 + line + (passes > 1 ? 2 * count * (i64)sizeof(S) : 0);
  if (!count) return 0;
  if (scratch.shape[0] < needed) return needed;
  S* padded = (S*)(((u64)scratch.data + 63) / 64 * 64);
  S *made = padded + line / (i64)sizeof(S), *other = made + count, *before = nullptr;
  const float* window = weights.data + all;
  i64 done = 0, outer = src.shape[0] * src.shape[1] * src.shape[2], inner = src.shape[4];
  for (int axis = 2; axis >= 0; axis--, outer /= most<i64>(src.shape[axis + 1], 1)) {
    const i64 size = src.shape[axis + 1], here = taps.data[axis];
    window -= here;
    if (here) {
      done++;
      if (done == 1 && passes == 1) along<I, O, S>(src.data, out.data, outer, size, inner, window, here, padded);
      else if (done == 1) along<I, S, S>(src.data, made, outer, size, inner, window, here, padded);
      else if (done == passes) along<S, O, S>(before, out.data, outer, size, inner, window, here, padded);
      else along<S, S, S>(before, made, outer, size, inner, window, here, padded);
      before = made, made = other, other = before;
    }
    inner *= size;
  }
  return 0;
}
template <class T>
i64 separable_same(Dense<const T, 5> src, Dense<T, 5> out, Dense<const f32, 1> weights, Dense<const i64, 1> taps, Dense<u8, 1> scratch) {
  return separable(src, out, weights, taps, scratch);
}
template <class T>
i64 separable_real(Dense<const T, 5> src, Dense<f32, 5> out, Dense<const f32, 1> weights, Dense<const i64, 1> taps, Dense<u8, 1> scratch) {
  return separable(src, out, weights, taps, scratch);
}
REGISTER_EACH(separable_same, SeparableTypes)
REGISTER_EACH(separable_real, SeparableTypes)

// The weights of Gaussians one after the other, which begin at `starts`.
static i64 gaussian_windows(Dense<const f32, 1> sigmas, Dense<const i64, 1> radii, Dense<const i64, 1> starts, Dense<f32, 1> weights) {
  const i64 count = sigmas.shape[0];
  if (radii.shape[0] != count || starts.shape[0] != count) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (starts.data[i] < 0 || radii.data[i] < 0 || starts.data[i] + 2 * radii.data[i] + 1 > weights.shape[0]) return MISFIT;
  for (i64 i = 0; i < count; i++) gaussian_window(sigmas.data[i], radii.data[i], weights.data + starts.data[i]);
  return 0;
}
REGISTER_SHORT(gaussian_windows)
