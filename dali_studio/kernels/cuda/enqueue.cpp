// See `enqueue.py`.
#include "../cpu/arguments.hpp"

// Functions of the driver, in the order of `enqueue.py`.
struct Driver {
  int (*launch)(void* kernel, u32 x, u32 y, u32 z, u32 threads, u32, u32, u32 shared, void* stream, void** given, void** other);
  int (*copy)(u64 target, u64 source, u64 size, void* stream);
  int (*clear)(u64 target, u8 value, u64 size, void* stream);
  int (*record)(void* event, void* stream);
  int (*wait)(void* stream, void* event, u32 flags);
};
enum { MOST = 32 };  // arguments of a kernel

// All of these last some microseconds, and return the driver's code, 0 for success. The face checks what they are given.
static i64 gpu_launch(Dense<const i64, 1> driver, i64 kernel, i64 x, i64 y, i64 threads, i64 shared, i64 stream,
                      Dense<i64, 1> arguments) {
  void* given[MOST];
  if (arguments.shape[0] > MOST) return 1;
  for (i64 i = 0; i < arguments.shape[0]; i++) given[i] = arguments.data + i;
  return ((const Driver*)driver.data)
      ->launch((void*)kernel, (u32)x, (u32)y, 1, (u32)threads, 1, 1, (u32)shared, (void*)stream, given, nullptr);
}
REGISTER_SHORT(gpu_launch)

static i64 gpu_copy(Dense<const i64, 1> driver, i64 target, i64 source, i64 size, i64 stream) {
  return ((const Driver*)driver.data)->copy((u64)target, (u64)source, (u64)size, (void*)stream);
}
REGISTER_SHORT(gpu_copy)

static i64 gpu_clear(Dense<const i64, 1> driver, i64 target, i64 size, i64 stream) {
  return ((const Driver*)driver.data)->clear((u64)target, 0, (u64)size, (void*)stream);
}
REGISTER_SHORT(gpu_clear)

static i64 gpu_record(Dense<const i64, 1> driver, i64 event, i64 stream) {
  return ((const Driver*)driver.data)->record((void*)event, (void*)stream);
}
REGISTER_SHORT(gpu_record)

static i64 gpu_wait(Dense<const i64, 1> driver, i64 stream, i64 event) {
  return ((const Driver*)driver.data)->wait((void*)stream, (void*)event, 0);
}
REGISTER_SHORT(gpu_wait)
