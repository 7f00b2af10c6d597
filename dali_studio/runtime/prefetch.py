"""Running ahead: threads that compute the next iterations while the user works on this one.

What comes before an iteration waits for the first time, and the rest, are computed by a thread each: while decoders are
busy with one iteration, the files of the next are read. Small batches have one thread for both, which begins the next
ones before it waits: two would spend more time on waiting for the interpreter's lock than they gain. What only enqueues
work on a GPU is done in the caller's thread, and so is what has turned out to take no longer than waking a thread.
"""

from __future__ import annotations

import queue
import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, nullcontext, suppress
from time import perf_counter
from typing import Any, Generic, TypeVar

try:
    import resource
except ImportError:  # on Windows
    resource = None

Request = TypeVar("Request")
Result = TypeVar("Result")
#: A computation that yields while it waits for something that goes on by itself, and returns the result.
Parts = Generator[None, None, Result]
#: Seconds after which a wait is a long one.
LONG = 2.0
#: Requests that are computed at a time.
_AT_ONCE = 3
#: Seconds up to which a request is as well computed in the caller's thread: to hand it to another one, and to wait for
#: the interpreter's lock, takes up to half of that.
_QUICK = 2e-4
#: The same where the caller does nothing else meanwhile, and the seconds in which that is so.
_QUICK_ENOUGH, _NOTHING = 2e-3, 2e-4
#: Quick requests in a row after which the next ones are expected to be quick, and how many more it takes at most where
#: that has turned out to be wrong.
_IN_A_ROW, _MAX_IN_A_ROW = 16, 1 << 14
#: Seconds that requests which are expected to be quick may take longer, together, and how many in a row may take any
#: time because the system had other things to do.
_SPARE, _EXCUSED = 1e-2, 3


class Prefetcher(Generic[Request, Result]):
    """Computes requests in order on a thread of its own; results come out in the same order.

    Parameters
    ----------
    compute : callable
        Makes a result of a request, as a generator: where it yields, the next request may be begun.
    background : bool
        ``False`` computes in the caller's thread, when a result is asked for.
    small : bool
        Requests take so little time that one thread is enough.
    enqueues : bool
        Computing means enqueuing work elsewhere, which takes less time than to wake a thread: it is done when a request
        is added. The first ones, which compile, wait until a result is asked for, which tells somebody about it.
    waits : bool
        A request is mostly waiting, such as for pictures that a GPU decodes: however quick it is, several that are
        under way at a time take less than one after the other.
    """

    def __init__(
        self, compute: Callable[[Request], Parts[Result]], *, background: bool, small: bool = False,
        enqueues: bool = False, waits: bool = False,
    ) -> None:  # fmt: skip
        self.compute, self._waits = compute, waits
        self._background, self._small, self._enqueues = background and not enqueues, small, enqueues
        self._begun = False
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._results: _Results = _Results()
        self._waiting: deque[Request] = deque()
        self._thread: threading.Thread | None = None
        self._pace = _Pace()
        #: When the caller went away, and how long it has been since a request was added.
        self._left, self._away = perf_counter(), 0.0
        self.scheduled = 0

    def schedule(self, request: Request) -> None:
        """Add a request."""
        self._pace.away = self._away + perf_counter() - self._left
        self._away = 0.0
        try:
            self._schedule(request)
        finally:
            self._left = perf_counter()

    def _schedule(self, request: Request) -> None:
        # Ctrl+C comes behind calls: what belongs together stands side by side, with one call at the end
        done = self._results.done
        idle = len(done) == self.scheduled  # the threads have nothing to do
        if idle and self._pace.quick and not self._waits:
            begin = perf_counter()
            outcome = _at_once(self.compute(request))
            self._pace.count(perf_counter() - begin, expected=True)
            self.scheduled += 1
            done.append(outcome)
            return
        if not self._background:
            self.scheduled += 1
            self._waiting.append(request)
            while self._enqueues and self._begun and self._waiting:
                done.append(self._outcome())
            return
        if self._thread is None:
            # the threads must not keep a forgotten pipeline alive: they hold the queues and a weak reference
            owner = weakref.ref(self)
            if self._small:
                self._thread = _thread("compute", _compute, owner, self._requests, self._results, self._pace)
            else:
                begun: queue.SimpleQueue[_Running[Any] | None] = queue.SimpleQueue()
                places, counts = threading.Semaphore(_AT_ONCE), _Counts()
                self._thread = _thread(
                    "begin", _begin, owner, self._requests, begun, self._results, places, counts, self._pace
                )
                _thread("finish", _finish, begun, self._results, places, counts, self._pace)
        self.scheduled += 1
        self._requests.put(request)

    def result(self, told: Callable[[float], AbstractContextManager[None]] = nullcontext) -> Result:
        """The oldest result; waits for it, and raises what its computation raised.

        Parameters
        ----------
        told : callable
            Takes the seconds after which a wait is long, and returns a context in which somebody is told about it.
        """
        self._away += perf_counter() - self._left
        try:
            self._wait(told)
        finally:
            self._left = perf_counter()
        return self._take()

    def _wait(self, told: Callable[[float], AbstractContextManager[None]]) -> None:
        """Let the oldest result be there."""
        results = self._results
        if not self._background and not results.done:
            with told(LONG):
                results.done.append(self._outcome())
            self._begun = True
        elif not results.wait(LONG):  # until then without a thread that watches, as most results are there
            with told(0):
                results.wait()

    def _take(self) -> Result:
        """The oldest result, which is there."""
        done = self._results.done
        outcome = done[0]
        failed = isinstance(outcome, BaseException)
        del done[0]  # from here on nothing is called, so that Ctrl+C does not come between
        self.scheduled -= 1
        if failed:
            raise outcome
        return outcome

    @property
    def ready(self) -> bool:
        """Whether the oldest result is there, and no failure."""
        done = self._results.done
        return bool(done) and not isinstance(done[0], BaseException)

    def discard(self) -> None:
        """Wait for everything that was asked for, and throw it away."""
        while before := self.scheduled:
            try:
                self.result()
            except BaseException:
                if self.scheduled == before:  # the user has stopped waiting
                    raise

    def _outcome(self) -> Result | BaseException | None:
        """What becomes of the oldest request that waits."""
        return _at_once(self.compute(self._waiting.popleft()))

    def close(self) -> None:
        """Let go of results, and end the thread once it has finished what it is doing."""
        self._results.done.clear()
        if self._thread is not None:
            self._requests.put(None)
            self._thread = None

    def __del__(self) -> None:
        self._requests.put(None)


def _thread(name: str, function: Callable[..., None], *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=function, args=arguments, name=f"dali-studio-{name}", daemon=True)
    thread.start()
    return thread


def _at_once(parts: Parts[Result]) -> Result | BaseException:
    """What becomes of a request whose parts are computed one after the other."""
    try:
        while True:
            next(parts)
    except StopIteration as end:
        return end.value
    except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
        return error


class _Results:
    """What has become of requests, in order; who stops waiting takes nothing away.

    Attributes
    ----------
    done : deque
        Results, and exceptions of those that failed.
    """

    __slots__ = ("_arrived", "done")

    def __init__(self) -> None:
        self.done: deque[Any] = deque()
        #: Locked as long as nothing has come since the last wait.
        self._arrived = threading.Lock()
        self._arrived.acquire()

    def put(self, outcome: Any) -> None:
        """Add one, from another thread."""
        self.done.append(outcome)
        with suppress(RuntimeError):  # it is open
            self._arrived.release()

    def wait(self, seconds: float = -1) -> bool:
        """Wait for one, so many seconds at most; whether there is one."""
        while not self.done:
            if not self._arrived.acquire(timeout=seconds):
                return bool(self.done)
        return True


class _Running(Generic[Result]):
    """A request that is being computed, and in the end its result or what it failed with."""

    def __init__(self, parts: Parts[Result]) -> None:
        self._parts = parts
        self.ended = False
        self.outcome: Result | BaseException | None = None
        #: What it has taken so far, waiting included.
        self.seconds = 0.0

    def advance(self) -> None:
        """Compute the next part."""
        if self.ended:
            return
        begin = perf_counter()
        try:
            next(self._parts)
        except StopIteration as end:
            self.ended, self.outcome = True, end.value
        except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
            self.ended, self.outcome = True, error
        self.seconds += perf_counter() - begin

    def finish(self) -> None:
        """Compute all parts that are left."""
        while not self.ended:
            self.advance()


class _Pace:
    """Whether requests are quick, as far as the last ones tell.

    Attributes
    ----------
    quick : bool
        The next request is expected to be as quick as those before it.
    away : float
        Seconds for which the caller did something else before it asked for the last one.
    """

    __slots__ = ("_excused", "_in_a_row", "_interruptions", "_spare", "_wanted", "away", "quick")

    def __init__(self) -> None:
        self.quick, self.away = False, 0.0
        self._in_a_row, self._wanted, self._spare = 0, _IN_A_ROW, 0.0
        self._interruptions = self._excused = 0

    def count(self, seconds: float, *, expected: bool = False) -> None:
        """Take note of a request, which was expected to be quick or not."""
        spare = (_QUICK if self.away > _NOTHING else _QUICK_ENOUGH) - seconds
        if expected:
            if spare >= 0:
                self._excused = 0
            elif self._interrupted() and self._excused < _EXCUSED:
                self._excused += 1
                return
            self._spare = min(self._spare + spare, _SPARE)
            if self._spare == _SPARE:
                self._wanted = _IN_A_ROW
            elif self._spare < 0:
                self.quick, self._in_a_row = False, 0
                self._wanted = min(4 * self._wanted, _MAX_IN_A_ROW)
        elif spare >= 0:
            self._in_a_row += 1
            if self._in_a_row >= self._wanted and not self.quick:
                self.quick, self._spare = True, _SPARE / 2
        else:
            self.quick, self._in_a_row = False, 0

    def _interrupted(self) -> bool:
        """Whether others have had this thread's processor since it was asked last, as far as the system tells."""
        which = getattr(resource, "RUSAGE_THREAD", None)
        if resource is None or which is None:
            return False
        before, self._interruptions = self._interruptions, resource.getrusage(which).ru_nivcsw
        return self._interruptions != before


class _Counts:
    """Requests that were handed to the thread that finishes them, and those that it is through with."""

    __slots__ = ("finished", "handed")

    def __init__(self) -> None:
        self.handed = self.finished = 0  # each is written by one thread


def _begin(
    owner: weakref.ref[Prefetcher[Request, Result]],
    requests: queue.SimpleQueue[Request | None],
    begun: queue.SimpleQueue[_Running[Any] | None],
    results: _Results,
    places: threading.Semaphore,
    counts: _Counts,
    pace: _Pace,
) -> None:
    """Compute the first part of each request, up to where it waits for the first time.

    What never waits is complete then: unless earlier requests are being finished it need not go through their thread.
    """
    while (request := requests.get()) is not None:
        places.acquire()
        prefetcher = owner()
        if prefetcher is None:
            break
        # from here on no frame refers to the prefetcher: a failure, kept as a result, refers to all its frames
        running = _Running(prefetcher.compute(request))
        del prefetcher, request
        running.advance()
        if running.ended and counts.handed == counts.finished:
            places.release()
            pace.count(running.seconds)
            results.put(running.outcome)
        else:
            counts.handed += 1
            begun.put(running)
        del running
    begun.put(None)


def _finish(
    begun: queue.SimpleQueue[_Running[Any] | None], results: _Results, places: threading.Semaphore,
    counts: _Counts, pace: _Pace,
) -> None:  # fmt: skip
    """Compute the other parts, in order."""
    while (running := begun.get()) is not None:
        running.finish()
        places.release()
        pace.count(running.seconds)
        results.put(running.outcome)
        counts.finished += 1
        del running


def _compute(
    owner: weakref.ref[Prefetcher[Request, Result]],
    requests: queue.SimpleQueue[Request | None],
    results: _Results,
    pace: _Pace,
) -> None:
    """Begin requests, as many as may be under way, before the oldest one is finished."""
    under_way: deque[_Running[Any]] = deque()
    open_ = True
    while open_ or under_way:
        while open_ and len(under_way) < _AT_ONCE and not (under_way and requests.empty()):
            request, prefetcher = requests.get(), owner()
            if request is None or prefetcher is None:
                open_ = False
                break
            running = _Running(prefetcher.compute(request))
            del prefetcher, request  # as in `_begin`
            running.advance()
            under_way.append(running)
        if under_way:
            running = under_way.popleft()
            running.finish()
            pace.count(running.seconds)
            results.put(running.outcome)
        running = None
