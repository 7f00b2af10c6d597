"""Running a segment: one task per sample takes it through all steps while it is in cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import Segment, Step
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed, elements_of
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.extents import check_sizes, no_room
from dali_studio.runtime.failures import ErrorPolicy, StepError
from dali_studio.runtime.frames import Frames
from dali_studio.runtime.loops import Loops
from dali_studio.runtime.memory import Scratch, SlabPool, clear
from dali_studio.runtime.prepared import Output, Prepared, Settled, cut, frame_by_frame
from dali_studio.runtime.probe import Recording, stopwatch
from dali_studio.runtime.request import Store
from dali_studio.runtime.sample_ranges import RangeRunner
from dali_studio.runtime.subsets import indices_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator, overrides
from dali_studio.schema.registry import Registry
from dali_studio.schema.sequences import is_sequence
from dali_studio.schema.traits import (
    Allocates,
    FramesFromArguments,
    PerFrame,
    Pointwise,
    ReadsData,
    ReadsParameters,
    ReadsPart,
    WindowSink,
)

#: Bytes of inputs and outputs of a sample, on average, up to which a step works on the whole batch in one call: less
#: than a task per sample takes, even with many threads.
_SMALL = 1 << 14


class _OutOfMemory(Exception):  # noqa: N818 - it says where a `MemoryError` happened
    """There is no memory for a step's result of a sample."""

    def __init__(self, step: Step, sample: int, source: str, cause: Exception) -> None:
        super().__init__(str(cause))
        self.step, self.sample, self.source, self.cause = step, sample, source, cause


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
        ``arguments(step, indices, frames)`` makes the step's `Args` for these samples of the batch.
    pool : SlabPool
        Memory of the kept results.
    scratch : Scratch
        Memory of the others.
    error_policy : ErrorPolicy
        Says whether the run goes on when a sample fails.
    settled : dict
        What steps have planned in earlier iterations, by key.
    """

    segment: Segment
    registry: Registry
    store: Store
    arguments: Callable[[Step, NDArray[np.int64] | None, Frames | None], Args]
    pool: SlabPool
    scratch: Scratch
    error_policy: ErrorPolicy
    settled: dict[str, Settled] = field(default_factory=dict[str, Settled])
    _views: Store = field(default_factory=dict[PortRef, Batch])
    _prepared: dict[str, Prepared] = field(default_factory=dict[str, Prepared])
    _kept: dict[PortRef, Packed] = field(default_factory=dict[PortRef, Packed])

    def run(
        self, loops: Loops, indices: NDArray[np.int64], recording: Recording | None
    ) -> None:  # fmt: skip
        """Plan every step for the whole batch, then run the samples on the workers.

        Where memory runs out for one sample, and the step goes on without it, all is planned and run anew.
        """
        while True:
            try:
                self._run(loops, indices, recording)
            except _OutOfMemory as error:
                if not self.error_policy.shrinks(error.step, error.sample, error.source, error.cause):
                    raise StepError(error.step, error.sample, error.source, error.cause) from error.cause
                self._views.clear()
                self._prepared.clear()
                self._kept.clear()
            else:
                return

    def _run(
        self, loops: Loops, indices: NDArray[np.int64], recording: Recording | None
    ) -> None:  # fmt: skip
        watch = stopwatch(recording)
        for step in self.segment.steps:
            watch.start(step.key)
            prepared = self._prepare(step, indices)
            if self._fits_one_call(prepared):
                self._run_at_once(prepared, indices, recording)
            else:
                self._prepared[step.key] = prepared
            watch.stop(step.key)
        watch.report()
        if not self._prepared:
            return
        self._push_windows()
        self._allocate(indices)
        ranges = RangeRunner(self._view, self._kept, self.pool, self.scratch)
        for group in self._groups():
            present = indices if group[0].indices is None else group[0].indices
            left = ranges.run(group, loops, recording)
            if left is None:
                left = range(len(present))

            def one(
                number: int, group: list[Prepared] = group, present: NDArray[np.int64] = present,
                left: Sequence[int] = left,
            ) -> None:  # fmt: skip
                self._sample(group, left[number], int(present[left[number]]), recording)

            loops.run(group[0].step.key, one, len(left))
        for item in self._prepared.values():
            for output in item.outputs:
                kept = self._kept.get(output.port)
                if kept is not None:
                    view = self._views[output.port]
                    self.store[output.port] = Batch(view.meta, output.shapes, kept, sources=view.sources,
                                                    indices=item.indices)  # fmt: skip
                if recording is not None:
                    made = replace(self._views[output.port], shapes=output.shapes, indices=item.indices)
                    recording.results(item.step.key, [made], **{"passing" if kept is None else "host": made.size})

    def planned(self, indices: NDArray[np.int64]) -> Iterator[tuple[Step, PortRef, Batch, bool]]:
        """Plan every step and run none: each result without storage, and whether it will exist as a whole."""
        for step in self.segment.steps:
            self._prepared[step.key] = self._prepare(step, indices)
        self._push_windows()
        for item in self._prepared.values():
            for output in item.outputs:
                view = replace(self._views[output.port], shapes=output.shapes)
                yield item.step, output.port, view, output.port in self.segment.kept

    def _groups(self) -> list[list[Prepared]]:
        """The steps by the samples that they work on: those of different branches know nothing of each other."""
        groups: dict[bytes | None, list[Prepared]] = {}
        for item in self._prepared.values():
            groups.setdefault(None if item.indices is None else item.indices.tobytes(), []).append(item)
        return list(groups.values())

    # ------------------------------------------------------------------------------------------------- before samples

    def _view(self, port: PortRef) -> Batch:
        """What is known of a result, and the result where it exists."""
        found = self._views.get(port)
        return self.store[port] if found is None else found

    def _prepare(self, step: Step, indices: NDArray[np.int64]) -> Prepared:
        inputs = [self._view(port) for port in step.inputs]
        sources = inputs[0].sources if inputs else ()
        before = self.settled.get(step.key)
        if (
            before is not None
            and all(one.indices is None for one in inputs)
            and before.holds(inputs, len(indices))
        ):  # fmt: skip
            prepared = before.prepared
        else:
            prepared = self._plan(step, inputs, indices, sources)
        for output in prepared.outputs:
            self._views[output.port] = Batch(output.meta, output.shapes, sources=sources, indices=prepared.indices)
        return prepared

    def _plan(
        self, step: Step, inputs: list[Batch], indices: NDArray[np.int64], sources: Sequence[str]
    ) -> Prepared:
        operator = self.registry.operator(step.operator)
        present: NDArray[np.int64] | None = None
        frames: Frames | None = None
        try:
            fed = [(name, self.store[port]) for name, port in step.argument_inputs.items()]
            present = indices_of(inputs, fed)
            frames = Frames.of(inputs) if PerFrame in operator.traits else None
            if frames is None and FramesFromArguments in operator.traits:
                frames = Frames.of([batch for _, batch in fed if is_sequence(batch.meta)][:1])
            args = self.arguments(step, present, frames)
            if frames is not None and not operator.by_frame(args, *(view.meta for view in inputs)):
                frames, args = None, self.arguments(step, present, None)
            metas = self.registry.infer(step.operator, args, [view.meta for view in inputs])
            if frames is None:
                work = operator.plan(args, *inputs)
                shapes = work.outputs
            else:
                work = frames.plan(operator, args, inputs)
                shapes = tuple(map(frames.together, work.outputs))
            outputs: list[Output] = []
            for port, meta, extents in zip(step.outputs, metas, shapes, strict=True):
                dtype = to_numpy(cast(DALIDataType, meta.dtype))
                check_sizes(extents, dtype)
                layout = meta.layout if work.layout is None or outputs else work.layout
                if layout is None or len(layout) != extents.shape[1]:
                    layout = ""
                outputs.append(
                    Output(port, TensorMeta(meta.dtype, extents.shape[1], layout, meta.kind), dtype, extents)
                )
        except ArgumentError as error:
            if error.sample is not None:
                source = sources[error.sample] if len(sources) else ""
                index = int((indices if present is None else present)[error.sample])
                raise StepError(step, index, source, error) from error
            raise StepError(step, None, "", error) from error
        made = Prepared(
            step, operator, work, outputs, present, frames,
            has_batch_kernel=frames is None and overrides(operator, "cpu_batch"),
        )  # fmt: skip
        if frames is None and present is None and self._settles(step, operator):
            known = [(view.meta, view.shapes) for view in inputs]
            self.settled[step.key] = Settled(known, len(indices), made)
        return made

    def _settles(self, step: Step, operator: type[Operator]) -> bool:
        """Whether what the step plans follows from its constants, and the types and shapes of its inputs."""
        varies = step.argument_inputs or step.objects or operator.stateful or operator.schema.seeded
        reads = ReadsData in operator.traits or ReadsParameters in operator.traits
        # where windows are pushed, plans are changed behind planning
        return not varies and not reads and not any(one.window_sink for one in self.segment.steps)

    def _fits_one_call(self, item: Prepared) -> bool:
        """Whether a step is better done for the whole batch at once: all that it reads is there, and it is small."""
        if not item.has_batch_kernel:
            return False
        inputs = [self._view(port) for port in item.step.inputs]
        if not all(len(batch.samples) == len(batch.shapes) for batch in inputs):
            return False
        made = sum(elements_of(one.shapes) * one.dtype.itemsize for one in item.outputs)
        sizes = [batch.size for batch in inputs]
        if WindowSink in item.operator.traits or ReadsPart in item.operator.traits:
            sizes[0] = min(sizes[0], made)
        size = made + sum(sizes)
        return size <= _SMALL * max(len(item.work.shapes), 1)

    def _run_at_once(self, item: Prepared, indices: NDArray[np.int64], recording: Recording | None) -> None:
        """Run a step for the whole batch in one call."""
        made: list[Batch] = []
        for output in item.outputs:
            samples = self.pool.samples(output.shapes, output.dtype)
            view = self._views[output.port]
            made.append(Batch(view.meta, output.shapes, samples, sources=view.sources, indices=item.indices))
        try:
            if len(item.work.shapes):
                item.operator.cpu_batch(item.work, [self._view(port) for port in item.step.inputs], made)
        except Exception as error:
            at = error.sample if isinstance(error, ArgumentError) else None
            present = indices if item.indices is None else item.indices
            sources = made[0].sources
            source = sources[at] if at is not None and len(sources) else ""
            raise StepError(item.step, None if at is None else int(present[at]), source, error) from error
        for output, batch in zip(item.outputs, made, strict=True):
            self._views[output.port] = batch
            if output.port in self.segment.kept:
                self.store[output.port] = batch
            if recording is not None:
                recording.results(item.step.key, [batch], host=batch.size)

    def _lone_allocator(self) -> bool:
        """Whether one step alone uses its kernel's own scratch memory; a second one would overwrite the first's."""
        return sum(self.registry.has_trait(step.operator, Allocates) for step in self.segment.steps) == 1

    def _push_windows(self) -> None:
        """Where a later step reads only a window that lies inside, compute just that (exact)."""
        for item in self._prepared.values():
            wanted = item.step.window_sink
            sink = None if wanted is None else self._prepared.get(wanted)
            if sink is None or item.frames is not None or sink.frames is not None or len(item.outputs) > 1:
                continue
            windows = sink.operator.window(sink.work)
            if windows is None:
                continue
            sink.work = sink.operator.for_window(sink.work)
            item.windows = [tuple(row) for row in windows.tolist()]
            narrow: Prepared | None = item
            while narrow is not None and narrow is not sink:
                (output,) = narrow.outputs
                output.shapes = cut(output.shapes, windows, output.meta.layout or "")
                narrow.work.shapes = output.shapes
                narrow = next((p for p in self._prepared.values() if p.step.inputs[:1] == (output.port,)), None)

    def _allocate(self, indices: NDArray[np.int64]) -> None:
        readers: dict[PortRef, int] = {}
        for item in self._prepared.values():
            for port in item.step.inputs:
                readers[port] = readers.get(port, 0) + 1
        for item in self._prepared.values():
            for output in item.outputs:
                output.extents = [tuple(shape) for shape in output.shapes.tolist()]
                if output.port in self.segment.kept:
                    try:
                        self._kept[output.port] = self.pool.samples(output.shapes, output.dtype)
                    except MemoryError as error:
                        position, named = no_room(output.shapes, output.dtype)
                        index = int((indices if item.indices is None else item.indices)[position])
                        raise _OutOfMemory(item.step, index, self._source(item, position), named) from error
            item.allocates = Allocates in item.operator.traits and self._lone_allocator()
            source = self._made(item.step.inputs[0]) if item.step.inputs else None
            item.in_place = (
                Pointwise in item.operator.traits
                and source is not None
                and source.port not in self._kept
                and readers[source.port] == 1
                and source.dtype == item.outputs[0].dtype
            )

    def _made(self, port: PortRef) -> Output | None:
        return next((o for p in self._prepared.values() for o in p.outputs if o.port == port), None)

    # ---------------------------------------------------------------------------------------------------- each sample

    def _sample(self, prepared: list[Prepared], position: int, index: int, recording: Recording | None) -> None:
        local: dict[PortRef, NDArray[Any]] = {}
        watch = stopwatch(recording)
        for item in prepared:
            watch.start(item.step.key)
            arrays = [local[p] if p in local else self._view(p).samples[position] for p in item.step.inputs]
            try:
                self._call(item, position, arrays, local)
            except Exception as error:
                source = self._source(item, position)
                if isinstance(error, MemoryError) and item.output not in self._kept:
                    raise _OutOfMemory(item.step, index, source, error) from error
                if not self.error_policy.accepts(item.step, index, source, error):
                    raise StepError(item.step, index, source, error) from error
                for output in item.outputs:
                    local[output.port] = self._blank(output, position)
            watch.stop(item.step.key, position)
        watch.report()

    def _call(
        self, item: Prepared, position: int, arrays: list[NDArray[Any]], local: dict[PortRef, NDArray[Any]]
    ) -> None:
        targets = [self._target(item, output, position, arrays) for output in item.outputs]
        if item.frames is not None:
            frame_by_frame(item, item.frames, position, [self._view(p) for p in item.step.inputs], arrays, targets)
            made = None
        else:
            options = {"window": item.windows[position]} if item.windows is not None else {}
            made = item.operator.cpu(item.work, position, arrays, targets, **options)
        for output, target in zip(item.outputs, targets, strict=True):
            if target is not None:
                local[output.port] = target
        if made is None:
            return
        if targets[0] is None:
            local[item.output] = made
        elif made is not targets[0]:
            np.copyto(targets[0], made)

    def _source(self, item: Prepared, position: int) -> str:
        sources = self._views[item.output].sources
        return sources[position] if sources else ""

    def _target(
        self, item: Prepared, output: Output, position: int, arrays: list[NDArray[Any]]
    ) -> NDArray[Any] | None:
        kept = self._kept.get(output.port)
        if kept is not None:
            return kept[position]
        if item.allocates:
            return None
        if item.in_place and arrays[0].flags.c_contiguous and arrays[0].flags.writeable:
            return arrays[0]
        return self.scratch.array(f"{item.step.key}.{output.port.output}", output.extents[position], output.dtype)

    def _blank(self, output: Output, position: int) -> NDArray[Any]:
        """What stands for a sample that failed: zeros."""
        kept = self._kept.get(output.port)
        if kept is None:
            return np.zeros(output.extents[position], output.dtype)
        made = kept[position]
        clear(made)
        return made
