"""Worker threads that share loops."""

from __future__ import annotations

import itertools
import queue
import threading
from collections import deque
from collections.abc import Callable
from time import perf_counter


class Cancelled(Exception):  # noqa: N818 - no error, but what the user asked for
    """The run was stopped by the user."""


class Loop:
    """Calls of one function, shared by the threads that work on it.

    Parameters
    ----------
    function : callable
        Called with what `take` gives.
    take : callable
        The next index; negative when there is none left. Called from all threads.

    Attributes
    ----------
    helped : bool
        Other threads will work on it, so that its owner need not.
    """

    def __init__(self, function: Callable[[int], None], take: Callable[[], int]) -> None:
        self._function, self._take = function, take
        self._state = threading.Condition()
        self._closed, self._over, self._busy = False, False, 0
        self.failures: list[tuple[int, BaseException]] = []
        self.helped = False

    def help(self, stopped: Callable[[], bool]) -> None:
        """Work on the loop, unless it is over: a thread that comes too late is not waited for."""
        with self._state:
            if self._closed:
                return
            self._busy += 1
        self.work(stopped)
        with self._state:
            self._busy -= 1
            self._over = True
            self._state.notify_all()

    def work(self, stopped: Callable[[], bool]) -> None:
        """Call the function until nothing is left, or something fails."""
        while not self.failures and not stopped():
            index = self._take()
            if index < 0:
                return
            try:
                self._function(index)
            except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
                self.failures.append((index, error))

    def close(self, *, when_over: bool = False) -> None:
        """Let nobody begin any more, at once or when nothing is left, and wait for those who have begun."""
        with self._state:
            if when_over:
                self._state.wait_for(lambda: self._over)
            self._closed = True
            self._state.wait_for(lambda: not self._busy)


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
        self._threads = _WorkerThreads(self.cancelled)
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
        if count < 2:  # nothing to share
            for index in range(count if not self.cancelled.is_set() else 0):
                function(index)
            self.check()
            return
        counter = itertools.count()  # atomic in CPython: the workers share one iterator

        def take() -> int:
            index = next(counter)
            return index if index < count else -1

        loop = Loop(function, take)
        self._ask(loop, min(self.num_threads, count) - 1, self._threads.high_priority)
        self.finish(loop)

    def run_alone(self, function: Callable[[int], None], count: int, deadline: float) -> int:
        """`map` in the caller's thread, up to the first call that ends behind the deadline; returns how many were made.

        Parameters
        ----------
        deadline : float
            In seconds of `perf_counter`.
        """
        for index in range(count):
            self.check()
            function(index)
            if perf_counter() > deadline:
                return index + 1
        self.check()
        return count

    def start(self, function: Callable[[int], None], take: Callable[[], int], count: int) -> Loop:
        """Let idle threads work on a loop of about `count` calls while the caller does something else.

        Loops of `map` come first. `finish` must be called.
        """
        loop = Loop(function, take)
        loop.helped = self._ask(loop, min(self.num_threads - 1, count), self._threads.background)
        return loop

    def finish(self, loop: Loop) -> None:
        """Work on a loop until nothing is left, unless other threads do so already; raises as `map` does."""
        if loop.helped:
            loop.close(when_over=True)
        else:
            loop.work(self.cancelled.is_set)
            loop.close()
        if loop.failures:
            raise min(loop.failures, key=lambda failure: failure[0])[1]
        self.check()

    def check(self) -> None:
        """Raise `Cancelled` if the user has stopped the run."""
        if self.cancelled.is_set():
            raise Cancelled

    def _ask(self, loop: Loop, helpers: int, line: deque[Loop]) -> bool:
        with self._lock:  # `close` may come from another thread while an iteration is computed ahead
            wanted = 0 if self._closed else self._threads.grow(helpers)
            for _ in range(wanted):
                line.append(loop)
                self._threads.calls.put(True)
            return wanted > 0

    def close(self) -> None:
        """End the threads, once they have finished what they are doing; loops after that run in the caller's thread."""
        with self._lock:
            self._closed = True
            self._threads.end()


class _WorkerThreads:
    """The threads and what waits for them. They hold no reference to the pool, which may be forgotten."""

    def __init__(self, cancelled: threading.Event) -> None:
        self.cancelled = cancelled
        self.high_priority: deque[Loop] = deque()
        self.background: deque[Loop] = deque()
        #: One entry for every entry of the two lines; false ends a thread.
        self.calls: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def grow(self, helpers: int) -> int:
        """Have so many threads, or as many as the system allows; returns how many of those asked for there are."""
        while len(self._threads) < helpers:
            number = len(self._threads) + 1
            thread = threading.Thread(target=self._serve, name=f"dali-studio-worker-{number}", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # "can't start new thread": its owner's thread works on, and asks again next time
                break
            self._threads.append(thread)
        return max(min(helpers, len(self._threads)), 0)

    def end(self) -> None:
        for _ in self._threads:
            self.calls.put(False)
        self._threads.clear()

    def _serve(self) -> None:
        while self.calls.get():
            if self._serve_high_priority():
                continue
            try:
                loop = self.background.popleft()
            except IndexError:  # somebody else took what this call was for
                continue
            loop.help(self._interrupted)
            del loop  # nothing keeps a batch alive while the thread waits

    def _interrupted(self) -> bool:
        """Between two calls of a background loop: serve the high-priority ones first."""
        while self.high_priority and self._serve_high_priority():
            pass
        return self.cancelled.is_set()

    def _serve_high_priority(self) -> bool:
        try:
            loop = self.high_priority.popleft()
        except IndexError:
            return False
        loop.help(self.cancelled.is_set)
        return True
