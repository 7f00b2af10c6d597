"""The session's one worker thread: named jobs, the latest of each name wins, cheap ones go first.

A name may be followed by a space and what the job is for: "draws angle" and "draws size" are two jobs, of one urgency.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from dali_studio.runtime.workers import Cancelled


class Worker:
    """Runs jobs one after the other.

    Parameters
    ----------
    order : tuple of str
        First words of jobs' names, most urgent first.
    begin : callable
        Called with the first word of a job's name before it runs.
    interrupt : callable
        Called with those of the job that runs, and of a more urgent one, or the same, that was asked for. Calls come
        one after the other with those of `begin`, so that none is lost on a job that is about to run. Both return at
        once.
    failed : callable
        Called with what a job raised; the thread goes on.
    """

    def __init__(
        self, order: tuple[str, ...], begin: Callable[[str], None], interrupt: Callable[[str, str], None],
        failed: Callable[[BaseException], None],
    ) -> None:  # fmt: skip
        self._order, self._begin, self._interrupt, self._failed = order, begin, interrupt, failed
        self._jobs: dict[str, Callable[[], None]] = {}
        self._running = self._relieved = ""
        self._wake = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def submit(self, name: str, job: Callable[[], None], *, again: bool = False) -> None:
        """Run `job` soon, in place of a waiting one of that name; one that runs `again` gives way to it."""
        with self._wake:
            if again and name in self._jobs:
                return
            self._jobs[name] = job
            if self._thread is None:
                self._thread = threading.Thread(
                    target=_serve, args=(weakref.ref(self),), name="dali-studio-session", daemon=True
                )
                self._thread.start()
            self._wake.notify_all()
            for running in filter(None, (self._running, self._relieved)):
                if name == running or self._rank(name) < self._rank(running):
                    self._interrupt(_kind(running), _kind(name))

    def insist(self, name: str, job: Callable[[], None]) -> None:
        """Run `job` soon, and anew after anything more urgent that stopped it, unless there is a newer one."""

        def attempt() -> None:
            try:
                job()
            except Cancelled:
                self.submit(name, attempt, again=True)

        self.submit(name, attempt)

    def drop(self, name: str) -> bool:
        """Forget a waiting job; ``False`` if none of that name waited."""
        with self._wake:
            return self._jobs.pop(name, None) is not None

    def waits(self, *names: str) -> bool:
        """Whether a job of one of these names waits."""
        with self._wake:
            return any(name in self._jobs for name in names)

    @property
    def idle(self) -> bool:
        """Whether nothing runs or waits."""
        with self._wake:
            return not self._jobs and not self._running

    def wait(self, timeout: float = 60.0) -> bool:
        """Wait until nothing runs or waits; ``False`` if that took too long."""
        with self._wake:
            return self._wake.wait_for(lambda: not self._jobs and not self._running, timeout)

    def relieve(self, name: str) -> None:
        """Run the waiting jobs that are more urgent than `name`; a long job of that name calls it between its parts."""
        rank = self._rank(name)
        while True:
            with self._wake:
                self._running = min((n for n in self._jobs if self._rank(n) < rank), key=self._rank, default=name)
                self._relieved = name if self._running != name else ""
                if not self._relieved:
                    return
                job = self._taken()
            try:
                job()
            except BaseException as error:  # noqa: BLE001 - it must not end the long job
                self._failed(error)

    def _rank(self, name: str) -> int:
        return self._order.index(_kind(name))

    def _taken(self) -> Callable[[], None]:
        """The job that is to run."""
        self._begin(_kind(self._running))
        return self._jobs.pop(self._running)

    def close(self) -> None:
        """End the thread after the job that runs."""
        with self._wake:
            self._closed = True
            self._jobs.clear()
            self._wake.notify_all()

    def step(self) -> bool:
        """Wait a while for a job and run it; ``False`` when closed."""
        with self._wake:
            if not self._wake.wait_for(lambda: self._jobs or self._closed, timeout=1.0):
                return True
            if self._closed:
                return False
            self._running = min(self._jobs, key=self._rank)
            job = self._taken()
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - whatever a job raises must not end the thread, exits included
            self._failed(error)
        finally:
            with self._wake:
                self._running = ""
                self._wake.notify_all()
        return True


def _kind(name: str) -> str:
    return name.partition(" ")[0]


def _serve(reference: weakref.ref[Any]) -> None:
    """The thread holds no strong reference while it waits for the next second, so a forgotten session ends it."""
    while (worker := reference()) is not None and worker.step():
        del worker
