// A decoder of usual baseline and progressive files for the CPU. See `baseline.cpp`.
#pragma once
#include "libjpeg.hpp"

// Whether all pixels of the window are there. Of a file that is damaged or unusual they are not, or only some: libjpeg knows why.
bool decode_baseline(const Request& wanted);
bool decode_progressive(const Request& wanted);
