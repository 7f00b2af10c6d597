// Division of whole numbers.
#pragma once
#include "numbers.hpp"

// The quotient of numbers that are not negative: a GPU divides those of 31 bits several times faster.
HD i64 quotient(i64 a, i64 b) { return (a | b) >> 31 ? a / b : (i64)((u32)a / (u32)b); }
