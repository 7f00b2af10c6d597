// The picks of `reader_order.py`.
#include "../include/cxx_random.hpp"

#include "arguments.hpp"

// Fills `picked` from the buffer, and the buffer from the stream. `oldest` is the slot of the oldest sample, `left` how many of
// the epoch have not been picked. Returns the engine's next state.
static i64 pick_samples(Array<i64, 1> buffer, Array<const i64, 1> stream, Array<i64, 1> picked, i64 engine, i64 oldest, i64 left) {
  const i64 fill = buffer.shape[0], count = picked.shape[0];
  if (oldest < 0 || oldest >= fill || fill > MINSTD_MODULUS - 2 || engine < 1 || engine >= MINSTD_MODULUS) return MISFIT;
  if (stream.shape[0] < count || left < count) return MISFIT;
  for (i64 i = 0; i < count; i++) {
    i64 slot = oldest + minstd_below(engine, least(fill, left - i));
    if (slot >= fill) slot -= fill;
    picked(i) = buffer(slot);
    buffer(slot) = buffer(oldest);
    buffer(oldest) = stream(i);
    if (++oldest == fill) oldest = 0;
  }
  return engine;
}
REGISTER_SHORT(pick_samples)
