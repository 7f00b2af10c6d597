"""The arguments of an operator at run time: what is constant, what is fed sample by sample, and the iteration."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.core.random_stream import SAMPLE_STRIDE
from dali_studio.core.storage import Dense, dense
from dali_studio.schema.model import ArgumentSchema, Device, OperatorSchema, Value
from dali_studio.schema.values import check_range, typed

_SAME_FOR = object()
#: Values and arrays that `Args` keeps of one step, at most.
_MAX_KEPT = 256
_WORD = 0xFFFFFFFFFFFFFFFF


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
        Sum of the batch sizes before this iteration, in a branch of those that the operator got there: the start of
        random streams.
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
    branch : bool
        The samples are those of a branch.
    checkpointing : bool
        The pipeline gives checkpoints.
    may_write : bool
        An operator that is told to write files may do so: a program asks, not a document (docs/security.md).
    stream_offset : int
        Draws that lie in each sample's stream before the first one (dynamic mode; 0 in pipelines).
    iterations : int
        Where it is more than 1, that many are computed together: `indices` are the samples of batches of `batch_size`
        one after the other, `iteration` and `samples_so_far` those of the first (trait ``SpansIterations``).
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
    branch: bool = False
    checkpointing: bool = False
    may_write: bool = False
    stream_offset: int = 0
    iterations: int = 1

    @property
    def drawn(self) -> NDArray[np.int64]:
        """The samples' places in random streams, which count the samples of a branch alone."""
        return np.arange(len(self.indices)) if self.branch else self.indices

    @property
    def starts(self) -> NDArray[np.uint64]:
        """(`iterations`,) `samples_so_far` of each iteration."""
        start = np.uint64(self.samples_so_far & _WORD)
        return start + np.arange(self.iterations, dtype=np.uint64) * np.uint64(self.batch_size)

    @property
    def highs(self) -> NDArray[np.uint64]:
        """(N,) the upper half of the first counter of each sample in the stream of the operator's seed."""
        if self.iterations > 1:
            row = np.arange(self.batch_size, dtype=np.uint64) * np.uint64(SAMPLE_STRIDE)
            return (self.starts[:, None] + row).ravel()
        start = np.uint64(self.samples_so_far & _WORD)
        return start + self.drawn.astype(np.uint64) * np.uint64(SAMPLE_STRIDE)


class Args:
    """The arguments of one operator over a batch.

    At design time (`count` 0) wired arguments are known by name only.

    Parameters
    ----------
    schema
        The operator's schema.
    values
        Arguments that were set, in JSON form.
    argument_inputs
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
    frames : ndarray or None
        Where the samples are frames of sequences (trait ``PerFrame``): int64, the position of the first frame of each
        sequence, and their number; without a value at design time.
    metas : mapping
        Types of the argument inputs, as far as they are known.
    """

    __slots__ = ("_argument_inputs", "_context", "_values", "count", "frames", "memory", "metas", "objects", "schema")

    def __init__(
        self,
        schema: OperatorSchema,
        values: Mapping[str, Value],
        argument_inputs: Mapping[str, Sequence[NDArray[Any]] | None] | None = None,
        count: int = 0,
        objects: Mapping[str, object] | None = None,
        context: RunContext | Callable[[], RunContext] | None = None,
        memory: dict[Any, Any] | None = None,
        frames: NDArray[np.int64] | None = None,
        metas: Mapping[str, TensorMeta] | None = None,
    ) -> None:
        self._context = context
        self.schema, self._values, self._argument_inputs, self.count = schema, values, argument_inputs or {}, count
        self.objects: Mapping[str, object] = objects or {}
        self.memory: dict[Any, Any] = {} if memory is None else memory
        self.frames = frames
        self.metas: Mapping[str, TensorMeta] = metas or {}

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
        return name in self._argument_inputs or self._values.get(name) is not None

    def wired(self, name: str) -> bool:
        """Whether an edge feeds the argument."""
        return name in self._argument_inputs

    def __getitem__(self, name: str) -> Any:
        """The constant value of an argument, or its default; ``None`` if unset or wired."""
        try:
            return self.memory[name]
        except KeyError:
            pass
        argument = self.schema.argument(name)
        if argument is None:
            known = ", ".join(one.name for one in self.schema.arguments)
            raise LookupError(f"{self.schema.name} declares no argument {name}. It has {known}.")
        value = None if name in self._argument_inputs else self._values.get(name, None)
        made = typed(argument, argument.default if value is None and name not in self._argument_inputs else value)
        self.memory[name] = made
        return made

    @property
    def constant(self) -> bool:
        """Whether no edge feeds any of the arguments."""
        return not self._argument_inputs

    def same_for(
        self, meta: TensorMeta, shapes: NDArray[np.int64], apart_from: str, make: Callable[[], Any]
    ) -> Any:  # fmt: skip
        """What follows from an input's type and shapes, and from all arguments but one.

        It is kept as long as no other is fed, and the input has the very same objects: nobody may write to them, nor
        to what is kept.
        """
        if any(name != apart_from for name in self._argument_inputs):
            return make()
        kept = self.memory.get(_SAME_FOR)
        if kept is None or kept[0] is not shapes or kept[1] is not meta:
            kept = self.memory[_SAME_FOR] = shapes, meta, make()
        return kept[2]

    def constant_for(self, key: str | tuple[Any, ...], make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """An array that follows from the arguments and the number of samples alone; nobody may write to it.

        It is kept under `key`, which says what else it follows from, as long as no edge feeds an argument.
        """
        return make() if self._argument_inputs else self._constant((key, self.count), make)

    def _constant(self, key: tuple[Any, ...], make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """An array that follows from constant values; nobody may write to it."""
        made = self.memory.get(key)
        if made is None:
            if len(self.memory) > _MAX_KEPT:  # batches of many sizes
                self.memory.clear()
            made = self.memory[key] = make()
            made.flags.writeable = False
        return made

    def samples(self, name: str) -> Sequence[NDArray[Any]] | None:
        """The per-sample arrays of a wired argument, or ``None``."""
        return self._argument_inputs.get(name)

    def scalars(self, name: str, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """One value per sample, shape ``(count,)``; may be read-only.

        Raises
        ------
        ArgumentError
            If a wired sample is not a scalar.
        """
        batch = self._argument_inputs.get(name)
        if batch is None:
            key = name, self.count, dtype
            return self._constant(key, lambda: np.full(self.count, self._number(name, dtype), dtype))
        together = dense(batch)
        if together is not None and together.size == len(batch):
            return self._ranged(name, together.reshape(len(batch)).astype(dtype, copy=False))
        try:
            values = [sample.item() for sample in batch]
        except ValueError:
            self._check_scalars(name, batch)
            raise
        return self._ranged(name, np.array(values, dtype))

    def _number(self, name: str, dtype: DTypeLike) -> Any:
        """A constant that an element type holds."""
        value = self[name]
        kind: np.dtype[Any] = np.dtype(dtype)
        if isinstance(value, int) and kind.kind in "iu":
            limits = np.iinfo(kind)
            if not limits.min <= value <= limits.max:
                raise ArgumentError(
                    f"{value} is out of range.", hint=f"Give {limits.min} to {limits.max}.", argument=name
                )
        return value

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

        The array may be read-only. Where lengths are declared (`Length`), what is fed is a number, if 1 is one of
        them, or has `width` values, as nvidia.dali has it.

        Raises
        ------
        ArgumentError
            If a row has another length.
        """
        batch = self._argument_inputs.get(name)
        if batch is None:
            return self._constant((name, self.count, width, dtype), lambda: self._repeated(name, width, dtype))
        argument = self.schema.argument(name)
        if argument is not None and argument.length:
            self._check_lengths(argument, batch, width)
        together = dense(batch)
        if together is not None and together[:1].size in (1, width):
            table = together.reshape(len(batch), -1).astype(dtype)
            if table.shape[1] != width:
                table = np.repeat(table, width, axis=1)
            return self._ranged(name, table)
        if len(batch) and all(sample.size == width for sample in batch):
            row = np.concatenate([sample.reshape(-1) for sample in batch])
            return self._ranged(name, row.reshape(-1, width).astype(dtype, copy=False))
        return self._ranged(name, self._table(name, [np.atleast_1d(s).ravel() for s in batch], width, dtype))

    @staticmethod
    def _check_lengths(argument: ArgumentSchema, batch: Sequence[NDArray[Any]], width: int) -> None:
        """Refuse what is fed to an argument of a declared length, and has another one."""
        alike = isinstance(batch, Dense)
        for index, sample in enumerate(batch[:1] if alike else batch):
            if sample.ndim == 0 and 1 in argument.length:
                continue
            if sample.ndim == 0 or sample.size != width:
                raise ArgumentError(
                    f"the wired value has shape {sample.shape}; {argument.name} takes {width} numbers here"
                    f"{', or one without an axis' if 1 in argument.length else ''}.",
                    hint=f"Feed vectors of {width} numbers.", argument=argument.name, sample=index,
                )  # fmt: skip

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
                    check_range(argument, float(values[bad][0]))
                except ArgumentError as error:
                    error.sample = index
                    raise
        return values
