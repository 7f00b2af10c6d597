// The loop of `normalize.py`, which sees to it that the window lies inside `src`, and that there is a mean and a factor for each
// channel of `out`.
#include "normalize.hpp"

#include "arguments.hpp"
#include "instantiations.hpp"

// The window of (D, H, W, C) views that begins at (y0, x0) of `src`, in each slice.
template <class I, class O>
void normalize(Array<const I, 4> src, Array<O, 4> out, i64 y0, i64 x0, Dense<const f32, 1> mean, Dense<const f32, 1> factor,
               bool mirrored) {
  for (i64 z = 0; z < out.shape[0]; z++)
    for (i64 y = 0; y < out.shape[1]; y++)
      normalize_row(&src(z, y0 + y, x0, 0), src.strides[2], src.strides[3], &out(z, y, 0, 0), out.strides[2], out.strides[3], out.shape[2],
                    out.shape[3], mean.data, factor.data, mirrored);
}
REGISTER_PAIRS(normalize, NormalizeInputs, NormalizeOutputs)
