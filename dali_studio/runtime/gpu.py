"""Running the steps of a plan that are placed on a GPU: each works on the whole batch, in order on one stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import FusedStage, Step
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.spans import copy_span
from dali_studio.kernels.cuda.device import total_memory
from dali_studio.kernels.cuda.replay import Replays
from dali_studio.kernels.cuda.stream import GpuStream, InFlightSlot
from dali_studio.runtime.failures import ErrorPolicy
from dali_studio.runtime.frames import Frames
from dali_studio.runtime.fusion import run_fused
from dali_studio.runtime.groups import part
from dali_studio.runtime.later import Later
from dali_studio.runtime.memory import SlabPool, fresh
from dali_studio.runtime.mixed import MixedRunner, copying, gpu_failures, out_of_memory
from dali_studio.runtime.planning import Planned, Planner
from dali_studio.runtime.probe import Recording, Stopwatch, stopwatch, timed
from dali_studio.runtime.request import Store
from dali_studio.runtime.steps import BoundStep
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.arguments import Args
from dali_studio.schema.registry import Registry
from dali_studio.schema.sequences import sequence_of
from dali_studio.schema.traits import MadeOnCpu, ReadsParameters, Repeatable

_DEVICE = attrgetter("data.device_id")


def _page_locked(stream: GpuStream, size: int, spare: int) -> NDArray[np.uint8]:
    """Page-locked memory; where there is no more of it, ordinary memory, from which the GPU reads more slowly."""
    try:
        return stream.page_locked(max(size + spare, 1))
    except Exception as error:
        if not out_of_memory(error):
            raise
        return fresh(size, spare)


def memory_of(device_id: int, part: float) -> int:
    """Bytes of a part of the memory that a GPU has."""
    return int(total_memory(device_id) * part)


class GpuRunner:
    """Enqueues steps on a GPU.

    Nothing waits for the GPU except for staging memory of the iteration before last; who reads a result waits for
    its event.

    Parameters
    ----------
    registry : Registry
    workers : WorkerPool
        Decode on the CPU, and copy into staging memory.
    device_id : int
    limit : int, optional
        Bytes of device memory that it may take, at most.
    stream : optional
        As for `GpuStream`.
    """

    def __init__(
        self, registry: Registry, workers: WorkerPool, device_id: int, limit: int | None = None, stream: Any = None
    ) -> None:  # fmt: skip
        self._registry, self._workers = registry, workers
        self._stream = GpuStream(device_id, limit, stream)
        self._planner = Planner(registry)
        #: By step: what it has launched for inputs that may come again.
        self._replays: dict[str, Replays] = {}
        #: Encoded data, which goes up as it lies in memory.
        self._encoded = SlabPool(make=partial(_page_locked, self._stream))
        self._mixed = MixedRunner(registry, workers, self._stream, self._encoded)

    def alongside(self) -> GpuRunner:
        """One for other steps, which share the stream, its memory and the decoders; each closes them for both."""
        other = copy(self)
        vars(other).update(_planner=Planner(self._registry), _replays={})
        return other

    def begin(self, behind: Sequence[Any] | None = None) -> InFlightSlot:
        """Start an iteration; waits for the GPU if too many are in flight. See `GpuStream.begin`."""
        return self._stream.begin(behind)

    def use(self, slot: InFlightSlot) -> AbstractContextManager[None]:
        """Enqueue steps of an iteration; those of two iterations may alternate."""
        return self._stream.use(slot)

    def end(self, slot: InFlightSlot, results: Store) -> None:
        """End an iteration; its batches on the GPU get the event to wait for."""
        self._stream.end(slot)
        for batch in results.values():
            if batch.meta.device == "gpu":
                batch.ready = slot.done

    def synchronize(self) -> None:
        """Wait for everything enqueued so far (for measurements)."""
        self._stream.synchronize()

    def replan(self) -> None:
        """Forget what was planned: the next step of a name may be another one."""
        self._planner.forget()
        self._replays.clear()
        self._mixed.forget()

    def release(self) -> int:
        """Give idle memory back; returns the bytes of device memory."""
        self._planner.forget()
        self._replays.clear()
        self._encoded.clear()
        return self._stream.release()

    def memory(self) -> tuple[int, int]:
        """Bytes of device memory in use, and bytes held."""
        return self._stream.pool.sizes()

    def encoded(self, size: int) -> NDArray[np.uint8]:
        """Host memory of `size` bytes for what decoders on the GPU read."""
        return self._encoded.take(size)

    @property
    def stream(self) -> GpuStream:
        """Where steps are enqueued."""
        return self._stream

    @property
    def decoded(self) -> dict[str, int]:
        """Pictures that decoders on the device "mixed" have decoded so far: by hardware, kernels and threads."""
        return dict(self._mixed.counts)

    def close(self) -> None:
        """End the threads."""
        self._mixed.close()

    # ------------------------------------------------------------------------------------------------------------ steps

    def upload(
        self, step: Step, batches: Sequence[Batch], results: Store, recording: Recording | None = None
    ) -> None:  # fmt: skip
        """Copy finished batches to the GPU, as the results of `step`; those of `take_in` are there already."""
        with gpu_failures(step, len(batches[0]) if batches else 0):
            for port, batch in zip(step.outputs, batches, strict=True):
                there = batch.device == "gpu"
                made = results[port] = self._stream.adopt(batch) if there else self._upload(step.key, batch, recording)
                made.indices = batch.indices
                if recording is not None:
                    recording.results(step.key, [made], device=made.size)

    def take_in(self, step: Step, arrays: Any, layout: str, producer: Any) -> Batch:
        """Copy arrays of the program, which is free to change them afterwards on the stream `producer`.

        `arrays` are CuPy's, one for each sample, or one for the batch; or a batch in host memory, which may be changed
        when this returns.
        """
        with gpu_failures(step, len(arrays)):
            if isinstance(arrays, Batch):
                return self._stream.take_up(arrays, self._workers.map)
            here = self._stream.device_id
            several = cast("list[Any]", arrays) if isinstance(arrays, list) else [arrays]
            elsewhere = next(iter(set(map(_DEVICE, several)) - {here}), here)
            if elsewhere != here:
                raise ArgumentError(
                    f"the data lies on GPU {elsewhere}; the pipeline works on GPU {here}.",
                    hint="Copy it there, or give the other number as device_id.", code="DS203",
                )  # fmt: skip
            return self._stream.take_in(arrays, layout, producer)

    def _upload(self, key: str, batch: Batch, recording: Recording | None) -> Batch:
        watch = Stopwatch(recording)
        watch.start(key)
        made = self._stream.target(batch.shapes, batch.dtype, batch.layout, batch.sources)
        made.indices = batch.indices
        host = self._stream.pinned(made.size)
        watch.stop(key)  # what the tasks take counts, not waiting for them
        self._copy(batch, made.offsets, host, key, recording)
        watch.start(key)
        with copying(recording, key, self._stream, made.size):
            self._stream.fill(made, host, 0, made.size)
        self._stream.filled()
        watch.stop(key)
        watch.report()
        return made

    def _copy(
        self, batch: Batch, offsets: NDArray[np.int64], target: NDArray[np.uint8], key: str,
        recording: Recording | None,
    ) -> None:  # fmt: skip
        """Copy a batch in host memory for a node, to `offsets` of other host memory, on the workers."""
        copy_span(batch, offsets, target, 0, lambda copy, count: self._workers.map(timed(recording, key, copy), count))

    def download(
        self, step: Step, batch: Batch, pool: SlabPool, recording: Recording | None = None
    ) -> Callable[[], Batch]:  # fmt: skip
        """Begin to copy a batch to the CPU; what is returned waits for it, and gives it in memory of `pool`.

        All samples come at once, through page-locked memory that is used again by a later iteration.
        """
        with gpu_failures(step, len(batch)):
            with copying(recording, step.key, self._stream, batch.size, "D2H"):
                host = self._stream.fetch(batch)
            done = self._stream.event()

        def finish() -> Batch:
            with gpu_failures(step, len(batch)):
                done.synchronize()
                there, samples = self._on_host(batch, host), pool.samples(batch.shapes, batch.dtype)
                size = int(batch.counts.sum()) * batch.dtype.itemsize
                self._copy(there, samples.starts, samples.slab[:size], step.key, recording)
                if recording is not None:
                    recording.results(step.key, [batch], host=batch.size)
                return replace(there, samples=samples)

        return finish

    def repeat(self, step: Step, given: Sequence[Batch], results: Store) -> bool:
        """Enqueue what a step has enqueued before, if its inputs are where they were then; whether they are.

        It must not be measured.
        """
        replays = self._replays.get(step.key)
        made = None if replays is None else replays.repeat(given, self._stream)
        if made is None:
            return False
        for port, one in zip(step.outputs, made, strict=True):
            results[port] = one
        return True

    def run(
        self,
        step: Step,
        args: Callable[[Frames | None], Args],
        given: Sequence[Batch],
        indices: NDArray[np.int64],
        results: Store,
        recording: Recording | None = None,
    ) -> None:
        """Enqueue a per-sample operator on the device "gpu".

        Parameters
        ----------
        args : callable
            Makes its arguments for this batch, or for the frames of its sequences, if they are needed.
        given : sequence
            Its inputs; those that do not lie where the operator reads them are copied.
        indices : ndarray
            Which samples of the batch they are, for messages.
        """
        sources = given[0].sources if given else ()
        watch = stopwatch(recording)
        try:
            inputs = self._inputs(step, given, recording)
            watch.start(step.key)
            frames = Frames.seen(self._registry.operator(step.operator), args, inputs)
            parts = inputs if frames is None else [frames.apart(item) for item in inputs]
            try:
                planned = self._planner.plan(step, partial(args, frames), parts)
            except ArgumentError as error:
                if frames is not None and error.sample is not None:
                    error.sample = frames.sample_of(error.sample)
                raise
            extents = planned.work.outputs
            if frames is None:
                made = targets = [
                    self._stream.batch(meta, shapes, sources)
                    for meta, shapes in zip(planned.metas, extents, strict=True)
                ]
            else:
                made = [
                    self._stream.batch(sequence_of(meta), frames.together(shapes), sources)
                    for meta, shapes in zip(planned.metas, extents, strict=True)
                ]
                targets = [frames.apart(one) for one in made]
            if len(targets[0].shapes):
                self._enqueue(step, planned, frames, parts, targets, recording)
        except Exception:
            with gpu_failures(step, len(indices), indices, sources):
                raise
        present = given[0].indices if given else None
        for port, one in zip(step.outputs, made, strict=True):
            one.indices = present
            results[port] = one
        watch.stop(step.key)
        watch.report()
        if recording is not None:
            recording.results(step.key, made, device=sum(one.size for one in made))

    def _enqueue(
        self, step: Step, planned: Planned, frames: Frames | None, inputs: Sequence[Batch], outputs: Sequence[Batch],
        recording: Recording | None,
    ) -> None:  # fmt: skip
        stream, replays = self._stream, planned.replays
        if recording is not None:
            with stream.measured(partial(recording.gpu, step.key)):
                planned.operator.gpu(planned.work, inputs, outputs, stream)
        elif replays is None:
            planned.operator.gpu(planned.work, inputs, outputs, stream)
        else:
            call = partial(planned.operator.gpu, planned.work, inputs, outputs, stream)
            replays.enqueue(inputs, outputs, stream, call)
            if frames is None:
                self._replays[step.key] = replays

    def _inputs(self, step: Step, given: Sequence[Batch], recording: Recording | None) -> list[Batch]:
        """The inputs where the operator reads them: on the GPU, or on the CPU those that `plan` looks into."""
        operator, made = self._registry.operator(step.operator), list[Batch]()
        reads = ReadsParameters in operator.traits
        for index, item in enumerate(given):
            on_gpu = item.meta.device == "gpu"
            if index and reads:
                made.append(self._fetched(item) if on_gpu else item)
            elif on_gpu or ((declared := operator.schema.input(index)) is not None and declared.shape_only):
                made.append(item)
            else:
                made.append(self._upload(step.key, item, recording))
        return made

    def _fetched(self, batch: Batch) -> Batch:
        """A batch in host memory of this iteration; waits for the GPU."""
        host = self._stream.fetch(batch)
        self._stream.synchronize()
        return self._on_host(batch, host)

    @staticmethod
    def _on_host(batch: Batch, host: NDArray[np.uint8]) -> Batch:
        """The batch that `GpuStream.fetch` copies to `host`."""
        return Batch.of(
            batch.on_host(host), batch.layout, batch.sources, dtype=batch.dtype, ndim=batch.shapes.shape[1],
            indices=batch.indices,
        )  # fmt: skip

    def run_batch(
        self, bound: BoundStep, state: Any, args: Args, given: Sequence[Batch], indices: NDArray[np.int64],
        results: Store, recording: Recording | None = None,
    ) -> None:  # fmt: skip
        """Enqueue an operator that looks at whole batches."""
        watch = stopwatch(recording)
        step, operator = bound.step, bound.operator
        with gpu_failures(step, len(indices), indices, given[0].sources if given else ()):
            if given and all(map(len, given)):  # what was not known of them when the pipeline was built
                bound.check(args, [batch.meta for batch in given], self._registry)
            inputs = self._inputs(step, given, recording)
            watch.start(step.key)
            call = partial(operator.run_gpu, state, args, inputs, self._stream)
            if recording is not None:
                with self._stream.measured(partial(recording.gpu, step.key)):
                    made = call()
            elif Repeatable in operator.traits and args.constant:
                made = self._replays.setdefault(step.key, Replays()).record(inputs, self._stream, call)
            else:
                made = call()
        watch.stop(step.key)
        watch.report()
        if MadeOnCpu in operator.traits:
            self.upload(step, made, results, recording)
            return
        results.update(zip(step.outputs, made, strict=True))
        if recording is not None:
            recording.results(step.key, made, device=sum(one.size for one in made if one.device == "gpu"))

    def mixed(
        self, step: Step, args: Args, given: Sequence[Batch], indices: NDArray[np.int64], results: Store,
        error_policy: ErrorPolicy, recording: Recording | None = None,
    ) -> Callable[[], None]:  # fmt: skip
        """Begin to decode; what is returned waits for the pixels and adds the batch to `results`."""
        return self._mixed.begin(step, args, given, indices, results, error_policy, recording)

    def part(self, made: Store, batch_size: int, first: int, count: int) -> Store:
        """The results of some iterations of a group, of which those are computed now that come `Later`.

        Each is asked for once, in their order; one thread at a time may ask, beside the one that enqueues steps.
        """
        waiting = [batch for batch in made.values() if isinstance(batch, Later)]
        if not waiting:
            return part(made, batch_size, first, count)
        slot, found = self.begin([batch.image.memory for batch in waiting]), Store()
        try:
            with self.use(slot):
                found = part(made, batch_size, first, count)
        finally:
            self.end(slot, found)
        return found

    def run_fused(
        self, stage: FusedStage, args: Callable[[Step, Frames | None], Args], image: Batch, indices: NDArray[np.int64],
        results: Store, recording: Recording | None = None, *, later: bool = False,
    ) -> bool:  # fmt: skip
        """Enqueue per-sample operators as one kernel; ``False`` if this batch has to take other stages instead.

        The results of `later` are prepared alone, unless they are measured.
        """
        last = stage.steps[-1]
        watch = stopwatch(recording)
        watch.start(last.key)

        def run() -> Batch | None:
            return run_fused(
                stage, args, image, self._planner, self._stream, None if recording is not None else self._replays,
                lambda step: gpu_failures(step, len(indices), indices, image.sources),
                later=later and recording is None,
            )  # fmt: skip

        if recording is None:
            made = run()
        else:
            group = tuple(step.key for step in stage.steps)
            with self._stream.measured(partial(recording.gpu, last.key, group=group)):
                made = run()
        watch.stop(last.key)
        watch.report()
        if made is None:
            return False
        made.indices = image.indices
        results[last.outputs[0]] = made
        if recording is not None:
            recording.results(last.key, [made], device=made.size)
        return True
