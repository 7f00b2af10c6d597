// The loop of `fn.normalize`; means and factors are broadcast.
#include "../include/standardize.hpp"

#include "elementwise.hpp"

REGISTER_TERNARY(Standardize, f32)
