// Numbers of events: `kernels/cpu/noise.cpp`.

// The words of an element, without end.
struct NextWord {
  u64 counter, high, key;
  int place;
  u32 words[4];
  __device__ __forceinline__ u32 operator()() {
    if (place == 4) place = 0, philox(++counter, high, key, words);
    return word_at(words, place++);
  }
};

// Those of a mean below `Poisson::LARGE`, as `Poisson` draws them. Each turn takes a counter, of whose words the first `place`
// are another element's, and draws up to two numbers; so the threads of a warp, whose elements begin at different places, wait
// for no words of each other.
__device__ __forceinline__ u32 few_events(u64 counter, u64 high, u64 key, int place, double mean) {
  const double threshold = exponential(-mean);
  const bool odd = place & 1;
  bool first = place == 0, second = place < 3;
  double product = 1;
  u32 drawn = 0, words[4], kept = 0;
  while (true) {
    philox(counter++, high, key, words);
    if (first) {
      product *= unit_of_words(odd ? kept : words[0], odd ? words[0] : words[1]);
      if (!(product > threshold)) return drawn;
      drawn++;
    }
    if (second) {
      product *= unit_of_words(odd ? words[1] : words[2], odd ? words[2] : words[3]);
      if (!(product > threshold)) return drawn;
      drawn++;
    }
    kept = words[3], first = second = true;
  }
}

// Not inlined: there are many calls, one for each element of a thread.
__device__ __noinline__ u32 events_of(u64 counter, u64 high, u64 key, int place, float mean) {
  if (mean < Poisson::LARGE) return few_events(counter, high, key, place, mean);
  NextWord next = {counter, high, key, place};
  philox(counter, high, key, next.words);
  return Poisson((double)mean)(next);
}

template <class I, class O> struct ShotPart {
  Stream stream;
  u64 high;
  float factor, inverse;
  Elements elements;

  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int c, int y, int x) const {
    const u64 first = elements.first(c, y, x), step = elements.step();
#pragma unroll
    for (int i = 0; i < C; i++) {
      const float scaled = to_float(in[i]) * inverse;
      u32 events = 0;
      const u64 position = first + i * step + (u64)stream.phase, counter = (position * ELEMENT_STRIDE >> 2) + stream.first();
      if (scaled > 0 && !(factor == 0)) events = events_of(counter, high, stream.key, (int)(position & 3), scaled);
      out[i] = from_float<O>((float)events * factor);
    }
  }
};
