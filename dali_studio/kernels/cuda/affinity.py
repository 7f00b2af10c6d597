"""Keeping a thread off the processors that serve the interrupts of GPUs.

JPEG hardware interrupts the host once for each picture, and all these interrupts come to one processor. A thread that
polls is never moved by Linux; on that processor it gets a third less done (docs/benchmarks.md).
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_INTERRUPTS = Path("/proc/interrupts")
#: Seconds from one look to the next: a short while after the thread's first work, then now and then, since interrupts
#: may be moved to other processors.
_FIRST, _NEXT = 0.1, 5.0
#: Interrupts a second that matter.
_MANY = 1000.0


def gpu_interrupts() -> dict[int, int]:
    """How many interrupts of NVIDIA's driver each processor has served; empty where that cannot be known."""
    try:
        heads, *lines = _INTERRUPTS.read_text().splitlines()
    except (OSError, ValueError):
        return {}
    processors = [int(name.removeprefix("CPU")) for name in heads.split()]
    found = dict.fromkeys(processors, 0)
    for line in lines:
        if "nvidia" in line:
            for processor, count in zip(processors, line.split()[1:], strict=False):
                found[processor] += int(count)
    return found


class AwayFromInterrupts:
    """Moves the thread that it is made in. Where Linux does not tell, or no other processor is allowed, it stays."""

    def __init__(self) -> None:
        self._allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
        self._avoided: set[int] = set()
        self._counts, self._then = gpu_interrupts(), time.monotonic()
        self._wait = _FIRST

    def look(self) -> None:
        """Call this between pieces of work, in that thread; it costs something only every few seconds."""
        now = time.monotonic()
        if not self._counts or now - self._then < self._wait:
            return
        counts = gpu_interrupts()
        many = _MANY * (now - self._then)
        busy = {one for one, count in counts.items() if count - self._counts.get(one, count) > many}
        self._counts, self._then, self._wait = counts, now, _NEXT
        if busy and busy != self._avoided and self._allowed - busy:
            self._avoided = busy
            os.sched_setaffinity(0, self._allowed - busy)
