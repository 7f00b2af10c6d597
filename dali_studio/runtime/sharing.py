"""The images of a batch, shared between decoders of a GPU, its JPEG hardware and kernels, and threads of the CPU.

All give the same pixels, so whoever is free takes the next image: the GPU's from the beginning of the batch, in groups,
the threads from its end, one by one. Which image was decoded by whom depends on timing; the pixels do not.

The threads are those of `decode_threads`, whose loop is compiled. What that does not decode, files of other formats
first of all, goes to the worker threads, through Python.
"""

from __future__ import annotations

import queue
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.device import Unavailable
from dali_studio.kernels.jpeg.decode_queue import BY_HARDWARE
from dali_studio.kernels.jpeg.decode_threads import DecodeBatch, DecodeThreadPool
from dali_studio.kernels.jpeg.gpu_work import GpuDecoder, SubmittedGroup
from dali_studio.kernels.jpeg.libjpeg import DONE
from dali_studio.runtime.workers import Loop, WorkerPool

#: Seconds between two questions whether the user has stopped the run.
_MOMENT = 0.02


class DecodeWorkQueue:
    """Images that are waiting, for one batch.

    Parameters
    ----------
    both : sequence of int
        Positions that the GPU may take, too.
    alone : sequence of int
        Positions that only worker threads take.
    compiled : sequence of int
        Positions that the decode threads take, not the GPU.
    requests : ndarray, optional
        What the decode threads and the GPU's decoders need to know of `both` and `compiled`, in this order.
    reserved : bool
        Whether `both` are left to the GPU, but for a few threads that help.
    withheld : int
        How many of the first ones are left to the GPU even by these.
    rooms : ndarray, optional
        Memory for the coefficients of each of the `requests`, where these are all that the decode threads decode.

    Attributes
    ----------
    batch : DecodeBatch
        What the decode threads and the GPU's decoders take from. Where there can be no decode threads, worker threads
        take from it as well.
    """

    def __init__(
        self, both: Sequence[int] | NDArray[np.int64], alone: Sequence[int],
        compiled: Sequence[int] | NDArray[np.int64] = (), requests: NDArray[np.int64] | None = None, *,
        reserved: bool = False, withheld: int = 0, rooms: NDArray[np.int64] | None = None,
    ) -> None:  # fmt: skip
        self._rows = np.concatenate([both, compiled]).astype(np.int64)
        self._alone = list(alone)
        self.batch = DecodeBatch(
            len(self._rows), len(both), requests, reserved=reserved, withheld=withheld, rooms=rooms
        )
        self._lock = threading.Lock()

    @property
    def for_workers(self) -> int:
        """How many images worker threads may take."""
        return len(self._alone) + (0 if self.batch.compiled else len(self._rows))

    def take(self) -> int:
        """One image for a worker thread; -1 if there is none."""
        with self._lock:
            if self._alone:
                return self._alone.pop()
        row = -1 if self.batch.compiled else self.batch.take()
        return int(self._rows[row]) if row >= 0 else -1

    def stop(self) -> None:
        """Something failed: nobody need take the rest."""
        with self._lock:
            self._alone.clear()
        self.batch.stop()

    def on_gpu(self) -> list[int]:
        """Positions whose pixels the GPU has made, or makes of coefficients, ascending."""
        return np.sort(self._rows[self.batch.outcomes >= BY_HARDWARE]).tolist()

    def left(self) -> list[int]:
        """What nobody has decoded in the end: the GPU refused it, or a decode thread found something wrong with it."""
        outcomes = self.batch.outcomes
        return self._rows[(outcomes != DONE) & (outcomes < BY_HARDWARE)].tolist()


class Decoding:
    """One batch that is being decoded.

    Parameters
    ----------
    work : DecodeWorkQueue
    by_thread : callable
        Decodes the image at a position.
    to_gpu : callable
        ``to_gpu(decoder)`` lets the decoder take groups of the images; the result can be waited for.
    make_pixels : callable, optional
        Called when the coefficients of images are there, to let kernels make pixels of them. Where it cannot, it says
        in the batch's outcomes that these have failed.

    Attributes
    ----------
    stalled : bool
        The hardware did not answer, and may still write into the memory of this batch.
    """

    def __init__(
        self, work: DecodeWorkQueue, by_thread: Callable[[int], None], to_gpu: Callable[[GpuDecoder], SubmittedGroup],
        make_pixels: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self._work, self._by_thread, self._to_gpu, self._make_pixels = work, by_thread, to_gpu, make_pixels
        self._loop: Loop | None = None
        self._feeders: list[threading.Event] = []
        self.stalled = False

    def start(self, workers: WorkerPool, threads: DecodeThreadPool, feeders: Sequence[DecoderFeeder]) -> None:
        """Let the GPU's decoders and idle threads begin."""
        if self._work.batch.compiled:
            threads.start(self._work.batch)
        self._feeders = [feeder.serve(self) for feeder in feeders]
        count = self._work.for_workers
        self._loop = workers.start(self._by_thread, self._work.take, count) if count else None

    def finish(self, workers: WorkerPool) -> list[int]:
        """Wait until everything is decoded, and help where there are no threads.

        Returns
        -------
        list of int
            The positions that the GPU decoded, ascending.
        """
        work = self._work
        try:
            if self._loop is not None:
                workers.finish(self._loop)
            if work.batch.withheld:
                for done in self._feeders:
                    while not done.wait(_MOMENT):
                        if workers.cancelled.is_set():
                            work.stop()
                work.batch.take_over()
            work.batch.finish(workers.cancelled.is_set)
            workers.check()
        except BaseException:
            work.stop()
            work.batch.finish(lambda: True)
            raise
        finally:
            for done in self._feeders:  # it writes into memory of this batch
                done.wait()
            work.batch.close(abandoned=self.stalled)
        self._make_pixels()
        if left := work.left():
            workers.map(lambda i: self._by_thread(left[i]), len(left))
        return work.on_gpu()

    def hand_over(self, decoder: GpuDecoder) -> SubmittedGroup:
        """Let the decoder take images as long as there are any."""
        try:
            return self._to_gpu(decoder)
        except BaseException:
            self.stalled = decoder.stalled
            raise

    def wait(self, decoder: GpuDecoder, submitted: SubmittedGroup) -> None:
        """Wait for what the decoder has taken."""
        try:
            decoder.wait(submitted)
        except BaseException:
            self.stalled = decoder.stalled
            raise


class DecoderFeeder:
    """A thread that hands images to one decoder of a GPU, batch after batch.

    The decoder is opened by the thread itself. Meanwhile, where there is none, and after it has failed, the threads of
    the CPU decode everything.

    Parameters
    ----------
    open_decoder : callable
        Gives a decoder, or what is missing.
    reserves : bool
        It is so much faster than the threads that pictures are left to it.
    """

    def __init__(self, open_decoder: Callable[[], GpuDecoder | Unavailable], *, reserves: bool = False) -> None:
        self._reserves = reserves
        self._line: queue.SimpleQueue[tuple[Decoding, threading.Event] | None] = queue.SimpleQueue()
        self._state = _FeederState()
        thread = threading.Thread(
            target=_serve, args=(self._line, open_decoder, self._state), name="dali-studio-hardware", daemon=True
        )
        thread.start()

    @property
    def disabled_reason(self) -> str:
        """Why the decoder is not used (any more), or an empty text."""
        return self._state.disabled_reason

    @property
    def reserves(self) -> bool:
        """Whether pictures are left to the decoder: it is a fast one, has decoded something, and can do so again."""
        return self._reserves and self._state.works and not self._state.disabled_reason

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
    disabled_reason: str = ""
    works: bool = False


def _serve(
    line: queue.SimpleQueue[tuple[Decoding, threading.Event] | None],
    open_decoder: Callable[[], GpuDecoder | Unavailable], state: _FeederState,
) -> None:  # fmt: skip
    decoder: GpuDecoder | Unavailable | None = None
    taken: deque[tuple[Decoding, threading.Event, SubmittedGroup]] = deque()
    open_ = True
    while open_ or taken:
        if open_ and (not taken or not line.empty()):
            item = line.get()
            if item is None:
                open_ = False
                continue
            decoding, done = item
            submitted: SubmittedGroup | None = None
            with _giving_up(state):
                decoder = open_decoder() if decoder is None and not state.disabled_reason else decoder
                if isinstance(decoder, Unavailable):
                    state.disabled_reason = decoder.reason
                elif decoder is not None and not state.disabled_reason:
                    submitted = decoding.hand_over(decoder)
            if submitted is None:
                done.set()
            else:
                taken.append((decoding, done, submitted))
            del item, decoding, done, submitted  # nothing keeps a batch alive while the thread waits
            overlaps = decoder is not None and not isinstance(decoder, Unavailable) and decoder.overlaps
            if len(taken) <= overlaps:  # the next batch may be there
                continue
        decoding, done, submitted = taken.popleft()
        with _giving_up(state):
            assert decoder is not None
            assert not isinstance(decoder, Unavailable)
            decoding.wait(decoder, submitted)
            state.works = True
        done.set()
        del decoding, done, submitted
    if decoder is not None and not isinstance(decoder, Unavailable):
        decoder.close()


@contextmanager
def _giving_up(state: _FeederState) -> Generator[None]:
    """Do without the decoder from now on if something fails: the images go back to the threads."""
    try:
        yield
    except BaseException as error:  # noqa: BLE001
        state.disabled_reason = str(error) or type(error).__name__
        with suppress(RuntimeWarning):  # where warnings are errors: the thread must go on, others wait for it
            warnings.warn(state.disabled_reason, RuntimeWarning, stacklevel=1)
