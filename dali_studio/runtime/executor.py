"""The executor: runs a plan, iteration after iteration. Pipelines, previews and profiles all use it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import BatchStage, FusedStage, Plan, Segment, Stage, Step
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError, DaliStudioError
from dali_studio.core.progress import stoppable
from dali_studio.graph.edits import PortRef
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.runtime import ranges
from dali_studio.runtime.arguments import StepArguments
from dali_studio.runtime.behind import Behind
from dali_studio.runtime.failures import ErrorPolicy, FailedSample, StepError
from dali_studio.runtime.frames import Frames
from dali_studio.runtime.gpu import GpuRunner
from dali_studio.runtime.iteration import Iteration
from dali_studio.runtime.loops import Loops
from dali_studio.runtime.memory import Scratch, SlabPool
from dali_studio.runtime.prepared import Settled
from dali_studio.runtime.probe import Probe, stopwatch
from dali_studio.runtime.request import Cache, ExternalInput, Request, Store, missing, select
from dali_studio.runtime.segment import SegmentRunner
from dali_studio.runtime.sources import Sources, SourceState
from dali_studio.runtime.subsets import indices_of, without
from dali_studio.runtime.workers import Cancelled, WorkerPool
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import overrides
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import PerSample

#: Failed samples that are remembered.
_REMEMBERED = 10_000


class Executor:
    """Runs a plan.

    Parameters
    ----------
    plan : Plan
    registry : Registry
    seed : int
        The pipeline's seed.
    workers : WorkerPool
    device_id : int, optional
        The GPU of steps that are placed on one.
    gpu : GpuRunner, optional
        Runs them, in place of one of its own; executors that share it follow each other (previews).
    device_memory_limit : int, optional
        Bytes of device memory that they may take, at most.
    """

    def __init__(
        self, plan: Plan, registry: Registry, seed: int, workers: WorkerPool, device_id: int | None = None,
        gpu: GpuRunner | None = None, device_memory_limit: int | None = None,
    ) -> None:  # fmt: skip
        self.plan, self.registry, self.workers = plan, registry, workers
        #: Outputs that no stage behind this one reads, by stage.
        self._done: list[list[PortRef]] = [[] for _ in plan.stages]
        for port, last in plan.last_use.items():
            self._done[last].append(port)
        self._sources = Sources(plan, registry, self._opened)
        self._settled: dict[str, Settled] = {}
        self._loops = Loops(workers)
        self._memory = SlabPool()
        self._scratch = Scratch()
        placed = any(step.device != "cpu" for step in plan.steps())
        self._gpu = gpu or (GpuRunner(registry, workers, device_id or 0, device_memory_limit) if placed else None)
        self._ways = [self._way(stage) for stage in plan.stages]
        #: Results that steps read.
        self._read = {port for step in plan.steps() for port in (*step.inputs, *step.argument_inputs.values())}
        #: The stage that was begun last, counted from 0.
        self._at = 0
        self.behind = Behind()
        take_encoded = None if self._gpu is None else self._gpu.encoded
        self.arguments = StepArguments(
            plan, registry, seed, self._loops, self._memory.take, take_encoded, self.behind
        )
        #: Samples that could not be read or decoded, the newest ones.
        self.failed: deque[FailedSample] = deque(maxlen=_REMEMBERED)

    def open(self) -> None:
        """Open readers and other sources.

        Raises
        ------
        DaliStudioError
            If a folder or file is missing or empty.
        """
        self._sources.open()

    def place(self) -> str:
        """Which stage of the plan was begun last, such as "resize, 3 of 5"; empty where it has one only."""
        stages = self.plan.stages
        if len(stages) < 2:
            return ""
        stage = stages[self._at]
        steps = [stage.step] if isinstance(stage, BatchStage) else stage.steps
        return f"{' and '.join(step.key for step in steps[:3])}, {self._at + 1} of {len(stages)}"

    def _opened(self, step: Step) -> Any:
        try:
            arguments = self.arguments.opening(step)
            with stoppable(self.workers.check):
                return self.registry.operator(step.operator).open(arguments)
        except (ArgumentError, ValueError, OSError) as error:
            raise StepError(step, None, "", error).diagnose() from error

    @property
    def states(self) -> Mapping[str, SourceState]:
        """The opened sources, by node."""
        return self._sources.states

    def adopt(self, states: Mapping[str, SourceState]) -> None:
        """Use sources that another executor opened (previews share readers between plans)."""
        self._sources.states.update(states)

    def restore(self, iteration: int, draws: Mapping[str, int], saved: Mapping[str, Mapping[str, Any]]) -> None:
        """Go on before an iteration, with what was saved behind the one before it. Sources must be open."""
        self.behind.restore(iteration, draws)
        self._sources.restore(iteration, saved)

    def _save(self, step: Step, now: Iteration) -> None:
        if (source := self.states.get(step.key)) is not None:
            operator = self.registry.operator(step.operator)
            self.behind.save(step.key, operator, source.state, now.request.iteration)

    def run(
        self, request: Request, probe: Probe | None = None, taps: Sequence[PortRef] = (), cache: Cache | None = None
    ) -> Store:
        """Run one iteration.

        Returns
        -------
        dict
            The outputs, and the results of `taps`. What lies on a GPU may still be computed there: its event tells.
            Samples that an operator was told to skip are left out, unless there are taps.

        Raises
        ------
        DaliStudioError
            With node, sample and file, if a sample cannot be processed.
        """
        running = self.start(request, probe, taps, cache)
        while True:
            try:
                next(running)
            except StopIteration as end:
                return end.value

    def part(self, made: Store, batch_size: int, first: int, count: int) -> Store:
        """As `GpuRunner.part`; groups have decoders on a GPU."""
        assert self._gpu is not None
        return self._gpu.part(made, batch_size, first, count)

    def start(
        self, request: Request, probe: Probe | None = None, taps: Sequence[PortRef] = (), cache: Cache | None = None
    ) -> Generator[None, None, Store]:
        """Run one iteration in parts: it yields while it has nothing to do but to wait for decoders.

        Another iteration may be started then. Those that were started first must be resumed first.
        """
        recording = None if probe is None else probe.iteration()
        now = Iteration(request, ErrorPolicy(request.iteration, self._record), {}, recording, cache)
        outputs = (*self.plan.outputs, *taps)
        gpu = self._gpu
        slot = None if gpu is None else gpu.begin()
        around = None
        if gpu is not None and slot is not None:
            around = partial(gpu.use, slot)
        if ranges.nvtx() is not None:
            around = partial(_within, around or nullcontext, f"iteration {request.iteration}")
        try:
            while True:
                try:
                    if around is None:
                        waits = self._advance(now, outputs)
                    else:
                        with around():
                            waits = self._advance(now, outputs)
                except StepError as error:
                    raise error.diagnose() from error.cause
                if not waits:
                    break
                yield
        finally:
            if now.wait is not None:  # given up: what decodes still writes into this iteration's memory
                with suppress(Exception), nullcontext() if around is None else around():
                    now.wait()
            if gpu is not None and slot is not None:
                gpu.end(slot, now.results)
        if recording is not None:
            recording.finish()
        results = {port: now.results[port] for port in outputs if port in now.results}
        skipped = now.error_policy.skipped
        if skipped and not taps:
            return {port: without(batch, now.indices, tuple(skipped)) for port, batch in results.items()}
        return results

    def _advance(self, now: Iteration, keep: Collection[PortRef]) -> bool:
        """Run stages to the end, or up to one that has to be waited for: the next call does so, later."""
        wait, now.wait = now.wait, None
        if wait is not None:
            wait()
            self._drop(now, keep)
        for at in range(now.at, len(self._ways)):
            self._at, now.at = at, at + 1
            now.wait = self._stage(self._ways[at], now)
            if now.wait is not None:
                return True
            if self._done[at]:
                self._drop(now, keep)
        return False

    def _drop(self, now: Iteration, keep: Collection[PortRef]) -> None:
        """Let go of what no stage reads any more."""
        for port in self._done[now.at - 1]:
            if port not in keep:
                now.results.pop(port, None)

    def _record(self, sample: FailedSample) -> None:
        self.failed.append(sample)

    def _way(self, stage: Stage) -> tuple[_Run, Any]:
        """The method that runs a stage, and what it takes; not bound to this executor, which would never be freed."""
        if isinstance(stage, FusedStage):
            return Executor._fused, (stage, [self._way(other) for other in stage.instead])
        if isinstance(stage, Segment):
            return Executor._segment, stage
        step = stage.step
        if step.device == "cpu":
            return Executor._to_cpu if step.role == "copy" else Executor._whole, step
        if step.role == "copy":
            return Executor._to_gpu, step
        if self.registry.has_trait(step.operator, PerSample):
            return Executor._mixed if step.device == "mixed" else Executor._on_gpu, step
        has_own = overrides(self.registry.operator(step.operator), "run_gpu")
        return Executor._batch_on_gpu if has_own else Executor._uploaded, step

    def _stage(self, way: tuple[_Run, Any], now: Iteration) -> Callable[[], None] | None:
        """Run one stage; what it returns waits for results that are still being made."""
        run, subject = way
        return run(self, subject, now)

    def _segment(self, stage: Segment, now: Iteration) -> None:
        """Run steps of which each sample goes through all."""
        store, cache = now.results, now.cache
        steps, kept = stage.steps, stage.kept
        if cache is not None:
            steps, kept = missing(stage, store, cache)
        if steps:
            runner = SegmentRunner(
                Segment(steps, kept), self.registry, store, partial(self.arguments.of, now), self._memory,
                self._scratch, now.error_policy, self._settled,
            )  # fmt: skip
            runner.run(self._loops, now.indices, now.recording)
        if cache is not None:
            for step in steps:
                for port in step.outputs:
                    if port in store:
                        cache.save(port, store[port])

    def _to_cpu(self, step: Step, now: Iteration) -> Callable[[], None] | None:
        """Bring a batch to the CPU."""
        if now.results[step.inputs[0]].device == "gpu":
            return self._from_gpu(step, now)
        return self._whole(step, now)

    def _whole(self, step: Step, now: Iteration) -> None:
        """Run an operator that needs the whole batch, on the CPU."""
        store, cache = now.results, now.cache
        found = {} if cache is None else {port: cache.load(port) for port in step.outputs}
        if found and all(batch is not None for batch in found.values()):
            store.update({port: batch for port, batch in found.items() if batch is not None})
            return
        made = self._batch(step, now, self._inputs(step, now))
        store.update(zip(step.outputs, made, strict=True))
        if cache is not None:
            for port in step.outputs:
                cache.save(port, store[port])

    def _from_gpu(self, step: Step, now: Iteration) -> Callable[[], None]:
        """Begin to copy a batch to the CPU."""
        assert self._gpu is not None
        wait = self._gpu.download(step, now.results[step.inputs[0]], self._memory, now.recording)

        def finish() -> None:
            now.results[step.outputs[0]] = wait()

        return finish

    def _fused(self, subject: tuple[FusedStage, list[tuple[_Run, Any]]], now: Iteration) -> None:
        """Run steps as one kernel, or one after the other where the batch does not allow it."""
        stage, instead = subject
        assert self._gpu is not None
        (port,) = stage.steps[0].inputs
        image = now.results[port]
        later = now.request.iterations > 1 and stage.steps[-1].outputs[0] not in self._read
        if now.recording is None and not later and self._gpu.repeat(stage.steps[-1], (image,), now.results):
            return

        def arguments(step: Step, frames: Frames | None) -> Args:
            return self.arguments.of(now, step, image.indices, frames)

        present = now.indices if image.indices is None else image.indices
        made = len(image) and self._gpu.run_fused(
            stage, arguments, image, present, now.results, now.recording, later=later
        )
        if not made:
            for other in instead:
                self._stage(other, now)

    def _to_gpu(self, step: Step, now: Iteration) -> None:
        """Bring a batch to the GPU."""
        given = now.results[step.inputs[0]]
        if given.device == "gpu":
            now.results[step.outputs[0]] = given  # it lies there already
        else:
            self._uploaded(step, now)

    def _uploaded(self, step: Step, now: Iteration) -> None:
        """Run an operator on the CPU for results on the GPU: copies, and what is drawn."""
        assert self._gpu is not None
        self._gpu.upload(step, self._batch(step, now, self._inputs(step, now)), now.results, now.recording)

    def _batch_on_gpu(self, step: Step, now: Iteration) -> None:
        """Run an operator that needs the whole batch, on the GPU."""
        assert self._gpu is not None
        given = self._inputs(step, now)
        if given and now.recording is None and self._gpu.repeat(step, given, now.results):
            return
        indices = self._subset(step, now)
        args = self.arguments.told(now, step, indices)
        state = self._sources.before(step, now.request, args)
        bound, present = self.arguments.bound(step), args.context.indices
        self._gpu.run_batch(bound, state, args, given, present, now.results, now.recording)
        self._save(step, now)
        if step.role != "split":
            for port in step.outputs:
                now.results[port].indices = indices

    def _mixed(self, step: Step, now: Iteration) -> Callable[[], None]:
        """Begin to decode."""
        assert self._gpu is not None
        given, indices = self._inputs(step, now), self._subset(step, now)
        present = now.indices if indices is None else indices
        args = self.arguments.told(now, step, indices)
        return self._gpu.mixed(step, args, given, present, now.results, now.error_policy, now.recording)

    def _on_gpu(self, step: Step, now: Iteration) -> None:
        """Run an operator for each sample, on the GPU."""
        assert self._gpu is not None
        given = [now.results[port] for port in step.inputs]
        if given and now.recording is None and self._gpu.repeat(step, given, now.results):
            return
        indices = self._subset(step, now)
        present = now.indices if indices is None else indices
        arguments = partial(self.arguments.of, now, step, indices)
        self._gpu.run(step, arguments, given, present, now.results, now.recording)

    def _inputs(self, step: Step, now: Iteration) -> list[Batch]:
        return [now.results[port] for port in step.inputs]

    def _subset(self, step: Step, now: Iteration) -> NDArray[np.int64] | None:
        """The samples that a step works on, where they are not all."""
        if len(step.inputs) < 2 and not step.argument_inputs and step.role != "merge":
            return now.results[step.inputs[0]].indices if step.inputs else None
        arguments = [(name, now.results[port]) for name, port in step.argument_inputs.items()]
        inputs = [] if step.role == "merge" else self._inputs(step, now)  # of different samples
        try:
            return indices_of(inputs, arguments)
        except ArgumentError as error:
            raise StepError(step, None, "", error) from error

    def _batch(self, step: Step, now: Iteration, inputs: Sequence[Batch]) -> ExternalInput:
        request = now.request
        watch = stopwatch(now.recording)
        watch.start(step.key)
        if step.role == "external_source":
            made = select(request.external_inputs[step.key], request)
        else:
            indices = self._subset(step, now)
            try:
                args = self.arguments.of(now, step, indices)
                if inputs and all(map(len, inputs)):  # what was not known of them when the pipeline was built
                    self.arguments.bound(step).check(args, [batch.meta for batch in inputs], self.registry)
                made = self.arguments.bound(step).operator.run(self._sources.before(step, request, args), args, *inputs)
                self._save(step, now)
            except (DaliStudioError, StepError, Cancelled):
                raise
            except ArgumentError as error:
                raise StepError(step, error.sample, "", error) from error
            except Exception as error:
                raise StepError(step, None, "", error) from error
            if step.role != "split":
                for one in made:
                    one.indices = indices
        watch.stop(step.key)
        watch.report()
        if now.recording is not None and step.device == "cpu":
            now.recording.results(step.key, made, host=sum(one.size for one in made if one.device == "cpu"))
        return made

    def take_in(self, step: Step, arrays: Any, layout: str, producer: Any) -> Batch:
        """As `GpuRunner.take_in`, for an external source and a later request."""
        assert self._gpu is not None
        try:
            return self._gpu.take_in(step, arrays, layout, producer)
        except StepError as error:
            raise error.diagnose() from error.cause

    @property
    def stream(self) -> GpuStream | None:
        """Where steps on a GPU are enqueued, if there are some."""
        return None if self._gpu is None else self._gpu.stream

    @property
    def decoded(self) -> dict[str, int]:
        """Pictures decoded so far on the device "mixed", by who did it; empty where nothing runs on a GPU."""
        return {} if self._gpu is None else self._gpu.decoded

    @property
    def device_memory(self) -> int:
        """Bytes of device memory that are held."""
        return 0 if self._gpu is None else self._gpu.memory()[1]

    def trim(self) -> None:
        """Give idle device memory back, while iterations may be under way."""
        if self._gpu is not None:
            self._gpu.stream.pool.trim()

    def release(self) -> int:
        """Give idle memory back; returns the bytes of device memory."""
        self._memory.clear()
        return 0 if self._gpu is None else self._gpu.release()

    def close(self) -> None:
        """End the threads."""
        self._sources.close()
        if self._gpu is not None:
            self._gpu.close()


#: A method that runs a stage; what it returns, if anything, has to be called later, before the next stage.
_Run = Callable[[Executor, Any, Iteration], Callable[[], None] | None]


@contextmanager
def _within(on_gpu: Callable[[], AbstractContextManager[None]], name: str) -> Generator[None]:
    with on_gpu(), ranges.named(name):
        yield
