"""The session's one worker thread: named jobs, the latest of each name wins, cheap ones go first."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any


class Worker:
    """Runs jobs one after the other.

    Parameters
    ----------
    order : tuple of str
        Names of jobs, most urgent first.
    interrupt : callable
        Called with a job's name while that job runs and a more urgent one, or the same, was asked for.
    failed : callable
        Called with what a job raised; the thread goes on.
    """

    def __init__(
        self, order: tuple[str, ...], interrupt: Callable[[str], None], failed: Callable[[Exception], None]
    ) -> None:
        self._order, self._interrupt, self._failed = order, interrupt, failed
        self._jobs: dict[str, Callable[[], None]] = {}
        self._running = ""
        self._wake = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def submit(self, name: str, job: Callable[[], None]) -> None:
        """Run `job` soon, in place of a waiting job of the same name."""
        with self._wake:
            self._jobs[name] = job
            if self._thread is None:
                self._thread = threading.Thread(
                    target=_serve, args=(weakref.ref(self),), name="dali-studio-session", daemon=True
                )
                self._thread.start()
            self._wake.notify_all()
            running = self._running
        if running and self._order.index(name) <= self._order.index(running):
            self._interrupt(running)

    def drop(self, name: str) -> bool:
        """Forget a waiting job; ``False`` if none of that name waited."""
        with self._wake:
            return self._jobs.pop(name, None) is not None

    @property
    def idle(self) -> bool:
        """Whether nothing runs or waits."""
        with self._wake:
            return not self._jobs and not self._running

    def wait(self, timeout: float = 60.0) -> bool:
        """Wait until nothing runs or waits; ``False`` if that took too long."""
        with self._wake:
            return self._wake.wait_for(lambda: not self._jobs and not self._running, timeout)

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
            self._running = next(name for name in self._order if name in self._jobs)
            job = self._jobs.pop(self._running)
        try:
            job()
        except Exception as error:  # noqa: BLE001 - whatever a job raises must not end the thread
            self._failed(error)
        finally:
            with self._wake:
                self._running = ""
                self._wake.notify_all()
        return True


def _serve(reference: weakref.ref[Any]) -> None:
    """The thread holds no strong reference while it waits for the next second, so a forgotten session ends it."""
    while (worker := reference()) is not None and worker.step():
        del worker
