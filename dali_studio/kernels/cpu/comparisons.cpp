// Comparisons, and operators of bits: the loops of `elementwise.py`, which says what is computed in which type.
#include "elementwise.hpp"

REGISTER_BINARY(Equal, u8, i32, u32, i64, u64, f32, f64)
REGISTER_BINARY(Unequal, u8, i32, u32, i64, u64, f32, f64)
REGISTER_BINARY(Less, u8, i32, u32, i64, u64, f32, f64)
REGISTER_BINARY(LessEqual, u8, i32, u32, i64, u64, f32, f64)
REGISTER_MIXED(Equal)
REGISTER_MIXED(Unequal)
REGISTER_MIXED(Less)
REGISTER_MIXED(LessEqual)
REGISTER_BINARY(And, u8, u16, u32, u64)
REGISTER_BINARY(Or, u8, u16, u32, u64)
REGISTER_BINARY(Xor, u8, u16, u32, u64)
REGISTER_BINARY(ShiftLeft, u32, u64)
REGISTER_BINARY(ShiftRight, i32, u32, i64, u64)
REGISTER_UNARY(Complement, u8, u16, u32, u64)
REGISTER_UNARY(Not, u8)

// For the GPU: of each sample the elements, 8 extents, 3 x 8 strides and the number of axes. Gives the most axes.
static i64 broadcast_walks(Shapes a, Shapes b, Shapes c, Shapes out, Array<i64, 2> words) {
  enum { KEPT = 8 };
  const i64 samples = out.shape[0];
  const Shapes shapes[] = {a, b, c};
  if (words.shape[0] != samples || words.shape[1] != 2 + 4 * KEPT || out.shape[1] > MOST_AXES) return MISFIT;
  for (const Shapes& one : shapes)
    if (one.shape[0] != samples) return MISFIT;
  i64 most_axes = 0;
  Walk walk;
  for (i64 i = 0; i < samples; i++) {
    if (!begin_walk(walk, shapes, out, i)) return MISFIT;
    most_axes = most<i64>(most_axes, walk.axes);
    words(i, 0) = walk.elements, words(i, 1 + 4 * KEPT) = walk.axes;
    for (int axis = 0; axis < KEPT && axis < walk.axes; axis++) {
      words(i, 1 + axis) = walk.extents[axis];
      for (int k = 0; k < 3; k++) words(i, 1 + KEPT + k * KEPT + axis) = walk.strides[k][axis];
    }
  }
  return most_axes;
}
REGISTER_SHORT(broadcast_walks)
