"""Loops over samples: shared among the worker threads, or done by one where that has turned out to be faster.

Threads that take tasks of a few microseconds hand the interpreter's lock to and fro, which takes longer than the tasks.
Who does them changes no result, and no failure: that of the lowest index is raised either way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from dali_studio.runtime.workers import WorkerPool

#: Runs of a loop by which both ways are compared, in turns, and those before the first comparison, which only warm up.
_COMPARED, _WARM = 4, 1
#: Runs after which both ways are compared again: at first, and at most; each time it takes twice as many.
_REST, _MAX_REST = 64, 1 << 12
#: Of the seconds that one thread takes, those in which all must be through: they keep other threads from working.
_GAIN = 0.9
#: Seconds for each task of a shared loop from which on the lock does not matter.
_LONG = 1e-4


@dataclass(slots=True)
class _Pace:
    """What the last runs of a loop say.

    Attributes
    ----------
    shared, alone : float
        The least seconds for a task, of runs by all threads and by one.
    comparing : int
        Runs that are left of a comparison, every other one of which is shared.
    left, rest : int
        Runs until the next comparison, and between the last two.
    """

    shared: float = math.inf
    alone: float = math.inf
    comparing: int = _WARM + _COMPARED
    left: int = _REST
    rest: int = _REST

    def shares(self) -> bool:
        """Whether the next run is shared."""
        if not self.comparing:
            self.left -= 1
            if self.left:
                return self.shared < _GAIN * self.alone
            self.left = self.rest = min(2 * self.rest, _MAX_REST)
            self.shared = self.alone = math.inf
            self.comparing = _COMPARED
        self.comparing -= 1
        return self.comparing >= _COMPARED or self.comparing % 2 == 1

    def count(self, seconds: float, *, shared: bool) -> None:
        """Take note of the seconds for each task."""
        if self.comparing >= _COMPARED:
            return
        if not shared:
            self.alone = min(self.alone, seconds)
            return
        self.shared = min(self.shared, seconds)
        if seconds > _LONG:
            self.comparing = 0


class Loops:
    """Runs the loops of a plan.

    Parameters
    ----------
    workers : WorkerPool
    """

    def __init__(self, workers: WorkerPool) -> None:
        self._workers = workers
        self._paces: dict[Any, _Pace] = {}

    @property
    def threads(self) -> int:
        """How many threads may share a loop."""
        return self._workers.num_threads

    def run(self, key: str, function: Callable[[int], None], count: int) -> None:
        """As `WorkerPool.map`; `key` and the function's code tell what was run before."""
        workers = self._workers
        if count < 2 or workers.num_threads < 2:
            workers.map(function, count)
            return
        named = key, getattr(function, "__code__", None)
        pace = self._paces.get(named)
        if pace is None:
            pace = self._paces[named] = _Pace()
        shared, begin, done = pace.shares(), perf_counter(), 0
        if not shared:
            done = workers.run_alone(function, count, begin + pace.shared * count)
        if done < count:  # also where one thread takes longer than all have taken
            workers.map(function if not done else lambda index: function(done + index), count - done)
        pace.count((perf_counter() - begin) / count, shared=shared)
