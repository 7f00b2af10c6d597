"""Running ahead: a thread that computes the next iterations while the user works on this one."""

from __future__ import annotations

import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

Request = TypeVar("Request")
Result = TypeVar("Result")
#: A computation that yields while it waits for something that goes on by itself, and returns the result.
Parts = Generator[None, None, Result]
#: Requests that are computed at a time; those after the first run while it waits.
_AT_ONCE = 2
_NOTHING: Any = object()


class Prefetcher(Generic[Request, Result]):
    """Computes requests in order on a thread of its own; results come out in the same order.

    Parameters
    ----------
    compute : callable
        Makes a result of a request, as a generator: where it yields, the next request may be begun.
    background : bool
        ``False`` computes in the caller's thread, when a result is asked for.
    """

    def __init__(self, compute: Callable[[Request], Parts[Result]], *, background: bool) -> None:
        self.compute = compute
        self._background = background
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Any] = queue.SimpleQueue()
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
            running = _Running(self.compute(self._waiting.popleft()))
            while not running.ended:
                running.advance()
            return _unwrap(running.outcome)
        return _unwrap(self._results.get())

    def close(self) -> None:
        """End the thread once it has finished what it is doing."""
        if self._thread is not None:
            self._requests.put(None)
            self._thread = None

    def __del__(self) -> None:
        self._requests.put(None)


def _unwrap(outcome: Any) -> Any:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


class _Running(Generic[Result]):
    """A request that is being computed, and in the end its result or what it failed with."""

    def __init__(self, parts: Parts[Result]) -> None:
        self._parts = parts
        self.ended = False
        self.outcome: Result | BaseException | None = None

    def advance(self) -> None:
        """Compute the next part."""
        if self.ended:
            return
        try:
            next(self._parts)
        except StopIteration as end:
            self.ended, self.outcome = True, end.value
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            self.ended, self.outcome = True, error


def _serve(
    owner: weakref.ref[Prefetcher[Request, Result]],
    requests: queue.SimpleQueue[Request | None],
    results: queue.SimpleQueue[Any],
) -> None:
    """Compute requests in order; the next one begins while the one before it waits."""
    running: deque[_Running[Any]] = deque()
    open_ = True
    while open_ or running:
        request = _next(requests, wait=not running) if open_ and len(running) < _AT_ONCE else _NOTHING
        if request is None:
            open_ = False
        elif request is not _NOTHING:
            prefetcher = owner()
            if prefetcher is None:
                return
            # from here on no frame refers to the prefetcher: a failure, kept in `results`, refers to all its frames
            running.append(_Running(prefetcher.compute(request)))
            del prefetcher
            running[-1].advance()
            if not running[-1].ended:
                continue
        del request
        if running:
            while not running[0].ended:
                running[0].advance()
            results.put(running.popleft().outcome)


def _next(requests: queue.SimpleQueue[Any], *, wait: bool) -> Any:
    try:
        return requests.get(block=wait)
    except queue.Empty:
        return _NOTHING
