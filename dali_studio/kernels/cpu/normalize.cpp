// The loop of `normalize.py`, which sees to it that the window lies inside `src`, and that there is a mean and a factor for each
// channel of `out`.
#include "normalize.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"

// The window of (H, W, C) views that begins at (y0, x0) of `src`.
template <class I, class O>
void normalize(Array<const I, 3> src, Array<O, 3> out, i64 y0, i64 x0, Dense<const f32, 1> mean, Dense<const f32, 1> factor,
               bool mirrored) {
  for (i64 y = 0; y < out.shape[0]; y++)
    normalize_row(&src(y0 + y, x0, 0), src.strides[1], src.strides[2], &out(y, 0, 0), out.strides[1], out.strides[2], out.shape[1],
                  out.shape[2], mean.data, factor.data, mirrored);
}
REGISTER_PAIRS(normalize, NormalizeInputs, NormalizeOutputs)
