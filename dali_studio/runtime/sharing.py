"""The images of a batch, shared between the hardware decoder of a GPU and threads of the CPU.

Both give the same pixels, so whoever is free takes the next image: the hardware from the beginning of the batch, in
groups, the threads from its end, one by one. Which image was decoded by whom depends on timing; the pixels do not.
"""

from __future__ import annotations

import os
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
from dali_studio.runtime.workers import Loop, WorkerPool

#: Images that the hardware takes at a time: more keep it busier, fewer leave less to wait for at the end of a batch.
MOST, LEAST = 128, 32
#: Share of the processors that is left to the hardware's own thread and to those that prepare and finish batches. More
#: decoding threads were slower on the whole: they compete for the interpreter's lock (docs/benchmarks.md).
_LEFT = 0.55
#: Seconds that Python code may keep others waiting for the interpreter's lock, at most; Python's own 5 milliseconds are
#: as long as the hardware needs for 130 pictures.
_SWITCH_INTERVAL = 0.0005


class Shared:
    """Images that are waiting, for one batch.

    Parameters
    ----------
    both : sequence of int
        Positions that the hardware may take, too, ascending.
    threads_only : sequence of int
        Positions that it may not.
    """

    def __init__(self, both: Sequence[int], threads_only: Sequence[int]) -> None:
        self._both, self._alone = list(both), list(threads_only)
        self._low, self._high = 0, len(self._both)
        self._lock = threading.Lock()

    def take(self) -> int:
        """One image for a thread; -1 if there is none."""
        with self._lock:
            if self._alone:
                return self._alone.pop()
            if self._high <= self._low:
                return -1
            self._high -= 1
            return self._both[self._high]

    def take_group(self) -> list[int]:
        """Some images for the hardware; empty if there are none. Half of what is left, so that nobody waits long."""
        with self._lock:
            left = self._high - self._low
            count = min(left, max(LEAST, min(MOST, left // 2)))
            self._low += count
            return self._both[self._low - count : self._low]

    def give_back(self, positions: Sequence[int]) -> None:
        """The hardware cannot decode these: the threads do."""
        with self._lock:
            self._alone.extend(positions)

    def stop(self) -> None:
        """Something failed: nobody need take the rest."""
        with self._lock:
            self._high = self._low
            self._alone.clear()


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

    def start(self, workers: WorkerPool, count: int, feeders: Sequence[HardwareFeeder]) -> None:
        """Let the hardware and idle threads begin."""
        self._feeders = [feeder.serve(self) for feeder in feeders]
        spare = round(_LEFT * (os.cpu_count() or 1)) if self._feeders else 0
        self._loop = workers.start(self._by_thread, self._shared.take, count, spare=spare)

    def finish(self, workers: WorkerPool) -> list[int]:
        """Help until everything is decoded.

        Returns
        -------
        list of int
            The positions that the hardware decoded, ascending.
        """
        assert self._loop is not None
        try:
            workers.finish(self._loop)
        except BaseException:
            self._shared.stop()
            raise
        finally:
            for done in self._feeders:  # it writes into memory of this batch
                done.wait()
        while (position := self._shared.take()) >= 0:  # given back by the hardware, when the threads were through
            self._by_thread(position)
        return sorted(self.in_hardware)

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
