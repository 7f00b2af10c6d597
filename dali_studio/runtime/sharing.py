"""The images of a batch, shared between decoders of a GPU, its JPEG hardware and kernels, and threads of the CPU.

All give the same pixels, so whoever is free takes the next image: the GPU's from the beginning of the batch, in groups,
the threads from its end, one by one. Which image was decoded by whom depends on timing; the pixels do not.

The threads are those of `crew`, whose loop is compiled. What that does not decode, files of other formats first of all,
goes to the worker threads, through Python.
"""

from __future__ import annotations

import queue
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.decode_queue import BY_HARDWARE, BY_KERNELS
from dali_studio.kernels.cpu.libjpeg import DONE
from dali_studio.kernels.cuda.device import Unavailable
from dali_studio.kernels.cuda.jpeg_work import GpuDecoder, Turn
from dali_studio.runtime.crew import Crew, Job
from dali_studio.runtime.workers import Loop, WorkerPool


class Shared:
    """Images that are waiting, for one batch.

    Parameters
    ----------
    both : sequence of int
        Positions that the GPU may take, too.
    alone : sequence of int
        Positions that only worker threads take.
    compiled : sequence of int
        Positions that the crew takes, not the GPU.
    requests : ndarray, optional
        What the crew and the GPU's decoders need to know of `both` and `compiled`, in this order.
    reserved : bool
        Whether `both` are left to the GPU, but for a few threads that help.

    Attributes
    ----------
    job : Job
        What the crew and the GPU's decoders take from. Where there can be no crew, worker threads take from it as well.
    """

    def __init__(
        self, both: Sequence[int] | NDArray[np.int64], alone: Sequence[int],
        compiled: Sequence[int] | NDArray[np.int64] = (), requests: NDArray[np.int64] | None = None, *,
        reserved: bool = False,
    ) -> None:  # fmt: skip
        self._rows = np.concatenate([both, compiled]).astype(np.int64)
        self._alone = list(alone)
        self.job = Job(len(self._rows), len(both), requests, reserved=reserved)
        self._lock = threading.Lock()

    @property
    def for_workers(self) -> int:
        """How many images worker threads may take."""
        return len(self._alone) + (0 if self.job.compiled else len(self._rows))

    def take(self) -> int:
        """One image for a worker thread; -1 if there is none."""
        with self._lock:
            if self._alone:
                return self._alone.pop()
        row = -1 if self.job.compiled else self.job.take()
        return int(self._rows[row]) if row >= 0 else -1

    def stop(self) -> None:
        """Something failed: nobody need take the rest."""
        with self._lock:
            self._alone.clear()
        self.job.stop()

    def on_gpu(self) -> list[int]:
        """Positions that decoders of the GPU have decoded, ascending."""
        return np.sort(self._rows[np.isin(self.job.outcomes, (BY_HARDWARE, BY_KERNELS))]).tolist()

    def left(self) -> list[int]:
        """What nobody has decoded in the end: the GPU refused it, or the crew found something wrong with it."""
        return self._rows[~np.isin(self.job.outcomes, (BY_HARDWARE, BY_KERNELS, DONE))].tolist()


class Decoding:
    """One batch that is being decoded.

    Parameters
    ----------
    shared : Shared
    by_thread : callable
        Decodes the image at a position.
    to_gpu : callable
        ``to_gpu(decoder)`` lets the decoder take its turn at the images; the result can be waited for.

    Attributes
    ----------
    stalled : bool
        The hardware did not answer, and may still write into the memory of this batch.
    """

    def __init__(
        self, shared: Shared, by_thread: Callable[[int], None], to_gpu: Callable[[GpuDecoder], Turn]
    ) -> None:
        self._shared, self._by_thread, self._to_gpu = shared, by_thread, to_gpu
        self._loop: Loop | None = None
        self._feeders: list[threading.Event] = []
        self.stalled = False

    def start(self, workers: WorkerPool, crew: Crew, feeders: Sequence[DecoderFeeder]) -> None:
        """Let the GPU's decoders and idle threads begin."""
        if self._shared.job.compiled:
            crew.start(self._shared.job)
        self._feeders = [feeder.serve(self) for feeder in feeders]
        count = self._shared.for_workers
        self._loop = workers.start(self._by_thread, self._shared.take, count) if count else None

    def finish(self, workers: WorkerPool) -> list[int]:
        """Wait until everything is decoded, and help where there are no threads.

        Returns
        -------
        list of int
            The positions that the GPU decoded, ascending.
        """
        shared = self._shared
        try:
            if self._loop is not None:
                workers.finish(self._loop)
            shared.job.finish(workers.cancelled.is_set)
            workers.check()
        except BaseException:
            shared.stop()
            shared.job.finish(lambda: True)
            raise
        finally:
            for done in self._feeders:  # it writes into memory of this batch
                done.wait()
            shared.job.close(haunted=self.stalled)
        left = shared.left()
        workers.map(lambda i: self._by_thread(left[i]), len(left))
        return shared.on_gpu()

    def feed(self, decoder: GpuDecoder) -> None:
        """Let the decoder take images as long as there are any."""
        try:
            decoder.wait(self._to_gpu(decoder))
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
    """

    def __init__(self, open_decoder: Callable[[], GpuDecoder | Unavailable]) -> None:
        self._line: queue.SimpleQueue[tuple[Decoding, threading.Event] | None] = queue.SimpleQueue()
        self._state = _FeederState()
        thread = threading.Thread(
            target=_serve, args=(self._line, open_decoder, self._state), name="dali-studio-hardware", daemon=True
        )
        thread.start()

    @property
    def gone(self) -> str:
        """Why the decoder is not used (any more), or an empty text."""
        return self._state.gone

    @property
    def works(self) -> bool:
        """Whether the decoder has decoded something, and can do so again."""
        return self._state.works and not self._state.gone

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
    works: bool = False


def _serve(
    line: queue.SimpleQueue[tuple[Decoding, threading.Event] | None],
    open_decoder: Callable[[], GpuDecoder | Unavailable], state: _FeederState,
) -> None:  # fmt: skip
    decoder: GpuDecoder | Unavailable | None = None
    while (item := line.get()) is not None:
        decoding, done = item
        try:
            decoder = open_decoder() if decoder is None and not state.gone else decoder
            if isinstance(decoder, Unavailable):
                state.gone = decoder.reason
            elif decoder is not None and not state.gone:
                decoding.feed(decoder)
                state.works = True
        except BaseException as error:  # noqa: BLE001 - the images went back to the threads
            state.gone = str(error) or type(error).__name__
            with suppress(RuntimeWarning):  # where warnings are errors: the thread must go on, others wait for it
                warnings.warn(state.gone, RuntimeWarning, stacklevel=1)
        finally:
            done.set()
            del item, decoding, done  # nothing keeps a batch alive while the thread waits
    if decoder is not None and not isinstance(decoder, Unavailable):
        decoder.close()
