"""Decoders on the device "mixed": encoded files in host memory become pictures in device memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import Step
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError, DaliStudioError, Diagnostic
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed, addresses_of, shapes_of
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.video import frames_of
from dali_studio.kernels.jpeg import libjpeg
from dali_studio.kernels.jpeg.coefficients import CoefficientKernels, shared_out
from dali_studio.kernels.jpeg.decode_queue import BY_HARDWARE, BY_KERNELS, COEFFICIENTS
from dali_studio.kernels.jpeg.decode_threads import DecodeBatch, DecodeThreadPool
from dali_studio.kernels.jpeg.gpu_decoder import (
    LARGE,
    MAX_DECODERS,
    SCANS_OF_A_THREAD,
    JpegKernels,
    decoders,
    largest,
)
from dali_studio.kernels.jpeg.gpu_work import GpuDecoder, SubmittedGroup
from dali_studio.kernels.jpeg.header_cache import have_ends
from dali_studio.kernels.jpeg.nvjpeg import open_decoder
from dali_studio.runtime.extents import check_sizes, no_room
from dali_studio.runtime.failures import ErrorPolicy, StepError
from dali_studio.runtime.memory import SlabPool, clear
from dali_studio.runtime.probe import Direction, Recording, Stopwatch, timed
from dali_studio.runtime.request import Store
from dali_studio.runtime.sharing import DecoderFeeder, DecodeWorkQueue, Decoding
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import JpegImages, Work
from dali_studio.schema.declare import overrides
from dali_studio.schema.registry import Registry

#: Processors that are left to the threads that feed the GPU's decoders and to those that prepare and finish batches.
_LEFT = 2
#: Pixels of a picture that a thread decodes in a few milliseconds, as long as a GPU takes to begin and end.
_SMALL = 1 << 19
#: Kinds of files in one batch, each in the order of memory: baseline, progressive, and others.
_KINDS = 3
#: Pictures that kernels decode while a thread decodes one, from which on threads are no help: what they read and write
#: slows down the threads that feed the kernels.
_NO_HELP = 24


class _Reserved(NamedTuple):
    """A batch before it is decoded.

    Attributes
    ----------
    made : Batch
        In device memory.
    host : ndarray of uint8
        What the threads decode into, laid out as that.
    images : JpegImages or None
    feeders : list
        Of the GPU's decoders that take part.
    withheld : int
        How many pictures, the first ones, are left to these alone.
    """

    work: Work
    made: Batch
    host: NDArray[np.uint8]
    images: JpegImages | None
    feeders: list[DecoderFeeder]
    withheld: int


class Speeds:
    """Milliseconds that a baseline file of the last batches takes: kernels, and a thread.

    A launch takes as long for few pictures as for many, so that threads help with small batches.
    """

    def __init__(self) -> None:
        self._kernels = self._thread = 0.0

    def note(self, batch: DecodeBatch, submitted: Sequence[SubmittedGroup]) -> None:
        """Take note of a batch that has been decoded."""
        if batch.rooms is not None:
            return
        by_kernels, by_threads = (int(np.count_nonzero(batch.outcomes == who)) for who in (BY_KERNELS, libjpeg.DONE))
        if by_kernels:
            self._kernels = _mean(self._kernels, sum(group.milliseconds for group in submitted) / by_kernels)
        if by_threads and batch.nanoseconds:
            self._thread = _mean(self._thread, batch.nanoseconds / 1e6 / by_threads)

    @property
    def threads_help(self) -> bool:
        """Whether threads are to decode what kernels can."""
        return not (self._thread and self._kernels) or self._thread < _NO_HELP * self._kernels


def _mean(before: float, now: float) -> float:
    return 0.8 * before + 0.2 * now if before else now


class MixedRunner:
    """Decodes batches into device memory, by the GPU's JPEG hardware, by kernels and by threads of the CPU.

    Parameters
    ----------
    registry : Registry
    workers : WorkerPool
    stream : GpuStream
        Copies what the threads have decoded.
    encoded : SlabPool
        Page-locked memory: files that lie in it are not copied before they go up.
    """

    def __init__(self, registry: Registry, workers: WorkerPool, stream: GpuStream, encoded: SlabPool) -> None:
        self._registry, self._workers, self._stream, self._encoded = registry, workers, stream, encoded
        self._feeders: list[DecoderFeeder] = []
        self._coefficients = CoefficientKernels(stream)
        self._decode_threads = DecodeThreadPool(min(workers.num_threads - 1, max(_processors() - _LEFT, 1)))
        self._speeds = Speeds()
        self._abandoned: list[Batch] = []
        #: Types of the inputs and of the result, by step.
        self._metas: dict[str, tuple[list[TensorMeta], TensorMeta]] = {}
        #: Pictures decoded so far, by who decoded them.
        self.counts = {"hardware": 0, "kernels": 0, "threads": 0}

    def begin(  # noqa: PLR0915 - its parts share what they close over
        self, step: Step, args: Args, given: Sequence[Batch], indices: NDArray[np.int64], results: Store,
        error_policy: ErrorPolicy, recording: Recording | None = None,
    ) -> Callable[[], None]:  # fmt: skip
        """Begin to decode a batch; what is returned waits for the pixels and adds the batch to `results`."""
        operator = self._registry.operator(step.operator)
        if overrides(operator, "decode"):
            return self._apart(step, args, given, indices, results, error_policy, recording)
        watch = Stopwatch(recording)
        watch.start(step.key)
        sources = given[0].sources
        with gpu_failures(step, len(indices), indices, sources):
            work, made, host, images, feeders, withheld = self._reserve(step, args, given, indices, error_policy)
            pictures = made.on_host(host)
        files = given[0].samples

        def by_thread(position: int) -> None:
            target = pictures[position]
            try:
                pixels = operator.cpu(work, position, [item.samples[position] for item in given], [target])
                if pixels is not None and pixels is not target:
                    np.copyto(target, pixels)
            except Exception as error:
                source, index = sources[position] if sources else "", int(indices[position])
                if not error_policy.accepts(step, index, source, error):
                    raise StepError(step, index, source, error) from error
                clear(target)

        submitted: list[SubmittedGroup] = []
        reserved = any(feeder.reserves for feeder in feeders)
        waiting = self._share(files, images, made, host, reserved=reserved, withheld=withheld)
        locked = isinstance(files, Packed) and self._encoded.holds(files.slab)
        whole = locked and waiting.batch.requests is not None and side_by_side(waiting.batch.requests)
        # behind what users of the memory's last contents have enqueued by default
        free = self._stream.copied() if feeders else None

        def to_gpu(decoder: GpuDecoder) -> SubmittedGroup:
            batch = waiting.batch
            assert images is not None
            assert batch.requests is not None
            places = _places(batch.requests, made, host)
            submitted.append(
                decoder.take_groups(
                    batch.queue, batch.requests, places, batch.outcomes, images.colors, files=given[0], after=free,
                    whole=whole,
                )
            )
            return submitted[-1]

        def make_pixels() -> None:
            self._draw(step.key, waiting.batch, made, host, recording)

        decoding = Decoding(waiting, timed(recording, step.key, by_thread), to_gpu, make_pixels)
        decoding.start(self._workers, self._decode_threads, feeders)
        watch.stop(step.key)

        def finish() -> None:
            nonlocal made
            on_gpu = decoding.finish(self._workers)
            self._speeds.note(waiting.batch, submitted)
            watch.start(step.key)  # what the threads took is counted by themselves
            if decoding.stalled:  # what hangs may write into that memory one day: nobody must get it
                self._abandoned.append(made)
                made = self._stream.duplicate(made)
            by_hardware = int(np.count_nonzero(waiting.batch.outcomes == BY_HARDWARE))
            self.counts["hardware"] += by_hardware
            self.counts["kernels"] += len(on_gpu) - by_hardware
            self.counts["threads"] += len(files) - len(on_gpu)
            self._copy_rest(step.key, made, host, on_gpu, recording)
            made.indices = given[0].indices
            results[step.outputs[0]] = made
            watch.stop(step.key)
            watch.report()
            if recording is not None:
                recording.spent(step.key, sum(group.milliseconds for group in submitted))
                recording.add({step.key: waiting.batch.nanoseconds})

        return finish

    def _reserve(
        self, step: Step, args: Args, views: Sequence[Batch], indices: NDArray[np.int64], error_policy: ErrorPolicy
    ) -> _Reserved:
        """Plan a batch, without samples that are too large, and take memory for it on the GPU and on the host."""
        operator, sources = self._registry.operator(step.operator), views[0].sources
        meta = self._meta(step, args, views)
        assert meta.dtype is not None
        dtype = to_numpy(meta.dtype)
        while True:
            work = operator.plan(args, *views)
            check_sizes(work.shapes, dtype)
            images = _scans_shared(operator.jpeg_images(work), self._decode_threads.size)
            feeders = self._decoders(images)
            withheld = 0
            if images is not None and any(feeder.reserves for feeder in feeders):
                withheld = self._left_to_gpu(images)
            try:
                made = self._stream.target(work.shapes, dtype, meta.layout or "", sources)
                # pages that nobody touches are not there: the threads get what the GPU refuses, and few pictures more
                few = images is not None and withheld == images.shared > 0
                host = np.empty(made.size, np.uint8) if few else self._stream.pinned(made.size)
                return _Reserved(work, made, host, images, feeders, withheld)
            except Exception as error:
                if not out_of_memory(error):
                    raise
                position, named = no_room(work.shapes, dtype)
                source, index = sources[position] if sources else "", int(indices[position])
                if not error_policy.shrinks(step, index, source, named):
                    raise StepError(step, index, source, named) from error

    def _left_to_gpu(self, images: JpegImages) -> int:
        """How many of the first pictures threads do not take."""
        if largest(images.requests[: images.shared]) > LARGE:
            return images.shared
        return 0 if self._speeds.threads_help else int(np.count_nonzero(images.rooms[: images.shared] == 0))

    def _apart(
        self, step: Step, args: Args, given: Sequence[Batch], indices: NDArray[np.int64], results: Store,
        error_policy: ErrorPolicy, recording: Recording | None,
    ) -> Callable[[], None]:  # fmt: skip
        """As `begin`, for an operator that decodes into device memory itself; threads of the pipeline call it."""
        operator, sources = self._registry.operator(step.operator), given[0].sources
        watch = Stopwatch(recording)
        watch.start(step.key)
        with gpu_failures(step, len(indices), indices, sources):
            meta = self._meta(step, args, given)
            assert meta.dtype is not None
            work, dtype = operator.plan(args, *given), to_numpy(meta.dtype)
            check_sizes(work.shapes, dtype)
            made = self._stream.apart(work.shapes, dtype, meta.layout or "", sources)

        def one(position: int) -> None:
            target = frames_of(made, position)
            try:
                operator.decode(work, position, [item.samples[position] for item in given], target)
            except Exception as error:
                source, index = sources[position] if sources else "", int(indices[position])
                if not error_policy.accepts(step, index, source, error):
                    raise StepError(step, index, source, error) from error
                target[...] = 0

        watch.stop(step.key)

        def finish() -> None:
            self._workers.map(timed(recording, step.key, one), len(made))
            self._stream.is_filled(made)
            adopted = results[step.outputs[0]] = self._stream.adopt(made)
            adopted.indices = given[0].indices
            watch.report()
            if recording is not None:
                recording.results(step.key, [made], device=made.size)

        return finish

    def _meta(self, step: Step, args: Args, views: Sequence[Batch]) -> TensorMeta:
        """The type of the result, which follows from those of the inputs."""
        metas = [view.meta for view in views]
        known = self._metas.get(step.key)
        if known is None or known[0] != metas or step.argument_inputs:
            (meta,) = self._registry.infer(step.operator, args, metas)
            known = self._metas[step.key] = metas, meta
        return known[1]

    def forget(self) -> None:
        """Forget what is known of steps: the next one of a name may be another one."""
        self._metas.clear()

    def _share(
        self, files: Sequence[NDArray[np.uint8]], images: JpegImages | None, made: Batch, host: NDArray[np.uint8],
        *, reserved: bool, withheld: int,
    ) -> DecodeWorkQueue:  # fmt: skip
        """Who may decode which of the files; the decode threads put pixels into `host`."""
        if images is None:
            return DecodeWorkQueue((), range(len(files)))
        # JPEG files without an end are told apart, or refused, by Python code
        whole = have_ends(files)[images.positions] | (images.requests[:, libjpeg.COLORS] == libjpeg.PNG)
        positions, requests, rooms, both = images.positions, images.requests, images.rooms, images.shared
        if not whole.all():
            positions, requests, rooms = positions[whole], requests[whole], rooms[whole]
            both, withheld = int(np.count_nonzero(whole[:both])), int(np.count_nonzero(whole[:withheld]))
        addresses, sizes, offsets, shapes = addresses_of(files), shapes_of(files), made.offsets, made.shapes
        alone: list[int] = []
        if len(positions) < len(files) or both < len(positions):
            others = np.ones(len(files), np.bool_)
            others[positions] = False
            alone = others.nonzero()[0].tolist()
            addresses, sizes, offsets, shapes = (one[positions] for one in (addresses, sizes, offsets, shapes))
        requests[:, libjpeg.DATA], requests[:, libjpeg.SIZE] = addresses, sizes[:, 0]
        requests[:, libjpeg.TARGET] = offsets + host.ctypes.data
        requests[:, libjpeg.PITCH] = shapes[:, 1] * shapes[:, 2]
        rooms = self._rooms(rooms)
        return DecodeWorkQueue(
            positions[:both], alone, positions[both:], requests, reserved=reserved, withheld=withheld, rooms=rooms
        )

    def _rooms(self, sizes: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Page-locked memory for coefficients, address and bytes of each; ``None`` where none is wanted or left."""
        if not sizes.any():
            return None
        starts, size = shared_out(sizes)
        try:
            start = self._stream.pinned(size).ctypes.data
        except Exception as error:
            if not out_of_memory(error):
                raise
            start = 0
        return np.stack([np.where(starts < 0, 0, starts + start), sizes], axis=1) if start else None

    def _draw(
        self, key: str, batch: DecodeBatch, made: Batch, host: NDArray[np.uint8], recording: Recording | None
    ) -> None:
        """Let kernels make the pixels of the pictures of which the threads have decoded the coefficients."""
        rows = (batch.outcomes == COEFFICIENTS).nonzero()[0]
        if not len(rows):
            return
        assert batch.rooms is not None
        assert batch.requests is not None
        stream = self._stream

        def computing() -> AbstractContextManager[None]:
            return nullcontext() if recording is None else recording.gpu(key, stream.copies)

        places = _places(batch.requests[rows], made, host)
        try:
            self._coefficients.draw(batch.rooms[rows], places, partial(copying, recording, key, stream), computing)
        except Exception as error:
            if not out_of_memory(error):
                raise
            batch.outcomes[rows] = libjpeg.FAILED  # threads decode them

    def _copy_rest(
        self, key: str, made: Batch, host: NDArray[np.uint8], on_gpu: Sequence[int],
        recording: Recording | None,
    ) -> None:  # fmt: skip
        """Copy what the threads have decoded."""
        parts = [(0, made.size)]
        if on_gpu:
            ends = made.offsets + made.counts * made.dtype.itemsize
            parts = [(int(made.offsets[first]), int(ends[last])) for first, last in _runs(len(made), on_gpu)]
        with copying(recording, key, self._stream, sum(end - begin for begin, end in parts)):
            for begin, end in parts:
                self._stream.fill(made, host, begin, end)
        self._stream.filled()
        if recording is not None:
            recording.results(key, [made], device=made.size)

    def _decoders(self, images: JpegImages | None) -> list[DecoderFeeder]:
        if images is None or not images.shared or self._few(images):
            return []
        if not self._feeders:
            stream = self._stream
            kernels = partial(JpegKernels, stream.device_id, stream.pool.alone, thrifty=stream.pool.thrifty)
            self._feeders = [
                DecoderFeeder(lambda: open_decoder(stream.device_id)),
                *(DecoderFeeder(kernels, reserves=True) for _ in range(MAX_DECODERS)),
            ]
        shared = slice(images.shared)
        count = decoders(images.requests[shared], images.rooms[shared], thrifty=self._stream.pool.thrifty)
        chosen = self._feeders[0 if images.hardware else 1 : 1 + count]
        return [feeder for feeder in chosen if not feeder.disabled_reason]

    def _few(self, images: JpegImages) -> bool:
        """Whether the decode threads, a picture each, are through before the GPU's decoders would have begun."""
        if not self._decode_threads.enough_for(images.shared):
            return False
        return largest(images.requests) <= _SMALL

    def close(self) -> None:
        """End the threads."""
        self._decode_threads.close()
        for feeder in self._feeders:
            feeder.close()
        self._feeders = []


def _scans_shared(images: JpegImages | None, threads: int) -> JpegImages | None:
    """The images; progressive ones, which come last, are left to the threads if these are through with them first."""
    if images is not None:
        scans = int(np.count_nonzero(images.rooms[: images.shared]))
        images.shared -= scans if scans < SCANS_OF_A_THREAD * threads else 0
    return images


def _places(requests: NDArray[np.int64], made: Batch, host: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Device address of the first pixel of each picture, whose target is in `host`, and bytes from row to row."""
    places = requests[:, [libjpeg.TARGET, libjpeg.PITCH]]
    places[:, 0] += int(made.memory.ptr) - host.ctypes.data
    return places


def side_by_side(requests: NDArray[np.int64]) -> bool:
    """Whether files lie one behind the other in memory, with little else between them.

    Progressive ones, and then those that are none of JPEG, come behind the others.
    """
    if not len(requests):  # no file has an end marker
        return False
    begins, sizes = requests[:, libjpeg.DATA], requests[:, libjpeg.SIZE]
    span = int(begins.max() - begins.min() + sizes[-1])
    return int(np.count_nonzero(begins[1:] <= begins[:-1])) <= _KINDS - 1 and 2 * int(sizes.sum()) >= span


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _runs(count: int, without: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of positions below `count` that are not in `without`, which is ascending."""
    return [(a + 1, b - 1) for a, b in pairwise((-1, *without, count)) if b - a > 1]


def copying(
    recording: Recording | None, key: str, stream: GpuStream, size: int, direction: Direction = "H2D"
) -> AbstractContextManager[None]:
    """Measures the copies of `size` bytes that the body enqueues, if somebody wants to know."""
    if recording is None or not size:
        return nullcontext()
    return recording.copy(key, stream.copies if direction == "H2D" else stream.kernels, direction, size)


def out_of_memory(error: Exception) -> bool:
    """Whether memory of the GPU, or page-locked memory, could not be had."""
    return type(error).__name__ == "OutOfMemoryError" or "cudaErrorMemoryAllocation" in str(error)


@contextmanager
def gpu_failures(
    step: Step, count: int, indices: NDArray[np.int64] | None = None, sources: Sequence[str] = ()
) -> Generator[None]:
    """Turn what fails into errors that name the step."""
    try:
        yield
    except (DaliStudioError, StepError):
        raise
    except ArgumentError as error:
        at = error.sample
        sample = at if at is None or indices is None else int(indices[at])
        raise StepError(step, sample, sources[at] if at is not None and sources else "", error) from error
    except Exception as error:
        if out_of_memory(error):
            raise DaliStudioError(
                Diagnostic(
                    code="DS304",
                    node=step.key,
                    source=step.origin,
                    detail=str(error),
                    message=f"The memory of the GPU does not hold the result of {step.key} for a batch of {count}.",
                    hint=f"Try batch_size={max(count // 2, 1)}, or make the images smaller before this step.",
                )
            ) from error
        raise StepError(step, None, "", error) from error
