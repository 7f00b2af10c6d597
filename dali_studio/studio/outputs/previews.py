"""Previews: every node's output for the chosen sample, by the one executor, with results kept between edits."""

from __future__ import annotations

import traceback
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.api.sources import SourceFeeder
from dali_studio.api.video_feeder import feeder_for
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.runtime.executor import Executor
from dali_studio.runtime.failures import FailedSample
from dali_studio.runtime.gpu import GpuRunner, memory_of
from dali_studio.runtime.probe import Probe
from dali_studio.runtime.request import ExternalInput, Request
from dali_studio.runtime.results import on_host
from dali_studio.runtime.sources import SourceState
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import MixesSamples, ReadsData
from dali_studio.studio import findings
from dali_studio.studio.outputs.around import numbers_of
from dali_studio.studio.outputs.pins import Pin
from dali_studio.studio.revision import Revision, part_of

_CACHE_BYTES = 512 * 1024 * 1024
#: The part of a GPU's memory that previews may take: runs, and a training beside the designer, have the rest.
_GPU_PART = 1 / 4
#: Batches of a Python source that stay available, since a source cannot go back.
_KEPT_BATCHES = 8
#: Seconds that previews go through batches that nobody wants to see before they give up; where somebody waits.
_TIMEOUT, _SHORT_TIMEOUT = 10.0, 1.0


@dataclass(slots=True)
class Preview:
    """Results for one sample.

    Attributes
    ----------
    outputs : dict of PortRef to Batch
        One sample each.
    aside : frozenset of PortRef
        Outputs of branches which none of the samples takes.
    failed : tuple of Diagnostic
    unreached : bool
        The batch is so far away that it would have taken too long to go there.
    """

    outputs: dict[PortRef, Batch] = field(default_factory=dict[PortRef, Batch])
    failed: tuple[Diagnostic, ...] = ()
    unreached: bool = False
    aside: frozenset[PortRef] = frozenset()

    @classmethod
    def of(
        cls, outputs: Mapping[PortRef, Batch], failed: Sequence[Diagnostic] = (), *, unreached: bool = False
    ) -> Preview:  # fmt: skip
        """What was computed, of which some may lie in branches that the samples do not take."""
        shown = {port: batch for port, batch in outputs.items() if len(batch)}
        return cls(shown, tuple(failed), unreached, frozenset(outputs.keys() - shown.keys()))


#: What becomes of a sample that fails, by `on_error`.
_INSTEAD = {"skip": "A run leaves it out.", "placeholder": "A run goes on with a black picture in its place."}


class _Store:
    """Results by structural key, iteration and samples; the oldest go when the limit is reached."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], Batch] = OrderedDict()
        self._size = 0

    def load(self, key: tuple[object, ...]) -> Batch | None:
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def save(self, key: tuple[object, ...], batch: Batch) -> None:
        if key in self._kept:
            return
        # copies: a slab belongs to the whole plan and would be kept alive by its smallest part
        self._kept[key] = copied(batch)
        self._size += sum(sample.nbytes for sample in batch.samples)
        while self._size > _CACHE_BYTES and len(self._kept) > 1:
            _, old = self._kept.popitem(last=False)
            self._size -= sum(sample.nbytes for sample in old.samples)

    def clear(self) -> int:
        freed = self._size
        self._kept.clear()
        self._size = 0
        return freed


def copied(batch: Batch) -> Batch:
    """The batch in memory of its own."""
    samples = [sample.copy() for sample in batch.samples]
    return replace(batch, samples=samples)


@dataclass(frozen=True, slots=True)
class _View:
    """The store as one plan sees it."""

    store: _Store
    keys: Mapping[str, str]
    context: tuple[object, ...]
    indices: NDArray[np.int64]
    pinned: Mapping[str, Pin]

    def load(self, port: PortRef) -> Batch | None:
        if port.node in self.pinned:
            return self.pinned[port.node].batch(port.output, self.indices)
        return self.store.load((self.keys[port.node], port.output, *self.context))

    def save(self, port: PortRef, batch: Batch) -> None:
        self.store.save((self.keys[port.node], port.output, *self.context), batch)


#: Samples of batches that are computed as a whole where a node mixes them; of larger ones, that node has no preview.
_MAX_WHOLE = 64


def _of_samples(batch: Batch, wanted: NDArray[np.int64]) -> Batch:
    """Some samples of a whole batch, as if they had been computed alone."""
    if batch.indices is not None:  # of a branch
        return batch.select(np.flatnonzero(np.isin(batch.indices, wanted)))
    return replace(batch.select(wanted), indices=None)


class PreviewEngine:
    """Computes samples of a changing graph.

    Parameters
    ----------
    registry : Registry
    workers : WorkerPool
        Its ``cancelled`` event stops a computation between samples and steps.
    hurried : callable
        Whether somebody waits for other work: far batches are given up sooner then.
    """

    def __init__(
        self, registry: Registry, workers: WorkerPool, hurried: Callable[[], bool] = lambda: False
    ) -> None:
        self.registry, self.workers, self._hurried = registry, workers, hurried
        #: Where the plan that was run last is, for those who wait.
        self.place: Callable[[], str] = str
        self._store = _Store()
        self._sources: dict[str, SourceState] = {}
        self._gpu: tuple[int, GpuRunner] | None = None
        #: Samples that `on_error` let previews go on without, by structural key, iteration and sample.
        self._missed: dict[tuple[str, int, int], FailedSample] = {}
        self._feeders: dict[str, tuple[SourceFeeder, deque[_ExternalBatch]]] = {}
        #: Executors of the newest revision, by the nodes that they compute.
        self._executors: dict[frozenset[str], Executor] = {}
        self._revision: Revision | None = None
        self._scalars: tuple[object, dict[PortRef, list[float | None]]] = ((), {})

    def compute(
        self, revision: Revision, iteration: int, samples: Iterable[int], only: PortRef | None = None,
        probe: Probe | None = None,
    ) -> Preview:  # fmt: skip
        """Outputs of every node that can be computed; of nodes that are left out, what passes them.

        Parameters
        ----------
        revision
            The graph and its findings; nodes with errors, and what depends on them, are left out.
        iteration, samples
            Which samples of which batch, at the pipeline's batch size, so that the numbers are those of the run.
        only
            Compute one output alone; what is known of others comes with it.
        probe
            Measures what is computed, and not only looked up.
        """
        made = self._compute(revision, iteration, samples, revision.passing.get(only, only) if only else None, probe)
        passed = {port: made.outputs[of] for port, of in revision.passing.items() if of in made.outputs}
        return replace(made, outputs={**made.outputs, **passed}) if passed else made

    def _compute(
        self, revision: Revision, iteration: int, samples: Iterable[int], only: PortRef | None, probe: Probe | None
    ) -> Preview:
        indices = np.array(sorted(samples), np.int64)
        unused = {port.node for port in revision.passing} - revision.in_run
        nodes = revision.computable - revision.behind_pins - unused
        if only is not None:
            nodes = revision.computable & revision.sources_of([only])
            view = self._view(revision, iteration, indices)
            known = {port: batch for port in revision.ports if (batch := view.load(port)) is not None}
            if only in known:
                there = self._told(Preview.of(known), revision, nodes, iteration, indices)
                return self._with_whole(there, revision, iteration, indices, only)
        made = self._told(self._anew(revision, nodes, iteration, indices, probe), revision, nodes, iteration, indices)
        return self._with_whole(made, revision, iteration, indices, only)

    def _with_whole(
        self, made: Preview, revision: Revision, iteration: int, indices: NDArray[np.int64], only: PortRef | None
    ) -> Preview:  # fmt: skip
        """With black pictures as a run has them: their size may be that of another picture of the batch."""
        size = revision.active.options.batch_size
        if not len(indices) < size <= _MAX_WHOLE or all(d.hint != _INSTEAD["placeholder"] for d in made.failed):
            return made
        whole = self.compute(revision, iteration, range(size), only).outputs
        outputs = {port: _of_samples(batch, indices) for port, batch in whole.items()}
        outputs = {port: batch for port, batch in outputs.items() if len(batch)}
        done = {port.node for port in outputs}
        failed = tuple(d for d in made.failed if d.severity == "warning" or d.node not in done)
        return replace(made, outputs={**made.outputs, **outputs}, failed=failed)

    def _anew(
        self, revision: Revision, nodes: frozenset[str], iteration: int, indices: NDArray[np.int64],
        probe: Probe | None,
    ) -> Preview:  # fmt: skip
        mixed = self._mixed(revision, nodes)
        plain = self._computed(revision, nodes - mixed, iteration, indices, probe)
        if not mixed or plain.unreached:
            return plain
        # what may be made of other samples of the batch, and what it is made of
        whole = mixed.union(*(revision.sources_of([PortRef(node=key)]) for key in mixed)) & nodes
        rest = self._computed(revision, whole, iteration, np.arange(revision.active.options.batch_size), probe)
        outputs = {port: _of_samples(batch, indices) for port, batch in rest.outputs.items() if port.node in mixed}
        failed = [*plain.failed, *(one for one in rest.failed if one.node in mixed)]
        made = Preview.of({**plain.outputs, **outputs}, failed, unreached=rest.unreached)
        return replace(made, aside=made.aside | plain.aside)

    def _mixed(self, revision: Revision, nodes: frozenset[str]) -> frozenset[str]:
        """Nodes whose samples may be made of other samples, and what depends on them; none where batches are large."""
        if revision.active.options.batch_size > _MAX_WHOLE:
            return frozenset()
        graph = revision.active
        mixing = [key for key in nodes if self.registry.has_trait(graph.node(key).operator, MixesSamples)]
        return nodes & frozenset(mixing).union(*(graph.descendants(key) for key in mixing))

    def _computed(
        self, revision: Revision, nodes: frozenset[str], iteration: int, indices: NDArray[np.int64],
        probe: Probe | None,
    ) -> Preview:  # fmt: skip
        """Outputs of those nodes that can be computed."""
        failed: list[Diagnostic] = []
        way = _Way(self.workers.check, self._hurried)
        while nodes:
            try:
                outputs = self._run(revision, nodes, iteration, indices, way, probe)
            except DaliStudioError as error:
                broken = {d.node for d in error.diagnostics if d.node in nodes}
                failed += (findings.of_limit(found, _GPU_PART) for found in error.diagnostics)
                if not broken:
                    break
                nodes = nodes.difference(broken, *(revision.active.descendants(key) for key in broken))
            else:
                return Preview.of(outputs, failed, unreached=way.given_up)
        return Preview({}, tuple(failed), way.given_up)

    def _told(
        self, made: Preview, revision: Revision, nodes: frozenset[str], iteration: int, indices: NDArray[np.int64]
    ) -> Preview:  # fmt: skip
        """With a word of each sample that a run would go on without, and without those that it leaves out."""
        missed = self.missed(revision, nodes, iteration, indices)
        lost = {
            (key, d.sample)
            for d in missed if d.hint == _INSTEAD["skip"]
            for key in (d.node, *revision.active.descendants(d.node))
        }  # fmt: skip
        outputs: dict[PortRef, Batch] = {}
        for port, batch in made.outputs.items():
            places = indices if batch.indices is None else batch.indices
            kept = [at for at, sample in enumerate(places.tolist()) if (port.node, sample) not in lost]
            if len(kept) == len(places):
                outputs[port] = batch
            elif kept:
                outputs[port] = batch.select(np.array(kept))
                outputs[port].indices = places[kept]
        # what an operator says of the stand-in for one that is left out, a run does not say
        every = indices.tolist()
        of = {d: [d.sample] if d.sample in every else every for d in made.failed}
        failed = [d for d in made.failed if not lost.issuperset((d.node, k) for k in of[d])]
        return replace(made, outputs=outputs, failed=(*failed, *missed))

    def missed(
        self, revision: Revision, nodes: Iterable[str], iteration: int, indices: Iterable[int]
    ) -> list[Diagnostic]:
        """One for each of these samples that a run would go on without."""
        if not self._missed:
            return []
        places = [(node, (revision.keys[node], iteration, int(sample))) for node in nodes for sample in indices]
        return [
            Diagnostic(
                code="DS301", severity="warning", node=node, sample=missed.sample, source=missed.source,
                message=missed.message, hint=_INSTEAD[missed.action],
            )
            for node, place in places if (missed := self._missed.get(place)) is not None
        ]  # fmt: skip

    def scalars(self, revision: Revision, iteration: int) -> dict[PortRef, list[float | None]]:
        """Values over the whole batch of scalars that depend on nothing but random numbers and constants.

        Within a branch those of the samples that take it; of others there are none.
        """
        graph = revision.active
        nodes = self.independent(revision)
        if not nodes:
            return {}
        size = graph.options.batch_size
        mark = (sorted((key, revision.keys[key]) for key in nodes), iteration, size)
        if mark != self._scalars[0]:
            try:
                way = _Way(self.workers.check, self._hurried)
                made = self._run(revision, nodes, iteration, np.arange(size), way)
            except DaliStudioError:
                return {}  # the same failure is reported by `compute`
            self._scalars = mark, {port: values for port, batch in made.items() if (values := numbers_of(batch, size))}
        return self._scalars[1]

    def independent(self, revision: Revision) -> frozenset[str]:
        """Nodes that read no data: those of random numbers and constants."""
        graph = revision.active
        found: set[str] = set()
        for key in graph.order() if revision.computable else ():
            operator = graph.node(key).operator
            if (
                key in revision.computable
                and self.registry.schema(operator).role not in ("reader", "external_source")
                and not self.registry.has_trait(operator, ReadsData)
                and found.issuperset(graph.predecessors(key))
            ):
                found.add(key)
        return frozenset(found)

    def _runner(self, graph: Graph) -> GpuRunner:
        """The same for all previews, since streams and decoders take time to open."""
        device = graph.options.device_id or 0
        if self._gpu is None or self._gpu[0] != device:
            self.close()
            self._gpu = device, GpuRunner(self.registry, self.workers, device, memory_of(device, _GPU_PART))
        self._gpu[1].replan()
        return self._gpu[1]

    def forget(self) -> tuple[int, int]:
        """Give the memory of kept results back, and idle memory of the GPU; returns the bytes of both."""
        self._executors.clear()
        return self._store.clear(), 0 if self._gpu is None else self._gpu[1].release()

    def close(self) -> None:
        """End the threads that feed the GPU's decoders."""
        self._executors.clear()
        if self._gpu is not None:
            self._gpu[1].close()
            self._gpu = None

    # ------------------------------------------------------------------------------------------------------------ run

    def _executor(self, revision: Revision, nodes: frozenset[str]) -> Executor:
        if self._revision is not revision:
            self._executors.clear()
            self._revision = revision
        gpu = self._runner(revision.active) if revision.on_gpu else None
        if nodes not in self._executors:
            plan = part_of(revision.plan, nodes)
            self._executors[nodes] = Executor(plan, self.registry, revision.seed, self.workers, gpu=gpu)
        return self._executors[nodes]

    def _view(self, revision: Revision, iteration: int, indices: NDArray[np.int64]) -> _View:
        context = (revision.active.options.batch_size, iteration, tuple(indices.tolist()))
        keys, pinned = (revision.keys, revision.pinned) if revision.computable else ({}, {})
        return _View(self._store, keys, context, indices, pinned)

    def _run(
        self, revision: Revision, nodes: frozenset[str], iteration: int, indices: NDArray[np.int64], way: _Way,
        probe: Probe | None = None,
    ) -> dict[PortRef, Batch]:  # fmt: skip
        graph, keys = revision.active, revision.keys
        size = whole = graph.options.batch_size
        executor = self._executor(revision, nodes)
        self.place = executor.place
        steps = executor.plan.steps()
        names = {step.key: f"{keys[step.key]}:{whole}" for step in steps}
        executor.adopt({key: self._sources[name] for key, name in names.items() if name in self._sources})
        external_inputs = {
            step.key: self._feed(graph, step.key, keys[step.key], iteration, way)
            for step in steps
            if step.role == "external_source" and step.key not in revision.pinned
        }
        so_far = iteration * size
        if external_inputs:
            first = next(iter(external_inputs.values()))
            size, so_far = len(first.data[0]), first.so_far
            indices = indices[indices < size]
            if not len(indices):
                indices = np.array([size - 1], np.int64)
        data = {node: batch.data for node, batch in external_inputs.items()}
        request = Request(iteration, so_far, size, data, indices, way)
        try:
            taps = [port for step in steps for port in step.outputs]
            made = executor.run(request, probe, taps=taps, cache=self._view(revision, iteration, indices))
            return {port: on_host(batch) for port, batch in made.items()}
        finally:
            for missed in executor.failed:
                self._missed[keys[missed.node], iteration, missed.sample] = missed
            executor.failed.clear()
            self._sources.update({names[key]: state for key, state in executor.states.items()})

    def _feed(self, graph: Graph, node: str, key: str, iteration: int, way: _Way) -> _ExternalBatch:
        if key not in self._feeders:
            self._feeders[key] = feeder_for(graph.node(node), graph.options.batch_size), deque(maxlen=_KEPT_BATCHES)
        feeder, kept = self._feeders[key]
        while not kept or kept[-1].iteration < iteration:
            try:
                kept.append(_next_batch(kept[-1] if kept else None, feeder.take()))
            except StopIteration:
                raise self._ended(node, "The source has no more data.", "Choose an earlier batch.") from None
            except DaliStudioError:
                raise
            except BaseException as error:  # whatever the user's code does, an exit included
                raise _failed_source(node, error) from error
            if kept[-1].iteration < iteration:
                way(node)
        found = next((batch for batch in kept if batch.iteration == iteration), None)
        if found is None:
            raise self._ended(
                node, "A Python source cannot go back that far.", "Choose a later batch, or open the designer anew."
            )
        return found

    @staticmethod
    def _ended(node: str, message: str, hint: str) -> DaliStudioError:
        return DaliStudioError(Diagnostic(code="DS303", message=message, hint=hint, node=node))


class _ExternalBatch(NamedTuple):
    """What a Python source gave for an iteration, and the samples that it gave before."""

    iteration: int
    so_far: int
    data: ExternalInput


def _next_batch(before: _ExternalBatch | None, data: ExternalInput) -> _ExternalBatch:
    if before is None:
        return _ExternalBatch(0, 0, data)
    return _ExternalBatch(before.iteration + 1, before.so_far + len(before.data[0]), data)


def _failed_source(node: str, error: BaseException) -> DaliStudioError:
    detail = "".join(traceback.format_exception(error)[-3:])
    words = f"{type(error).__name__}: {error}".rstrip(". ")
    return DaliStudioError(
        Diagnostic(
            code="DS305", message=f"The source raised {words}.", hint="Correct the source.", node=node, detail=detail
        )
    )


class _Way:
    """The way of the sources of a graph to the iteration that is wanted; called now and then with the node of one.

    Parameters
    ----------
    check : callable
        Raises if other pictures were asked for.
    hurried : callable
        Whether somebody waits for other work.
    """

    def __init__(self, check: Callable[[], None], hurried: Callable[[], bool]) -> None:
        self._check, self._hurried, self._begin = check, hurried, monotonic()
        self.given_up = False

    def __call__(self, node: str) -> None:
        self._check()
        spent = monotonic() - self._begin
        if spent > _TIMEOUT or (spent > _SHORT_TIMEOUT and self._hurried()):
            self.given_up = True
            raise DaliStudioError(
                Diagnostic(
                    code="DS304", node=node,
                    message=f"The batch was not reached in {spent:.0f} s: it depends on all batches before it.",
                    hint="Choose an earlier batch, or this one again: the next try goes on where this one ended.",
                )
            )  # fmt: skip
