"""The running side of a pipeline: sources, requests, prefetching and outputs."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import nullcontext
from functools import partial
from time import perf_counter
from typing import Any

from dali_studio.api.checkpoints import Checkpoint, Position, State, check_fits, operations_of, warn_of_sources
from dali_studio.api.group_queue import GroupQueue, Told
from dali_studio.api.source_pool import Workers
from dali_studio.api.video_feeder import feeder_for
from dali_studio.compiler.pipeline import compile_graph
from dali_studio.compiler.plan import Plan
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.random import resolve_pipeline_seed
from dali_studio.core.tensors import TensorListCPU
from dali_studio.core.tensors_gpu import TensorListGPU
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.runtime.closing import close_later, prepare
from dali_studio.runtime.executor import Executor
from dali_studio.runtime.failures import FailedSample
from dali_studio.runtime.groups import Groups, groups_for, part, saves_memory
from dali_studio.runtime.prefetch import Prefetcher
from dali_studio.runtime.probe import Probe
from dali_studio.runtime.request import ExternalInput, Request, Store, batch_size_clash
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import Enqueues, PerSample


class _Forks:
    """How many forks lie between this process and the one in which Python was started."""

    count = 0

    @classmethod
    def add(cls) -> None:
        """Called in each child."""
        cls.count += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Forks.add)


class Engine:
    """Runs a valid graph, iteration after iteration.

    Parameters
    ----------
    graph : Graph
    registry : Registry
    background : bool
        Compute ahead on a thread of its own.
    probe : Probe, optional
        Measures every node.
    devices : bool
        Place nodes where they say; otherwise everything runs on the CPU.
    fuse_warps : bool
        Let affine steps on a GPU be one resampling (approximate).
    device_memory_limit : int, optional
        Bytes of device memory that the run may take, at most.
    checkpointing : bool
        Keep what `checkpoint` needs.
    restored : Checkpoint, optional
        Where to go on.
    may_write : bool
        Let operators write files that they are told to: the graph comes from a program, not from a document.
    sources : Workers, optional
        Worker processes of the sources that are ``parallel``.

    Raises
    ------
    DaliStudioError
        If a source cannot be opened, or the checkpoint is of another pipeline.
    """

    def __init__(
        self, graph: Graph, registry: Registry, *, background: bool = True, probe: Probe | None = None,
        devices: bool = True, fuse_warps: bool = False, device_memory_limit: int | None = None,
        checkpointing: bool = False, restored: Checkpoint | None = None, may_write: bool = False,
        sources: Workers | None = None,
    ) -> None:  # fmt: skip
        options = graph.options
        self.graph, self.registry, self.probe = graph, registry, probe
        self.plan: Plan = compile_graph(graph, registry, devices=devices, fuse=probe is None, fuse_warps=fuse_warps)
        self.seed = resolve_pipeline_seed(options.seed) if restored is None else restored.seed
        prepare()
        self.workers, self._process, self._forks = WorkerPool(options.num_threads), os.getpid(), _Forks.count
        self.executor = Executor(
            self.plan, registry, self.seed, self.workers, options.device_id, device_memory_limit=device_memory_limit
        )
        self._sources = sources
        steps = [step for step in self.plan.steps() if step.role == "external_source"]
        self.feeders = {
            step.key: feeder_for(
                graph.node(step.key), options.batch_size,
                partial(self.executor.take_in, step) if step.device == "gpu" else None,
                None if sources is None else sources.sources.get(step.key),
                None if step.device == "cpu" else self.executor.stream,
            )
            for step in steps
        }  # fmt: skip
        compute = self.executor
        compute.behind.asked = checkpointing
        compute.arguments.ahead, compute.arguments.may_write = background, may_write
        ahead = background and probe is None and options.prefetch_queue_depth > 1
        groups = groups_for(self.plan, registry, options.batch_size, compute, device_memory_limit) if ahead else None
        if groups is not None and self.executor.stream is not None:
            self.executor.stream.pool.thrifty = saves_memory(self.plan, registry, options.batch_size)
        self._group: Store = {}
        #: Iterations that were given of those computed together, and all of these; a single one counts, too.
        self._given = self._in_group = 0
        decodes = any(step.device == "mixed" for step in self.plan.steps())
        largest = options.batch_size * (groups.most if groups is not None and decodes else 1)
        self._prefetcher: Prefetcher[Request, _Result] = Prefetcher(
            lambda request: _computed(compute, request, probe, groups),
            background=background,
            small=largest <= _SMALL,
            enqueues=background and _only_enqueues(self.plan, registry),
            waits=decodes,
        )
        #: Where iterations may be computed together.
        self._queue = None if groups is None else GroupQueue(groups, self._prefetcher, compute, options.batch_size)
        # nvidia.dali has two queues, before and behind the decoders; here a batch more is under way in between
        self._depth = options.prefetch_queue_depth + (decodes and not steps) if background else 1
        self._checkpointing = checkpointing
        #: Behind what was asked for, behind what was returned, and between them.
        self._asked = self._returned = Position()
        self._under_way: deque[Position] = deque()
        self._state = self._next_state = State()
        #: Whether an iteration of this epoch was asked for, and whether the data has ended.
        self.begun = self._ended = False
        self.executor.open()
        if checkpointing:
            warn_of_sources(graph, registry)
        if restored is not None:
            self._restore(restored)

    # ------------------------------------------------------------------------------------------------------- schedule

    def schedule(self) -> bool:
        """Ask for one more iteration; ``False`` at the end of the data."""
        if self._forks != _Forks.count:
            self.check_process()
        if self._ended:
            return False
        self.begun = True
        for feeder in self.feeders.values():
            feeder.wait()
        try:
            external_inputs = {key: feeder.take() for key, feeder in self.feeders.items()} if self.feeders else {}
        except StopIteration:
            self._ended = True
            return False
        size = self._batch_size(external_inputs) if external_inputs else self.graph.options.batch_size
        asked = self._asked
        self._asked = asked.advanced(size)
        self._under_way.append(self._asked)
        if self._queue is None:
            self._prefetcher.schedule(Request(asked.iteration, asked.samples, size, external_inputs))
        else:
            self._queue.request(self._asked.iteration)
        return True

    def _batch_size(self, external_inputs: Mapping[str, ExternalInput]) -> int:
        sizes = {key: len(batches[0]) for key, batches in external_inputs.items()}
        first = next(iter(sizes.items()), ("", self.graph.options.batch_size))
        for key, size in sizes.items():
            if size != first[1]:
                raise batch_size_clash(first[0], first[1], key, size)
        if external_inputs and first[1] != self.graph.options.batch_size:
            readers = [step.key for step in self.plan.steps() if step.role == "reader"]
            if readers:
                raise batch_size_clash(readers[0], self.graph.options.batch_size, *first)
        return first[1]

    def prefetch(self, setup: Callable[[], None] | None = None) -> None:
        """Fill the queue, as far as there is data; the first iteration must be there.

        Parameters
        ----------
        setup : callable, optional
            Called before each iteration that is asked for; may raise StopIteration at the end of the data.
        """
        feeders = self.feeders.values()
        while self.pending < self._depth and self.set_up(setup):
            if feeders and self.pending and not all(feeder.ready() for feeder in feeders):
                return
            if not self.schedule():
                return

    def set_up(self, setup: Callable[[], None] | None) -> bool:
        """Call what the user has set up before an iteration; ``False`` at the end of the data."""
        try:
            if setup is not None and not self._ended:
                setup()
        except StopIteration:
            self._ended = True
        return not self._ended

    @property
    def pending(self) -> int:
        """Iterations asked for and not returned yet."""
        if self._queue is not None:
            return len(self._under_way)
        return self._prefetcher.scheduled + self._in_group - self._given

    @property
    def ahead(self) -> int:
        """Iterations that are under way or there, and not returned: with those that are computed together, more."""
        return self.pending if self._queue is None else self._queue.requested - self._returned.iteration

    @property
    def together(self) -> int:
        """How many iterations are computed together at the moment."""
        return 1 if self._queue is None else self._queue.groups.now

    def result(self, told: Told = nullcontext) -> tuple[TensorListCPU | TensorListGPU, ...]:
        """The oldest iteration that was asked for.

        Parameters
        ----------
        told : callable
            As for `Prefetcher.result`.

        Raises
        ------
        StopIteration
            If none is pending because the data has ended.
        DaliStudioError
            DS304 if none is pending otherwise, or in a forked process, or what the iteration failed with.
        """
        if self._forks != _Forks.count:
            self.check_process()
        if not self.pending:
            if self._ended:
                raise StopIteration
            raise DaliStudioError(
                Diagnostic(
                    code="DS304", message="No iteration was scheduled.", hint="Call schedule_run() before outputs()."
                )
            )
        if self._given == self._in_group:
            if self._queue is None:
                self._take(told)
            else:
                self._take_group(self._queue, told)
        size = self.graph.options.batch_size
        made = part(self._group, size, self._given) if self._in_group > 1 else self._group
        outputs = tuple([_output(made[port]) if port in made else self._nothing(port) for port in self.plan.outputs])
        # Ctrl+C may come with any call, waiting for a GPU among them: what says where the run is changes between calls
        self._given += 1
        if self._given == self._in_group:
            self._group = {}
        self._returned, self._state = self._under_way[0], self._next_state
        del self._under_way[0]
        return outputs

    def _take(self, told: Told) -> None:
        """Take the next iteration, where each is computed by itself."""
        before = self._prefetcher.scheduled
        try:
            self._group, self._next_state = self._prefetcher.result(told)
            self._given, self._in_group = 0, 1
        except BaseException:
            if self._prefetcher.scheduled < before:  # otherwise the user has stopped waiting for it
                self._returned = self._under_way[0]
                del self._under_way[0]
            raise

    def _take_group(self, queue: GroupQueue, told: Told) -> None:
        """Take the next iterations that are computed together, and let the GPU begin with those behind them."""
        before, asked = queue.computed, self._asked.iteration
        try:
            queue.wait(told, asked)
        except Exception:
            if queue.computed > before:
                self._returned = self._under_way[0]
                del self._under_way[0]
            raise
        assert queue.there is not None
        (self._group, self._in_group), self._given, queue.there = queue.there, 0, None
        queue.go_on(told, asked)

    def _nothing(self, port: PortRef) -> TensorListCPU | TensorListGPU:
        """The output of an iteration without a sample, which has no type, as in nvidia.dali."""
        made_by = next(step for step in self.plan.steps() if port in step.outputs)
        return TensorListCPU([]) if made_by.device == "cpu" else TensorListGPU([])

    def reset(self) -> None:
        """After the end of the data: let the sources begin again."""
        if self._ended:
            for feeder in self.feeders.values():
                feeder.reset()
            self.begun = self._ended = False
            self._asked = self._asked.next_epoch()
            if not self.pending:
                self._returned = self._asked

    # ---------------------------------------------------------------------------------------------------- checkpoints

    def checkpoint(self, iterator: dict[str, Any] | None = None) -> Checkpoint:
        """The place behind what was returned; `iterator` is what an iterator adds.

        Raises
        ------
        DaliStudioError
            DS304 without `checkpointing`.
        """
        if not self._checkpointing:
            raise DaliStudioError(
                Diagnostic(
                    code="DS304", message="The pipeline keeps no state for checkpoints.", argument="checkpoint",
                    hint="Make it with enable_checkpointing=True.",
                )
            )  # fmt: skip
        return Checkpoint(
            position=self._returned, state=self._state, batch_size=self.graph.options.batch_size, seed=self.seed,
            operations=operations_of(self.graph, self.registry, self.reader_meta()),
            outputs=[f"{port.node}[{port.output}]" for port in self.graph.outputs], iterator=iterator,
        )  # fmt: skip

    def _restore(self, checkpoint: Checkpoint) -> None:
        check_fits(checkpoint, self.checkpoint())
        self._asked = self._returned = checkpoint.position
        if self._queue is not None:
            self._queue.begin_at(checkpoint.position.iteration)
        self._state = self._next_state = checkpoint.state
        self.executor.restore(checkpoint.position.iteration, checkpoint.state.draws, checkpoint.state.saved)
        for feeder in self.feeders.values():
            feeder.restore(checkpoint.position.epoch, checkpoint.position.epoch_iteration)

    # ------------------------------------------------------------------------------------------------------ questions

    def reader_meta(self) -> dict[str, dict[str, int]]:
        """Sizes of the data sets, by reader."""
        return {
            step.key: self.registry.operator(step.operator).reader_meta(self.executor.states[step.key].state)
            for step in self.plan.steps()
            if step.role == "reader"
        }

    def failed_samples(self) -> tuple[FailedSample, ...]:
        """Samples that could not be read or decoded, the newest ten thousand at most."""
        return tuple(self.executor.failed)

    # ------------------------------------------------------------------------------------------------------- processes

    @property
    def _forked(self) -> bool:
        """Whether this is a copy: without the threads, and with locks that nobody opens any more."""
        return self._forks != _Forks.count

    def check_process(self) -> None:
        """Refuse to work in a process that was forked after the pipeline was built.

        Raises
        ------
        DaliStudioError
            DS304 there.
        """
        if self._forked:
            raise DaliStudioError(
                Diagnostic(
                    code="DS304",
                    message=f"The pipeline was built in process {self._process}; this is process {os.getpid()}, "
                    "made from it by fork(), which does not copy threads.",
                    hint="Build a pipeline in this process (release() lets the next run do so), or start processes by "
                    '"spawn" instead of "fork".',
                )
            )

    def cancel(self) -> None:
        """Stop the iteration that is being computed."""
        self.workers.cancelled.set()

    def close(self) -> None:
        """End the threads and give memory back."""
        if self._forked:
            return
        self._prefetcher.close()
        self._let_go()
        if self._sources is not None:
            self._sources.pool.close()
        self.workers.close()
        self.executor.close()
        self.executor.release()

    def _let_go(self) -> None:
        """Let go of results."""
        self._group = {}
        if self._queue is not None:
            self._queue.clear()

    def __del__(self) -> Any:
        if hasattr(self, "_forks") and not self._forked and not sys.is_finalizing():
            if hasattr(self, "_queue"):
                self._let_go()
                self._prefetcher.close()
            close_later(partial(_close, self.workers, getattr(self, "executor", None)))


def _close(workers: WorkerPool, executor: Executor | None) -> None:
    workers.close()
    if executor is not None:  # what readers hold of a GPU goes before the pool that it is of, else it would stay taken
        executor.close()


#: Samples of a batch whose preparation takes so little time that a thread is enough.
_SMALL = 32
#: Outputs of an iteration, and the state behind it.
_Result = tuple[dict[PortRef, Batch], State]
_NO_STATE = State()


def _only_enqueues(plan: Plan, registry: Registry) -> bool:
    """Whether an iteration is only launches on a GPU, of what the program gives."""
    steps = plan.steps()
    return bool(steps) and all(
        step.device == "gpu"
        and (
            step.role == "external_source"
            or registry.has_trait(step.operator, PerSample)
            or registry.has_trait(step.operator, Enqueues)
        )
        for step in steps
    )


def _computed(
    executor: Executor, request: Request, probe: Probe | None, groups: Groups | None
) -> Generator[None, None, _Result]:  # fmt: skip
    if not request.batch_size:
        draws, saved = executor.behind.saved(request.iteration)
        return {}, State(draws=draws, saved=saved)
    begin = perf_counter()
    made = yield from executor.start(request, probe)
    if groups is not None:
        groups.took(request.iterations, perf_counter() - begin, made)
    draws, saved = executor.behind.saved(request.iteration)
    return made, State(draws=draws, saved=saved) if draws or saved else _NO_STATE


def _output(batch: Batch) -> TensorListCPU | TensorListGPU:
    if batch.meta.device == "gpu":
        batch.ready.synchronize()
        where = batch.memory, batch.offsets, batch.shapes
        return TensorListGPU.from_memory(*where, batch.dtype, batch.layout, batch.sources)
    return TensorListCPU.from_samples(batch.samples, batch.layout, batch.sources, batch.meta.dtype)
