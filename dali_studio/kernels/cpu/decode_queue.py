"""The pictures of a batch that wait to be decoded, and what compiled threads do with them.

A queue is a row of integers in memory that all threads see. Whoever is free takes from it, by one atomic exchange and
without the interpreter's lock: threads of the CPU one picture at a time from the end, decoders of a GPU groups from the
beginning. Some of the threads, the helpers, take whatever they find, the others not what is reserved.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dali_studio.kernels.cpu import libjpeg
from dali_studio.kernels.cpu.jit import kernel

#: Integers of a queue: a number while it is in use, later ones higher; first and last waiting picture in one; threads
#: at work on it; how many pictures a GPU may take; addresses of requests (see `libjpeg.decode`) and of a byte for the
#: outcome of each; nanoseconds of all threads; how many of the first pictures are left to the GPU and to helpers.
IN_USE, WAITING, AT_WORK, SHARED, REQUESTS, OUTCOMES, SPENT, RESERVED = range(8)
#: Integers from one queue to the next: threads that work on different ones do not share a cache line.
WORDS = 16
BY_HARDWARE, BY_KERNELS = 3, 4
"""Outcomes of a picture whose pixels a GPU has made: its JPEG hardware, or kernels. Others are those of `libjpeg`."""
_WORD, _HALF, _LOWER = 8, 32, (1 << 32) - 1
_MONOTONIC = getattr(time, "CLOCK_MONOTONIC", 1)
#: Microseconds between two looks of a thread that waits for others.
_PAUSE = 50

if sys.platform != "win32":
    _read = types.ExternalFunction("read", types.intp(types.int32, types.intp, types.intp))
    _sleep = types.ExternalFunction("usleep", types.int32(types.uint32))
    _clock = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.intp))


@intrinsic
def _get(typing_context: Any, address: Any) -> Any:  # noqa: ARG001 - numba's protocol
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load_atomic(pointer, "seq_cst", _WORD)

    return types.int64(types.intp), generate


@intrinsic
def _add(typing_context: Any, address: Any, value: Any) -> Any:  # noqa: ARG001 - numba's protocol
    """Add to an integer; gives what it was before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("add", pointer, arguments[1], "seq_cst")

    return types.int64(types.intp, types.int64), generate


@intrinsic
def _exchange(typing_context: Any, address: Any, before: Any, after: Any) -> Any:  # noqa: ARG001 - numba's protocol
    """Replace an integer if it is what it was before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.extract_value(builder.cmpxchg(pointer, *arguments[1:], "seq_cst", "seq_cst"), 1)

    return types.boolean(types.intp, types.int64, types.int64), generate


@kernel
def _reserved(queue: int, helps: bool) -> int:
    return 0 if helps else _get(queue + _WORD * RESERVED)


@kernel
def _take(queue: int, helps: bool) -> int:
    reserved = _reserved(queue, helps)
    while True:
        waiting = _get(queue + _WORD * WAITING)
        first, end = waiting >> _HALF, waiting & _LOWER
        if max(first, reserved) >= end:
            return -1
        if _exchange(queue + _WORD * WAITING, waiting, waiting - 1):
            return end - 1


@kernel
def take(queues: Any, which: int) -> int:
    """One picture from the end of a queue; -1 if there is none."""
    return _take(queues.ctypes.data + which * WORDS * _WORD, True)


@kernel
def _others_wait(queues: Any, which: int) -> bool:
    """Whether something can be taken from another queue."""
    for other in range(len(queues) // WORDS):
        queue = queues.ctypes.data + other * WORDS * _WORD
        waiting = _get(queue + _WORD * WAITING)
        if other != which and _get(queue + _WORD * IN_USE) > 0 and waiting >> _HALF < waiting & _LOWER:
            return True
    return False


@kernel
def take_group(queues: Any, which: int, least: int, most: int) -> tuple[int, int]:
    """First and number of some pictures from the beginning of a queue.

    They are as many as possible, up to `most`, while threads have other queues to work on; otherwise half of what is
    left, and no fewer than `least`, so that nobody waits long for the others at the end.
    """
    queue = queues.ctypes.data + which * WORDS * _WORD
    while True:
        waiting = _get(queue + _WORD * WAITING)
        first, end = waiting >> _HALF, waiting & _LOWER
        left = min(end, _get(queue + _WORD * SHARED)) - first
        if left <= 0:
            return first, 0
        count = min(left, most if _others_wait(queues, which) else max(least, min(most, left // 2)))
        if _exchange(queue + _WORD * WAITING, waiting, waiting + (count << _HALF)):
            return first, count


@kernel
def empty(queues: Any, which: int) -> None:
    """Leave nothing to take."""
    while take(queues, which) >= 0:
        pass


@kernel
def fill(queues: Any, which: int, count: int) -> None:
    """Let pictures 0 to `count` - 1 wait. The other integers must be set, `IN_USE` last of all."""
    queue = queues.ctypes.data + which * WORDS * _WORD
    _add(queue + _WORD * WAITING, count - _get(queue + _WORD * WAITING))


@kernel
def mark(queues: Any, which: int, number: int) -> None:
    """Set `IN_USE`."""
    queue = queues.ctypes.data + which * WORDS * _WORD
    _add(queue + _WORD * IN_USE, number - _get(queue + _WORD * IN_USE))


@kernel
def change(place: int, difference: int) -> None:
    """Add to the integer at an address, in one step for all threads."""
    _add(place, difference)


@kernel
def now(place: int) -> int:
    """Nanoseconds of the monotonic clock; needs 16 bytes at an address."""
    _clock(np.int32(_MONOTONIC), place)
    return _get(place) * 1_000_000_000 + _get(place + _WORD)


@kernel
def _work(queue: int, memory: Any, entries: Any, helps: bool) -> None:
    clock = (memory.ctypes.data + libjpeg.BLOCK + _WORD) // _WORD * _WORD
    begin = now(clock)
    while True:
        index = _take(queue, helps)
        if index < 0:
            break
        request = _get(queue + _WORD * REQUESTS) + index * libjpeg.FIELDS * _WORD
        outcome = libjpeg.decode_at(memory, request, entries)
        libjpeg.set_byte(_get(queue + _WORD * OUTCOMES) + index, np.int8(outcome))
    _add(queue + _WORD * SPENT, now(clock) - begin)


@kernel
def work(queues: Any, which: int, memory: Any, entries: Any) -> None:
    """Decode until nothing waits in a queue; `memory` has `MEMORY` bytes."""
    _work(queues.ctypes.data + which * WORDS * _WORD, memory, entries, True)


#: Bytes that a thread needs for its own.
MEMORY = libjpeg.BLOCK + 4 * _WORD


@kernel
def _oldest(queues: Any, helps: bool) -> int:
    """Address of the queue that has been in use for longest among those with something to take; 0 if there is none."""
    found, age = 0, 0
    for which in range(len(queues) // WORDS):
        queue = queues.ctypes.data + which * WORDS * _WORD
        number = _get(queue + _WORD * IN_USE)
        waiting = _get(queue + _WORD * WAITING)
        first = max(waiting >> _HALF, _reserved(queue, helps))
        if number > 0 and first < waiting & _LOWER and (found == 0 or number < age):
            found, age = queue, number
    return found


@kernel
def serve(queues: Any, calls: int, memory: Any, entries: Any, helps: bool) -> None:
    """What a thread does all its life: each byte that comes through the pipe `calls` is a call to look for work.

    One that `helps` also takes what is reserved for the GPU. Returns when the other end of the pipe is closed.
    """
    byte = memory.ctypes.data + libjpeg.BLOCK + 3 * _WORD
    while True:
        count = _read(np.int32(calls), byte, 1)
        if count == 0:
            return
        if count < 0:  # interrupted by a signal
            _sleep(np.uint32(_PAUSE))
            continue
        while True:
            queue = _oldest(queues, helps)
            if queue == 0:
                break
            _add(queue + _WORD * AT_WORK, 1)
            if _get(queue + _WORD * IN_USE) > 0:  # from here on its owner waits for this thread
                _work(queue, memory, entries, helps)
            _add(queue + _WORD * AT_WORK, -1)


@kernel
def wait(queues: Any, which: int, microseconds: int) -> bool:
    """Wait until nothing is left to take and nobody is at work; false if that takes longer."""
    queue = queues.ctypes.data + which * WORDS * _WORD
    for _ in range(max(microseconds // _PAUSE, 1)):
        waiting = _get(queue + _WORD * WAITING)
        if waiting >> _HALF >= waiting & _LOWER and _get(queue + _WORD * AT_WORK) == 0:
            return True
        _sleep(np.uint32(_PAUSE))
    return False
