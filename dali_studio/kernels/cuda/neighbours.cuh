// Elements side by side that a thread makes. Macros: OUT, their type; COUNT, how many they are.
struct alignas(COUNT * sizeof(OUT)) Neighbours { OUT values[COUNT]; };

// Neighbours of the input, wherever they begin; whole words around them are read.
template <class CONVERT> __device__ __forceinline__ void load(const OUT* from, Neighbours& made, CONVERT) {
  enum { WORDS = sizeof(Neighbours) / 4 };
  union {
    Neighbours neighbours;
    u32 words[WORDS];
  } parts;
  if ((u64)from % sizeof(Neighbours) == 0) {
    made = *(const Neighbours*)from;
  } else if (sizeof(OUT) < 4) {
    const u32* words = (const u32*)((u64)from & ~3ull);
    const int shift = (int)((u64)from & 3) * 8;
    u32 low = words[0];
#pragma unroll
    for (int word = 0; word < WORDS; word++) {
      const u32 high = shift || word + 1 < WORDS ? words[word + 1] : 0;
      parts.words[word] = (u32)(((u64)high << 32 | low) >> shift);
      low = high;
    }
    made = parts.neighbours;
  } else {
#pragma unroll
    for (int k = 0; k < COUNT; k++) made.values[k] = from[k];
  }
}
template <class I, class CONVERT> __device__ __forceinline__ void load(const I* from, Neighbours& made, CONVERT convert) {
#pragma unroll
  for (int k = 0; k < COUNT; k++) made.values[k] = convert(from[k]);
}
