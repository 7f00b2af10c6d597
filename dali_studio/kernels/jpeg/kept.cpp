// See `kept.hpp`.
#ifndef _WIN32
#include "kept.hpp"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_KEPT = 1 << 24 };  // bytes

u8* Kept::room(i64 wanted) {
  if (wanted > size) {
    free(memory);
    memory = (u8*)malloc(wanted);
    size = memory ? wanted : 0;
  }
  return memory;
}

void Kept::forget_large() {
  if (size <= MOST_KEPT) return;
  free(memory);
  memory = nullptr, size = 0;
}

static void drop(void* kept) {
  free(((Kept*)kept)->memory);
  free(kept);
}
static pthread_key_t key;
static const bool has_key = pthread_key_create(&key, drop) == 0;

Kept* kept_by_thread() {
  if (!has_key) return nullptr;
  Kept* kept = (Kept*)pthread_getspecific(key);
  if (kept) return kept;
  kept = (Kept*)calloc(1, sizeof(Kept));
  if (!kept || pthread_setspecific(key, kept) == 0) return kept;
  free(kept);
  return nullptr;
}
#endif
