"""Threads that decode JPEG files for whole batches without the interpreter's lock: their loop is compiled code.

Threads that fetch each picture through Python have to take the lock several times for it, and hold up those that
prepare and finish batches (docs/benchmarks.md).
"""

from __future__ import annotations

import atexit
import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.jpeg import decode_queue, libjpeg

#: Batches that are decoded at a time; others are decoded by the thread that waits for them.
_QUEUES = 8
#: Threads that take pictures which the GPU is expected to decode: more of them slow down those that feed it.
_HELPERS = 4
#: Microseconds between two questions whether the user has stopped the run.
_TIMEOUT = 20_000
#: Microseconds that the end of the program waits for pictures that are being decoded.
_LAST_TIMEOUT = 10_000_000


class DecodeThreadPool:
    """The threads, and the queues that they serve, oldest first.

    Parameters
    ----------
    threads : int
        They come into being with the first batch. With 0, or where `libjpeg.entry_points` gives nothing, batches are
        decoded by who waits for them.
    """

    def __init__(self, threads: int) -> None:
        self.size = threads if libjpeg.entry_points() is not None else 0
        self._threads: _WorkerThreads | None = None
        self._lock = threading.Lock()

    def start(self, batch: DecodeBatch) -> None:
        """Let the threads begin with a batch; `DecodeBatch.finish` must be called."""
        with self._lock:
            if self._threads is None and self.size:
                self._threads = _WorkerThreads(self.size)
            if self._threads is not None:
                self._threads.start(batch)

    def enough_for(self, count: int) -> bool:
        """Whether there is a thread for each of so many pictures."""
        return count <= self.size

    def close(self) -> None:
        """End the threads, once they are through with what has been started."""
        with self._lock:
            if self._threads is not None:
                self._threads.close()
                self._threads = None
            self.size = 0

    def __del__(self) -> None:
        self.close()  # what is forgotten together with this may still close it


class DecodeBatch:
    """Pictures of one batch that wait to be decoded.

    Parameters
    ----------
    count : int
    shared : int
        So many of them, the first ones, may also go to decoders of a GPU.
    requests : ndarray of int64, (count, `libjpeg.FIELDS`), optional
        For compiled code; without them only `take` hands out pictures.
    reserved : bool
        Whether these are left to the GPU and a few threads that help.
    withheld : int
        How many of the first ones are left to the GPU alone, such as large ones: a thread would be at one for longer
        than the GPU at all of them. Who waits for the GPU must call `take_over` then.
    rooms : ndarray of int64, (count, 2), optional
        Address and bytes of the memory for each picture's coefficients, which are then all that is decoded of it; or 0.

    Attributes
    ----------
    count : int
        Of the pictures.
    reserved, withheld : int
        How many of them, the first ones, are left to the GPU and a few threads that help, or to the GPU alone.
    compiled : bool
        Whether the decode threads decode them.
    outcomes : ndarray of int8, (count,)
        0, an outcome of `libjpeg`, or one of `decode_queue`.
    nanoseconds : int
        What the decode threads spent on them.
    """

    def __init__(
        self, count: int, shared: int, requests: NDArray[np.int64] | None = None, *, reserved: bool = False,
        withheld: int = 0, rooms: NDArray[np.int64] | None = None,
    ) -> None:  # fmt: skip
        self.requests, self.rooms = requests, rooms
        self.compiled = requests is not None and libjpeg.entry_points() is not None
        self.outcomes = np.zeros(count, np.int8)
        self.count, self._shared, self.reserved = count, shared, shared if reserved else 0
        self.withheld = withheld
        self._queues, self._which = np.zeros(decode_queue.WORDS, np.int64), 0
        self._threads: _WorkerThreads | None = None
        self.nanoseconds = 0
        self._fill(1)

    def _fill(self, number: int) -> None:
        row = self._queues[self._which * decode_queue.WORDS :]
        row[decode_queue.SHARED], row[decode_queue.RESERVED] = self._shared, self.reserved
        row[decode_queue.WITHHELD] = self.withheld
        row[decode_queue.OUTCOMES] = self.outcomes.ctypes.data
        row[decode_queue.REQUESTS] = 0 if self.requests is None else self.requests.ctypes.data
        row[decode_queue.ROOMS] = 0 if self.rooms is None else self.rooms.ctypes.data
        row[decode_queue.SPENT] = 0
        decode_queue.fill(self._queues, self._which, self.count)
        decode_queue.mark(self._queues, self._which, number)

    def move(self, threads: _WorkerThreads, queues: NDArray[np.int64], which: int, number: int) -> None:
        """Wait in another queue from now on; for `DecodeThreadPool.start`."""
        self._threads, self._queues, self._which = threads, queues, which
        self._fill(number)

    def take(self) -> int:
        """One picture, for who decodes it otherwise; -1 if there is none."""
        row = decode_queue.take(self._queues, self._which)
        if row >= 0:
            self.outcomes[row] = libjpeg.DONE
        return row

    @property
    def queue(self) -> tuple[NDArray[np.int64], int]:
        """Where it waits, for `decode_queue.take_group`."""
        return self._queues, self._which

    def take_over(self) -> None:
        """The GPU takes no more: threads may have what was left to it alone."""
        if self.withheld:
            self.withheld = self.reserved = 0
            row = self._queues[self._which * decode_queue.WORDS :]
            row[decode_queue.RESERVED] = row[decode_queue.WITHHELD] = 0
            entries = libjpeg.entry_points()
            if self.compiled and entries is not None:
                decode_queue.work(*self.queue, entries)

    def stop(self) -> None:
        """Nobody need take the rest."""
        decode_queue.empty(self._queues, self._which)

    def finish(self, stopped: Callable[[], bool]) -> None:
        """Wait until all are taken and compiled code is through with its share; helps where there are no threads.

        Parameters
        ----------
        stopped : callable
            Whether the rest need not be decoded any more.
        """
        entries = libjpeg.entry_points()
        if self._threads is None and self.compiled and not (stopped() or _ending.is_set()):
            assert entries is not None
            _alone.add(self)
            decode_queue.work(*self.queue, entries)
            _alone.discard(self)
        elif self._threads is not None:
            while not decode_queue.wait(self._queues, self._which, _TIMEOUT):
                if stopped():
                    self.stop()

    def close(self, *, abandoned: bool = False) -> None:
        """Leave the queue, after `finish`.

        Parameters
        ----------
        abandoned : bool
            Somebody who does not answer may still take from the queue one day: it is not used again.
        """
        self.nanoseconds = int(self._queues[self._which * decode_queue.WORDS + decode_queue.SPENT])
        if self._threads is not None:
            self._threads.release(self._which, abandoned=abandoned)
            self._queues, self._which, self._threads = np.zeros(decode_queue.WORDS, np.int64), 0, None


class _WorkerThreads:
    """The threads; they hold no reference to the pool, which may be forgotten."""

    def __init__(self, threads: int) -> None:
        self._queues = np.zeros(_QUEUES * decode_queue.WORDS, np.int64)
        self._free = list(range(_QUEUES))
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        #: Pipes, and how many threads listen to each. Helpers have their own: others would take the calls for them.
        self._callers: list[tuple[int, int]] = []
        _all_threads.add(self)
        for first, last in ((0, min(threads, _HELPERS)), (_HELPERS, threads)):
            if first >= last:
                continue
            calls, caller = os.pipe()
            self._callers.append((caller, last - first))
            end = _End(last - first, calls)
            for number in range(first, last):
                given, name = (self._queues, calls, end, number < _HELPERS), f"dali-studio-decoder-{number + 1}"
                threading.Thread(target=_serve, args=given, name=name, daemon=True).start()

    def start(self, batch: DecodeBatch) -> None:
        with self._lock:
            if not self._free or _ending.is_set():
                return
            which = self._free.pop()
        batch.move(self, self._queues, which, next(self._numbers))
        calls = batch.count
        for caller, count in reversed(self._callers):  # helpers last: they take what is reserved for the GPU, too
            if called := count if batch.reserved else min(count, calls):
                os.write(caller, bytes(called))
                calls -= called

    def release(self, which: int, *, abandoned: bool) -> None:
        decode_queue.mark(self._queues, which, 0)
        while not decode_queue.wait(self._queues, which, _TIMEOUT):
            pass
        with self._lock:
            self._free.extend(() if abandoned else (which,))

    def close(self) -> None:
        for caller, _ in self._callers:
            os.close(caller)

    def end(self) -> None:
        """Leave what waits, and wait for what is being decoded."""
        for which in range(_QUEUES):
            decode_queue.empty(self._queues, which)
        for which in range(_QUEUES):
            decode_queue.wait(self._queues, which, _LAST_TIMEOUT)


_all_threads: weakref.WeakSet[_WorkerThreads] = weakref.WeakSet()
#: What is being decoded by who waits for it.
_alone: set[DecodeBatch] = set()
_ending = threading.Event()


def _forget() -> None:
    """In a forked process: the threads are not there."""
    _all_threads.clear()
    _alone.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@atexit.register
def _end() -> None:
    """The program ends: compiled code, which needs no lock, must not write to memory that is about to go."""
    _ending.set()
    for batch in list(_alone):
        batch.stop()
    for threads in list(_all_threads):
        threads.end()
    end = time.monotonic() + _LAST_TIMEOUT / 1e6
    while _alone and time.monotonic() < end:
        time.sleep(0.001)


class _End:
    """Closes the threads' end of the pipe when the last of them has left."""

    def __init__(self, threads: int, calls: int) -> None:
        self._left, self._calls, self._lock = threads, calls, threading.Lock()

    def leave(self) -> None:
        with self._lock:
            self._left -= 1
            if not self._left:
                with suppress(OSError):
                    os.close(self._calls)


def _serve(queues: NDArray[np.int64], calls: int, end: _End, helps: bool) -> None:
    entries = libjpeg.entry_points()
    assert entries is not None
    decode_queue.serve(queues, calls, entries, helps)
    end.leave()
