"""Calls of operators: made when the program says so, computed when the mode of evaluation says so."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from dali_studio.api.dynamic.context import EvalContext, EvalMode
from dali_studio.api.dynamic.plans import Build, StepPlan
from dali_studio.api.tracing import call_site
from dali_studio.core.batch import Batch as Samples
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.core.meta import TensorMeta

if TYPE_CHECKING:
    from dali_studio.api.dynamic.values import Value


class Invocation:
    """A call of an operator with its inputs.

    Parameters
    ----------
    plan : StepPlan
    inputs : sequence of Value
        Inputs and per-sample arguments, in the plan's order.
    batch_size : int or None
        ``None`` for a call on tensors, whose results are tensors.
    stream : tuple of int, optional
        Where random numbers come from.
    before : Invocation, optional
        A call that must be computed first: the one before of the same reader.
    """

    def __init__(
        self, plan: StepPlan, inputs: Sequence[Value], batch_size: int | None,
        stream: tuple[int, int, int] | None = None, before: Invocation | None = None,
    ) -> None:  # fmt: skip
        self.plan, self.batch_size = plan, batch_size
        self._inputs, self._stream, self._before = inputs, stream, before
        self._pool = EvalContext.current().thread_pool
        self._results: tuple[Samples, ...] | None = None
        self._lock = threading.Lock()
        mode = EvalMode.current()
        self._origin = ""
        if mode is not EvalMode.deferred or any(value.is_external for value in inputs):
            self.results()
        else:
            self._origin = call_site()

    def results(self) -> tuple[Samples, ...]:
        """The results, computed if need be.

        Raises
        ------
        DaliStudioError
            With the line of the call.
        """
        with self._lock:
            if self._results is None:
                if self._before is not None:
                    self._before.results()
                count = 1 if self.batch_size is None else self.batch_size
                try:
                    inputs = [value.samples(count) for value in self._inputs]
                    self._results = self.plan.run(inputs, count, self._pool.workers, self._stream)
                except DaliStudioError as error:
                    raise placed(error, self._origin or call_site()) from error.__cause__
                self._inputs, self._before = (), None  # they may die
            return self._results

    def result(self, index: int) -> Result:
        """One of the results, which need not be computed yet."""
        return Result(self, index)


class Result:
    """One result of a call."""

    def __init__(self, invocation: Invocation, index: int) -> None:
        self._invocation, self._index = invocation, index

    @property
    def meta(self) -> TensorMeta:
        """What is known of it."""
        return self._invocation.plan.metas[self._index]

    @property
    def device_id(self) -> int | None:
        """The GPU on which it lies."""
        return self._invocation.plan.device_id if self.meta.device == "gpu" else None

    @property
    def batch_size(self) -> int | None:
        """How many samples it has; ``None`` for a tensor."""
        return self._invocation.batch_size

    def samples(self) -> Samples:
        """The data, computed if need be."""
        return self._invocation.results()[self._index]


def placed(error: DaliStudioError, origin: str) -> DaliStudioError:
    """An error of a plan with the line of this call, in place of the one that the plan was made for."""
    return DaliStudioError(
        [
            one if _is_file(one.source) else msgspec.structs.replace(one, source=origin or one.source)
            for one in error.diagnostics
        ]
    )


def _is_file(source: str) -> bool:
    """Whether a finding names a data file, not a line of a program."""
    name, _, line = source.rpartition(":")
    return bool(source) and not (bool(name) and line.isdigit())


def call(
    key: Hashable, build: Build, inputs: Sequence[tuple[str, Value]], batch_size: int | None,
    stream: tuple[int, int, int] | None = None, device_id: int | None = None,
) -> Invocation:  # fmt: skip
    """Call an operation, by the plan of an earlier call like it if there is one.

    Parameters
    ----------
    key
        What the operation is, constants included.
    build : callable
        Traces it.
    inputs : sequence of (str, Value)
        Name for messages, and what is given.
    batch_size : int or None
    stream
        As for `Invocation`.
    device_id : int, optional
        The GPU where it runs; that of the inputs, unless they are all on the CPU.
    """
    values = [value for _, value in inputs]
    context = EvalContext.current()
    types = tuple([(meta.dtype, meta.ndim, meta.layout, meta.device) for meta in [value.meta for value in values]])
    if device_id is None:
        device_id = next((value.device_id for value in values if value.device_id is not None), None)

    chosen = None if device_id is None else context.stream_of(device_id)

    def make() -> StepPlan:
        named = [(name, value.meta) for name, value in inputs]
        return StepPlan(build, named, context.thread_pool.workers, device_id=device_id, stream=chosen)

    return Invocation(context.plan((key, types, device_id, chosen), make), values, batch_size, stream)


def frozen(value: Any) -> Hashable:
    """A constant as part of a key: 1, 1.0 and True are different."""
    if isinstance(value, list | tuple):
        return (list, *[frozen(one) for one in cast("Sequence[Any]", value)])
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        array: Any = value
        return (array.dtype.str, array.shape, array.tobytes())
    return cast(Any, type(value)), repr(value) if isinstance(value, float) else value
