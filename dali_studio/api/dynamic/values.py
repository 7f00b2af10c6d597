"""What tensors and batches have in common: types, lazy evaluation, operations on elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, cast

import numpy as np

from dali_studio.api.dynamic.context import EvalMode
from dali_studio.api.dynamic.device import Device, DeviceLike
from dali_studio.api.dynamic.device import device as device_of
from dali_studio.api.dynamic.dtype import DType
from dali_studio.api.dynamic.invocation import Invocation, call
from dali_studio.api.tracing import DataNode, arithmetic
from dali_studio.core.arithmetic import add_operators
from dali_studio.core.batch import Batch as Samples
from dali_studio.core.meta import TensorMeta

_INT32 = np.iinfo(np.int32)


class Lazy(Protocol):
    """Data that may not have been computed yet."""

    @property
    def meta(self) -> TensorMeta:
        """What is known of it."""
        ...

    @property
    def device_id(self) -> int | None:
        """The GPU on which it lies."""
        ...

    def samples(self) -> Samples:
        """The data."""
        ...


class Value:
    """A tensor or a batch."""

    _samples: Samples | None
    _lazy: Lazy | None
    #: It looks into memory of the program's own, which may change.
    _external: bool

    def _hold(self, samples: Samples | None, lazy: Lazy | None = None, *, external: bool = False) -> None:
        self._samples, self._lazy, self._external = samples, lazy, external
        if lazy is not None and EvalMode.current() is not EvalMode.deferred:
            self.evaluate()

    @classmethod
    def of_result(cls, result: Lazy) -> Self:
        """A result of an operator."""
        made = cls.__new__(cls)
        made._hold(None, result)
        return made

    @classmethod
    def of_samples(cls, samples: Samples) -> Self:
        """What a pipeline's step or a reader gave; of a tensor its one sample."""
        made = cls.__new__(cls)
        made._hold(samples)
        return made

    def evaluate(self) -> Self:
        """Compute the data, if that has not happened; returns itself."""
        if self._samples is None:
            assert self._lazy is not None
            self._samples, self._lazy = self._lazy.samples(), None
        return self

    @property
    def held(self) -> Samples:
        """The samples, computed if need be; a tensor's one sample."""
        if self._samples is None:
            self.evaluate()
            assert self._samples is not None
        return self._samples

    def samples(self, count: int) -> Samples:
        """The samples that an operator on `count` samples gets."""
        raise NotImplementedError

    @property
    def is_external(self) -> bool:
        """Whether operators must read it at once, since the program may change it."""
        return self._external

    @property
    def meta(self) -> TensorMeta:
        """dtype, ndim and layout; computed only where the operator does not tell."""
        if self._samples is not None:
            return self._samples.meta
        assert self._lazy is not None
        meta = self._lazy.meta
        return self.held.meta if None in (meta.dtype, meta.ndim, meta.layout) else meta

    @property
    def dtype(self) -> DType:
        """Element type."""
        found = self.meta.dtype
        assert found is not None
        return DType.from_type_id(found)

    @property
    def ndim(self) -> int:
        """Number of axes of a sample."""
        return cast(int, self.meta.ndim)

    @property
    def layout(self) -> str | None:
        """One letter for each axis of a sample; ``None`` if they have no names."""
        return self.meta.layout or None

    @property
    def device(self) -> Device:
        """Where the data lies, or will lie."""
        number = self.device_id
        return Device.CPU if number is None else Device("gpu", number)

    @property
    def device_id(self) -> int | None:
        """Number of the GPU on which the data lies, or will lie; ``None`` for the CPU."""
        if self._samples is not None:
            return int(self._samples.memory.device_id) if self._samples.device == "gpu" else None
        assert self._lazy is not None
        return self._lazy.device_id

    def cpu(self) -> Self:
        """The data on the CPU; itself if it lies there."""
        return self.to_device(Device.CPU)

    def gpu(self, index: int | None = None) -> Self:
        """The data on a GPU, by default the current one; itself if it lies there.

        Raises
        ------
        DaliStudioError
            DS206 if there is none.
        """
        return self.to_device(Device("gpu", index))

    def to_device(self, device: DeviceLike, force_copy: bool = False) -> Self:
        """The data on a device: itself if it lies there, unless a copy is asked for."""
        to: Device | None = device_of(device)
        here, there = self.device_id, None if to is None else to.device_id
        if to is None or here == there:
            return self.copied() if force_copy else self
        if here is not None and there is not None:
            return self.cpu().to_device(to)

        def build(nodes: Sequence[DataNode]) -> Any:
            return nodes[0].cpu() if there is None else nodes[0].gpu()

        key = ("to_device", "cpu" if there is None else "gpu")
        return wrap(
            call(key, build, [("input", self)], batch_size_of([self]), device_id=here if there is None else there)
        )

    def copied(self) -> Self:
        """The same data in memory of its own."""
        raise NotImplementedError

    def _wrapped(self, invocation: Invocation, index: int = 0) -> Any:
        raise NotImplementedError

    def __pos__(self) -> Self:
        return self

    if TYPE_CHECKING:  # made below, from the table of operations

        def _one(self) -> Self: ...
        def _two(self, other: Any, /) -> Any: ...

        __neg__ = __abs__ = __invert__ = _one
        __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _two
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _two
        __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = __lt__ = __le__ = __gt__ = __ge__ = _two
        __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = _two

    __hash__ = object.__hash__  # == compares elements


def elements(name: str, *operands: Any) -> Any:
    """An operation of `core.arithmetic.OPERATIONS` on tensors, batches, numbers and arrays.

    Numbers are constants of the types INT32, FLOAT and BOOL; at least one operand becomes a tensor.

    Raises
    ------
    OverflowError
        For a whole number that INT32 does not hold.
    """
    from dali_studio.api.dynamic.tensor import as_tensor  # noqa: PLC0415 - they are values

    given: list[Any] = []
    for operand in operands:
        if isinstance(operand, int) and not _INT32.min <= operand <= _INT32.max:
            raise OverflowError(f"{operand} does not fit into int32, the type of whole numbers; make it a tensor.")
        number = type(operand) in (bool, int, float)
        given.append(operand if number or isinstance(operand, Value) else as_tensor(operand))
    if not any(isinstance(one, Value) for one in given):
        given[0] = as_tensor(given[0])
    where = next((one.device for one in given if isinstance(one, Value) and one.device_id is not None), None)
    given = [one.to_device(where) if isinstance(one, Value) else one for one in given]
    inputs = [one for one in given if isinstance(one, Value)]
    # numbers by their type and text: 1, 1.0 and True are different constants
    constants = tuple([None if isinstance(one, Value) else (type(one).__name__, repr(one)) for one in given])

    def build(nodes: Sequence[DataNode]) -> Any:
        rest = iter(nodes)
        return arithmetic(name, *(next(rest) if isinstance(one, Value) else one for one in given))

    sizes = batch_size_of(inputs)
    made = call((name, constants), build, [("input", one) for one in inputs], sizes)
    return wrap(made)


def wrap(made: Invocation) -> Any:
    """What a call returns: a tensor or a batch, or a tuple of them."""
    from dali_studio.api.dynamic.batch import Batch  # noqa: PLC0415 - they are values
    from dali_studio.api.dynamic.tensor import Tensor  # noqa: PLC0415 - likewise

    kind = Tensor if made.batch_size is None else Batch
    results = [kind.of_result(made.result(index)) for index in range(len(made.plan.metas))]
    if made.plan.several:
        return tuple(results)
    return results[0] if results else None


def batch_size_of(values: Sequence[Any]) -> int | None:
    """How many samples the batches among `values` have; ``None`` without one.

    Raises
    ------
    ValueError
        If they differ.
    """
    found: int | None = None
    for value in values:
        size = getattr(value, "batch_size", None) if isinstance(value, Value) else None
        if size is not None and found is not None and size != found:
            raise ValueError(f"The batches have different sizes: {found} and {size}.")
        found = found if size is None else size
    return found


add_operators(Value, elements)


def volume(shape: Sequence[int]) -> int:
    """Number of elements."""
    return math.prod(shape)
