"""Closing what has been forgotten, in a thread of its own.

A destructor runs wherever memory is collected, also inside of code that holds the locks which closing takes.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from contextlib import suppress

_Calls = queue.SimpleQueue[Callable[[], None]]


class _Closer:
    def __init__(self) -> None:
        self._calls: _Calls | None = None
        self._process = 0  # forks copy no threads
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Have the thread; to be called where something is made that `close_later` closes."""
        with self._lock:
            if self._calls is None or self._process != os.getpid():
                self._calls, self._process = queue.SimpleQueue(), os.getpid()
                threading.Thread(target=_serve, args=(self._calls,), name="dali-studio-closing", daemon=True).start()

    def close_later(self, close: Callable[[], None]) -> None:
        """Let the thread call something; takes no lock."""
        if self._calls is not None:
            self._calls.put(close)


def _serve(calls: _Calls) -> None:
    while True:
        close = calls.get()
        with suppress(Exception):  # nobody is left to be told
            close()
        del close  # nothing keeps its memory alive while the thread waits


_closer = _Closer()
prepare, close_later = _closer.prepare, _closer.close_later
