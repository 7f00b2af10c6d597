// Tables of numbers in sources.
#pragma once
#include "numbers.hpp"

#if ON_DEVICE
#define TABLE __device__ const
#else
#define TABLE inline constexpr
#endif
