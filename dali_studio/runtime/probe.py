"""Probes: what the executor measures, by node.

The executor asks a `Probe` for a `Recording` at the start of each iteration and hands it down. On a GPU a recording
only leaves marks in the streams (CUDA events); nothing waits for them until somebody asks for the `Probe.summary`.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import attrgetter, itemgetter
from time import perf_counter_ns
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.device import cupy
from dali_studio.runtime import ranges

#: Ways over the bus: host to device, device to host.
Direction = Literal["H2D", "D2H"]
#: The newest iterations whose steps are kept one by one, for a timeline.
TRACED = 3
#: How often the clocks of the GPU and of the host are read together, once in the life of a probe.
_READINGS = 5


@dataclass(frozen=True, slots=True)
class Copied:
    """What a node copied between host and GPU.

    Attributes
    ----------
    direction : {"H2D", "D2H"}
    size : int
        Bytes per batch.
    milliseconds : float
        On the GPU's clock, per batch.
    """

    direction: Direction
    size: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class LargestSample:
    """The largest sample of a result of a node, in the measured batches.

    Attributes
    ----------
    size : int
        Bytes.
    batch, sample : int
        Of the run, its warm-up included, and in that batch, both from 0.
    source : str
        Where it came from; empty if not known.
    """

    size: int
    batch: int
    sample: int
    source: str


@dataclass(frozen=True, slots=True)
class NodeTime:
    """What one node cost; each number is the median over the measured batches.

    Attributes
    ----------
    median, p95 : float
        Milliseconds per batch: `cpu` + `gpu` + the copies.
    share : float
        Part of the time of all nodes, 0 to 1.
    cpu : float
        Milliseconds of work on the CPU, summed over the threads. For a step on a GPU, what enqueuing it took.
    gpu : float
        Milliseconds on the GPU without the copies; 0 if nothing ran there.
    copies : tuple of Copied
    host, device : int
        Bytes of the results that the batch holds in host memory, and on the GPU.
    passing : int
        Bytes of results that never exist together: a later step of the same task reads each sample at once.
    group : tuple of str
        All nodes that were computed in one go, if there are several; the numbers are the group's.
    outputs : tuple of int
        Bytes of each result, wherever it is.
    largest : LargestSample or None
        What sets how much memory is needed; ``None`` if nothing was made.
    """

    median: float
    p95: float
    share: float
    cpu: float = 0.0
    gpu: float = 0.0
    copies: tuple[Copied, ...] = ()
    host: int = 0
    device: int = 0
    passing: int = 0
    group: tuple[str, ...] = ()
    outputs: tuple[int, ...] = ()
    largest: LargestSample | None = None


class Slice(NamedTuple):
    """A step of one task: of which node, in which thread, and when, in nanoseconds of `perf_counter_ns`.

    `sample` is the place in the batch of the one that the node is through with, -1 where it works on a whole batch.
    """

    key: str
    thread: str
    begin: int
    end: int
    sample: int = -1


class Timer(Protocol):
    """Marks in a stream of work on a device, and the time between two of them."""

    def mark(self, stream: Any) -> Any:
        """Leave a mark behind everything that was enqueued on `stream` so far."""
        ...

    def reached(self, mark: Any) -> bool:
        """Whether the device has come to the mark; never waits."""
        ...

    def milliseconds(self, begin: Any, end: Any) -> float:
        """Time between two marks of one stream; waits for the second."""
        ...


class EventTimer:
    """Marks that are CUDA events."""

    def mark(self, stream: Any) -> Any:
        """See `Timer`; `stream` is CuPy's."""
        event = cupy().cuda.Event()
        event.record(stream)
        return event

    def reached(self, mark: Any) -> bool:
        """See `Timer`."""
        return bool(mark.done)

    def milliseconds(self, begin: Any, end: Any) -> float:
        """See `Timer`."""
        end.synchronize()
        return float(cupy().cuda.get_elapsed_time(begin, end))


@dataclass(slots=True)
class _Bytes:
    host: int = 0
    device: int = 0
    passing: int = 0
    outputs: list[int] = field(default_factory=list[int])
    #: Of one result, and in this batch.
    largest: LargestSample | None = None

    def add(self, batch: Batch) -> None:
        sizes = batch.counts * batch.dtype.itemsize
        self.outputs.append(int(sizes.sum()))
        at = int(sizes.argmax()) if len(sizes) else -1
        if at >= 0 and (self.largest is None or sizes[at] > self.largest.size):
            sample = at if batch.indices is None else int(batch.indices[at])
            source = batch.sources[at] if at < len(batch.sources) else ""
            self.largest = LargestSample(int(sizes[at]), 0, sample, source)


@dataclass(slots=True)
class _Span:
    """Work on a GPU between two marks; `milliseconds`, and `at` on the host's clock (ns), once they are known."""

    key: str
    begin: Any
    end: Any
    direction: Direction | None = None
    size: int = 0
    milliseconds: float = 0.0
    at: int = 0


class _Clock:
    """Where a mark on the GPU was read together with the clock of the host."""

    def __init__(self, timer: Timer) -> None:
        self._timer, self._lock = timer, threading.Lock()
        self._mark: Any = None
        self._host = 0

    def read(self, stream: Any) -> None:
        """Read both clocks, the first time; waits for the stream."""
        if self._mark is not None:
            return
        with self._lock:
            if self._mark is None:
                idle = self._timer.mark(stream)
                self._timer.milliseconds(idle, idle)
                # where others use the GPU or the processor, a mark may have to wait: the quickest tells most
                tries = [self._together(stream) for _ in range(_READINGS)]
                _, self._host, self._mark = min(tries, key=itemgetter(0))

    def _together(self, stream: Any) -> tuple[int, int, Any]:
        """By how much it may be wrong (ns), the host's time, and a mark of this time."""
        before = perf_counter_ns()
        mark = self._timer.mark(stream)
        self._timer.milliseconds(mark, mark)
        doubt = perf_counter_ns() - before
        return doubt, before + doubt // 2, mark

    def nanoseconds(self, mark: Any) -> int:
        """When the GPU came to a mark, in nanoseconds of `perf_counter_ns`."""
        return self._host + round(self._timer.milliseconds(self._mark, mark) * 1e6)


class Recording:
    """What is measured in one iteration; safe to call from all workers.

    Made by `Probe.iteration`; several may be open at once, when iterations overlap.

    Attributes
    ----------
    begin, end : int
        Nanoseconds of `perf_counter_ns`; the end is 0 before `finish`.
    slices : list of Slice
        The steps on the CPU one by one, of the newest iterations only.
    """

    def __init__(self, probe: Probe) -> None:
        self._into, self._timer, self._clock = probe.batches, probe.timer, probe.clock
        self._lock = threading.Lock()
        self.cpu: defaultdict[str, int] = defaultdict(int)
        self.bytes: defaultdict[str, _Bytes] = defaultdict(_Bytes)
        self.groups: dict[str, tuple[str, ...]] = {}
        self.spans: list[_Span] = []
        self.slices: list[Slice] = []
        self.begin, self.end = perf_counter_ns(), 0
        self._open: list[_Span] = []

    def add(self, times: Mapping[str, int], slices: Sequence[Slice] = ()) -> None:
        """Add the nanoseconds that one task spent on each node on the CPU, and its steps one by one."""
        with self._lock:
            for key, value in times.items():
                self.cpu[key] += value
            self.slices += slices

    def results(
        self, key: str, made: Sequence[Batch] = (), *, host: int = 0, device: int = 0, passing: int = 0
    ) -> None:  # fmt: skip
        """Add bytes of the results of node `key`, which are `made`; see `NodeTime` for the three kinds."""
        with self._lock:
            held = self.bytes[key]
            for batch in made:
                held.add(batch)
            held.host += host
            held.device += device
            held.passing += passing

    @contextmanager
    def gpu(self, key: str, stream: Any, group: tuple[str, ...] = ()) -> Generator[None]:
        """Measure what the body enqueues on `stream` for node `key`.

        Parameters
        ----------
        key : str
        stream : cupy.cuda.Stream
        group : tuple of str
            All nodes that the body computes, if there are several; `key` is one of them.

        Notes
        -----
        Keep the body to one launch: where the GPU waits for the host between the two marks, the wait counts. Spans of
        one node add up; do not nest them, nor put a `copy` inside.
        """
        self._clock.read(stream)
        begin = self._timer.mark(stream)
        yield
        if group:
            self.groups[key] = group
        self._record(_Span(key, begin, self._timer.mark(stream)))

    @contextmanager
    def copy(self, key: str, stream: Any, direction: Direction, size: int) -> Generator[None]:
        """Measure the copy of `size` bytes that the body enqueues on `stream` for node `key`."""
        self._clock.read(stream)
        begin = self._timer.mark(stream)
        yield
        self._record(_Span(key, begin, self._timer.mark(stream), direction, size))

    def spent(self, key: str, milliseconds: float) -> None:
        """Add time on the GPU that was measured otherwise (hardware decoders keep no order with streams)."""
        with self._lock:
            self.spans.append(_Span(key, None, None, milliseconds=milliseconds))

    def _record(self, span: _Span) -> None:
        with self._lock:
            self.spans.append(span)
            self._open.append(span)

    def begun(self) -> frozenset[str]:
        """Nodes of which something is done."""
        with self._lock:
            return frozenset(self.cpu)

    def samples(self) -> int:
        """How many samples one node is through with, at most, where it takes them one by one."""
        with self._lock:
            made = {(step.key, step.sample) for step in self.slices if step.sample >= 0}
        return max(Counter(key for key, _ in made).values(), default=0)

    def finish(self) -> None:
        """End the iteration."""
        self.end = perf_counter_ns()
        self._into.append(self)
        if len(self._into) > TRACED:
            self._into[-1 - TRACED].slices.clear()

    def resolve(self, *, wait: bool) -> None:
        """Turn marks into milliseconds: all of them, or those that the GPU has passed."""
        with self._lock:
            while self._open and (wait or self._timer.reached(self._open[0].end)):
                span = self._open.pop(0)
                span.milliseconds = self._timer.milliseconds(span.begin, span.end)
                span.at = self._clock.nanoseconds(span.begin)
                span.begin = span.end = None  # events go back to the driver

    def gpu_milliseconds(self, key: str) -> float:
        """Time of a node's work on the GPU, copies aside."""
        return sum(span.milliseconds for span in self.spans if span.key == key and span.direction is None)

    def copied(self, key: str) -> dict[Direction, tuple[int, float]]:
        """Bytes and milliseconds of a node's copies, by direction."""
        found: dict[Direction, tuple[int, float]] = {}
        for span in self.spans:
            if span.key == key and span.direction is not None:
                size, time = found.get(span.direction, (0, 0.0))
                found[span.direction] = size + span.size, time + span.milliseconds
        return found


class Probe:
    """Collects the recordings of a run.

    Parameters
    ----------
    timer : Timer, optional
        Reads the clock of the GPU; CUDA events by default.

    Attributes
    ----------
    batches : list of Recording
        The finished iterations.
    left_out : int
        How many were finished before these, and forgotten.
    newest : Recording or None
        Of the iteration that was begun last.
    clock
        Puts the times of the GPU on the host's clock.
    """

    def __init__(self, timer: Timer | None = None) -> None:
        self.timer: Timer = timer or EventTimer()
        self.clock = _Clock(self.timer)
        self.batches: list[Recording] = []
        self.left_out = 0
        self.newest: Recording | None = None

    def iteration(self) -> Recording:
        """Begin an iteration."""
        for recording in self.batches[-2:]:
            recording.resolve(wait=False)
        self.newest = Recording(self)
        return self.newest

    def clear(self) -> None:
        """Forget what was measured so far, and what is being measured."""
        self.left_out += len(self.batches)
        self.batches = []

    def summary(self) -> dict[str, NodeTime]:
        """What every node cost over the finished iterations; waits until the GPU is through with them."""
        batches = list(self.batches)
        for recording in batches:
            recording.resolve(wait=True)
        keys = {key for b in batches for key in (*b.cpu, *b.bytes, *(span.key for span in b.spans))}
        cost = {key: np.array([_cost(batch, key) for batch in batches]) for key in keys}
        total = sum(float(np.median(values.sum(axis=1))) for values in cost.values()) or 1.0
        return {key: _node(batches, key, values, total, self.left_out) for key, values in cost.items()}


def _cost(batch: Recording, key: str) -> tuple[float, float, float]:
    """Milliseconds on the CPU, on the GPU and of copies."""
    return batch.cpu.get(key, 0) / 1e6, batch.gpu_milliseconds(key), sum(t for _, t in batch.copied(key).values())


def _node(batches: list[Recording], key: str, cost: np.ndarray[Any, Any], total: float, first: int) -> NodeTime:
    sums = cost.sum(axis=1)
    median = float(np.median(sums))
    copies: list[Copied] = []
    for direction in ("H2D", "D2H"):
        made = [batch.copied(key)[direction] for batch in batches if direction in batch.copied(key)]
        if made:
            size, time = np.median(np.array(made), axis=0)
            copies.append(Copied(direction, int(size), float(time)))
    held = [batch.bytes.get(key, _Bytes()) for batch in batches]
    sizes = [h.outputs for h in held if len(h.outputs) == len(held[0].outputs)]
    largest = [replace(h.largest, batch=at) for at, h in enumerate(held, first) if h.largest is not None]
    return NodeTime(
        median, float(np.percentile(sums, 95)), median / total,
        cpu=float(np.median(cost[:, 0])), gpu=float(np.median(cost[:, 1])), copies=tuple(copies),
        host=int(np.median([h.host for h in held])), device=int(np.median([h.device for h in held])),
        passing=int(np.median([h.passing for h in held])),
        group=next((batch.groups[key] for batch in batches if key in batch.groups), ()),
        outputs=tuple(np.median(sizes, axis=0).astype(int).tolist()) if sizes[0] else (),
        largest=max(largest, key=attrgetter("size"), default=None),
    )  # fmt: skip


@dataclass(slots=True)
class Stopwatch:
    """Times of one task, kept local to its thread until it ends; NVTX ranges around its steps if they are wanted."""

    recording: Recording | None
    times: dict[str, int] = field(default_factory=dict[str, int])
    slices: list[Slice] = field(default_factory=list[Slice])
    _ranges: Any = field(default_factory=ranges.nvtx)
    _start: int = 0

    def start(self, key: str) -> None:
        """Begin a step of node `key`."""
        if self._ranges is not None:
            self._ranges.RangePush(key)
        if self.recording is not None:
            self._start = perf_counter_ns()

    def stop(self, key: str, sample: int = -1) -> None:
        """End it; the node is through with this sample then."""
        if self.recording is not None:
            end = perf_counter_ns()
            self.times[key] = self.times.get(key, 0) + end - self._start
            self.slices.append(Slice(key, threading.current_thread().name, self._start, end, sample))
        if self._ranges is not None:
            self._ranges.RangePop()

    def report(self) -> None:
        """Hand the times over."""
        if self.recording is not None:
            self.recording.add(self.times, self.slices)


class _Unasked(Stopwatch):
    """A watch that nobody reads."""

    __slots__ = ()

    def start(self, key: str) -> None:
        """Nothing to do."""

    def stop(self, key: str, sample: int = -1) -> None:
        """Nothing to do."""

    def report(self) -> None:
        """Nothing to do."""


_UNASKED = _Unasked(None, {}, [], None)


def stopwatch(recording: Recording | None) -> Stopwatch:
    """A watch for one task; where nobody wants to know, one that does nothing."""
    return _UNASKED if recording is None and ranges.nvtx() is None else Stopwatch(recording)


def timed(recording: Recording | None, key: str, task: Callable[[int], None]) -> Callable[[int], None]:
    """`task`, with each call counted (and drawn as a range) as work of node `key`, if that is wanted."""
    if recording is None and ranges.nvtx() is None:
        return task

    def measured(position: int) -> None:
        watch = Stopwatch(recording)
        watch.start(key)
        task(position)
        watch.stop(key, position)
        watch.report()

    return measured
