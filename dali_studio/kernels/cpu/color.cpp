// Loops of `color.py`.
#include "arguments.hpp"

// left @ [[gain, 0, 0], [0, cosine, sine], [0, -sine, cosine]] @ right for each sample, with factor and gain in cosine and sine.
static void turned(Array<const f64, 1> cosines, Array<const f64, 1> sines, Array<const f32, 1> factors, Array<const f32, 1> gains,
                   Array<const f64, 2> left, Array<const f64, 2> right, Array<f32, 3> made) {
  for (i64 i = 0; i < made.shape[0]; i++) {
    f64 factor = factors(i), gain = gains(i), cosine = cosines(i) * factor * gain, sine = sines(i) * factor * gain;
    for (int row = 0; row < 3; row++) {
      f64 x = left(row, 0) * gain, y = left(row, 1) * cosine - left(row, 2) * sine, z = left(row, 1) * sine + left(row, 2) * cosine;
      for (int column = 0; column < 3; column++)
        made(i, row, column) = (f32)(x * right(0, column) + y * right(1, column) + z * right(2, column));
    }
  }
}
REGISTER_SHORT(turned)
