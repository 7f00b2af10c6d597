"""Worker threads that share one loop."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field


class Cancelled(Exception):  # noqa: N818 - no error, but what the user asked for
    """The run was stopped by the user."""


@dataclass(slots=True)
class _Loop:
    function: Callable[[int], None]
    count: int
    counter: itertools.count[int] = field(default_factory=itertools.count)
    failures: list[tuple[int, BaseException]] = field(default_factory=list[tuple[int, BaseException]])
    done: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def work(self, cancelled: threading.Event) -> None:
        while not self.failures and not cancelled.is_set():
            index = next(self.counter)  # atomic in CPython: the workers share one iterator
            if index >= self.count:
                return
            try:
                self.function(index)
            except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
                self.failures.append((index, error))


class WorkerPool:
    """`num_threads` threads, the caller's own among them.

    Parameters
    ----------
    num_threads : int
        At least 1.
    """

    def __init__(self, num_threads: int) -> None:
        self.num_threads = num_threads
        self.cancelled = threading.Event()
        self._loops: queue.SimpleQueue[_Loop | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._closed = False

    def map(self, function: Callable[[int], None], count: int) -> None:
        """Run ``function(i)`` for every i below `count`; returns when all are done.

        Raises
        ------
        Cancelled
            If `cancelled` was set meanwhile.
        BaseException
            The failure of the lowest index that failed.
        """
        loop = _Loop(function, count)
        with self._lock:  # `close` may come from another thread while an iteration is computed ahead
            helpers = 0 if self._closed else min(self.num_threads, count) - 1
            self._start(helpers)
            for _ in range(helpers):
                self._loops.put(loop)
        loop.work(self.cancelled)
        for _ in range(helpers):
            loop.done.acquire()
        if loop.failures:
            raise min(loop.failures, key=lambda failure: failure[0])[1]
        if self.cancelled.is_set():
            raise Cancelled

    def _start(self, helpers: int) -> None:
        while len(self._threads) < helpers:
            number = len(self._threads) + 1
            thread = threading.Thread(
                target=_serve, args=(self._loops, self.cancelled), name=f"dali-studio-worker-{number}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def close(self) -> None:
        """End the threads, once they have finished what they are doing; loops after that run in the caller's thread."""
        with self._lock:
            self._closed = True
            for _ in self._threads:
                self._loops.put(None)
            self._threads.clear()


def _serve(loops: queue.SimpleQueue[_Loop | None], cancelled: threading.Event) -> None:
    while (loop := loops.get()) is not None:
        loop.work(cancelled)
        loop.done.release()
