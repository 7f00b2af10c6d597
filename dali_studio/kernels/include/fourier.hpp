// The discrete Fourier transform of real signals whose length has the factors 2, 3, 5 and 7 alone, in float32 without fused
// multiply-add. V is a float, or a vector of them: as many transforms at once.
#pragma once
#include "numbers.hpp"

template <class V> struct Complex { V re, im; };
template <class V> HD Complex<V> operator+(Complex<V> a, Complex<V> b) { return {a.re + b.re, a.im + b.im}; }
template <class V> HD Complex<V> operator-(Complex<V> a, Complex<V> b) { return {a.re - b.re, a.im - b.im}; }
template <class V> HD Complex<V> scaled(Complex<V> a, float factor) { return {a.re * factor, a.im * factor}; }
// Times -i.
template <class V> HD Complex<V> quarter_turn(Complex<V> a) { return {a.im, -a.re}; }
template <class V> HD Complex<V> times(Complex<V> a, float re, float im) { return {a.re * re - a.im * im, a.re * im + a.im * re}; }

// cos and sin of 2 pi k / R.
template <int R> struct Circle;
template <> struct Circle<3> {
  static constexpr float cosine[] = {1, -0.5f, -0.5f}, sine[] = {0, 0.8660254038f, -0.8660254038f};
};
template <> struct Circle<5> {
  static constexpr float cosine[] = {1, 0.3090169944f, -0.8090169944f, -0.8090169944f, 0.3090169944f};
  static constexpr float sine[] = {0, 0.9510565163f, 0.5877852523f, -0.5877852523f, -0.9510565163f};
};
template <> struct Circle<7> {
  static constexpr float cosine[] = {1, 0.6234898019f, -0.2225209340f, -0.9009688679f, -0.9009688679f, -0.2225209340f, 0.6234898019f};
  static constexpr float sine[] = {0, 0.7818314825f, 0.9749279122f, 0.4338837391f, -0.4338837391f, -0.9749279122f, -0.7818314825f};
};

// The transform of R numbers, in place.
template <int R, class V> HD void transform(Complex<V> (&x)[R]) {
  if constexpr (R == 2) {
    const Complex<V> a = x[0], b = x[1];
    x[0] = a + b, x[1] = a - b;
  } else if constexpr (R == 4) {
    const Complex<V> a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = quarter_turn(x[1] - x[3]);
    x[0] = a + c, x[1] = b + d, x[2] = a - c, x[3] = b - d;
  } else {
    constexpr int H = R / 2;
    Complex<V> sums[H], differences[H], total = x[0];
    for (int j = 0; j < H; j++) {
      sums[j] = x[j + 1] + x[R - 1 - j], differences[j] = quarter_turn(x[j + 1] - x[R - 1 - j]);
      total = total + sums[j];
    }
    const Complex<V> first = x[0];
    for (int k = 1; k <= H; k++) {
      Complex<V> even = first, odd = scaled(differences[0], Circle<R>::sine[k]);
      for (int j = 0; j < H; j++) even = even + scaled(sums[j], Circle<R>::cosine[k * (j + 1) % R]);
      for (int j = 1; j < H; j++) odd = odd + scaled(differences[j], Circle<R>::sine[k * (j + 1) % R]);
      x[k] = even + odd, x[R - k] = even - odd;
    }
    x[0] = total;
  }
}

// A part of a step of Stockham's method: the p-th of `count` numbers of each of R parts of the q-th of `stride` transforms, which
// become neighbours; `roots` are its R - 1 factors.
template <int R, class V>
HD void fourier_part(const Complex<V>* from, Complex<V>* to, i64 count, i64 stride, i64 p, i64 q, const float* roots) {
  Complex<V> x[R];
  for (int k = 0; k < R; k++) x[k] = from[q + stride * (p + count * k)];
  transform(x);
  Complex<V>* out = to + q + stride * R * p;
  out[0] = x[0];
  for (int k = 1; k < R; k++) out[stride * k] = times(x[k], roots[2 * k - 2], roots[2 * k - 1]);
}

// One step: R * count numbers of `stride` transforms each, of which `stride * R` come out. `roots` has the R - 1 factors of each
// of the `count`.
template <int R, class V> HD void fourier_step(const Complex<V>* from, Complex<V>* to, i64 count, i64 stride, const float* roots) {
  for (i64 p = 0; p < count; p++, roots += 2 * (R - 1))
    for (i64 q = 0; q < stride; q++) fourier_part<R>(from, to, count, stride, p, q, roots);
}

// All steps, one for each factor; returns which of the two has the result.
template <class V>
HD Complex<V>* fourier(Complex<V>* data, Complex<V>* other, i64 length, const i64* factors, i64 steps, const float* roots) {
  i64 stride = 1;
  for (i64 i = 0; i < steps; i++) {
    const i64 factor = factors[i], count = length / stride / factor;
    switch (factor) {
      case 2: fourier_step<2>(data, other, count, stride, roots); break;
      case 3: fourier_step<3>(data, other, count, stride, roots); break;
      case 4: fourier_step<4>(data, other, count, stride, roots); break;
      case 5: fourier_step<5>(data, other, count, stride, roots); break;
      default: fourier_step<7>(data, other, count, stride, roots);
    }
    roots += 2 * (factor - 1) * count;
    stride *= factor;
    Complex<V>* swapped = data;
    data = other, other = swapped;
  }
  return data;
}

// A number of the spectrum of real numbers, from those at its place and at the mirrored one in the transform of pairs of them as
// complex numbers; the root is that of the whole length.
template <class V> HD Complex<V> unpaired(Complex<V> a, Complex<V> b, float re, float im) {
  const Complex<V> mirrored = {b.re, -b.im};
  return scaled(a + mirrored, 0.5f) + times(quarter_turn(scaled(a - mirrored, 0.5f)), re, im);
}
// Number k of that of 2 * half real numbers.
template <class V> HD Complex<V> unpaired(const Complex<V>* pairs, i64 half, i64 k, float re, float im) {
  return unpaired(pairs[k == half ? 0 : k], pairs[k == 0 ? 0 : half - k], re, im);
}

// |x|^2, or |x|.
template <class V> HD V power_of(Complex<V> x) { return x.re * x.re + x.im * x.im; }
