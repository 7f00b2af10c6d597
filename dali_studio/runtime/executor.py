"""The executor: runs a plan, iteration after iteration. Pipelines, previews and profiles all use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import BatchStage, FusedStage, Plan, Segment, Stage, Step
from dali_studio.core import random
from dali_studio.core.diagnostics import ArgumentError, DaliStudioError, Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.runtime.failures import StepError
from dali_studio.runtime.gpu import GpuRunner, Placed
from dali_studio.runtime.memory import Scratch, SlabPool
from dali_studio.runtime.probe import Probe, Stopwatch
from dali_studio.runtime.segment import SegmentRunner, Store, argument_rows
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.arguments import Args, RunContext
from dali_studio.schema.declare import Batch
from dali_studio.schema.registry import Registry


class Cache(Protocol):
    """Where previews keep results between plans, by structural key."""

    def load(self, port: PortRef) -> Batch | None:
        """The result of an earlier plan, if it still holds."""

    def save(self, port: PortRef, batch: Batch) -> None:
        """Keep a result."""


@dataclass(slots=True)
class Request:
    """One iteration to run.

    Attributes
    ----------
    iteration : int
    samples_so_far : int
        Sum of the batch sizes of earlier iterations.
    batch_size : int
    fed : mapping of str to tuple of Batch
        What external sources got, by node.
    indices : ndarray or None
        Samples to compute (previews); ``None`` for all.
    """

    iteration: int
    samples_so_far: int
    batch_size: int
    fed: Mapping[str, tuple[Batch, ...]] = field(default_factory=dict[str, tuple[Batch, ...]])
    indices: NDArray[np.int64] | None = None


@dataclass(slots=True)
class SourceState:
    """The state of a batch operator, and the iteration that it produces next."""

    state: Any
    iteration: int = 0


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
    """

    def __init__(
        self, plan: Plan, registry: Registry, seed: int, workers: WorkerPool, device_id: int | None = None
    ) -> None:
        self.plan, self.registry, self.workers = plan, registry, workers
        seeded = [s.seed_index for s in plan.steps() if s.seed_index is not None]
        self._seeds = random.operator_seeds(seed, max(seeded) + 1) if seeded else ()
        self._states: dict[str, SourceState] = {}
        self._memory = SlabPool()
        self._scratch = Scratch()
        placed = any(step.device != "cpu" for step in plan.steps())
        self._gpu = GpuRunner(registry, workers, device_id or 0) if placed else None

    def open(self) -> None:
        """Open readers and other sources.

        Raises
        ------
        DaliStudioError
            If a folder or file is missing or empty.
        """
        for step in self._sources():
            if step.key not in self._states:
                self._states[step.key] = SourceState(self._opened(step))

    def _sources(self) -> list[Step]:
        return [stage.step for stage in self.plan.stages if isinstance(stage, BatchStage)]

    def _opened(self, step: Step) -> Any:
        try:
            return self.registry.operator(step.operator).open(self._args(step, None, {}))
        except (ArgumentError, ValueError, OSError) as error:
            raise StepError(step, None, "", error).diagnose() from error

    @property
    def states(self) -> Mapping[str, SourceState]:
        """The opened sources, by node."""
        return self._states

    def adopt(self, states: Mapping[str, SourceState]) -> None:
        """Use sources that another executor opened (previews share readers between plans)."""
        self._states.update(states)

    def _state_at(self, step: Step, request: Request, args: Args) -> Any:
        """The source's state before the requested iteration: skipped forward, or opened anew to go back."""
        source = self._states.get(step.key)
        if source is None or source.iteration > request.iteration:
            source = self._states[step.key] = SourceState(self._opened(step))
        while source.iteration < request.iteration:
            self.registry.operator(step.operator).skip(source.state, args)
            source.iteration += 1
        source.iteration += 1
        return source.state

    def run(
        self, request: Request, probe: Probe | None = None, taps: Sequence[PortRef] = (), cache: Cache | None = None
    ) -> dict[PortRef, Batch | DeviceBatch]:
        """Run one iteration.

        Returns
        -------
        dict
            The outputs, and the results of `taps`. What lies on a GPU may still be computed there: its event tells.

        Raises
        ------
        DaliStudioError
            With node, sample and file, if a sample cannot be processed.
        """
        begin = perf_counter_ns()
        store: Store = {}
        placed: Placed = {}
        keep = {*self.plan.outputs, *taps}
        with nullcontext() if self._gpu is None else self._gpu.iteration(placed):
            for position, stage in enumerate(self.plan.stages):
                try:
                    self._stage(stage, request, store, placed, probe, cache)
                except StepError as error:
                    raise error.diagnose() from error.cause
                for port, last in self.plan.last_use.items():
                    if last == position and port not in keep:
                        store.pop(port, None)
                        placed.pop(port, None)
        if probe is not None:
            probe.finish(perf_counter_ns() - begin)
        made: dict[PortRef, Batch | DeviceBatch] = {**store, **placed}
        return {port: made[port] for port in keep if port in made}

    def _stage(
        self, stage: Stage, request: Request, store: Store, placed: Placed, probe: Probe | None, cache: Cache | None
    ) -> None:
        if isinstance(stage, FusedStage):
            self._fused(stage, request, store, placed, probe)
            return
        if isinstance(stage, BatchStage) and stage.step.device != "cpu":
            self._on_gpu(stage.step, request, store, placed, probe)
            return
        if isinstance(stage, BatchStage):
            self._whole_batch(stage.step, request, store, probe, cache)
            return
        indices = _indices(request)
        steps, kept = stage.steps, stage.kept
        if cache is not None:
            steps, kept = _missing(stage, store, cache)
        if steps:
            runner = SegmentRunner(
                Segment(steps, kept), self.registry, store, lambda step: self._args(step, request, store),
                self._memory, self._scratch,
            )  # fmt: skip
            runner.run(self.workers.map, indices, probe)
        if cache is not None:
            for step in steps:
                for port in step.outputs:
                    if port in store:
                        cache.save(port, store[port])

    def _whole_batch(
        self, step: Step, request: Request, store: Store, probe: Probe | None, cache: Cache | None
    ) -> None:
        found = {port: cache.load(port) for port in step.outputs} if cache is not None else {}
        if found and all(batch is not None for batch in found.values()):
            store.update({port: batch for port, batch in found.items() if batch is not None})
            return
        made = self._batch(step, request, store, [store[port] for port in step.inputs], probe)
        store.update(zip(step.outputs, made, strict=True))
        if cache is not None:
            for port in step.outputs:
                cache.save(port, store[port])

    def _on_gpu(self, step: Step, request: Request, store: Store, placed: Placed, probe: Probe | None) -> None:
        assert self._gpu is not None
        given = [placed[port] if port in placed else store[port] for port in step.inputs]
        if not self._gpu.per_sample(step):
            # copies, and random numbers, which only ask for the shapes of their input
            inputs = [item if isinstance(item, Batch) else _shapes_only(item) for item in given]
            self._gpu.upload(step, self._batch(step, request, store, inputs, probe), placed)
            return
        watch = Stopwatch(probe)
        watch.start()
        self._gpu.run(step, lambda: self._args(step, request, store), given, _indices(request), placed)
        if probe is not None:
            self._gpu.synchronize()  # so that the time is the step's own
        watch.stop(step.key)
        watch.report()

    def _fused(
        self, stage: FusedStage, request: Request, store: Store, placed: Placed, probe: Probe | None
    ) -> None:
        assert self._gpu is not None
        (port,) = stage.steps[0].inputs
        made = self._gpu.run_fused(
            stage, lambda step: self._args(step, request, store), placed[port], _indices(request), placed
        )
        if not made:
            for other in stage.instead:
                self._stage(other, request, store, placed, probe, None)

    def _batch(
        self, step: Step, request: Request, store: Store, inputs: Sequence[Batch], probe: Probe | None
    ) -> tuple[Batch, ...]:
        watch = Stopwatch(probe)
        watch.start()
        if step.role == "external_source":
            made = _select(request.fed[step.key], request)
        else:
            operator = self.registry.operator(step.operator)
            try:
                args = self._args(step, request, store)
                made = operator.run(self._state_at(step, request, args), args, *inputs)
            except (DaliStudioError, StepError):
                raise
            except ArgumentError as error:
                raise StepError(step, error.sample, "", error) from error
            except Exception as error:
                raise StepError(step, None, "", error) from error
        watch.stop(step.key)
        watch.report()
        return made

    def _args(self, step: Step, request: Request | None, store: Store) -> Args:
        context = None
        count = 0
        if request is not None:
            indices = _indices(request)
            count = len(indices)
            context = RunContext(
                request.batch_size, indices, request.iteration, request.samples_so_far, self._seed(step),
                self.workers.map, step.device,
            )  # fmt: skip
        schema = self.registry.schema(step.operator)
        if request is None and schema.seeded:
            context = RunContext(0, np.empty(0, np.int64), seed=self._seed(step))
        wired = (
            argument_rows(store, step.argument_inputs, schema)
            if request is not None
            else dict.fromkeys(step.argument_inputs)
        )
        return Args(schema, step.arguments, wired, count, step.objects, context)

    def _seed(self, step: Step) -> int:
        explicit = step.arguments.get("seed")
        if explicit is not None and self.registry.schema(step.operator).seeded:
            return int(explicit)  # pyright: ignore[reportArgumentType] - an int argument
        return int(self._seeds[step.seed_index]) if step.seed_index is not None else 0

    def release(self) -> None:
        """Give idle memory back."""
        self._memory.clear()


def _indices(request: Request) -> NDArray[np.int64]:
    return np.arange(request.batch_size, dtype=np.int64) if request.indices is None else request.indices


def _shapes_only(batch: DeviceBatch) -> Batch:
    """Stand-ins of the samples' shapes, without memory behind them."""
    value = np.zeros((), batch.dtype)
    return Batch([np.broadcast_to(value, tuple(shape)) for shape in batch.shapes.tolist()], batch.layout, batch.sources)


def _select(batches: tuple[Batch, ...], request: Request) -> tuple[Batch, ...]:
    if request.indices is None:
        return batches
    rows = [int(i) for i in request.indices]
    return tuple(
        Batch([b.samples[i] for i in rows], b.layout, [b.sources[i] for i in rows] if b.sources else ())
        for b in batches
    )


def _missing(stage: Segment, store: Store, cache: Cache) -> tuple[tuple[Step, ...], frozenset[PortRef]]:
    """The steps of a segment that must run: results found in the cache go to the store, what feeds them is left out."""
    needed: list[Step] = []
    wanted: set[PortRef] = set(stage.kept)
    for step in reversed(stage.steps):
        ports = [port for port in step.outputs if port in wanted]
        found = {port: cache.load(port) for port in ports}
        if ports and all(batch is not None for batch in found.values()):
            store.update({port: batch for port, batch in found.items() if batch is not None})
        elif ports:
            needed.insert(0, step)
            wanted.update(step.inputs)
    return tuple(needed), frozenset(port for step in needed for port in step.outputs if port in stage.kept)


def batch_size_clash(first: str, first_size: int, other: str, size: int) -> DaliStudioError:
    """The error for two sources that disagree on the size of an iteration."""
    return DaliStudioError(
        Diagnostic(
            code="DS304",
            node=other,
            message=f"{other} gave {size} samples, {first} gave {first_size}; all sources of an iteration must agree.",
            hint="Make the sources return batches of one size.",
        )
    )
