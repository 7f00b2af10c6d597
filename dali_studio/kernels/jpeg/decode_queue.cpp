// See `decode_queue.py`.
#include "decode_queue.hpp"

#include "../cpu/png_file.hpp"
#include "libjpeg.hpp"
#include "progressive.hpp"

// Who takes pictures: the owner of the queue, all of them; helpers, none that are withheld from them; and other threads,
// none that are reserved.
enum Taker { OWNER, HELPER, OTHER };

static i64 left_by(const Queue& queue, Taker taker) {
  return taker == OWNER ? 0 : get(taker == HELPER ? queue.withheld : queue.reserved);
}

static i64 take(Queue& queue, Taker taker) {
  i64 reserved = left_by(queue, taker);
  for (;;) {
    i64 waiting = get(queue.waiting), end = end_of(waiting);
    if (most(first_of(waiting), reserved) >= end) return -1;
    if (exchange(queue.waiting, waiting, waiting - 1)) return end - 1;
  }
}

static i64 queue_take(Dense<i64, 1> queues, i64 which) { return take(queues_of(queues)[which], OWNER); }
REGISTER_SHORT(queue_take)

static void queue_empty(Dense<i64, 1> queues, i64 which) {
  while (take(queues_of(queues)[which], OWNER) >= 0) {}
}
REGISTER_SHORT(queue_empty)

static void queue_fill(Dense<i64, 1> queues, i64 which, i64 count) { set(queues_of(queues)[which].waiting, count); }
REGISTER_SHORT(queue_fill)

static void queue_mark(Dense<i64, 1> queues, i64 which, i64 number) { set(queues_of(queues)[which].in_use, number); }
REGISTER_SHORT(queue_mark)

// Whether something can be taken from another queue.
static bool others_wait(const Dense<i64, 1>& queues, i64 which) {
  for (i64 other = 0; other < count_of(queues); other++) {
    const Queue& queue = queues_of(queues)[other];
    i64 waiting = get(queue.waiting);
    if (other != which && get(queue.in_use) > 0 && first_of(waiting) < end_of(waiting)) return true;
  }
  return false;
}

Group take_group(const Dense<i64, 1>& queues, i64 which, i64 least_count, i64 most_count) {
  Queue& queue = queues_of(queues)[which];
  for (;;) {
    i64 waiting = get(queue.waiting), first = first_of(waiting);
    i64 left = least(end_of(waiting), get(queue.shared)) - first;
    if (left <= 0) return {first, 0};
    i64 wanted = others_wait(queues, which) ? most_count : most(least_count, least(most_count, left / 2));
    i64 count = least(left, wanted);
    if (exchange(queue.waiting, waiting, waiting + (count << HALF))) return {first, count};
  }
}

static i64 queue_take_group(Dense<i64, 1> queues, i64 which, i64 least_count, i64 most_count) {
  Group group = take_group(queues, which, least_count, most_count);
  return group.first << HALF | group.count;
}
REGISTER_SHORT(queue_take_group)

#ifndef _WIN32
#include <time.h>
#include <unistd.h>

enum { PAUSE = 50 };  // microseconds between two looks of a thread that waits for others

static i64 now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

// Coefficients are enough where there is room for them: kernels make the pixels.
static Outcome decode_waiting(const Queue& queue, i64 index, const Library& library) {
  const Request& wanted = ((const Request*)get(queue.requests))[index];
  if (wanted.colors == PNG) {
    const PngWindow window{wanted.height, wanted.width, wanted.channels, wanted.first_row, wanted.first_column, wanted.rows,
                           wanted.columns, (u8*)wanted.target, wanted.pitch};
    return decode_png((const u8*)wanted.data, wanted.size, window) ? DONE : FAILED;
  }
  const i64* rooms = (const i64*)get(queue.rooms);
  const i64 *room = rooms ? rooms + 2 * index : nullptr;  // address and bytes
  if (room && room[0] && decode_coefficients(wanted, (u8*)room[0], room[1])) return COEFFICIENTS;
  return decode(library, wanted);
}

static void work(Queue& queue, const Library& library, Taker taker) {
  i64 begin = now();
  for (i64 index; (index = take(queue, taker)) >= 0;) {
    u8* outcomes = (u8*)get(queue.outcomes);
    outcomes[index] = (u8)decode_waiting(queue, index, library);
  }
  add(queue.spent, now() - begin);
}

static void queue_work(Dense<i64, 1> queues, i64 which, Dense<const i64, 1> functions) {
  work(queues_of(queues)[which], *(const Library*)functions.data, OWNER);
}
REGISTER(queue_work)

// The queue that has been in use for longest among those with something to take.
static Queue* oldest(const Dense<i64, 1>& queues, Taker taker) {
  Queue* found = nullptr;
  i64 age = 0;
  for (i64 which = 0; which < count_of(queues); which++) {
    Queue& queue = queues_of(queues)[which];
    i64 number = get(queue.in_use), waiting = get(queue.waiting);
    i64 first = most(first_of(waiting), left_by(queue, taker));
    if (number > 0 && first < end_of(waiting) && (!found || number < age)) found = &queue, age = number;
  }
  return found;
}

static void queue_serve(Dense<i64, 1> queues, int calls, Dense<const i64, 1> functions, bool helps) {
  const Library library = *(const Library*)functions.data;
  const Taker taker = helps ? HELPER : OTHER;
  for (;;) {
    char byte;
    i64 count = read(calls, &byte, 1);
    if (count == 0) return;
    if (count < 0) {  // interrupted by a signal
      usleep(PAUSE);
      continue;
    }
    while (Queue* queue = oldest(queues, taker)) {
      add(queue->at_work, 1);
      if (get(queue->in_use) > 0) work(*queue, library, taker);  // from here on its owner waits for this thread
      add(queue->at_work, -1);
    }
  }
}
REGISTER(queue_serve)

static bool queue_wait(Dense<i64, 1> queues, i64 which, i64 microseconds) {
  Queue& queue = queues_of(queues)[which];
  for (i64 i = most(microseconds / PAUSE, 1ll); i > 0; i--) {
    i64 waiting = get(queue.waiting);
    if (first_of(waiting) >= end_of(waiting) && get(queue.at_work) == 0) return true;
    usleep(PAUSE);
  }
  return false;
}
REGISTER(queue_wait)
#endif
