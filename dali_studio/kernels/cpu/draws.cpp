// The loops of `draws.py`.
#include "../include/random_engine.hpp"

#include "arguments.hpp"

// Places of as many items: any of them (`again`) or an order of the items; `others`: for none its own.
static i64 drawn_places(Dense<i32, 1> made, Dense<const u64, 1> stream, u64 high, bool again, bool others) {
  if (stream.shape[0] != 3) return MISFIT;
  const i64 count = made.shape[0];
  SampleEngine engine(Stream(stream.data), high);
  auto below = [&](i64 limit) { return (i64)uniform_below((u32)limit, engine); };
  auto exchange = [&](i64 i, i64 k) {
    const i32 kept = made(i);
    made(i) = made(k), made(k) = kept;
  };
  if (again) {
    const bool moved = others && count > 1;
    for (i64 i = 0; i < count; i++) {
      const i64 place = below(count - moved);
      made(i) = (i32)(place + (moved && place >= i));
    }
    return 0;
  }
  for (i64 i = 0; i < count; i++) made(i) = (i32)i;
  if (others) {  // each with a later one
    for (i64 i = 0; i + 1 < count; i++) exchange(i, i + 1 + below(count - 1 - i));
  } else if (count > 0xFFFF) {  // std::shuffle: each with one up to it,
    for (i64 i = 1; i < count; i++) exchange(i, below(i + 1));
  } else {  // two by one draw where it is wide enough
    i64 i = 1;
    if (count && count % 2 == 0) exchange(1, below(2)), i = 2;
    for (; i < count; i += 2) {
      const i64 both = below((i + 1) * (i + 2));
      exchange(i, both / (i + 2)), exchange(i + 1, both % (i + 2));
    }
  }
  return 0;
}
REGISTER_SHORT(drawn_places)

// Whole numbers below the `limits` of samples, one sample a row. `consecutive`: a sample's elements draw one after the other, and not
// each from its own place.
static i64 drawn_below(Dense<i64, 2> made, Dense<const u64, 1> stream, Dense<const u64, 1> highs, Array<const i64, 1> limits, bool consecutive) {
  const i64 samples = made.shape[0], elements = made.shape[1];
  if (stream.shape[0] != 3 || highs.shape[0] != samples || limits.shape[0] != samples) return MISFIT;
  for (i64 i = 0; i < samples; i++)
    if (limits(i) < 1) return MISFIT;
  const Stream words(stream.data);
  for (i64 i = 0; i < samples; i++) {
    SampleEngine engine(words, highs(i));
    for (i64 e = 0; e < elements; e++) {
      if (!consecutive && e) engine = SampleEngine(words, highs(i), (u64)e);
      made(i, e) = uniform_whole(engine, 0, limits(i) - 1);
    }
  }
  return 0;
}
REGISTER(drawn_below)
