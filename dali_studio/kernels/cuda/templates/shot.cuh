// Numbers of events: `kernels/cpu/noise.cpp`.

// The words of an element, without end.
struct NextWord {
  const Stream& stream;
  u64 high, counter;
  int place;
  u32 words[4];
  __device__ __forceinline__ NextWord(const Stream& stream, u64 high, u64 element) : stream(stream), high(high) {
    const u64 offset = (element + (u64)stream.phase) * ELEMENT_STRIDE;
    counter = (offset >> 2) + stream.first(), place = (int)(offset & 3);
    philox(counter, high, stream.key, words);
  }
  __device__ __forceinline__ u32 operator()() {
    if (place == 4) place = 0, philox(++counter, high, stream.key, words);
    return words[place++];
  }
};

template <class I, class O> struct ShotPart {
  Stream stream;
  u64 high;
  float factor, inverse;
  Elements elements;

  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int c, int y, int x) const {
    const u64 first = elements.first(c, y, x), step = elements.step();
#pragma unroll 1
    for (int i = 0; i < C; i++) {
      const float scaled = to_float(in[i]) * inverse;
      u32 events = 0;
      if (scaled > 0 && !(factor == 0)) {
        NextWord next(stream, high, first + i * step);
        events = Poisson((double)scaled)(next);
      }
      out[i] = from_float<O>((float)events * factor);
    }
  }
};
