"""Data from the program: what stands behind an external source while a pipeline runs."""

from __future__ import annotations

import functools
import inspect
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import short_name, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.tensors import TensorListCPU
from dali_studio.graph.node import Node
from dali_studio.schema.declare import Batch
from dali_studio.schema.model import Value
from dali_studio.types import BatchInfo, SampleInfo


class SourceFeeder:
    """Gives one external source its batches, from its callable or iterable, or from what was fed.

    Parameters
    ----------
    node : Node
        The external source.
    batch_size : int
        Largest number of samples of a batch.
    """

    def __init__(self, node: Node, batch_size: int) -> None:
        self._node, self._batch_size = node, batch_size
        self._source = node.objects.get("source")
        self._fed: deque[tuple[Batch, ...]] = deque()
        self._last: tuple[Batch, ...] | None = None
        self._iterator: Iterator[Any] | None = None
        self._iteration = 0
        self._epoch = 0
        self._outputs = node.arguments.get("num_outputs")

    @property
    def has_source(self) -> bool:
        """Whether a callable or iterable stands behind the node."""
        return self._source is not None

    def feed(self, data: Any, layout: str | None = None) -> None:
        """Queue a batch.

        Raises
        ------
        DaliStudioError
            DS203 for data that cannot be a batch; DS304 if the node has a source of its own.
        """
        if self.has_source:
            raise self._error(
                "DS304", "It has a source of its own, so nothing can be fed.", "Take the source away, or do not feed."
            )
        self._fed.append((self._batch(data, layout or self._layout(0)),))

    def ready(self) -> bool:
        """Whether `take` can give a batch without the user feeding more."""
        return self.has_source or bool(self._fed) or (bool(self._argument("repeat_last")) and self._last is not None)

    def take(self) -> tuple[Batch, ...]:
        """The next iteration's outputs.

        Raises
        ------
        StopIteration
            At the end of the data.
        DaliStudioError
            If nothing was fed, or the data is no batch.
        """
        if self.has_source:
            made = self._from_source()
        elif self._fed:
            made = self._fed.popleft()
        elif self._argument("repeat_last") and self._last is not None:
            made = self._last
        else:
            raise self._error(
                "DS304",
                "No data was fed for this iteration.",
                f'Call feed_input("{self._node.key}", data), or run({self._node.key}=data).',
            )
        self._last = made
        self._iteration += 1
        return made

    def reset(self) -> None:
        """Begin the next epoch. An iterable that does not cycle stays at its end, as in nvidia.dali."""
        self._iteration = 0
        self._epoch += 1

    # -------------------------------------------------------------------------------------------------------- sources

    def _argument(self, name: str) -> Value:
        return self._node.arguments.get(name)

    def _from_source(self) -> tuple[Batch, ...]:
        try:
            return self._outputs_of(self._next())
        except StopIteration:
            self._iteration = 0
            raise

    def _next(self) -> Any:
        if self._argument("batch") is not False:
            return self._item(
                BatchInfo(self._iteration, self._epoch) if self._argument("batch_info") else self._iteration
            )
        samples: list[Any] = []
        for index in range(self._batch_size):
            info = SampleInfo(self._iteration * self._batch_size + index, index, self._iteration, self._epoch)
            samples.append(self._item(info))
        if self._outputs is None:
            return samples
        return tuple(list(column) for column in zip(*samples, strict=True))

    def _item(self, info: Any) -> Any:
        source = self._source
        if not is_iterable(source):
            call = cast(Callable[..., Any], source)
            return call(info) if argument_count(call) else call()
        if self._iterator is None:
            self._iterator = self._begin()
        try:
            return next(self._iterator)
        except StopIteration:
            cycle = self._argument("cycle")
            if cycle in (None, "no"):
                raise
            self._iterator = self._begin()
            if cycle == "raise":
                raise
            return next(self._iterator)

    def _begin(self) -> Iterator[Any]:
        source = cast(Any, self._source)
        return iter(source() if is_generator_function(source) else source)

    def _outputs_of(self, item: Any) -> tuple[Batch, ...]:
        if not isinstance(self._outputs, int):
            return (self._batch(item, self._layout(0)),)
        if not isinstance(item, tuple | list) or len(cast("Sequence[Any]", item)) != self._outputs:
            count = len(cast("Sequence[Any]", item)) if isinstance(item, tuple | list) else 1
            raise self._error(
                "DS203",
                f"The source gave {count} outputs; num_outputs is {self._outputs}.",
                "Return a tuple with one batch per output.",
            )
        return tuple(self._batch(part, self._layout(i)) for i, part in enumerate(cast("Sequence[Any]", item)))

    def _layout(self, output: int) -> str:
        layouts = self._argument("layout")
        return str(layouts[output]) if isinstance(layouts, tuple) and output < len(layouts) else ""

    # ---------------------------------------------------------------------------------------------------------- batch

    def _batch(self, data: Any, layout: str) -> Batch:
        try:
            batch = TensorListCPU(data, layout or None)
        except (TypeError, ValueError) as error:
            raise self._error(
                "DS203",
                f"The data is no batch: {str(error).rstrip('.')}.",
                "Give a list of samples, or an array whose first axis is the sample.",
            ) from error
        size = len(batch)
        if not 0 < size <= self._batch_size:
            raise self._error(
                "DS304",
                f"The batch has {size} samples; 1 to {self._batch_size} are accepted.",
                "Give fewer samples, or a larger batch_size.",
            )
        self._check(batch)
        return Batch([batch.at(i) for i in range(size)], batch.layout())

    def _check(self, batch: TensorListCPU) -> None:
        dtype, ndim = self._argument("dtype"), self._argument("ndim")
        if dtype is not None and batch.dtype != DALIDataType[str(dtype)]:
            raise self._error(
                "DS203",
                f"The data is {short_name(batch.dtype)}; dtype promises {dtype}.",
                f"Convert it, for instance with astype({str(to_numpy(DALIDataType[str(dtype)]))!r}).",
            )
        if ndim is not None and batch.ndim() != ndim:
            raise self._error(
                "DS203", f"The samples have {batch.ndim()} axes; ndim promises {ndim}.", "Give samples of that rank."
            )

    def _error(self, code: str, message: str, hint: str) -> DaliStudioError:
        return DaliStudioError(
            Diagnostic(code=code, message=message, hint=hint, node=self._node.key, source=self._node.origin)
        )


def is_generator_function(source: Any) -> bool:
    """Whether a call of `source`, which may be an object or a partial function, gives a generator."""
    if isinstance(source, functools.partial):
        return is_generator_function(cast(Any, source).func)
    if inspect.isgeneratorfunction(source):
        return True
    plain = source is None or inspect.isroutine(source) or inspect.isclass(source)
    kind: Any = cast(Any, type(source))
    return not plain and inspect.isgeneratorfunction(getattr(kind, "__call__", None))  # noqa: B004 - what it is, not whether


def is_iterable(source: Any) -> bool:
    """Whether items are taken one after the other; otherwise `source` is called for each."""
    kind: Any = cast(Any, type(source))
    return is_generator_function(source) or hasattr(kind, "__iter__") or hasattr(kind, "__getitem__")


def argument_count(source: Callable[..., Any]) -> int:
    """How many arguments a callable source takes.

    Raises
    ------
    DaliStudioError
        DS104 for anything but none or one positional argument.
    """
    try:
        parameters = list(inspect.signature(source).parameters.values())
    except (TypeError, ValueError):  # some functions written in C
        return 0
    positional = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    if not positional or len(parameters) > 1:
        names = ", ".join(str(p) for p in parameters)
        raise _refused(
            "source", f"The source takes ({names}).", "Give a callable with no or one positional argument.", "DS104"
        )
    return len(parameters)


def external_source_arguments(source: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The node's arguments for a call of ``fn.external_source``: ``cycle``, ``layout``, types in their one form.

    Raises
    ------
    DaliStudioError
        DS104 or DS105 for a source that cannot give data, or cannot cycle.
    """
    arguments = {name: value for name, value in given.items() if value is not None}
    outputs = arguments.get("num_outputs")
    if source is not None:
        arguments["source"] = source
        if not is_iterable(source):
            if not callable(source):
                raise _refused(
                    "source",
                    f"{source!r} gives no data.",
                    "Give a callable, an iterable or a generator function.",
                    "DS104",
                )
            argument_count(source)
    if outputs is not None and arguments.get("name") is not None:
        raise _refused("name", "Several outputs cannot share a name.", "Take name or num_outputs away.")
    cycle = arguments.pop("cycle", None)
    if cycle not in (None, False, "no"):
        if source is None or not is_iterable(source):
            raise _refused(
                "cycle",
                "A callable cannot begin again; cycle is for iterables.",
                "Return data for every iteration, or give an iterable.",
            )
        if inspect.isgenerator(source):
            raise _refused(
                "cycle", "A generator cannot begin again.", "Give the generator function instead of its result."
            )
        arguments["cycle"] = "quiet" if cycle is True else cycle
    if isinstance(arguments.get("layout"), str):
        arguments["layout"] = [arguments["layout"]] * (outputs if isinstance(outputs, int) else 1)
    for name in ("dtype", "ndim"):
        arguments[name] = _common(name, arguments.get(name))
    return arguments


def _common(name: str, value: Any) -> Any:
    """One value for all outputs, of one or of a list of equal ones."""
    if not isinstance(value, list | tuple):
        return value
    values = list(cast("Sequence[Any]", value))
    if any(item != values[0] for item in values):
        raise _refused(
            name,
            f"{name} differs between the outputs.",
            f"Leave {name} out, or use one external source for each.",
            "DS106",
        )
    return values[0] if values else None


def _refused(argument: str, message: str, hint: str, code: str = "DS105") -> DaliStudioError:
    return DaliStudioError(Diagnostic(code=code, argument=argument, message=message, hint=hint))
