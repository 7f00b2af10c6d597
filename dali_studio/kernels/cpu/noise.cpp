// Loops of `noise.py`.
#include "../include/gaussian.hpp"
#include "../include/poisson.hpp"

#include "arguments.hpp"
#include "draw_words.hpp"
#include "instantiations.hpp"
#include "vector.hpp"

template <class T> i64 gaussian_noise(Dense<const T, 1> src, Dense<T, 1> out, Dense<const u64, 1> words, u64 high, float mean, float deviation) {
  const i64 count = src.shape[0];
  if (out.shape[0] != count) return MISFIT;
  typedef typename Drawn<T>::type R;
  R drawn[BLOCK];
  const Stream stream(words.data);
  for (i64 i = -stream.phase; i < count; i += BLOCK) {
    draw_numbers<WordsOf<R>::count>(
        stream, high, i + stream.phase, [&](const auto& own) { return normal(own, mean, deviation); }, drawn);
    const i64 end = least<i64>(BLOCK, count - i);
    for (i64 k = i < 0 ? -i : 0; k < end; k++) out.data[i + k] = with_noise(src.data[i + k], drawn[k]);
  }
  return 0;
}
REGISTER_EACH(gaussian_noise, GaussianNoiseTypes)

// T has the width of the elements. `values`: of salt and of pepper. The channels of a pixel lie side by side, or planes apart.
template <class T>
i64 salt_and_pepper(Dense<const T, 1> src, Dense<T, 1> out, Dense<const u64, 1> words, u64 high, float chance, float salt, Dense<const T, 1> values,
                    i64 channels, bool planar) {
  const i64 count = src.shape[0];
  if (out.shape[0] != count || values.shape[0] != 2 || channels < 1 || count % channels) return MISFIT;
  memcpy(out.data, src.data, count * sizeof(T));
  const i64 pixels = count / channels, pixel = planar ? 1 : channels, channel = planar ? pixels : 1;
  const T white = values.data[0], black = values.data[1];
  const Stream stream(words.data);
  for (i64 begin = -stream.phase; begin < pixels; begin += BLOCK) {
    u32 chosen[1][BLOCK];
    float drawn[BLOCK];
    draw_words<1>(stream, high, begin + stream.phase, chosen);
    for (int i = 0; i < BLOCK; i++) drawn[i] = least((float)chosen[0][i] * 0x1p-32f, 0x0.ffffffp0f);
    const i64 end = least<i64>(BLOCK, pixels - begin);
    for (i64 i = begin < 0 ? -begin : 0; i < end; i++)
      if (drawn[i] < chance)
        for (i64 c = 0; c < channels; c++) out.data[(begin + i) * pixel + c * channel] = drawn[i] < salt ? white : black;
  }
  return 0;
}
typedef Types<u8, u16, u32, u64> SaltAndPepperTypes;
REGISTER_EACH(salt_and_pepper, SaltAndPepperTypes)

// Numbers of events, whose mean is the element divided by `factor`, times `factor`.
template <class T> i64 shot_noise(Dense<const T, 1> src, Dense<T, 1> out, Dense<const u64, 1> stream_words, u64 high, float factor) {
  const i64 count = src.shape[0];
  if (out.shape[0] != count) return MISFIT;
  const float inverse = 1 / factor;
  enum { KEPT = 256, AT_ONCE = 16 };  // distributions that are kept, by some bits of their means
  typedef WordsAhead<AT_ONCE, 8> Ahead;
  Ahead ahead;
  const Stream stream(stream_words.data);
  Poisson kept[KEPT];
  for (Poisson& one : kept) one.mean = -1;
  for (i64 i = 0; i < count; i++) {
    const int lane = (int)(i % AT_ONCE);
    if (!lane) ahead.fill(stream.key, high, (u64)(i + stream.phase), stream.first());
    const float scaled = to_float(src.data[i]) * inverse;
    u32 events = 0;
    if (scaled > 0 && !(factor == 0)) {
      Poisson& one = kept[(bits_of(scaled) * 0x9E3779B9u) >> 24];
      if (one.mean != (double)scaled) one = Poisson((double)scaled);
      ElementWords<Ahead> words(ahead, lane);
      events = one(words);
    }
    out.data[i] = from_float<T>((float)events * factor);
  }
  return 0;
}
REGISTER_EACH(shot_noise, ShotNoiseTypes)
