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
