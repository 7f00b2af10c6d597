// What a thread that decodes keeps from picture to picture: codes, which most files share with the one before, and memory.
#pragma once
#include "huffman.hpp"

struct Kept {
  enum { TABLES = 4 };  // of each kind, in a file
  DcCodes dc[TABLES];
  AcCodes ac[TABLES];
  u8* memory;
  i64 size;
  // So many bytes, or null.
  u8* room(i64 wanted);
  // A thread keeps no more than some megabytes.
  void forget_large();
};

// Of the calling thread, until it ends; null where there is no memory.
Kept* kept_by_thread();
