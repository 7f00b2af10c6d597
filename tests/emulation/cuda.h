// What the kernels use of CUDA, for a C++ compiler: the threads of a block are fibers, which one after the other run up to
// the next point where they wait for each other. Float arithmetic is that of the GPU without contraction. Types and
// functions that no kernel uses are missing.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __CUDACC__
#define __device__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __restrict__
#define __shared__ static

struct uint2 { unsigned x, y; };
struct uint3 { unsigned x, y, z; };
struct uint4 { unsigned x, y, z, w; };
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
static inline uint2 make_uint2(unsigned a, unsigned b) { return {a, b}; }
static inline uint4 make_uint4(unsigned a, unsigned b, unsigned c, unsigned d) { return {a, b, c, d}; }
static inline float2 make_float2(float a, float b) { return {a, b}; }
static inline float4 make_float4(float a, float b, float c, float d) { return {a, b, c, d}; }

static uint3 threadIdx, blockIdx, blockDim, gridDim;
static float4 memory[16384];  // of a block, as large as it is asked for

// ------------------------------------------------------------------------------------------------------- arithmetic

template <class T> static inline T min(T a, T b) { return b < a ? b : a; }
template <class T> static inline T max(T a, T b) { return a < b ? b : a; }
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
static inline unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
static inline unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
static inline unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
static inline long long min(long long a, int b) { return min(a, (long long)b); }
static inline long long max(long long a, int b) { return max(a, (long long)b); }
template <class T> static inline T __ldg(const T* p) { return *p; }

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fdividef(float a, float b) { return a / b; }  // the GPU's may be off by 2 ulp
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline float emulated_not_above(double exact) {
  float r = (float)exact;
  return (double)r > exact ? nextafterf(r, -INFINITY) : r;
}
static inline float __fadd_rd(float a, float b) { return emulated_not_above((double)a + (double)b); }
static inline float __fmaf_rd(float a, float b, float c) { return emulated_not_above((double)a * (double)b + (double)c); }
static inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.f) : 0.f; }

template <class To, class From> static inline To emulated_bits(From x) {
  To r;
  static_assert(sizeof r == sizeof x, "");
  memcpy(&r, &x, sizeof r);
  return r;
}
static inline long long __double_as_longlong(double x) { return emulated_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return emulated_bits<double>(x); }
static inline unsigned __float_as_uint(float x) { return emulated_bits<unsigned>(x); }
static inline int __float_as_int(float x) { return emulated_bits<int>(x); }
static inline float __uint_as_float(unsigned x) { return emulated_bits<float>(x); }

// To whole numbers: not a number gives 0 (the least one for 64 bits), others saturate.
static inline int emulated_to_int(double x) {
  if (x != x) return 0;
  return x <= -2147483648.0 ? -2147483647 - 1 : x >= 2147483647.0 ? 2147483647 : (int)x;
}
static inline int __float2int_rz(float x) { return emulated_to_int(trunc((double)x)); }
static inline int __float2int_rn(float x) { return emulated_to_int(nearbyint((double)x)); }
static inline unsigned __float2uint_rz(float x) { return !(x > 0) ? 0 : x >= 4294967296.f ? 4294967295u : (unsigned)x; }
static inline unsigned long long __double2ull_rz(double x) {
  return !(x > 0) ? 0 : x >= 18446744073709551616.0 ? ~0ull : (unsigned long long)x;
}
static inline long long __double2ll_rz(double x) {
  const long long least = -0x7FFFFFFFFFFFFFFFll - 1;
  return !(x > -9223372036854775808.0) ? least : x >= 9223372036854775808.0 ? 0x7FFFFFFFFFFFFFFFll : (long long)x;
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((unsigned long long)high << 32) | low) >> (shift & 31));
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((unsigned long long)high << 32) | low) << (shift & 31) >> 32);
}
static inline unsigned __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(unsigned x) { return __builtin_ffs((int)x); }
static inline unsigned atomicAdd(unsigned* place, unsigned x) {
  unsigned before = *place;
  *place += x;
  return before;
}
static inline unsigned atomicMin(unsigned* place, unsigned x) {
  unsigned before = *place;
  *place = min(before, x);
  return before;
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned choice) {  // without its way to repeat signs
  unsigned long long both = ((unsigned long long)y << 32) | x;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) r |= (unsigned)(both >> (8 * (choice >> (4 * i) & 7)) & 255) << (8 * i);
  return r;
}
static inline float emulated_half_to_float(unsigned short half) {
  unsigned sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, rest = half & 1023;
  if (exponent == 0) return (sign ? -1.f : 1.f) * rest * 5.9604644775390625e-8f;
  return __uint_as_float(sign | (exponent == 31 ? 0x7F800000u : (exponent + 112) << 23) | rest << 13);
}

// ---------------------------------------------------------------------------------------------------------- threads

enum EmulatedState { READY, AT_WARP, AT_BLOCK, OVER };
constexpr size_t EMULATED_STACK = 1 << 18, EMULATED_THREADS = 1024;
struct EmulatedFiber {
  void* stack_pointer;
  EmulatedState state;
  char* stack;
};
static void* emulated_scheduler;
static EmulatedFiber emulated_fibers[EMULATED_THREADS];
static unsigned emulated_current;

// emulated_switch(from, to): saves the registers that a function must keep, and the stack pointer in *from, and goes on where
// `to` was saved.
extern "C" void emulated_switch(void** from, void* to);
#if defined(__x86_64__)
constexpr int EMULATED_SAVED = 6;
__asm__(R"(
.text
emulated_switch:
  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp
  ret
)");
#elif defined(__aarch64__)
constexpr int EMULATED_SAVED = 20;  // the last of them, x30, is where a function returns to
__asm__(R"(
.text
emulated_switch:
  sub sp, sp, #160
  stp d8, d9, [sp]; stp d10, d11, [sp, #16]; stp d12, d13, [sp, #32]; stp d14, d15, [sp, #48]
  stp x19, x20, [sp, #64]; stp x21, x22, [sp, #80]; stp x23, x24, [sp, #96]; stp x25, x26, [sp, #112]
  stp x27, x28, [sp, #128]; stp x29, x30, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp d8, d9, [sp]; ldp d10, d11, [sp, #16]; ldp d12, d13, [sp, #32]; ldp d14, d15, [sp, #48]
  ldp x19, x20, [sp, #64]; ldp x21, x22, [sp, #80]; ldp x23, x24, [sp, #96]; ldp x25, x26, [sp, #112]
  ldp x27, x28, [sp, #128]; ldp x29, x30, [sp, #144]
  add sp, sp, #160
  ret
)");
#endif

// A stack from which a switch begins `run`.
static void emulated_prepare(EmulatedFiber& fiber, void (*run)()) {
  if (!fiber.stack) fiber.stack = (char*)malloc(EMULATED_STACK);
  void** top = (void**)(((size_t)fiber.stack + EMULATED_STACK - 64) & ~(size_t)15);
#if defined(__x86_64__)
  *--top = nullptr;  // where `run` would return to
  *--top = (void*)run;
  for (int i = 0; i < EMULATED_SAVED; i++) *--top = nullptr;
#else
  for (int i = 0; i < EMULATED_SAVED; i++) *--top = i == 0 ? (void*)run : nullptr;
#endif
  fiber.stack_pointer = top;
  fiber.state = READY;
}
static unsigned long long emulated_exchanged[32][32];  // what the threads of each warp show each other

static inline void emulated_wait_at(EmulatedState state) {
  emulated_fibers[emulated_current].state = state;
  emulated_switch(&emulated_fibers[emulated_current].stack_pointer, emulated_scheduler);
}
static inline void __syncthreads() { emulated_wait_at(AT_BLOCK); }
static inline int __syncthreads_or(int mine) {
  static int all[2];  // two, because some threads may be at the next one while others still read
  static unsigned times[1024];
  int& any = all[times[emulated_current]++ & 1];
  any |= mine;
  __syncthreads();
  int r = any;
  __syncthreads();
  any = 0;
  return r != 0;
}
static inline void __syncwarp() { emulated_wait_at(AT_WARP); }
static inline void __threadfence_block() {}
static inline void __nanosleep(unsigned) {}
static inline unsigned __ballot_sync(unsigned, int mine) {
  unsigned me = emulated_current, all = 0;
  emulated_exchanged[me / 32][me % 32] = mine != 0;
  emulated_wait_at(AT_WARP);
  for (unsigned lane = 0; lane < 32; lane++) all |= (unsigned)emulated_exchanged[me / 32][lane] << lane;
  emulated_wait_at(AT_WARP);
  return all;
}
template <class T> static inline T __shfl_sync(unsigned, T value, int lane) {
  unsigned me = emulated_current;
  memcpy(&emulated_exchanged[me / 32][me % 32], &value, sizeof value);
  emulated_wait_at(AT_WARP);
  T r;
  memcpy(&r, &emulated_exchanged[me / 32][lane & 31], sizeof r);
  emulated_wait_at(AT_WARP);
  return r;
}
template <class T> static inline T __shfl_up_sync(unsigned all, T value, unsigned by) {
  unsigned lane = emulated_current % 32;
  return __shfl_sync(all, value, lane < by ? lane : lane - by);
}
template <class T> static inline T __shfl_down_sync(unsigned all, T value, unsigned by) {
  unsigned lane = emulated_current % 32;
  return __shfl_sync(all, value, lane + by > 31 ? lane : lane + by);
}

template <class T> struct EmulatedPlain { typedef T type; };
template <class T> struct EmulatedPlain<const T> { typedef T type; };
template <size_t... I> struct EmulatedPlaces {};
template <size_t N, size_t... I> struct EmulatedCount : EmulatedCount<N - 1, N - 1, I...> {};
template <size_t... I> struct EmulatedCount<0, I...> { typedef EmulatedPlaces<I...> type; };
template <class... A> struct EmulatedKernel {
  static void (*function)(A...);
  static void** given;
  template <size_t... I> static void call(EmulatedPlaces<I...>) { function(*(typename EmulatedPlain<A>::type*)given[I]...); }
  static void run() {
    call(typename EmulatedCount<sizeof...(A)>::type());
    emulated_wait_at(OVER);
  }
};
template <class... A> void (*EmulatedKernel<A...>::function)(A...);
template <class... A> void** EmulatedKernel<A...>::given;

// Lets those go on that all others of `first` to `last` have caught up with; false if some have not, or nobody waits.
static bool emulated_release(EmulatedState state, size_t first, size_t last) {
  bool waiting = false;
  for (size_t t = first; t < last; t++) {
    if (emulated_fibers[t].state != state && emulated_fibers[t].state != OVER) return false;
    waiting = waiting || emulated_fibers[t].state == state;
  }
  for (size_t t = first; t < last; t++)
    if (emulated_fibers[t].state == state) emulated_fibers[t].state = READY;
  return waiting;
}

template <class... A> static void emulated_run_block(unsigned threads) {
  for (unsigned t = 0; t < threads; t++) emulated_prepare(emulated_fibers[t], EmulatedKernel<A...>::run);
  for (bool moved = true; moved;) {
    moved = false;
    for (emulated_current = 0; emulated_current < threads; emulated_current++) {
      if (emulated_fibers[emulated_current].state != READY) continue;
      threadIdx = {emulated_current, 0, 0};
      unsigned me = emulated_current;
      emulated_switch(&emulated_scheduler, emulated_fibers[me].stack_pointer);
      emulated_current = me;
      moved = true;
    }
    for (size_t first = 0; first < threads; first += 32)
      moved |= emulated_release(AT_WARP, first, min<size_t>(first + 32, threads));
    moved |= emulated_release(AT_BLOCK, 0, threads);
  }
  for (unsigned t = 0; t < threads; t++)
    if (emulated_fibers[t].state != OVER) {
      fprintf(stderr, "some threads wait for others that never come\n");
      abort();
    }
}

template <class... A>
static void emulated_launch_kernel(void (*function)(A...), unsigned x, unsigned y, unsigned threads, void** given) {
  EmulatedKernel<A...>::function = function;
  EmulatedKernel<A...>::given = given;
  gridDim = {x, y, 1};
  blockDim = {threads, 1, 1};
  for (blockIdx.y = 0; blockIdx.y < y; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < x; blockIdx.x++) emulated_run_block<A...>(threads);
}

// Addresses in shared memory have 32 bits, from `emulated_shared_base` on.
static char* emulated_shared_base;
static inline unsigned __cvta_generic_to_shared(const void* place) {
  emulated_shared_base = (char*)((unsigned long long)place & ~0xFFFFFFFull);
  return (unsigned)((unsigned long long)place & 0xFFFFFFFull);
}
