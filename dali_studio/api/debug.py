"""Debug mode: ``pipeline_def(debug=True)`` computes operators one by one, as the function calls them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

import numpy as np

from dali_studio.api.default import default_registry
from dali_studio.api.dynamic.invocation import frozen, placed
from dali_studio.api.dynamic.plans import StepPlan
from dali_studio.api.pipeline import Pipeline
from dali_studio.api.sources import SourceFeeder
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode, call_site, trace_operator
from dali_studio.api.video_feeder import feeder_for
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.meta import TensorMeta
from dali_studio.core.tensors import TensorListCPU
from dali_studio.graph.edits import PortRef
from dali_studio.graph.node import GraphOptions
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.model import OperatorSchema

#: Seeds are drawn below it, one for each operator, in the order of the calls: nvidia.dali's rule in this mode.
_SEEDS = (1 << 31) - 1


class DataNodeDebug(DataNode):
    """An output of an operator, with the data of this iteration."""

    def __init__(self, trace: Trace, port: PortRef, batch: Batch) -> None:
        super().__init__(trace, port, "cpu")
        self.batch = batch

    def get(self) -> TensorListCPU:
        """The data."""
        batch = self.batch
        return TensorListCPU.from_samples(batch.samples, batch.layout, batch.sources, batch.meta.dtype)

    def shape(self, **options: Any) -> Any:
        """Shapes of the samples."""
        return self.get().shape()

    def gpu(self) -> NoReturn:
        """Refused: debug mode runs on the CPU."""
        raise _no_gpu(self.name)

    def __str__(self) -> str:
        return f'DataNodeDebug(\n    name="{self.name}",\n    data={self.get()})'

    __repr__ = __str__


@dataclass(slots=True)
class _Called:
    """An operator as it was called in the first iteration, in one or more rows of inputs."""

    name: str
    origin: str
    key: Hashable
    seed: int
    plans: list[StepPlan] = field(default_factory=list[StepPlan])
    types: list[tuple[TensorMeta, ...]] = field(default_factory=list[tuple[TensorMeta, ...]])
    feeder: SourceFeeder | None = None


class DebugRun:
    """Runs the calls of a definition, and remembers them between iterations.

    Parameters
    ----------
    options : GraphOptions
    """

    def __init__(self, options: GraphOptions) -> None:
        self.trace = Trace(options)
        self.trace.immediate = self._call
        self.calls: list[_Called] = []
        #: By the name that the program gave: sources and readers.
        self.feeders: dict[str, SourceFeeder] = {}
        self.readers: dict[str, StepPlan] = {}
        self.fed: dict[str, list[tuple[Any, str | None]]] = {}
        self._options, self._workers = options, WorkerPool(options.num_threads)
        seed = options.seed
        self._seeds = np.random.default_rng(np.random.default_rng().integers(_SEEDS) if seed is None else seed)
        self._next, self._size, self._first = 0, 0, True

    def run(self, function: Callable[[], Any]) -> tuple[TensorListCPU, ...]:
        """One iteration."""
        self._next, self._size = 0, 0
        with self.trace.active():
            made = function()
        self._first = False
        items: tuple[Any, ...] = cast("tuple[Any, ...]", made) if isinstance(made, tuple) else (made,)
        return tuple(self._output(item, i) for i, item in enumerate(items) if made is not None)

    def _output(self, item: Any, position: int) -> TensorListCPU:
        if isinstance(item, DataNodeDebug):
            return item.get()
        if isinstance(item, TensorListCPU):
            return item
        if isinstance(item, list | tuple) and any(isinstance(one, DataNode) for one in cast("list[Any]", item)):
            raise _error(
                "DS205", f"Output {position} is a list of results.", "Return the results one by one.", argument="output"
            )
        return TensorListCPU([np.asarray(cast(Any, item))] * self._options.batch_size)

    # -------------------------------------------------------------------------------------------------------- calls

    def _call(self, name: str, inputs: Sequence[Any], arguments: Mapping[str, Any]) -> Any:
        schema = default_registry().schema(name)
        given = {key: value for key, value in arguments.items() if value is not None}
        user_name = given.pop("name", None)
        if given.pop("device", "cpu") != "cpu":
            raise _no_gpu(user_name or schema.node_name)
        objects = {one.name for one in schema.arguments if one.type == "object"}
        wires = {key: _batch(value) for key, value in given.items() if key not in objects and _is_batch(value)}
        constants = {key: value for key, value in given.items() if key not in wires}
        key = tuple((k, frozen(v)) for k, v in constants.items() if k not in objects)  # lambdas are new each time
        called = self._called(schema, key)
        label = user_name or schema.node_name
        try:
            if schema.role == "external_source":
                made = self._source(called, user_name, constants)
                self._check_size(label, made)
                return self._nodes(label, made, several="num_outputs" in constants)
            if schema.seeded and "seed" not in constants:
                constants["seed"] = called.seed
            return self._rows(called, schema, label, user_name, inputs, constants, wires)
        except DaliStudioError as error:
            raise placed(error, call_site()) from error.__cause__

    def _called(self, schema: OperatorSchema, key: Hashable) -> _Called:
        origin, at = call_site(), self._next
        self._next += 1
        if self._first:
            seedless = schema.role in ("external_source", "constant")
            seed = 0 if seedless else int(self._seeds.integers(_SEEDS))
            self.calls.append(_Called(schema.name, origin, key, seed))
        expected = self.calls[at] if at < len(self.calls) else None
        if expected is None or (expected.name, expected.origin) != (schema.name, origin):
            before = f"{expected.name} ({expected.origin})" if expected else "nothing"
            raise _error(
                "DS304", f"{schema.name} is called where {before} was called in the first iteration.",
                "Call the same operators in the same order in each iteration.", node=schema.node_name,
            )  # fmt: skip
        if expected.key != key:
            raise _error(
                "DS304", f"An argument of {schema.name} has another value than in the first iteration.",
                "Give values that change as arrays or results of operators.", node=schema.node_name,
            )  # fmt: skip
        return expected

    def _rows(
        self, called: _Called, schema: OperatorSchema, label: str, user_name: str | None, inputs: Sequence[Any],
        constants: dict[str, Any], wires: Mapping[str, Batch],
    ) -> Any:  # fmt: skip
        """Compute the operator, for each row of inputs where lists of results are given."""
        sets = [cast("Sequence[Any]", one) for one in inputs if _is_set(one)]
        if not sets:
            return self._row(called, 0, schema, label, user_name, inputs, constants, wires)
        if len({len(one) for one in sets}) > 1:
            lengths = [len(one) for one in sets]
            raise _error("DS202", f"The input lists have different lengths: {lengths}.", "Give lists of one length.")
        made = [
            self._row(called, i, schema, label, user_name, [one[i] if _is_set(one) else one for one in inputs],
                      constants, wires)
            for i in range(len(sets[0]))
        ]  # fmt: skip
        return [list(column) for column in zip(*made, strict=True)] if isinstance(made[0], list) else made

    def _row(
        self, called: _Called, row: int, schema: OperatorSchema, label: str, user_name: str | None,
        inputs: Sequence[Any], constants: Mapping[str, Any], wires: Mapping[str, Batch],
    ) -> Any:  # fmt: skip
        given = [_batch(one) for one in inputs]
        self._check_size(label, [*given, *wires.values()])
        names, count = tuple(wires), len(given)
        batches = [*given, *wires.values()]
        metas = tuple(batch.meta for batch in batches)
        if row == len(called.plans):

            def build(nodes: Sequence[DataNode]) -> Any:
                fed = dict(zip(names, nodes[count:], strict=True))
                return trace_operator(schema.name, nodes[:count], {**constants, **fed, "name": user_name})

            sources = [schema.input_name(i) for i in range(count)]
            called.plans.append(StepPlan(build, list(zip((*sources, *names), metas, strict=True)), self._workers))
            called.types.append(metas)
            if schema.role == "reader":
                self.readers[label] = called.plans[row]
        plan = called.plans[row]
        for name, before, now in zip((*range(count), *names), called.types[row], metas, strict=True):
            if (before.dtype, before.ndim, before.layout) != (now.dtype, now.ndim, now.layout):
                raise _error(
                    "DS203", f"The data is {now.dtype} with {now.ndim} axes and layout {now.layout!r}; it was "
                    f"{before.dtype} with {before.ndim} and {before.layout!r} before.",
                    "Give data of one type in all iterations.", node=label, argument=str(name),
                )  # fmt: skip
        size = self._size if batches else self._options.batch_size
        made = plan.run(batches, size, self._workers)
        self._check_size(label, [] if schema.role == "split" else made)
        return self._nodes(label, made, several=plan.several)

    def _nodes(self, label: str, made: Sequence[Batch], *, several: bool) -> Any:
        nodes = [DataNodeDebug(self.trace, PortRef(node=label, output=i), one) for i, one in enumerate(made)]
        return nodes if several else nodes[0] if nodes else None

    def _source(self, called: _Called, name: str | None, constants: dict[str, Any]) -> tuple[Batch, ...]:
        if called.feeder is None:
            scratch = Trace(self._options)
            with scratch.active():
                trace_operator(called.name, (), {**constants, "name": name})
            node = scratch.graph.node(next(iter(scratch.graph)))
            called.feeder = feeder_for(node, self._options.batch_size, None)
            if name is not None:
                self.feeders[name] = called.feeder
                for data, layout in self.fed.pop(name, []):
                    called.feeder.feed(data, layout)
        return called.feeder.take()

    def _check_size(self, label: str, batches: Sequence[Batch]) -> None:
        """All batches of an iteration have one size."""
        for batch in batches:
            self._size = self._size or len(batch)
            if len(batch) != self._size:
                raise _error(
                    "DS304", f"A batch has {len(batch)} samples; others of this iteration have {self._size}.",
                    "Let all batches of an iteration have one size; call external sources first.", node=label,
                )  # fmt: skip


def _is_set(item: Any) -> bool:
    """Whether a list stands for several inputs, and not for one batch."""
    whole = DataNode | TensorListCPU
    return isinstance(item, list | tuple) and any(isinstance(one, whole) for one in cast("Sequence[Any]", item))


def _is_batch(value: Any) -> bool:
    """Whether an argument has a value for each sample: results, batches, and lists of arrays."""
    if isinstance(value, list | tuple):
        items: Sequence[Any] = cast("Sequence[Any]", value)
        return bool(items) and all(hasattr(one, "__array__") and not isinstance(one, np.generic) for one in items)
    return isinstance(value, DataNodeDebug | TensorListCPU)


def _batch(value: Any) -> Batch:
    """A batch of what is given: an array's first axis is the sample."""
    if isinstance(value, DataNodeDebug):
        return value.batch
    whole = value if isinstance(value, TensorListCPU) else TensorListCPU(value)
    arrays = [np.ascontiguousarray(whole.at(i)).reshape(whole.at(i).shape) for i in range(len(whole))]
    return Batch.of(arrays, whole.layout())


def _no_gpu(node: str) -> DaliStudioError:
    return _error(
        "DS206", "Debug mode runs on the CPU alone.", "Leave debug=True away to run the pipeline on a GPU.", node=node
    )


def _error(code: str, message: str, hint: str, *, node: str = "", argument: str = "") -> DaliStudioError:
    return DaliStudioError(
        Diagnostic(code=code, message=message, hint=hint, node=node, argument=argument, source=call_site())
    )


class PipelineDebug(Pipeline):
    """A pipeline whose definition runs in each iteration, with the data in its nodes.

    Parameters
    ----------
    function : callable
        The definition.
    **options
        Of `Pipeline`.
    """

    def __init__(self, function: Callable[[], Any], **options: Any) -> None:
        super().__init__(**options)
        self._function = function
        self._debug = DebugRun(self._options)
        self._computed: deque[tuple[TensorListCPU, ...]] = deque()
        self._ended = False

    def __enter__(self) -> NoReturn:
        raise _error(
            "DS304", "A pipeline in debug mode has no graph to add operators to.",
            "Define it by a function with @pipeline_def(debug=True).",
        )  # fmt: skip

    def build(self) -> None:
        """Accepted without effect: operators are made when they are called."""

    def run(self, cuda_stream: object = None, /, **pipeline_inputs: Any) -> tuple[TensorListCPU, ...]:
        for name, data in pipeline_inputs.items():
            self.feed_input(name, data)
        self.iter_setup()
        return self._debug.run(self._function)

    def schedule_run(self) -> None:
        try:
            self._computed.append(self.run())
        except StopIteration:
            self._ended = True

    def share_outputs(self, cuda_stream: object = None) -> tuple[TensorListCPU, ...]:
        if not self._computed:
            if self._ended:
                raise StopIteration
            raise _error("DS304", "No iteration was scheduled.", "Call schedule_run() before outputs().")
        return self._computed.popleft()

    def feed_input(
        self, data_node: DataNode | str, data: Any, layout: str | None = None, cuda_stream: object = None,
        use_copy_kernel: bool = False,
    ) -> None:  # fmt: skip
        name = data_node.name if isinstance(data_node, DataNode) else data_node
        feeder = self._debug.feeders.get(name)
        if feeder is None:  # its call is to come
            self._debug.fed.setdefault(name, []).append((data, layout))
        else:
            feeder.feed(data, layout)

    def reset(self) -> None:
        self._ended = False
        for called in self._debug.calls:
            if called.feeder is not None:
                called.feeder.reset()

    def reader_meta(self, name: str | None = None) -> dict[str, Any]:
        found = {key: plan.reader_meta() for key, plan in self._debug.readers.items()}
        if name is None:
            return found
        if name not in found:
            hint = f"Readers: {', '.join(found) or 'none so far; run the pipeline first'}."
            raise _error("DS209", f"There is no reader called {name!r}.", hint)
        return found[name]

    def empty(self) -> bool:
        return not self._computed

    @property
    def graph(self) -> NoReturn:
        """Refused: there is none."""
        raise _error("DS304", "A pipeline in debug mode has no graph.", "Leave debug=True away.")

    def release(self) -> None:
        for plan in (plan for called in self._debug.calls for plan in called.plans):
            plan.close()
        self._debug = DebugRun(self._options)
