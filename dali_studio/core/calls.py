"""Calls of somebody's Python that can be ended while they go on."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

#: Seconds between two attempts: the first meets code that catches all exceptions, or that waits outside of Python.
_AGAIN = 0.5


class Ended(BaseException):
    """Raised in a call that is to end: no error, so that what catches errors lets it pass."""


class StoppedError(TimeoutError):
    """A call that its user has ended, or that was not begun after that, as the function's caller is told."""


class Calls:
    """The calls of a function that go on, in any threads.

    Python ends no thread; it can raise an exception in one, which comes once the thread is back from code that is not
    Python's: a loop ends at once, ``time.sleep(1)`` after a second.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: The time at which each began, by its thread.
        self._going: dict[int, float] = {}
        #: Whether there are to be no more: somebody stopped them.
        self.refused = False
        #: Whether there are to be none for now: nothing has the function any more.
        self.unused = False

    @contextmanager
    def going(self) -> Generator[None]:
        """Around a call.

        Raises
        ------
        Ended
            If `end` was called meanwhile, or there are to be no more.
        """
        thread = threading.get_ident()
        with self._lock:
            if self.refused or self.unused:
                raise Ended
            self._going[thread] = time.perf_counter()
        try:
            try:
                yield
            finally:
                self._over(thread)
        except Ended:
            self._over(thread)  # it may have been raised in there
            raise

    def _over(self, thread: int) -> None:
        with self._lock:
            self._going.pop(thread, None)
            _raise(thread, None)

    def end(self, after: float = 0.0, *, refuse: bool = False) -> None:
        """End the calls that still go on `after` so many seconds, if asked all later ones, too; returns at once."""
        with self._lock:
            begun = dict(self._going)
            self.refused |= refuse and bool(begun)
        if begun:
            threading.Thread(target=self._end, args=(begun, after), name="dali-studio-end", daemon=True).start()

    def _end(self, begun: dict[int, float], after: float) -> None:
        time.sleep(after)
        while True:
            with self._lock:
                left = [thread for thread, begin in begun.items() if self._going.get(thread) == begin]
                for thread in left:
                    _raise(thread, Ended)
            if not left:
                return
            time.sleep(_AGAIN)


def _raise(thread: int, what: type[BaseException] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(what) if what else None)
