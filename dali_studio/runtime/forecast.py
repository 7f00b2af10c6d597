"""What an iteration will take of memory, said before it runs.

Files are read and headers looked at, numbers drawn, and every step planned for the batch; none is computed but those
whose results are arguments of others. So it needs no GPU, and knows the sizes of one batch as the run would have them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.memory import Forecast, NodeMemory
from dali_studio.compiler.plan import BatchStage, FusedStage, Plan, Segment, Stage, Step
from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import addresses_of
from dali_studio.graph.edits import PortRef
from dali_studio.kernels.cuda.batch import PADDING, place
from dali_studio.kernels.cuda.staging import roomy
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.jpeg import libjpeg, scan
from dali_studio.kernels.jpeg.gpu_decoder import FEW, MAX_GROUP, MAX_MEMORY, SEGMENT, decoders, launch_size
from dali_studio.kernels.jpeg.gpu_scans import ScanTables
from dali_studio.runtime.executor import Executor
from dali_studio.runtime.failures import ErrorPolicy, FailedSample
from dali_studio.runtime.frames import Frames
from dali_studio.runtime.fusion import run_fused
from dali_studio.runtime.gpu import GpuRunner
from dali_studio.runtime.groups import saves_memory
from dali_studio.runtime.iteration import Iteration
from dali_studio.runtime.loops import Loops
from dali_studio.runtime.memory import Scratch, SlabPool, fresh
from dali_studio.runtime.mixed import gpu_failures
from dali_studio.runtime.planning import Planner
from dali_studio.runtime.request import Request
from dali_studio.runtime.segment import SegmentRunner
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.batches import JpegImages
from dali_studio.schema.declare import overrides
from dali_studio.schema.registry import Registry
from dali_studio.schema.sequences import sequence_of
from dali_studio.schema.traits import MadeOnCpu, MovesSamples, PerSample, ReadsData, ReadsParameters, SharesMemory


def forecast(plan: Plan, registry: Registry, seed: int, batch_size: int) -> Forecast:
    """What the first iteration of a plan will take of memory.

    Sources of the program and functions in Python are not called: what comes from them is unknown. Nothing of a
    pipeline that runs is touched, since readers are opened anew.
    """
    workers = WorkerPool(1)
    try:
        return _Walk(plan, registry, seed, batch_size, workers).made()
    finally:
        workers.close()


class _Asked(BaseException):
    """What `_Asking` was asked for; no error, so that nobody puts it into words."""

    def __init__(self, batch: Batch) -> None:
        super().__init__()
        self.batch = batch


class _Asking:
    """In place of a stream: a fused stage is planned up to where it asks for the memory of its result."""

    def batch(self, meta: TensorMeta, shapes: NDArray[np.int64], sources: Sequence[str] = ()) -> Batch:
        raise _Asked(Batch.view(meta, shapes, sources))


class _NoGpu:
    """In place of what runs steps on a GPU: none is run."""

    def encoded(self, size: int) -> NDArray[np.uint8]:
        """Ordinary memory."""
        return fresh(size, 0)

    def close(self) -> None: ...


@dataclass(slots=True)
class _Held:
    """Bytes that the iteration holds at the moment, by result; on the GPU as they are allocated."""

    host: dict[PortRef, int] = field(default_factory=dict[PortRef, int])
    device: dict[PortRef, int] = field(default_factory=dict[PortRef, int])
    #: On the GPU to the end of the iteration: what other streams than that of the kernels have written.
    lasting: int = 0


class _Walk(Executor):
    """Goes through a plan with batches that are shapes alone where nobody needs their data."""

    def __init__(
        self, plan: Plan, registry: Registry, seed: int, batch_size: int, workers: WorkerPool
    ) -> None:
        super().__init__(plan, registry, seed, workers, gpu=cast(GpuRunner, _NoGpu()))
        self._planner = Planner(registry)
        self._now = Iteration(Request(0, 0, batch_size), ErrorPolicy(0, _ignore), {})
        self._store = self._now.results
        self._held, self._nodes = _Held(), dict[str, NodeMemory]()
        self._needed = _arguments(plan)

    def made(self) -> Forecast:
        """The forecast."""
        try:
            for at, stage in enumerate(self.plan.stages):
                self._pass(stage)
                for port in self._done[at]:
                    self._store.pop(port, None)
                    self._held.host.pop(port, None)
                    self._held.device.pop(port, None)
        finally:
            for key, source in self.states.items():
                step = next(step for step in self.plan.steps() if step.key == key)
                self.registry.operator(step.operator).close(source.state)
        return Forecast(self._now.request.batch_size, self._nodes)

    def _pass(self, stage: Stage) -> None:
        """Go through one stage; what cannot be told stays unknown, and what is behind it."""
        steps = [stage.step] if isinstance(stage, BatchStage) else list(stage.steps)
        inside = {port for step in steps for port in step.outputs}
        known = all(port in self._store for step in steps for port in step.inputs if port not in inside)
        fed = [port for step in steps for port in step.argument_inputs.values()]
        known = known and all(port in self._store and _is_there(self._store[port]) for port in fed)
        called = any(step.objects or step.role == "external_source" for step in steps)
        try:
            told = known and not called and self._told(stage)
        except Exception:  # noqa: BLE001 - a plan is shown though a run will fail, which says why
            told = False
        if not told:
            for step in steps:
                self._nodes[step.key] = NodeMemory(None, None, **self._peaks())

    def _told(self, stage: Stage) -> bool:
        """Add what is known of a stage; whether something is."""
        if isinstance(stage, Segment):
            return self._of_segment(stage)
        if isinstance(stage, FusedStage):
            return self._of_chain(stage)
        step = stage.step
        given = [self._store[port] for port in step.inputs]
        if step.role == "copy":
            there = given[0].device == step.device
            return self._add(step, [_placed(given[0], step.device)], lasting=not there, shared=there)
        for_each = step.device != "cpu" and self.registry.has_trait(step.operator, PerSample)
        if not for_each:
            return self._of_whole(step, given)
        return self._of_decoder(step, given) if step.device == "mixed" else self._of_kernel(step, given)

    # ------------------------------------------------------------------------------------------------- kinds of stages

    def _of_whole(self, step: Step, given: Sequence[Batch]) -> bool:
        """An operator for the whole batch that has its data, or needs none; some put their results on a GPU."""
        operator = self.registry.operator(step.operator)
        shared, moved = SharesMemory in operator.traits, MovesSamples in operator.traits
        has = [_is_there(one) or self._shape_only(step, index) for index, one in enumerate(given)]
        data = all(has)
        by_shapes = shared or moved or MadeOnCpu in operator.traits
        own = step.device != "cpu" and overrides(operator, "run_gpu") and not by_shapes
        if not (data or (shared and all(has[1:])) or (by_shapes and not shared)) or (own and not given):
            return False
        if not data and moved:
            given = [replace(one, samples=_stand_ins(one)) for one in given]
        elif not data and shared and step.role != "split":
            given = [replace(given[0], memory=_NOWHERE), *given[1:]]
        made = self._batch(step, self._now, given)
        if not data and (moved or shared):
            made = tuple(replace(one, samples=(), memory=None) for one in made)
        brought = step.device != "cpu" and not shared and not moved
        shared = shared or (moved and step.device == "cpu")
        there = "cpu" if own else step.device  # what looks at shapes on a GPU gives numbers of the CPU
        return self._add(step, [_placed(one, there) for one in made], lasting=brought, shared=shared)

    def _of_segment(self, stage: Segment) -> bool:
        """Steps of the CPU: only those are run whose results are arguments."""
        runner = partial(
            SegmentRunner, registry=self.registry, store=self._store, arguments=partial(self.arguments.of, self._now),
            pool=SlabPool(), scratch=Scratch(), error_policy=self._now.error_policy,
        )  # fmt: skip
        wanted = [step for step in stage.steps if self._needed & {*step.outputs}]
        keys = {step.key for step in wanted}
        if wanted:
            ports = frozenset(port for step in wanted for port in step.outputs)
            steps = tuple(replace(step, window_sink=None) for step in wanted)
            runner(Segment(steps, ports)).run(Loops(self.workers), self._now.indices, None)
        rest = tuple(step for step in stage.steps if step.key not in keys)
        found = [(step, port, self._store[port], port in stage.kept) for step in wanted for port in step.outputs]
        if not all(self._has_data(step, rest) for step in rest):
            return False
        found += runner(Segment(rest, stage.kept)).planned(self._now.indices) if rest else []
        for step in stage.steps:
            mine = [(port, view, kept) for of, port, view, kept in found if of.key == step.key]
            host = sum(view.size for _, view, kept in mine if kept)
            passing = sum(view.size for _, view, kept in mine if not kept)
            for port, view, kept in mine:
                if kept:
                    self._store[port], self._held.host[port] = view, view.size
            self._nodes[step.key] = NodeMemory(host, 0, passing)
        for step in stage.steps:  # the results of all are there from the beginning
            self._nodes[step.key] = replace(self._nodes[step.key], **self._peaks())
        return True

    def _of_chain(self, stage: FusedStage) -> bool:
        """Steps of one kernel: the result of the last exists."""
        (port,) = stage.steps[0].inputs
        image = self._store[port]

        def arguments(step: Step, frames: Frames | None) -> Any:
            return self.arguments.of(self._now, step, image.indices, frames)

        def failures(step: Step) -> AbstractContextManager[None]:
            return gpu_failures(step, len(image), None, image.sources)

        try:
            run_fused(stage, arguments, image, self._planner, cast("GpuStream", _Asking()), None, failures)
        except _Asked as asked:
            for step in stage.steps[:-1]:
                self._nodes[step.key] = NodeMemory(**self._peaks())
            return self._add(stage.steps[-1], [replace(asked.batch, indices=image.indices)])
        for other in stage.instead:
            self._pass(other)
        return True

    def _of_kernel(self, step: Step, given: Sequence[Batch]) -> bool:
        """An operator for each sample on a GPU."""
        if not self._has_data(step):
            return False
        operator, indices = self.registry.operator(step.operator), self._subset(step, self._now)
        arguments, reads = partial(self.arguments.of, self._now, step, indices), ReadsParameters in operator.traits
        stay = [(index and reads) or self._shape_only(step, index) for index in range(len(given))]
        brought = [one for one, stays in zip(given, stay, strict=True) if one.device == "cpu" and not stays]
        views = [one if stays else _placed(one, "gpu") for one, stays in zip(given, stay, strict=True)]
        frames = Frames.seen(operator, arguments, views)
        parts = views if frames is None else [frames.apart(one) for one in views]
        planned = self._planner.plan(step, partial(arguments, frames), parts)
        made: list[Batch] = []
        for meta, shapes in zip(planned.metas, planned.work.outputs, strict=True):
            whole = (meta, shapes) if frames is None else (sequence_of(meta), frames.together(shapes))
            made.append(replace(Batch.view(*whole, given[0].sources if given else ()), indices=indices))
        self._held.lasting += sum(map(_allocated, brought))
        return self._add(step, made)

    def _shape_only(self, step: Step, index: int) -> bool:
        """Whether nobody reads the data of an input."""
        declared = self.registry.operator(step.operator).schema.input(index)
        return declared is not None and declared.shape_only

    def _of_decoder(self, step: Step, given: Sequence[Batch]) -> bool:
        """An operator that decodes into memory of the GPU."""
        if not all(map(_is_there, given)):
            return False
        operator, indices = self.registry.operator(step.operator), self._subset(step, self._now)
        args = self.arguments.of(self._now, step, indices)
        (meta,) = self.registry.infer(step.operator, args, [one.meta for one in given])
        work = operator.plan(args, *given)
        made = _placed(replace(Batch.view(meta, work.shapes, given[0].sources), indices=indices), "gpu")
        images = operator.jpeg_images(work)
        thrifty = saves_memory(self.plan, self.registry, self._now.request.batch_size)
        working = 0 if images is None or not images.shared else _launches(images, given[0], thrifty)
        return self._add(step, [made], working=working, lasting=True)

    # --------------------------------------------------------------------------------------------------------- results

    def _has_data(self, step: Step, beside: Iterable[Step] = ()) -> bool:
        """Whether the inputs that planning looks into are there; those of steps `beside` it are not."""
        traits, ports = self.registry.operator(step.operator).traits, step.inputs
        if ReadsData not in traits:
            ports = ports[1:] if ReadsParameters in traits else ()
        planned = {port for other in beside for port in other.outputs}
        return all(port not in planned and _is_there(self._store[port]) for port in ports)

    def _add(
        self, step: Step, made: Sequence[Batch], *, working: int = 0, lasting: bool = False, shared: bool = False
    ) -> bool:
        """Add the results of a step; they are `lasting` where they are kept to the end of the iteration."""
        host = device = 0
        for port, one in zip(step.outputs, made, strict=True):
            self._store[port] = one
            if one.device == "cpu":
                host += one.size
                self._held.host[port] = 0 if shared else one.size
            else:
                device += _size(one)
                if lasting:
                    self._held.lasting += _allocated(one)
                else:
                    self._held.device[port] = 0 if shared else _allocated(one)
        self._nodes[step.key] = NodeMemory(host, device, 0, working, **self._peaks(working))
        return True

    def _peaks(self, working: int = 0) -> dict[str, int]:
        held = self._held
        device = held.lasting + sum(held.device.values()) + working
        return {"peak_host": sum(held.host.values()), "peak_device": device}


#: Stands for memory that a batch without data does not have.
_NOWHERE = object()


def _ignore(sample: FailedSample) -> None:
    """What failed is not kept: a run will say so."""


def _arguments(plan: Plan) -> set[PortRef]:
    """Results of steps of the CPU that arguments of others follow from."""
    steps = plan.steps()
    wanted = {port for step in steps for port in step.argument_inputs.values()}
    for step in reversed(steps):
        if wanted & {*step.outputs}:
            wanted.update(step.inputs)
    return wanted


def _is_there(batch: Batch) -> bool:
    """Whether the data of a batch exists in host memory."""
    return len(batch.samples) == len(batch)


def _stand_ins(batch: Batch) -> list[np.ndarray[Any, Any]]:
    """Arrays of the shapes of a batch that take no memory."""
    nothing = np.zeros((), batch.dtype)
    return [np.broadcast_to(nothing, tuple(shape)) for shape in batch.shapes.tolist()]


def _placed(batch: Batch, device: str) -> Batch:
    """A batch, or its shapes alone if it is to lie elsewhere."""
    if batch.device == device or (batch.device == "gpu" and device == "mixed"):
        return batch
    return replace(batch, samples=(), meta=batch.meta.with_(device="cpu" if device == "cpu" else "gpu"))


def _size(batch: Batch) -> int:
    """Bytes on a GPU from the beginning of the first sample to the end of the last."""
    assert batch.meta.dtype is not None
    if not len(batch):
        return 0
    dtype = to_numpy(batch.meta.dtype)
    offsets, _ = place(np.ascontiguousarray(batch.shapes), dtype)
    return int(offsets[-1]) + math.prod(batch.shapes[-1].tolist()) * dtype.itemsize


def _allocated(batch: Batch) -> int:
    """Bytes of device memory that are asked for."""
    return roomy(_size(batch) + PADDING)


def _launches(images: JpegImages, files: Batch, thrifty: bool) -> int:
    """Bytes of device memory of the kernels that decode the pictures of a batch, in all launches that go on at once.

    Threads may take the progressive ones, where these are few.
    """
    chosen = images.positions[: images.shared]
    requests = images.requests[: images.shared].copy()
    requests[:, libjpeg.DATA], requests[:, libjpeg.SIZE] = addresses_of(files.samples)[chosen], files.shapes[chosen, 0]
    if not len(requests):
        return 0
    sizes, rooms = launch_sizes(requests, FEW if thrifty else MAX_GROUP), images.rooms[: images.shared]
    return sum(sorted(map(roomy, sizes))[-decoders(requests, rooms, thrifty=thrifty) :])


def launch_sizes(requests: NDArray[np.int64], most: int = MAX_GROUP) -> list[int]:
    """Bytes of device memory of each launch of `JpegKernels`, if pictures are taken in groups of `most`.

    Parameters
    ----------
    requests : ndarray of int64, (N, `libjpeg.FIELDS`)
        With the addresses of files; their pixels may have no place yet.
    """
    pictures, rows = np.zeros(MAX_GROUP, scan.PICTURE), np.zeros(MAX_GROUP, np.int64)
    made, places, found = np.zeros(scan.PLANNED, np.int64), np.zeros((len(requests), 2), np.int64), list[int]()
    scans = ScanTables(MAX_GROUP)
    for begin in range(0, len(requests), MAX_GROUP):
        after, end = begin, min(begin + MAX_GROUP, len(requests))
        left = np.ones(end - begin, np.bool_)
        while after < end:
            last = min(after // most * most + most, end)
            after = scan.plan(requests, places, after, last, MAX_MEMORY, SEGMENT, pictures, rows, made)
            count, *sizes = made[:4].tolist()
            if count:
                left[rows[:count] - begin] = False
                found.append(launch_size([count * scan.PICTURE.itemsize], count, tuple(sizes), overlaid=True))
        others, after = requests[begin:end][left], 0
        while after < len(others):
            after = scans.plan(others, places[: len(others)], after, MAX_MEMORY)
            if scans.count:
                tables = [table.size for table in scans.tables()]
                found.append(launch_size(tables, scans.count, scans.sizes, overlaid=False))
    return found
