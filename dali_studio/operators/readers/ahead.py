"""The state of a reader: which samples come next, and the batches that are read in advance."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import perf_counter
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.limits import MAX_READER_THREADS, MAX_WAITING_THREADS
from dali_studio.kernels.cpu.reader_order import ReaderOrder, ReaderState
from dali_studio.schema.arguments import RunContext, in_turn

#: Batches that are read at the same time, at least.
AHEAD = 2
#: Seconds up to which a batch is as well read when it is needed: to hand it from thread to thread, and to wait for the
#: interpreter's lock, takes no less. Reads in advance that took up to five times as long may have waited for the lock.
_QUICK = 2e-4
#: Seconds that batches which are read when they are needed may take longer, together: at first, and later.
_SPARE, _MAX_SPARE = 4 * _QUICK, 5e-3
#: Batches read in advance after which it is tried without: at first, after the first failure, and at most; it is twice
#: as many each time.
_FIRST, _REST, _MAX_REST = 16, 64, 1 << 12

Memory = Callable[[int], NDArray[np.uint8]]
Run = Callable[[Callable[[int], None], int], None]
Read_co = TypeVar("Read_co", covariant=True)


class DataSet(Protocol[Read_co]):
    """The samples of a reader, in the order before any shuffling."""

    def __len__(self) -> int: ...

    def read(self, picked: list[int], memory: Memory, run: Run, *, ahead: bool) -> Read_co:
        """Fetch samples.

        Parameters
        ----------
        picked : list of int
            Which ones.
        memory : callable
            Gives at least so many bytes.
        run : callable
            ``run(function, count)`` calls ``function(i)`` for every i below `count`, perhaps on several threads.
        ahead : bool
            Whether a thread of the reader's own calls, while others need the interpreter's lock.
        """
        ...


class _Ahead(NamedTuple):
    """A batch that is being read in advance."""

    size: tuple[int, int]
    before: ReaderState  # of the order, where the batch begins
    read: Future[Any]


class _Pace:
    """Whether batches are read so fast that they need not be read in advance, as far as the last ones tell."""

    def __init__(self) -> None:
        self.quick = False
        self._spare = 0.0
        self._left, self._rest = _FIRST, _REST
        self._least = math.inf

    def needed(self, seconds: float) -> None:
        """Take note of a batch that was read when it was needed."""
        self._spare = min(self._spare + _QUICK - seconds, _MAX_SPARE)
        if self.quick and self._spare < 0:
            self.quick, self._left, self._least = False, self._rest, math.inf
            self._rest = min(2 * self._rest, _MAX_REST)

    def in_advance(self, seconds: float) -> None:
        """Take note of a batch that was read in advance."""
        self._least = min(self._least, seconds)
        self._left -= 1
        if self._left <= 0 and self._least <= 5 * _QUICK:
            self.quick, self._spare = True, _SPARE


class ReaderRun(Generic[Read_co]):
    """The state of a run: the order, and the batches that are read in advance.

    Each of them is read by one thread. Reading is copying from the system's cache, mostly: one thread is enough as a
    rule, but where memory is slow or shared with other processes, it is not (docs/benchmarks.md). Where it takes no
    longer than to hand the batch over, it is read when it is needed.

    Parameters
    ----------
    data : DataSet
    order : ReaderOrder
    depth : int
        Batches that are read in advance, `AHEAD` at least. If it is 1, those that take no time are not.
    more : callable, optional
        Gives how many the data set wants to be read in advance, from time to time more than `depth`; above 0, all are.
    """

    def __init__(
        self, data: DataSet[Read_co], order: ReaderOrder, depth: int = 1, more: Callable[[], int] | None = None
    ) -> None:
        self.data, self.order = data, order
        self._depth, self._more = max(depth, AHEAD), more
        self._ahead: deque[_Ahead] = deque()
        self._threads: ThreadPoolExecutor | None = None
        #: Of the order, where the last batch begins that was not read in advance.
        self._before: ReaderState | None = None
        self._pace = _Pace()
        self._always = depth > 1

    def seek(self, batch_size: int, now: int, wanted: int) -> int:
        """As `Operator.seek`."""
        self._take_back()
        if wanted == now - 1 and self._before is not None:  # previews ask for other samples of the same batch
            self.order.set_state(self._before)
            now = wanted
        elif wanted < now:
            self.order.reset()
            now = 0
        self._before = None
        return now if now == wanted else now + self.order.skip(batch_size, wanted - now)

    def _take_back(self) -> None:
        """Go back to where the batches begin that were read in advance."""
        if self._ahead:
            self.order.set_state(self._ahead[0].before)
            self._ahead.clear()

    def next(self, batch_size: int, context: RunContext) -> Read_co:
        """The next batch, or the next ones."""
        ahead, size = context.ahead, (batch_size, context.iterations)
        if self._ahead and not (ahead and self._ahead[0].size == size):  # another batch than expected
            self._take_back()
        waiting = self._ahead.popleft() if self._ahead else None
        self._before = None if ahead else self.order.get_state()
        picked = self.order.next_batch(*size) if waiting is None else []
        more = self._more() if ahead and self._more is not None else 0
        needed = self._pace.quick and not (self._always or more)
        while ahead and not needed and len(self._ahead) < max(self._depth, more):
            self._ahead.append(self._begin(size, context))
        if waiting is not None:
            return waiting.read.result()
        if ahead:
            return self._timed(self._pace.needed, picked, context)
        chosen = [picked[int(i)] for i in context.indices]
        return self.data.read(chosen, context.memory, context.map, ahead=False)

    def _begin(self, size: tuple[int, int], context: RunContext) -> _Ahead:
        if self._threads is None:
            wait = self._more is not None and self._more() > 0  # for what a data set has that does the work
            count = MAX_WAITING_THREADS if wait else min(self._depth, MAX_READER_THREADS)
            self._threads = ThreadPoolExecutor(count, "dali-studio-reader")
        before = self.order.get_state()
        picked = self.order.next_batch(*size)
        read = self._threads.submit(self._timed, self._pace.in_advance, picked, context)
        return _Ahead(size, before, read)

    def _timed(self, note: Callable[[float], None], picked: list[int], context: RunContext) -> Read_co:
        """Read all samples of a batch in this thread."""
        begin = perf_counter()
        made = self.data.read(picked, context.memory, in_turn, ahead=True)
        note(perf_counter() - begin)
        return made

    def close(self) -> None:
        """End the threads once they have read what they are at, and let go of batches that were read in advance."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        self._take_back()
