"""Plans of one step: an operation, compiled once for inputs of known types, that runs again and again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, cast

from dali_studio.api.default import default_registry
from dali_studio.api.dynamic.gpu import gpu
from dali_studio.api.dynamic.streams import Stream
from dali_studio.api.tracing import DataNode, Trace, trace_operator
from dali_studio.compiler.pipeline import compile_graph
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, errors
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.node import GraphOptions
from dali_studio.graph.validate import validate
from dali_studio.runtime.executor import Executor
from dali_studio.runtime.request import Request
from dali_studio.runtime.workers import WorkerPool

#: What adds the operation to a pipeline: it gets the inputs as nodes, and returns one result or a list of them.
Build = Callable[[Sequence[DataNode]], Any]


class StepPlan:
    """An operation on inputs of known types.

    Parameters
    ----------
    build : callable
        Traces the operation, as in a pipeline's definition: what arguments mean, and what is refused, is the same.
    inputs : sequence of (str, TensorMeta)
        A name for messages, and the type, of each input.
    workers : WorkerPool
        Threads to begin with.
    checkpointing : bool
        Count what a reader gives, for `batches`.
    device_id : int, optional
        The GPU on which inputs or results lie.
    stream : Stream, optional
        The stream that was chosen for it.

    Attributes
    ----------
    metas : tuple of TensorMeta
        What is known of the results before anything runs.
    several : bool
        The operation gives a list of results.
    device_id : int or None
        The GPU on which inputs or results lie.

    Raises
    ------
    DaliStudioError
        With everything that is wrong with the arguments and inputs.
    """

    def __init__(
        self, build: Build, inputs: Sequence[tuple[str, TensorMeta]], workers: WorkerPool, *,
        checkpointing: bool = False, device_id: int | None = None, stream: Stream | None = None,
    ) -> None:  # fmt: skip
        options = GraphOptions(name="dynamic", batch_size=1, num_threads=1, device_id=device_id)
        registry, trace = default_registry(), Trace(options)
        with trace.active():
            nodes: list[DataNode] = [_source(name, meta) for name, meta in inputs]
            made: Any = build(nodes)
        self.several = isinstance(made, list)
        results = cast("list[DataNode]", made if self.several else [] if made is None else [made])
        trace.graph.set_outputs([node.port for node in results])
        validation = validate(trace.graph, registry)
        if found := errors(validation.diagnostics):
            raise DaliStudioError(found)
        self.metas = tuple(validation.metas[node.port] for node in results)
        plan = compile_graph(trace.graph, registry, devices=device_id is not None, fuse=False)
        self._ports, self._sources = plan.outputs, [node.name for node in nodes]
        self._step = results[0].name if results else ""
        self._gpu = None if device_id is None else gpu(device_id, stream)
        self.device_id = device_id
        runner = None if self._gpu is None else self._gpu.runner()
        self._executor = Executor(plan, registry, 0, workers, device_id, runner)
        self._executor.arguments.may_write, self._executor.behind.asked = True, checkpointing
        self._executor.open()
        self._lock = threading.Lock()
        #: The iteration that comes next, and the samples of those before.
        self._iteration = self._samples = 0
        #: The sizes of all batches so far: pairs of a size and how often it came in a row.
        self._sizes: list[list[int]] = []

    def run(
        self, inputs: Sequence[Batch], batch_size: int, workers: WorkerPool, stream: tuple[int, int, int] | None = None
    ) -> tuple[Batch, ...]:
        """Compute the results.

        Parameters
        ----------
        inputs : sequence of Batch
        batch_size : int
        workers : WorkerPool
        stream : tuple of int, optional
            Where random numbers come from (`Request.stream`).
        """
        given = {key: (batch,) for key, batch in zip(self._sources, inputs, strict=True)}
        with self._lock:  # evaluation may be asked for in any thread
            executor = self._executor
            executor.workers = workers
            iteration = self._iteration
            request = Request(iteration, self._samples, batch_size, given, stream=stream)
            self._iteration, self._samples = iteration + 1, self._samples + batch_size
            with self._gpu.lock if self._gpu is not None else nullcontext():
                made = executor.run(request)
            if executor.behind.asked:
                if not self._sizes or self._sizes[-1][0] != batch_size:
                    self._sizes.append([batch_size, 0])
                self._sizes[-1][1] += 1
        return tuple(made[port] for port in self._ports)

    def batches(self) -> list[tuple[int, int]]:
        """What a reader has given so far: pairs of a size and how many batches of it came in a row."""
        return [(size, count) for size, count in self._sizes]

    def skip(self, batches: Sequence[Sequence[int]]) -> None:
        """Bring a reader that has given nothing to where another one had given these `batches`."""
        source = self._executor.states[self._step]
        for size, count in batches:
            wanted = source.iteration + count
            while source.iteration != wanted:  # in parts, if it is far
                source.iteration = source.state.seek(size, source.iteration, wanted)
            self._samples += size * count
        self._iteration, self._sizes = source.iteration, [list(pair) for pair in batches]

    def reader_meta(self) -> dict[str, int]:
        """Sizes of the data set of a reader."""
        state = self._executor.states[self._step].state
        operator = self._executor.registry.operator(next(iter(self._executor.plan.steps())).operator)
        return operator.reader_meta(state)  # pyright: ignore[reportAttributeAccessIssue] - the operator is a reader

    def close(self) -> None:
        """End the threads of a reader."""
        self._executor.close()


def _source(name: str, meta: TensorMeta) -> DataNode:
    arguments = {
        "name": name, "dtype": meta.dtype, "ndim": meta.ndim, "layout": [meta.layout or ""], "device": meta.device,
    }  # fmt: skip
    return trace_operator("external_source", (), arguments)
