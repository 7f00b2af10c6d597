"""What this process is doing that may take seconds, and how somebody who waits is told.

Where the time goes is far from where it is shown: a reader that lists files knows nothing of terminals and notebooks.
It says what it does by `doing`; whoever waits shows `current`, by `watched`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import TypeVar

#: Seconds between two looks whether somebody who waits should stop.
_PAUSE = 0.05
T = TypeVar("T")


class Stage:
    """Something that may take seconds.

    Attributes
    ----------
    what : str
        Such as "listing files".
    done : int
        How much of it is done, 0 where that is not counted; whoever does it calls `step`.
    """

    __slots__ = ("_check", "done", "what")

    def __init__(self, what: str, check: Callable[[], None] | None = None) -> None:
        self.what, self.done, self._check = what, 0, check

    def step(self, count: int = 1) -> None:
        """So much more is done; raises what ends it, if nobody wants the rest."""
        self.done += count
        if self._check is not None:
            self._check()

    def __str__(self) -> str:
        return f"{self.what} ({self.done:,})" if self.done else self.what


#: In all threads, the newest last. Appending and removing are one step each for other threads.
_stages: list[Stage] = []


@contextmanager
def doing(what: str, check: Callable[[], None] | None = None) -> Generator[Stage]:
    """Say what is being done, until it is done; `check` raises what ends it early."""
    stage = Stage(what, check)
    _stages.append(stage)
    try:
        yield stage
    finally:
        _stages.remove(stage)


_waiting = threading.local()


@contextmanager
def stoppable(check: Callable[[], None]) -> Generator[None]:
    """Let `wait_for` in this thread end by what `check` raises."""
    before = getattr(_waiting, "check", None)
    _waiting.check = check
    try:
        yield
    finally:
        _waiting.check = before


def wait_for(future: Future[T]) -> T:
    """The result, unless this thread is to stop waiting."""
    check: Callable[[], None] | None = getattr(_waiting, "check", None)
    while check is not None and not wait([future], _PAUSE).done:
        check()
    return future.result()


def current() -> str:
    """What was begun last and is not done yet; empty if there is nothing."""
    stages = _stages[-1:]
    return str(stages[0]) if stages else ""


@contextmanager
def watched(tell: Callable[[float], None], after: float, every: float) -> Generator[None]:
    """Call `tell` from a thread of its own while something is waited for.

    Parameters
    ----------
    tell : callable
        Takes the seconds of the wait so far.
    after, every : float
        Seconds to the first call, and from one to the next.
    """
    ended, begin = threading.Event(), time.monotonic()

    def watch() -> None:
        pause = after
        while not ended.wait(pause):
            pause = every
            tell(time.monotonic() - begin)

    thread = threading.Thread(target=watch, name="dali-studio-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
