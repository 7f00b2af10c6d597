// Operators of numbers: the loops of `elementwise.py`, which says what is computed in which type.
#include "elementwise.hpp"

REGISTER_BINARY(Add, u8, u16, u32, u64, f32, f64)
REGISTER_BINARY(Subtract, u8, u16, u32, u64, f32, f64)
REGISTER_BINARY(Multiply, u8, u16, u32, u64, f32, f64)
REGISTER_BINARY(Divide, i32, u32, i64, u64, f32, f64)
REGISTER_BINARY(Modulo, i32, u32, i64, u64, f32, f64)
REGISTER_BINARY(Power, i32, u32, i64, u64, f32, f64)
REGISTER_BINARY(Least, u8, i16, i32, u32, i64, u64, f32, f64)
REGISTER_BINARY(Most, u8, i16, i32, u32, i64, u64, f32, f64)
REGISTER_TERNARY(Clamp, u8, i16, i32, u32, i64, u64, f32, f64)
REGISTER_UNARY(Negative, u8, u16, u32, u64, f32, f64)
REGISTER_UNARY(Absolute, i32, i64, u64, f32, f64)
