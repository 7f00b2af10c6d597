"""Running a segment: one task per sample takes it through all steps while it is in cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import Segment, Step
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.core.rows import shapes_of
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.extents import check_sizes, no_room
from dali_studio.runtime.failures import StepError, Tolerance
from dali_studio.runtime.memory import Scratch, SlabPool, clear
from dali_studio.runtime.probe import Recording, Stopwatch
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Batch, BatchView, Work
from dali_studio.schema.declare import Operator
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import Allocates, Pointwise

Store = dict[PortRef, Batch]


@dataclass(slots=True)
class _Prepared:
    """One step, ready to run on any sample."""

    step: Step
    operator: type[Operator]
    work: Work
    output: PortRef
    dtype: np.dtype[Any]
    layout: str
    shapes: list[tuple[int, ...]]
    kept: list[NDArray[Any]] | None
    windows: list[tuple[int, ...]] | None = None
    in_place: bool = False
    allocates: bool = False


class _OutOfMemory(Exception):  # noqa: N818 - it says where a `MemoryError` happened
    """There is no memory for a step's result of the sample at a position."""

    def __init__(self, step: Step, position: int, source: str, cause: Exception) -> None:
        super().__init__(str(cause))
        self.step, self.position, self.source, self.cause = step, position, source, cause


@dataclass(slots=True)
class SegmentRunner:
    """Prepares and runs a segment for one batch.

    Parameters
    ----------
    segment : Segment
    registry : Registry
    store : dict
        Results that exist already; the segment's kept results are added.
    arguments : callable
        ``arguments(step)`` makes the step's `Args` for this batch.
    pool : SlabPool
        Memory of the kept results.
    scratch : Scratch
        Memory of the others.
    tolerance : Tolerance
        Says whether the run goes on when a sample fails.
    """

    segment: Segment
    registry: Registry
    store: Store
    arguments: Callable[[Step], Args]
    pool: SlabPool
    scratch: Scratch
    tolerance: Tolerance
    _views: dict[PortRef, BatchView] = field(default_factory=dict[PortRef, BatchView])
    _prepared: dict[str, _Prepared] = field(default_factory=dict[str, _Prepared])

    def run(
        self, mapping: Callable[[Callable[[int], None], int], None], indices: NDArray[np.int64],
        recording: Recording | None,
    ) -> None:  # fmt: skip
        """Plan every step for the whole batch, then run the samples on the workers.

        Where memory runs out for one sample, and the step goes on without it, all is planned and run anew.
        """
        while True:
            try:
                self._run(mapping, indices, recording)
            except _OutOfMemory as error:
                index = int(indices[error.position])
                if not self.tolerance.shrinks(error.step, index, error.source, error.cause):
                    raise StepError(error.step, index, error.source, error.cause) from error.cause
                self._views.clear()
                self._prepared.clear()
            else:
                return

    def _run(
        self, mapping: Callable[[Callable[[int], None], int], None], indices: NDArray[np.int64],
        recording: Recording | None,
    ) -> None:  # fmt: skip
        watch = Stopwatch(recording)
        for step in self.segment.steps:
            watch.start(step.key)
            self._prepare(step, indices)
            watch.stop(step.key)
        watch.report()
        self._push_windows()
        self._allocate()
        prepared = list(self._prepared.values())
        mapping(lambda position: self._sample(prepared, position, int(indices[position]), recording), len(indices))
        for item in prepared:
            if item.kept is not None:
                sources = self._views[item.output].sources
                self.store[item.output] = Batch(item.kept, item.layout, sources)
            if recording is not None:
                size = int(item.work.shapes.prod(axis=1).sum()) * item.dtype.itemsize
                recording.results(item.step.key, **{"passing" if item.kept is None else "host": size})

    # ------------------------------------------------------------------------------------------------- before samples

    def _view(self, port: PortRef) -> BatchView:
        if port not in self._views:
            self._views[port] = view_of(self.store[port])
        return self._views[port]

    def _prepare(self, step: Step, indices: NDArray[np.int64]) -> None:
        operator = self.registry.operator(step.operator)
        inputs = [self._view(port) for port in step.inputs]
        try:
            args = self.arguments(step)
            (meta,) = self.registry.infer(step.operator, args, [view.meta for view in inputs])
            assert meta.dtype is not None
            work = operator.plan(args, *inputs)
            check_sizes(work.shapes, to_numpy(meta.dtype))
        except ArgumentError as error:
            if error.sample is not None:
                source = inputs[0].sources[error.sample] if inputs and inputs[0].sources else ""
                raise StepError(step, int(indices[error.sample]), source, error) from error
            raise StepError(step, None, "", error) from error
        output = step.outputs[0]
        self._views[output] = BatchView(meta, work.shapes, None, inputs[0].sources if inputs else ())
        self._prepared[step.key] = _Prepared(
            step, operator, work, output, to_numpy(meta.dtype), meta.layout or "", [], None,
            allocates=Allocates in operator.traits and self._lone_allocator(),
        )  # fmt: skip

    def _lone_allocator(self) -> bool:
        """Whether one step alone uses its kernel's own scratch memory; a second one would overwrite the first's."""
        return sum(self.registry.has_trait(step.operator, Allocates) for step in self.segment.steps) == 1

    def _push_windows(self) -> None:
        """Where a later step reads only a window that lies inside, compute just that (exact)."""
        for item in self._prepared.values():
            sink = self._prepared.get(item.step.window_sink)
            windows = sink.operator.window(sink.work) if sink is not None else None
            if sink is None or windows is None:
                continue
            sink.work = sink.operator.narrowed(sink.work)
            item.windows = [tuple(row) for row in windows.tolist()]
            narrow: _Prepared | None = item
            while narrow is not None and narrow is not sink:
                narrow.work.shapes = _cut(narrow.work.shapes, windows, narrow.layout)
                narrow = next((p for p in self._prepared.values() if p.step.inputs[:1] == (narrow.output,)), None)

    def _allocate(self) -> None:
        readers: dict[PortRef, int] = {}
        for item in self._prepared.values():
            for port in item.step.inputs:
                readers[port] = readers.get(port, 0) + 1
        for item in self._prepared.values():
            item.shapes = [tuple(shape) for shape in item.work.shapes.tolist()]
            if item.output in self.segment.kept:
                try:
                    item.kept = self.pool.samples(item.work.shapes, item.dtype)
                except MemoryError as error:
                    position, named = no_room(item.work.shapes, item.dtype)
                    raise _OutOfMemory(item.step, position, self._source(item, position), named) from error
            source = self._made(item.step.inputs[0]) if item.step.inputs else None
            item.in_place = (
                Pointwise in item.operator.traits
                and source is not None
                and source.kept is None
                and readers[source.output] == 1
                and source.dtype == item.dtype
            )

    def _made(self, port: PortRef) -> _Prepared | None:
        return next((p for p in self._prepared.values() if p.output == port), None)

    # ---------------------------------------------------------------------------------------------------- each sample

    def _sample(self, prepared: list[_Prepared], position: int, index: int, recording: Recording | None) -> None:
        local: dict[PortRef, NDArray[Any]] = {}
        watch = Stopwatch(recording)
        for item in prepared:
            watch.start(item.step.key)
            arrays = [local[p] if p in local else self.store[p].samples[position] for p in item.step.inputs]
            try:
                local[item.output] = self._call(item, position, arrays)
            except Exception as error:
                source = self._source(item, position)
                if isinstance(error, MemoryError) and item.kept is None:
                    raise _OutOfMemory(item.step, position, source, error) from error
                if not self.tolerance.accepts(item.step, index, source, error):
                    raise StepError(item.step, index, source, error) from error
                local[item.output] = self._blank(item, position)
            watch.stop(item.step.key)
        watch.report()

    def _call(self, item: _Prepared, position: int, arrays: list[NDArray[Any]]) -> NDArray[Any]:
        target = self._target(item, position, arrays)
        options = {"window": item.windows[position]} if item.windows is not None else {}
        made = item.operator.cpu(item.work, position, *arrays, target, **options)
        if made is None or made is target:
            assert target is not None
            return target
        if target is not None:
            np.copyto(target, made)
            return target
        return made

    def _source(self, item: _Prepared, position: int) -> str:
        sources = self._views[item.output].sources
        return sources[position] if sources else ""

    def _blank(self, item: _Prepared, position: int) -> NDArray[Any]:
        """What stands for a sample that failed: zeros."""
        if item.kept is None:
            return np.zeros(item.shapes[position], item.dtype)
        clear(item.kept[position])
        return item.kept[position]

    def _target(self, item: _Prepared, position: int, arrays: list[NDArray[Any]]) -> NDArray[Any] | None:
        if item.kept is not None:
            return item.kept[position]
        if item.allocates:
            return None
        if item.in_place and arrays[0].flags.c_contiguous and arrays[0].flags.writeable:
            return arrays[0]
        return self.scratch.array(item.step.key, item.shapes[position], item.dtype)


def view_of(batch: Batch) -> BatchView:
    """What ``plan`` may know of samples that exist."""
    first = batch.samples[0]
    shapes = shapes_of(batch.samples)
    return BatchView(
        TensorMeta(from_numpy(first.dtype), first.ndim, batch.layout), shapes, batch.samples, batch.sources
    )


def _cut(shapes: NDArray[np.int64], windows: NDArray[np.int64], layout: str) -> NDArray[np.int64]:
    """Shapes with the extents of H and W replaced by those of the windows."""
    cut = shapes.copy()
    cut[:, layout.index("H")], cut[:, layout.index("W")] = windows[:, 2], windows[:, 3]
    return cut
