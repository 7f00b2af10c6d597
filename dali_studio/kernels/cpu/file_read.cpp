// Files of `file_read.py`. Windows, which has other calls, reads them by Python.
#include "arguments.hpp"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// The size of an open file; -1 for what is no file, such as a folder, and for files of the system that only seem to be empty.
static i64 size_of(int file) {
  struct stat facts;
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return -1;
  char byte;
  return facts.st_size > 0 || read(file, &byte, 1) == 0 ? facts.st_size : -1;
}

// The names are texts that end with a zero byte and begin at `starts`.
static i64 open_files(Dense<const u8, 1> names, Array<const i64, 1> starts, Array<i32, 1> files, Array<i64, 1> sizes, int flags) {
  const i64 count = starts.shape[0], bytes = names.shape[0];
  if (files.shape[0] != count || sizes.shape[0] != count || (bytes > 0 && names.data[bytes - 1] != 0)) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (starts(i) < 0 || starts(i) >= bytes) return MISFIT;
  for (i64 i = 0; i < count; i++) {
    files(i) = open((const char*)names.data + starts(i), flags);
    sizes(i) = files(i) < 0 ? -1 : size_of(files(i));
  }
  return 0;
}
REGISTER(open_files)

// Fills the slab and closes the files; the size of a file that cannot be read to its end becomes -1.
static i64 read_files(Array<i32, 1> files, Array<i64, 1> sizes, Dense<u8, 1> slab, Array<const i64, 1> places) {
  const i64 count = files.shape[0];
  if (sizes.shape[0] != count || places.shape[0] != count) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (sizes(i) > 0 && (places(i) < 0 || sizes(i) > slab.shape[0] - places(i))) return MISFIT;
  for (i64 i = 0; i < count; i++) {
    if (files(i) < 0) continue;
    for (i64 done = 0; done < sizes(i);) {
      const i64 now = pread(files(i), slab.data + places(i) + done, (size_t)(sizes(i) - done), done);
      if (now <= 0) sizes(i) = -1;  // which ends the loop
      done += now;
    }
    close(files(i));
    files(i) = -1;
  }
  return 0;
}
REGISTER(read_files)

// Whether all of a piece could be read.
static bool read_piece(int file, i64 start, i64 size, char* to) {
  for (i64 done = 0; done < size;) {
    const i64 now = pread(file, to + done, (size_t)(size - done), start + done);
    if (now <= 0) return false;
    done += now;
  }
  return true;
}

// Pieces of a file that lie this close behind each other, as members of archives do, are read by one call, with what is between.
constexpr i64 GAP = 2048;
constexpr int PARTS = 256;  // of a call: pieces and gaps

// Pieces of open files, which stay open, go to bytes `places` of the slab; the size of what cannot be read to its end becomes -1.
static i64 read_pieces(Array<const i32, 1> files, Array<const i64, 1> starts, Array<i64, 1> sizes, Dense<u8, 1> slab,
                       Array<const i64, 1> places) {
  const i64 count = files.shape[0];
  if (starts.shape[0] != count || sizes.shape[0] != count || places.shape[0] != count) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (sizes(i) > 0 && (starts(i) < 0 || places(i) < 0 || sizes(i) > slab.shape[0] - places(i))) return MISFIT;
  struct iovec parts[PARTS];
  char dropped[GAP];
  for (i64 i = 0, next; i < count; i = next) {
    next = i + 1;
    if (sizes(i) <= 0) continue;
    int used = 0;
    i64 end = starts(i);
    for (next = i; next < count && used + 2 <= PARTS; next++) {
      const i64 gap = starts(next) - end;
      if (files(next) != files(i) || sizes(next) <= 0 || gap < 0 || gap > GAP) break;
      if (gap > 0) parts[used++] = {dropped, (size_t)gap};
      parts[used++] = {slab.data + places(next), (size_t)sizes(next)};
      end = starts(next) + sizes(next);
    }
    if (used > 1 && preadv(files(i), parts, used, starts(i)) == end - starts(i)) continue;
    for (i64 k = i; k < next; k++)
      if (!read_piece(files(k), starts(k), sizes(k), (char*)slab.data + places(k))) sizes(k) = -1;
  }
  return 0;
}
REGISTER(read_pieces)

// Reads a byte of each page of pieces of a mapped file, so that the system brings them into memory.
static i64 touch_pieces(Dense<const u8, 1> file, Array<const i64, 1> starts, Array<const i64, 1> sizes) {
  constexpr i64 PAGE = 4096;
  const i64 count = starts.shape[0];
  if (sizes.shape[0] != count) return MISFIT;
  for (i64 i = 0; i < count; i++)
    if (sizes(i) > 0 && (starts(i) < 0 || sizes(i) > file.shape[0] - starts(i))) return MISFIT;
  for (i64 i = 0; i < count; i++)
    for (i64 at = 0; at < sizes(i); at += PAGE) (void)*(volatile const u8*)(file.data + starts(i) + at);
  return 0;
}
REGISTER(touch_pieces)
#endif
