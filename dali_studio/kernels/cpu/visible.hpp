// Functions that are found by their names from outside the library.
#pragma once

#ifdef _WIN32
#define VISIBLE extern "C" __declspec(dllexport)
#else
#define VISIBLE extern "C" __attribute__((visibility("default")))
#endif
