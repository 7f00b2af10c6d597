"""The pictures of a batch that wait to be decoded, and what compiled threads do with them.

A queue is a row of integers in memory that all threads see. Whoever is free takes from it, by one atomic exchange and
without the interpreter's lock: threads of the CPU one picture at a time from the end, decoders of a GPU groups from the
beginning. Some of the threads, the helpers, take whatever they find, the others not what is reserved.

Arrays of queues have `WORDS` integers for each. What waits for pictures, or decodes them, is not there on Windows:
`libjpeg` cannot be called either.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

Queues = NDArray[np.int64]

#: Integers of a queue: a number while it is in use, later ones higher; first and last waiting picture in one; threads
#: at work on it; how many pictures a GPU may take; addresses of requests (see `libjpeg.decode`) and of a byte for the
#: outcome of each; nanoseconds of all threads; how many of the first pictures are left to the GPU and to helpers;
#: address of the rooms for coefficients, or 0; how many of the first pictures are left to the GPU alone.
IN_USE, WAITING, AT_WORK, SHARED, REQUESTS, OUTCOMES, SPENT, RESERVED, ROOMS, WITHHELD = range(10)
#: Integers from one queue to the next: threads that work on different ones do not share a cache line.
WORDS = 16
BY_HARDWARE, BY_KERNELS, COEFFICIENTS = 3, 4, 5
"""Outcomes of a picture whose pixels a GPU has made: its JPEG hardware, or kernels; or makes of its `coefficients`
once all are decoded. Those of `libjpeg` are lower."""


def checked(queues: Queues, which: int) -> int:
    """The number of a queue, which must be there."""
    if not 0 <= which < len(queues) // WORDS:
        raise IndexError(f"There is no queue {which}, only {len(queues) // WORDS}.")
    return which


def take(queues: Queues, which: int) -> int:
    """One picture from the end of a queue; -1 if there is none."""
    return kernel("queue_take")(queues, checked(queues, which))


def take_group(queues: Queues, which: int, least: int, most: int) -> tuple[int, int]:
    """First and number of some pictures from the beginning of a queue.

    They are as many as possible, up to `most`, while threads have other queues to work on; otherwise half of what is
    left, and no fewer than `least`, so that nobody waits long for the others at the end.
    """
    return divmod(kernel("queue_take_group")(queues, checked(queues, which), least, most), 1 << 32)


def has_group(queues: Queues, which: int) -> bool:
    """Whether there is something to take for a GPU; others may take it meanwhile."""
    numbers = queues[checked(queues, which) * WORDS :]
    first, end = divmod(int(numbers[WAITING]), 1 << 32)
    return first < min(end, int(numbers[SHARED]))


def empty(queues: Queues, which: int) -> None:
    """Leave nothing to take."""
    kernel("queue_empty")(queues, checked(queues, which))


def fill(queues: Queues, which: int, count: int) -> None:
    """Let pictures 0 to `count` - 1 wait. The other integers must be set, `IN_USE` last of all."""
    kernel("queue_fill")(queues, checked(queues, which), count)


def mark(queues: Queues, which: int, number: int) -> None:
    """Set `IN_USE`."""
    kernel("queue_mark")(queues, checked(queues, which), number)


def work(queues: Queues, which: int, entries: NDArray[np.int64]) -> None:
    """Decode until nothing waits in a queue, whoever it is left to; `entries` are those of `libjpeg`."""
    kernel("queue_work")(queues, checked(queues, which), entries)


def serve(queues: Queues, calls: int, entries: NDArray[np.int64], helps: bool) -> None:
    """What a thread does all its life: each byte that comes through the pipe `calls` is a call to look for work.

    One that `helps` also takes what is reserved for the GPU, unless it is withheld from helpers. Returns when the other
    end of the pipe is closed.
    """
    kernel("queue_serve")(queues, calls, entries, helps)


def wait(queues: Queues, which: int, microseconds: int) -> bool:
    """Wait until nothing is left to take and nobody is at work; false if that takes longer."""
    return bool(kernel("queue_wait")(queues, checked(queues, which), microseconds))
