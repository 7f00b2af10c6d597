"""Running ahead: a thread that computes the next iterations while the user works on this one."""

from __future__ import annotations

import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

Request = TypeVar("Request")
Result = TypeVar("Result")


class Prefetcher(Generic[Request, Result]):
    """Computes requests in order on a thread of its own; results come out in the same order.

    Parameters
    ----------
    compute : callable
        Makes a result of a request.
    background : bool
        ``False`` computes in the caller's thread, when a result is asked for.
    """

    def __init__(self, compute: Callable[[Request], Result], *, background: bool) -> None:
        self.compute = compute
        self._background = background
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Result | BaseException] = queue.SimpleQueue()
        self._waiting: deque[Request] = deque()
        self._thread: threading.Thread | None = None
        self.scheduled = 0

    def schedule(self, request: Request) -> None:
        """Add a request."""
        self.scheduled += 1
        if not self._background:
            self._waiting.append(request)
            return
        if self._thread is None:
            # the thread must not keep a forgotten pipeline alive: it holds the queues and a weak reference
            self._thread = threading.Thread(
                target=_serve,
                args=(weakref.ref(self), self._requests, self._results),
                name="dali-studio-prefetch",
                daemon=True,
            )
            self._thread.start()
        self._requests.put(request)

    def result(self) -> Result:
        """The oldest result; waits for it, and raises what its computation raised."""
        self.scheduled -= 1
        if not self._background:
            return self.compute(self._waiting.popleft())
        result = self._results.get()
        if isinstance(result, BaseException):
            raise result
        return result

    def close(self) -> None:
        """End the thread once it has finished what it is doing."""
        if self._thread is not None:
            self._requests.put(None)
            self._thread = None

    def __del__(self) -> None:
        self._requests.put(None)


def _serve(
    owner: weakref.ref[Prefetcher[Request, Result]],
    requests: queue.SimpleQueue[Request | None],
    results: queue.SimpleQueue[Result | BaseException],
) -> None:
    while (request := requests.get()) is not None:
        prefetcher = owner()
        if prefetcher is None:
            return
        # from here on no frame refers to the prefetcher: a failure, kept in `results`, refers to all frames it passed
        compute = prefetcher.compute
        del prefetcher
        try:
            results.put(compute(request))
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            results.put(error)
        del compute, request
