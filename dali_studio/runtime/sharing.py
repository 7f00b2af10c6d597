"""The images of a batch, shared between the hardware decoder of a GPU and threads of the CPU.

Both give the same pixels, so whoever is free takes the next image: the hardware from the beginning of the batch, in
groups, the threads from its end, one by one. Which image was decoded by whom depends on timing; the pixels do not.

The threads are those of `crew`, whose loop is compiled. What that does not decode, files of other formats first of all,
goes to the worker threads, through Python.
"""

from __future__ import annotations

import queue
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.device import Missing
from dali_studio.kernels.cuda.nvjpeg import HardwareDecoder
from dali_studio.runtime.crew import Crew, Job
from dali_studio.runtime.workers import Loop, WorkerPool

#: Images that the hardware takes at a time: more keep it busier, fewer leave less to wait for at the end of a batch.
MOST, LEAST = 128, 32
#: Seconds that Python code may keep others waiting for the interpreter's lock, at most; Python's own 5 milliseconds are
#: as long as the hardware needs for 130 pictures.
_SWITCH_INTERVAL = 0.0005


class Shared:
    """Images that are waiting, for one batch.

    Parameters
    ----------
    both : sequence of int
        Positions that the hardware may take, too.
    threads_only : sequence of int
        Positions that only worker threads take.
    compiled : sequence of int
        Positions that the crew takes, not the hardware.
    requests : ndarray, optional
        What the crew needs to decode `both` and `compiled`, in this order; without it worker threads take them, too.
    """

    def __init__(
        self, both: Sequence[int] | NDArray[np.int64], threads_only: Sequence[int],
        compiled: Sequence[int] | NDArray[np.int64] = (),
        requests: NDArray[np.int64] | None = None,
    ) -> None:  # fmt: skip
        self._rows: list[int] = np.concatenate([both, compiled]).astype(np.int64).tolist()
        self._alone = list(threads_only)
        self.job = Job(len(self._rows), len(both), requests)
        self._lock = threading.Lock()

    @property
    def for_workers(self) -> int:
        """How many images worker threads may take."""
        return len(self._alone) + (len(self._rows) if self.job.requests is None else 0)

    def take(self) -> int:
        """One image for a worker thread; -1 if there is none."""
        with self._lock:
            if self._alone:
                return self._alone.pop()
        row = self.job.take() if self.job.requests is None else -1
        return self._rows[row] if row >= 0 else -1

    def take_group(self) -> list[int]:
        """Some images for the hardware; empty if there are none. Half of what is left, so that nobody waits long."""
        first, count = self.job.take_group(LEAST, MOST)
        return self._rows[first : first + count]

    def give_back(self, positions: Sequence[int]) -> None:
        """The hardware cannot decode these: the worker threads do."""
        with self._lock:
            self._alone.extend(positions)

    def stop(self) -> None:
        """Something failed: nobody need take the rest."""
        with self._lock:
            self._alone.clear()
        self.job.stop()

    def left(self, in_hardware: Sequence[int]) -> list[int]:
        """What nobody has decoded in the end: it was given back, or the crew found something wrong with it."""
        failed: list[int] = []
        if self.job.requests is not None:
            open_ones = np.array(self._rows, np.int64)[~self.job.done]
            failed = np.setdiff1d(open_ones, [*in_hardware, *self._alone]).tolist()
        return [*self._alone, *failed]


class Decoding:
    """One batch that is being decoded.

    Parameters
    ----------
    shared : Shared
    by_thread : callable
        Decodes the image at a position.
    to_hardware : callable
        ``to_hardware(decoder, positions)`` submits images to the decoder.

    Attributes
    ----------
    in_hardware : list of int
        Positions of the images that the hardware decoded.
    stalled : bool
        The hardware did not answer, and may still write into the memory of this batch.
    """

    def __init__(
        self, shared: Shared, by_thread: Callable[[int], None],
        to_hardware: Callable[[HardwareDecoder, list[int]], Any],
    ) -> None:  # fmt: skip
        self._shared, self._by_thread, self._to_hardware = shared, by_thread, to_hardware
        self._loop: Loop | None = None
        self._feeders: list[threading.Event] = []
        self.in_hardware: list[int] = []
        self.stalled = False

    def start(self, workers: WorkerPool, crew: Crew, feeders: Sequence[HardwareFeeder]) -> None:
        """Let the hardware and idle threads begin."""
        if self._shared.job.requests is not None:
            crew.start(self._shared.job)
        self._feeders = [feeder.serve(self) for feeder in feeders]
        count = self._shared.for_workers
        self._loop = workers.start(self._by_thread, self._shared.take, count) if count else None

    def finish(self, workers: WorkerPool) -> list[int]:
        """Wait until everything is decoded, and help where there are no threads.

        Returns
        -------
        list of int
            The positions that the hardware decoded, ascending.
        """
        shared, cancelled = self._shared, workers.cancelled.is_set
        try:
            if self._loop is not None:
                workers.finish(self._loop)
            shared.job.finish(cancelled)
            workers.check()
        except BaseException:
            shared.stop()
            shared.job.finish(lambda: True)
            raise
        finally:
            for done in self._feeders:  # it writes into memory of this batch
                done.wait()
            shared.job.close()
        in_hardware = sorted(self.in_hardware)
        left = shared.left(in_hardware)
        workers.map(lambda i: self._by_thread(left[i]), len(left))
        return in_hardware

    def feed(self, decoder: HardwareDecoder) -> None:
        """Decode groups of images as long as there are any; a group is prepared while the one before is decoded."""
        before: tuple[list[int], Any] | None = None
        while True:
            group, submitted = self._shared.take_group(), None
            try:
                submitted = self._to_hardware(decoder, group) if group else None
                if before is not None:
                    self._settle(before[0], decoder.wait(before[1]))
            except BaseException:
                self._shared.give_back([*group, *(before[0] if before is not None else ())])
                for underway in (None if before is None else before[1], submitted):
                    if underway is not None and not decoder.stalled:  # it still writes into memory of this batch
                        with suppress(Exception):
                            decoder.wait(underway)
                self.stalled = decoder.stalled
                raise
            if submitted is None:
                return
            before = group, submitted

    def _settle(self, group: list[int], trusted: NDArray[np.bool_]) -> None:
        self.in_hardware.extend(position for position, there in zip(group, trusted, strict=True) if there)
        self._shared.give_back([position for position, there in zip(group, trusted, strict=True) if not there])


class HardwareFeeder:
    """A thread that hands images to one hardware decoder, batch after batch.

    The decoder is opened by the thread itself. Meanwhile, where there is none, and after it has failed, the threads of
    the CPU decode everything.

    Parameters
    ----------
    open_decoder : callable
        Gives a decoder, or what is missing.
    """

    def __init__(self, open_decoder: Callable[[], HardwareDecoder | Missing]) -> None:
        self._line: queue.SimpleQueue[tuple[Decoding, threading.Event] | None] = queue.SimpleQueue()
        self._state = _FeederState()
        sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH_INTERVAL))
        thread = threading.Thread(
            target=_serve, args=(self._line, open_decoder, self._state), name="dali-studio-hardware", daemon=True
        )
        thread.start()

    @property
    def gone(self) -> str:
        """Why the hardware is not used (any more), or an empty text."""
        return self._state.gone

    def serve(self, decoding: Decoding) -> threading.Event:
        """Take part in a batch; the event is set when the thread is through with it."""
        done = threading.Event()
        self._line.put((decoding, done))
        return done

    def close(self) -> None:
        """End the thread once it is through with what it got."""
        self._line.put(None)

    def __del__(self) -> None:
        self._line.put(None)


@dataclass(slots=True)
class _FeederState:
    gone: str = ""


def _serve(
    line: queue.SimpleQueue[tuple[Decoding, threading.Event] | None],
    open_decoder: Callable[[], HardwareDecoder | Missing], state: _FeederState,
) -> None:  # fmt: skip
    decoder: HardwareDecoder | Missing | None = None
    while (item := line.get()) is not None:
        decoding, done = item
        try:
            decoder = open_decoder() if decoder is None and not state.gone else decoder
            if isinstance(decoder, Missing):
                state.gone = decoder.reason
            elif decoder is not None and not state.gone:
                decoding.feed(decoder)
        except BaseException as error:  # noqa: BLE001 - the images went back to the threads
            state.gone = str(error) or type(error).__name__
            with suppress(RuntimeWarning):  # where warnings are errors: the thread must go on, others wait for it
                warnings.warn(state.gone, RuntimeWarning, stacklevel=1)
        finally:
            done.set()
            del item, decoding, done  # nothing keeps a batch alive while the thread waits
    if isinstance(decoder, HardwareDecoder):
        decoder.close()
