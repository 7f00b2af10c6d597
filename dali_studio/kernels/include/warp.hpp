// Affine warps. Coordinates are (x, y) in pixel-corner units: the centre of pixel i is i + 0.5. A matrix of two rows of three
// numbers takes output points to input points. float32 without fused multiply-add, in this order, which is nvidia.dali's.
#pragma once
#include "numbers.hpp"
#include "rounding.hpp"

struct Point {
  float x, y;
  HD Point moved(Point step, float times = 1) const { return {x + step.x * times, y + step.y * times}; }
};

// The input point of the centre of an output pixel; I is a whole number.
template <class I> HD Point warp_point(const float* m, I column, I row) {
  float u = (float)column + 0.5f, v = (float)row + 0.5f;
  return {(m[2] + m[0] * u) + m[1] * v, (m[5] + m[3] * u) + m[4] * v};
}
// nvidia.dali's CPU steps along a row by repeated addition; every so many pixels it goes on from a point that it has reached
// by steps of as many.
enum { WARP_BLOCK = 256 };

// Of four pixels, a to the left of b and above d; `right` and `low` are how far the point lies to the right of and below a.
// V is a float, or a vector of channels.
template <class V> HD V warp_bilinear(V a, V b, V d, V e, float right, float low) {
  const float left = 1.f - right;
  V above = a * left + b * right, below = d * left + e * right;
  return above + (below - above) * low;
}

// The matrix of the opposite map; not finite where there is none. `made` may be `m`.
HD void warp_inverse(const float* m, float* made) {
  float a = m[0], b = m[1], c = m[2], d = m[3], e = m[4], f = m[5], determinant = a * e - b * d;
  float p = e / determinant, q = -b / determinant, r = -d / determinant, s = a / determinant;
  made[0] = p, made[1] = q, made[2] = -(p * c + q * f);
  made[3] = r, made[4] = s, made[5] = -(r * c + s * f);
}

// The matrix of a counter-clockwise rotation about the centres, from the angle's cosine and sine.
HD void warp_rotation(float cosine, float sine, float in_h, float in_w, float out_h, float out_w, float* made) {
  float x = out_w * 0.5f, y = out_h * 0.5f;
  made[0] = cosine, made[1] = -sine, made[2] = (-cosine * x + sine * y) + in_w * 0.5f;
  made[3] = sine, made[4] = cosine, made[5] = (-sine * x - cosine * y) + in_h * 0.5f;
}

// ----------------------------------------------------------------------------------- volumes: (x, y, z), three rows of four numbers

struct Point3 {
  float x, y, z;
  HD Point3 moved(Point3 step, float times = 1) const { return {x + step.x * times, y + step.y * times, z + step.z * times}; }
};

template <class I> HD Point3 warp_point(const float* m, I column, I row, I slice) {
  float u = (float)column + 0.5f, v = (float)row + 0.5f, w = (float)slice + 0.5f;
  return {((m[3] + m[0] * u) + m[1] * v) + m[2] * w, ((m[7] + m[4] * u) + m[5] * v) + m[6] * w,
          ((m[11] + m[8] * u) + m[9] * v) + m[10] * w};
}

// A voxel, and how far behind it in each direction a point lies.
struct Voxel {
  i64 x, y, z;
  float right, low, deep;
};

// From `tap`, which gives the element at (z, y, x).
template <class TAP> HD float warp_trilinear(const Voxel& at, TAP tap) {
  float planes[2];
  for (int k = 0; k < 2; k++)
    planes[k] = warp_bilinear(tap(at.z + k, at.y, at.x), tap(at.z + k, at.y, at.x + 1), tap(at.z + k, at.y + 1, at.x),
                              tap(at.z + k, at.y + 1, at.x + 1), at.right, at.low);
  return planes[0] + (planes[1] - planes[0]) * at.deep;
}

// The matrix of the opposite map of volumes; not finite where there is none. Gauss-Jordan elimination: in each column, the row with
// the largest number comes first. `made` must not be `m`.
HD void warp_inverse3(const float* m, float* made) {
  float row[3][6];  // the matrix, and what becomes its inverse
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) row[i][j] = m[4 * i + j], row[i][3 + j] = i == j ? 1.f : 0.f;
  for (int v = 0; v < 3; v++) {
    int first = v;
    float largest = magnitude_of(row[v][v]);
    for (int i = v + 1; i < 3; i++)
      if (magnitude_of(row[i][v]) > largest) largest = magnitude_of(row[i][v]), first = i;
    for (int i = v + 1; i < 3; i++)  // with constant indices, so that a GPU keeps the rows in registers
      if (i == first)
        for (int j = 0; j < 6; j++) {
          const float other = row[i][j];
          row[i][j] = row[v][j], row[v][j] = other;
        }
    const float factor = 1.f / row[v][v];
    for (int j = v + 1; j < 6; j++) row[v][j] *= factor;
    for (int i = 0; i < 3; i++)
      if (i != v)
        for (int j = v + 1; j < 6; j++) row[i][j] = fused(-row[i][v], row[v][j], row[i][j]);
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) made[4 * i + j] = row[i][3 + j];
    made[4 * i + 3] = -(made[4 * i] * m[3] + made[4 * i + 1] * m[7] + made[4 * i + 2] * m[11]);
  }
}
