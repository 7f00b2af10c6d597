"""Argument values: from what a user wrote to the JSON form that graphs keep, and on to what operators receive."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType
from dali_studio.core.limits import GREATEST_INT, LEAST_INT
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Dense
from dali_studio.core.wording import shortened
from dali_studio.schema.model import ArgumentSchema, ArgumentType, Device, OperatorSchema, Value

ENUMS: dict[str, type[Enum]] = {
    "data_type": DALIDataType,
    "image_type": DALIImageType,
    "interp_type": DALIInterpType,
    "interp_type_list": DALIInterpType,
}
#: Element type that a batch must have to feed an argument of each type.
WIRE_DTYPES: dict[ArgumentType, DALIDataType] = {
    "float": DALIDataType.FLOAT,
    "float_list": DALIDataType.FLOAT,
    "int": DALIDataType.INT32,
    "int_list": DALIDataType.INT32,
    "bool": DALIDataType.BOOL,
    "data_type": DALIDataType.DATA_TYPE,
    "interp_type": DALIDataType.INTERP_TYPE,
}
_INT32 = (-(2**31), 2**31 - 1)
_SAME_FOR = object()
#: Values and arrays that `Args` keeps of one step, at most.
_MOST_KEPT = 256


def canonical(argument: ArgumentSchema, value: object) -> Value:
    """The JSON form of a value that a user gave.

    Parameters
    ----------
    argument
        Whose value it is.
    value
        Python scalars, lists, numpy arrays and scalars, enumeration members or their names.

    Raises
    ------
    ArgumentError
        DS104 for a wrong type, DS105 for a value out of range.
    """
    if value is None:
        if argument.required:
            raise _wrong(argument, value)
        return None
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(cast(Any, value))
        value = (array.ravel() if argument.type.endswith("_list") else array).tolist()  # matrices go row by row
    if argument.type.endswith("_list"):
        items = list(cast(Iterable[object], value)) if _is_sequence(value) else [value]
        result = tuple(_scalar(argument, item) for item in items)
        if argument.length and len(result) not in argument.length:
            lengths = " or ".join(map(str, argument.length))
            raise ArgumentError(
                f"{shortened(value)} has {len(result)} values; {argument.name} takes {lengths}.",
                hint=f"Give {lengths} values.", argument=argument.name,
            )  # fmt: skip
        return result
    if argument.per_output and _is_sequence(value):
        return tuple(_scalar(argument, item) for item in cast(Sequence[object], value))
    if _is_sequence(value):
        if len(cast(Sequence[object], value)) != 1:
            raise _wrong(argument, value)
        value = cast(Sequence[object], value)[0]
    return _scalar(argument, value)


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _scalar(argument: ArgumentSchema, value: object) -> bool | int | float | str:
    convert = _CONVERTERS[argument.type.removesuffix("_list")]
    result = convert(argument, value)
    if isinstance(result, int | float) and not isinstance(result, bool):
        _check_range(argument, result)
    if argument.choices and isinstance(result, str) and result not in argument.choices:
        raise ArgumentError(
            f"{shortened(value)} is not accepted.",
            hint=f"Use one of: {', '.join(argument.choices)}.",
            argument=argument.name,
        )
    return result


def _check_range(argument: ArgumentSchema, value: float) -> None:
    low, high = argument.minimum, argument.maximum
    if (low is None or value >= low) and (high is None or value <= high):
        return
    side = (
        f"below {low:g}" if low is not None and value < low else f"above {high:g}" if value == value else "not a number"
    )
    accepted = f"{low:g} to {high:g}" if low is not None and high is not None else (
        f"{low:g} or more" if low is not None else f"at most {high:g}"
    )  # fmt: skip
    raise ArgumentError(f"{value:g} is {side}.", hint=f"Use {accepted}.", argument=argument.name)


def _to_float(argument: ArgumentSchema, value: object) -> float:
    if isinstance(value, bool | int | float):
        try:
            return float(value)
        except OverflowError:
            raise _too_large(argument, value) from None
    raise _wrong(argument, value)


def _to_int(argument: ArgumentSchema, value: object) -> int:
    if isinstance(value, bool | int) or (isinstance(value, float) and value.is_integer()):
        if not LEAST_INT <= value <= GREATEST_INT:
            raise _too_large(argument, value)
        return int(value)
    if isinstance(value, Enum):
        return int(value.value)
    raise _wrong(argument, value)


def _too_large(argument: ArgumentSchema, value: object) -> ArgumentError:
    return ArgumentError(
        f"{shortened(value)} does not fit into 64 bits.", hint="Give a smaller number.", argument=argument.name
    )


def _to_bool(argument: ArgumentSchema, value: object) -> bool:
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise _wrong(argument, value)


def _to_string(argument: ArgumentSchema, value: object) -> str:
    if isinstance(value, str):
        return str(value)  # a plain text, also of subclasses
    if hasattr(value, "__fspath__"):
        return str(cast(Any, value).__fspath__())
    raise _wrong(argument, value)


def _to_enum(argument: ArgumentSchema, value: object) -> str:
    kind = ENUMS[argument.type]
    if isinstance(value, kind):
        return value.name
    if isinstance(value, str) and value in kind.__members__:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        for member in kind:
            if member.value == value:
                return member.name
    if type(value).__name__ == kind.__name__ and getattr(value, "name", "") in kind.__members__:
        return str(cast(Any, value).name)  # the same enumeration of nvidia.dali's own types module
    raise _wrong(argument, value)


def _to_object(argument: ArgumentSchema, value: object) -> str:
    raise _wrong(argument, value)


_CONVERTERS: dict[str, Callable[[ArgumentSchema, object], bool | int | float | str]] = {
    "float": _to_float, "int": _to_int, "bool": _to_bool, "string": _to_string, "layout": _to_string,
    "data_type": _to_enum, "image_type": _to_enum, "interp_type": _to_enum,
    "object": _to_object,
}  # fmt: skip
_WORDS = {
    "float": "a number", "int": "an integer", "bool": "True or False", "string": "text", "layout": 'text such as "HWC"',
    "data_type": "a types.DALIDataType", "image_type": "a types.DALIImageType", "interp_type": "a types.DALIInterpType",
    "float_list": "a list of numbers", "int_list": "a list of integers", "string_list": "a list of texts",
    "object": "a Python object, which has no form in a document",
}  # fmt: skip


def _wrong(argument: ArgumentSchema, value: object) -> ArgumentError:
    accepted = _WORDS.get(argument.type, argument.type)
    return ArgumentError(
        f"{shortened(value)} ({type(value).__name__}) is not accepted; {argument.name} takes {accepted}.",
        hint=f"Give {accepted}.", argument=argument.name, code="DS104",
    )  # fmt: skip


def typed(argument: ArgumentSchema, value: Value) -> Any:
    """What an operator receives for the JSON form `value`: enumeration names become members."""
    enum = ENUMS.get(argument.type)
    if enum is None or value is None:
        return value
    if isinstance(value, tuple):
        return tuple(enum[str(name)] for name in value)
    return enum[str(value)]


def in_turn(function: Callable[[int], None], count: int) -> None:
    """Call ``function(i)`` for every i below `count`, in the caller's thread."""
    for index in range(count):
        function(index)


def _fresh(size: int) -> NDArray[np.uint8]:
    return np.empty(size, np.uint8)


def _never(sample: int, source: str, error: Exception) -> bool:
    del sample, source, error
    return False


@dataclass(slots=True)
class RunContext:
    """What the executor tells an operator about the iteration.

    Attributes
    ----------
    batch_size : int
        Samples of this iteration.
    indices : ndarray
        int64: the samples of the batch that are computed now (all, except for previews).
    iteration : int
    samples_so_far : int
        Sum of the batch sizes before this iteration: the start of random streams.
    seed : int
        The operator's seed.
    map : callable
        ``map(function, count)`` runs ``function(i)`` for every i below `count` on the worker threads.
    memory : callable
        ``memory(size)`` gives at least `size` bytes, which nobody else writes while an array looks into them.
    ahead : bool
        The next iteration will have as many samples, all of them wanted: a source may begin to fetch it.
    device : {"cpu", "gpu", "mixed"}
        Where the operator runs.
    whole : bool
        `indices` are all samples of the batch, in order.
    failed : collection of int
        Samples of the batch that have failed before; nothing they lead to is an error.
    accepts : callable
        ``accepts(sample, source, error)``: whether the run goes on although a sample failed (argument `on_error`).
    too_large : collection of int
        Samples of the batch among `failed` for which memory ran out: they are to be planned as small ones.
    may_write : bool
        An operator that is told to write files may do so: a program asks, not a document (docs/security.md).
    """

    batch_size: int
    indices: NDArray[np.int64]
    iteration: int = 0
    samples_so_far: int = 0
    seed: int = 0
    map: Callable[[Callable[[int], None], int], None] = in_turn
    memory: Callable[[int], NDArray[np.uint8]] = _fresh
    ahead: bool = False
    device: Device = "cpu"
    whole: bool = False
    failed: Collection[int] = ()
    accepts: Callable[[int, str, Exception], bool] = _never
    too_large: Collection[int] = ()
    may_write: bool = False


class Args:
    """The arguments of one operator over a batch.

    At design time (`count` 0) wired arguments are known by name only.

    Parameters
    ----------
    schema
        The operator's schema.
    values
        Arguments that were set, in JSON form.
    wired
        Per-sample arrays of the argument inputs, or ``None`` where they are not known yet.
    count
        Number of samples in the batch.
    objects
        Arguments that have no JSON form (callables).
    context
        The iteration, at run time, or what gives it when somebody asks.
    memory
        What was made of constant values before; for who makes `Args` of one step in every iteration.

    Attributes
    ----------
    memory : dict
        Where operators, too, may keep what follows from the step and its constant values alone.
    """

    __slots__ = ("_context", "_values", "_wired", "count", "memory", "objects", "schema")

    def __init__(
        self,
        schema: OperatorSchema,
        values: Mapping[str, Value],
        wired: Mapping[str, Sequence[NDArray[Any]] | None] | None = None,
        count: int = 0,
        objects: Mapping[str, object] | None = None,
        context: RunContext | Callable[[], RunContext] | None = None,
        memory: dict[Any, Any] | None = None,
    ) -> None:
        self._context = context
        self.schema, self._values, self._wired, self.count = schema, values, wired or {}, count
        self.objects: Mapping[str, object] = objects or {}
        self.memory: dict[Any, Any] = {} if memory is None else memory

    @property
    def context(self) -> RunContext:
        """The iteration that is computed.

        Raises
        ------
        RuntimeError
            At design time.
        """
        context = self._context
        if context is None:
            raise RuntimeError("there is no iteration at design time")
        if not isinstance(context, RunContext):
            context = self._context = context()
        return context

    @property
    def device(self) -> Device:
        """Where the operator runs; the CPU at design time."""
        return "cpu" if self._context is None else self.context.device

    def given(self, name: str) -> bool:
        """Whether the user set or wired the argument."""
        return name in self._wired or self._values.get(name) is not None

    def wired(self, name: str) -> bool:
        """Whether an edge feeds the argument."""
        return name in self._wired

    def __getitem__(self, name: str) -> Any:
        """The constant value of an argument, or its default; ``None`` if unset or wired."""
        try:
            return self.memory[name]
        except KeyError:
            pass
        argument = self.schema.argument(name)
        if argument is None:
            raise KeyError(name)
        value = None if name in self._wired else self._values.get(name, None)
        made = typed(argument, argument.default if value is None and name not in self._wired else value)
        self.memory[name] = made
        return made

    @property
    def constant(self) -> bool:
        """Whether no edge feeds any of the arguments."""
        return not self._wired

    def same_for(
        self, meta: TensorMeta, shapes: NDArray[np.int64], apart_from: str, make: Callable[[], Any]
    ) -> Any:  # fmt: skip
        """What follows from an input's type and shapes, and from all arguments but one.

        It is kept as long as no other is fed, and the input has the very same objects: nobody may write to them, nor
        to what is kept.
        """
        if any(name != apart_from for name in self._wired):
            return make()
        kept = self.memory.get(_SAME_FOR)
        if kept is None or kept[0] is not shapes or kept[1] is not meta:
            kept = self.memory[_SAME_FOR] = shapes, meta, make()
        return kept[2]

    def _constant(self, key: tuple[Any, ...], make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """An array that follows from constant values; nobody may write to it."""
        made = self.memory.get(key)
        if made is None:
            if len(self.memory) > _MOST_KEPT:  # batches of many sizes
                self.memory.clear()
            made = self.memory[key] = make()
            made.flags.writeable = False
        return made

    def samples(self, name: str) -> Sequence[NDArray[Any]] | None:
        """The per-sample arrays of a wired argument, or ``None``."""
        return self._wired.get(name)

    def scalars(self, name: str, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """One value per sample, shape ``(count,)``; may be read-only.

        Raises
        ------
        ArgumentError
            If a wired sample is not a scalar.
        """
        batch = self._wired.get(name)
        if batch is None:
            return self._constant((name, self.count, dtype), lambda: np.full(self.count, self[name], dtype))
        if isinstance(batch, Dense) and batch.table.size == len(batch):
            return self._ranged(name, batch.table.reshape(len(batch)).astype(dtype, copy=False))
        try:
            values = [sample.item() for sample in batch]
        except ValueError:
            self._check_scalars(name, batch)
            raise
        return self._ranged(name, np.array(values, dtype))

    @staticmethod
    def _check_scalars(name: str, batch: Sequence[NDArray[Any]]) -> None:
        for index, sample in enumerate(batch):
            if sample.size != 1:
                raise ArgumentError(
                    f"the wired value has shape {sample.shape}; {name} takes one number per sample.",
                    hint="Feed a scalar.", argument=name, sample=index,
                )  # fmt: skip

    def vectors(self, name: str, width: int, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """A row of `width` values per sample, shape ``(count, width)``; one value is repeated over the row.

        The array may be read-only.

        Raises
        ------
        ArgumentError
            If a row has another length.
        """
        batch = self._wired.get(name)
        if batch is None:
            return self._constant((name, self.count, width, dtype), lambda: self._repeated(name, width, dtype))
        if isinstance(batch, Dense) and batch.table[:1].size in (1, width):
            table = batch.table.reshape(len(batch), -1).astype(dtype)
            if table.shape[1] != width:
                table = np.repeat(table, width, axis=1)
            return self._ranged(name, table)
        return self._ranged(name, self._table(name, [np.atleast_1d(s).ravel() for s in batch], width, dtype))

    def _repeated(self, name: str, width: int, dtype: DTypeLike) -> NDArray[Any]:
        """The rows of a constant."""
        row = self._table(name, [np.atleast_1d(np.asarray(self[name]))], width, dtype)
        return np.repeat(row, self.count, axis=0)

    def _table(self, name: str, rows: Sequence[NDArray[Any]], width: int, dtype: DTypeLike) -> NDArray[Any]:
        """Rows of `width` values each."""
        for index, row in enumerate(rows):
            if row.size not in (1, width):
                raise ArgumentError(
                    f"{row.size} values are given; {name} takes 1 or {width} here.",
                    hint=f"Give {width} values.", argument=name, sample=index if self.wired(name) else None,
                )  # fmt: skip
        return np.array([np.broadcast_to(row, width) for row in rows], dtype).reshape(len(rows), width)

    def _ranged(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        argument = self.schema.argument(name)
        if argument is not None and (argument.minimum is not None or argument.maximum is not None):
            low = -np.inf if argument.minimum is None else argument.minimum
            high = np.inf if argument.maximum is None else argument.maximum
            if not values.size or (values.min() >= low and values.max() <= high):  # false for what is not a number
                return values
            bad = ~((values >= low) & (values <= high))
            if bad.any():
                index = int(np.argwhere(bad)[0][0])
                try:
                    _check_range(argument, float(values[bad][0]))
                except ArgumentError as error:
                    error.sample = index
                    raise
        return values
