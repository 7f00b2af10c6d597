// See `nvjpeg_groups.py`.
#ifndef _WIN32
#include <time.h>

#include "decode_queue.hpp"
#include "libjpeg.hpp"

// Functions of nvJPEG and of the driver, in the order of `nvjpeg_groups.py`.
struct Nvjpeg {
  int (*prepare)(void* handle, void* state, int count, int threads, int format);
  int (*decode)(void* handle, void* state, const i64* files, const i64* sizes, const i64* targets, void* stream);
  int (*decode_parts)(void* handle, void* state, const i64* files, const i64* sizes, const i64* targets, const i64* windows, void* stream);
  int (*set_window)(void* window, int x, int y, int width, int height);
  int (*synchronize)(void* stream);
};

// Numbers of a decoder, and what it tells, in the order of `nvjpeg_groups.py`.
struct Info {
  void *handle, *state, *stream;
  i64 format, prepared, least, most;
};
struct Clock {
  i64 begun, busy;
};
static_assert(sizeof(Nvjpeg) == 5 * sizeof(i64) && sizeof(Info) == 7 * sizeof(i64), "rows of 64 bits");

struct Target {  // nvjpegImage_t: planes and pitches, of which interleaved pixels have one
  i64 planes[4], pitches[4];
};

static i64 now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

// The face checks the lengths of all arrays, and that a group is no larger than `files`, `sizes` and `targets` are.
static i64 nvjpeg_groups(Dense<const i64, 1> functions, Dense<i64, 1> queues, i64 which, Dense<i64, 1> decoder,
                         Dense<const i64, 2> requests, Array<const i64, 2> places, Dense<const i64, 1> windows,
                         Dense<i64, 1> files, Dense<i64, 1> sizes, Dense<i64, 2> targets, Dense<i8, 1> outcomes,
                         Dense<i64, 1> told) {
  const Nvjpeg& nvjpeg = *(const Nvjpeg*)functions.data;
  Info& info = *(Info*)decoder.data;
  Clock& clock = *(Clock*)told.data;
  bool windowed = windows.shape[0] > 0;
  for (;;) {
    Group group = take_group(queues, which, info.least, info.most);
    if (group.count == 0) return group.first << HALF;
    i64 begin = now();
    add(clock.begun, begin);
    int status = 0;
    if (info.prepared != group.count) {
      status = nvjpeg.prepare(info.handle, info.state, (int)group.count, 1, (int)info.format);
      info.prepared = status == 0 ? group.count : -1;
    }
    for (i64 i = 0; i < group.count; i++) {
      const Request& wanted = ((const Request*)requests.data)[group.first + i];
      Target& target = ((Target*)targets.data)[i];
      files.data[i] = wanted.data, sizes.data[i] = wanted.size;
      target.planes[0] = places(group.first + i, 0), target.pitches[0] = places(group.first + i, 1);
      if (windowed && status == 0)
        status = nvjpeg.set_window((void*)windows.data[i], (int)wanted.first_column, (int)wanted.first_row, (int)wanted.columns,
                                   (int)wanted.rows);
    }
    if (status == 0 && windowed)
      status = nvjpeg.decode_parts(info.handle, info.state, files.data, sizes.data, targets.data, windows.data, info.stream);
    else if (status == 0)
      status = nvjpeg.decode(info.handle, info.state, files.data, sizes.data, targets.data, info.stream);
    int late = nvjpeg.synchronize(info.stream);  // also after an error: what was begun writes into the targets
    add(clock.begun, -begin);
    clock.busy += now() - begin;
    if (status != 0 || late != 0) return group.first << HALF | group.count;
    for (i64 i = 0; i < group.count; i++) outcomes.data[group.first + i] = BY_HARDWARE;
  }
}
REGISTER(nvjpeg_groups)
#endif
