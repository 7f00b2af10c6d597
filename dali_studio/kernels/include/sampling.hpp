// Images at points, which count from the centre of pixel (0, 0).
#pragma once
#include "border.hpp"

// Farther out there is but one colour, or the same ones again and again, which floats of that size do not tell apart; so is NaN.
HD float within_reach(float x) { return between(x, -1e9f, 1e9f); }

// Keys' kernel with a = -0.75: what four pixels count about a point that lies `behind` the second one.
HD void keys_weights(float behind, float (&weight)[4]) {
  const float a = -0.75f, x = behind, y = 1.f - x;
  const float first = ((a * (x + 1.f) - 5.f * a) * (x + 1.f) + 8.f * a) * (x + 1.f) - 4.f * a;
  const float second = ((a + 2.f) * x - (a + 3.f)) * x * x + 1.f, third = ((a + 2.f) * y - (a + 3.f)) * y * y + 1.f;
  weight[0] = first, weight[1] = second, weight[2] = third, weight[3] = 1.f - first - second - third;
}

// The row of a homography's matrix of three rows of three numbers.
struct HomographyRow {
  f64 x, y, w;
  HD HomographyRow(const f64* m, i64 row) : x((f64)row * m[1] + m[2]), y((f64)row * m[4] + m[5]), w((f64)row * m[7] + m[8]) {}
  // The point of a column, rounded to whole numbers of `steps` in a pixel.
  HD void coarse(const f64* m, i32 column, f64 steps, float& to_x, float& to_y) const {
    const f64 at = (f64)column, here = m[6] * at + w, factor = here == 0 ? 0. : steps / here, most_steps = 2147483647.;
    const f64 there_x = between((m[0] * at + x) * factor, -most_steps - 1, most_steps);
    const f64 there_y = between((m[3] * at + y) * factor, -most_steps - 1, most_steps);
    // rounded where doubles have no fractions
    to_x = (float)((there_x + 0x1.8p52 - 0x1.8p52) / steps), to_y = (float)((there_y + 0x1.8p52 - 0x1.8p52) / steps);
  }
};

// A matrix as a user gives it, `corner` if its points count from the corner of pixel (0, 0), as one from output to input points;
// `inverse` if it is that already.
HD void homography_of(const float* given, bool corner, bool inverse, f64* made) {
  float m[9];
  for (int i = 0; i < 9; i++) m[i] = given[i];
  if (corner) {
    for (int i = 0; i < 3; i++) m[3 * i + 2] = m[3 * i] * 0.5f + m[3 * i + 1] * 0.5f + m[3 * i + 2];
    for (int i = 0; i < 6; i++) m[i] = m[i] - m[6 + i % 3] * 0.5f;
  }
  for (int i = 0; i < 9; i++) made[i] = m[i];
  if (inverse) return;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      made[3 * j + i] = (f64)m[3 * a + c] * m[3 * b + d] - (f64)m[3 * a + d] * m[3 * b + c];  // transposed cofactors
    }
  const f64 determinant = m[0] * made[0] + m[1] * made[3] + m[2] * made[6];
  for (int i = 0; i < 9; i++) made[i] /= determinant;
}
