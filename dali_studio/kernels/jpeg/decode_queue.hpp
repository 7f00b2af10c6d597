// The queue of pictures that wait to be decoded. See `decode_queue.py`.
#pragma once
#include "../cpu/arguments.hpp"

// The numbers of a queue, in the order of `decode_queue.py`; all threads see them, so each is read and changed in one step.
struct Queue {
  i64 in_use, waiting, at_work, shared, requests, outcomes, spent, reserved, rooms, withheld;
  i64 unused[6];  // threads that work on different queues do not share a cache line
};

HD i64 get(const i64& place) { return __atomic_load_n(&place, __ATOMIC_SEQ_CST); }
HD i64 add(i64& place, i64 difference) { return __atomic_fetch_add(&place, difference, __ATOMIC_SEQ_CST); }
HD void set(i64& place, i64 value) { __atomic_store_n(&place, value, __ATOMIC_SEQ_CST); }
// Replaces a number if it is what it was before.
HD bool exchange(i64& place, i64 before, i64 after) {
  return __atomic_compare_exchange_n(&place, &before, after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

// `waiting` holds first and end of what waits.
constexpr int HALF = 32;
HD i64 first_of(i64 waiting) { return waiting >> HALF; }
HD i64 end_of(i64 waiting) { return waiting & 0xFFFFFFFF; }

struct Group {
  i64 first, count;
};

// The face checks that the queue is there.
HD Queue* queues_of(const Dense<i64, 1>& queues) { return (Queue*)queues.data; }
HD i64 count_of(const Dense<i64, 1>& queues) { return queues.shape[0] * (i64)sizeof(i64) / (i64)sizeof(Queue); }

Group take_group(const Dense<i64, 1>& queues, i64 which, i64 least_count, i64 most_count);
