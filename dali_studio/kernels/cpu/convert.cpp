// The loops of `convert.py`, which sees to it that there is as much of `out` as of `src`.
#include "../include/rounding.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"
#include "vector.hpp"

// To and from float16, and from float32 to integers, go through vectors of float; the compiler makes vectors of the rest itself.
template <class I, class O> constexpr bool by_lanes = same<I, f16>::value || same<I, f32>::value || same<O, f16>::value;

template <class I, class O> void convert(Dense<const I, 1> src, Dense<O, 1> out) {
  const I* from = src.data;
  O* to = out.data;
  i64 count = out.shape[0], i = 0;
  if constexpr (by_lanes<I, O>)
    for (; i + 32 <= count; i += 32) {
      f32x16 first = load<16>(from + i), second = load<16>(from + i + 16);
      store<AWAY, 16>(to + i, first);
      store<AWAY, 16>(to + i + 16, second);
    }
  for (; i < count; i++) to[i] = Cast<O, I>::of(from[i]);
}
REGISTER_PAIRS(convert, ConvertInputs, ConvertOutputs)
