"""Tensors of dynamic mode."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy as shallow
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.api.constants import numbered
from dali_studio.api.dynamic.arrays import exports_memory, from_memory, from_python, lies_on_gpu
from dali_studio.api.dynamic.device import DeviceLike
from dali_studio.api.dynamic.dtype import DType, storable
from dali_studio.api.dynamic.gpu import listed, taken
from dali_studio.api.dynamic.invocation import call
from dali_studio.api.dynamic.values import Value, volume, wrap
from dali_studio.api.indexing import indexed
from dali_studio.api.tracing import DataNode
from dali_studio.core.batch import Batch as Samples
from dali_studio.core.batch import meta_of
from dali_studio.core.formatting import format_tensor
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Dense
from dali_studio.core.tensors import TensorCPU
from dali_studio.core.tensors_gpu import TensorGPU, TensorListGPU

if TYPE_CHECKING:
    from dali_studio.api.dynamic.batch import Batch

#: Broadcast samples up to so many bytes are copied: they lie side by side then, as kernels like it.
_COPIED = 256


class Tensor(Value):
    """An array with a layout, which may not have been computed yet. `tensor` and `as_tensor` make one of data.

    Parameters
    ----------
    data
        Numbers, nested lists of numbers, or what exports its memory: arrays of NumPy, tensors of PyTorch or pipelines.
    dtype : DType or what names one, optional
    device : Device or str, optional
        Where it is to lie; unset: where the data does.
    layout : str, optional
        One letter for each axis.
    batch, index_in_batch : Batch and int, optional
        In place of data: a sample of a batch.
    copy : bool
        Take memory of its own.
    """

    def __init__(
        self, data: Any = None, dtype: Any = None, device: DeviceLike | None = None, layout: str | None = None,
        batch: Batch | None = None, index_in_batch: int | None = None, *, copy: bool = False,
    ) -> None:  # fmt: skip
        if layout is not None and not isinstance(layout, str):  # pyright: ignore[reportUnnecessaryIsInstance] - a user's
            raise ValueError(f"a layout is a text with one letter for each axis, not a {type(layout).__name__}")
        if batch is not None:
            self._hold(None, _Sample(batch, index_in_batch or 0))
            return
        if data is None:
            raise ValueError("There is no data; give numbers, an array, or batch and index_in_batch.")
        if isinstance(data, Tensor):
            self._of_tensor(data, dtype, copy=copy)
        elif exports_memory(data):
            self._of_memory(data, dtype, copy=copy)
        else:
            numbers, members = numbered(data)
            kind = storable(dtype or members) if dtype or members else None
            self._hold(Samples.of([from_python(numbers, kind)]).as_members(kind))
        if layout:
            _check_layout(layout, self.ndim)
            self._samples, self._lazy = self.held.as_layout(layout), None
        if device is not None:
            self._of_tensor(shallow(self).to_device(device), None, copy=False)

    def _of_tensor(self, data: Tensor, dtype: Any, *, copy: bool) -> None:
        source = data if dtype is None or data.dtype.type_id == storable(dtype) else _cast(data, dtype)
        if copy and source is data:
            source = source.copied()
        self._samples, self._lazy, self._external = source._samples, source._lazy, source._external

    def _of_memory(self, data: Any, dtype: Any, *, copy: bool) -> None:
        if lies_on_gpu(data):
            one = TensorGPU(data)
            row = TensorListGPU([one], one.layout())
            self._hold(taken(row, data, [one.source_info()]))
            if dtype is not None and self.dtype.type_id != storable(dtype):
                self._of_tensor(shallow(self), dtype, copy=False)
            return
        array = from_memory(data)
        layout = data.layout() if isinstance(data, TensorCPU) else ""
        sources = [data.source_info()] if isinstance(data, TensorCPU) else ()
        own = copy or not np.shares_memory(array, array if isinstance(data, np.generic) else np.asarray(data))
        self._hold(Samples.of([array.copy() if copy else array], layout, sources), external=not own)
        if dtype is not None and self.dtype.type_id != storable(dtype):
            self._of_tensor(shallow(self), dtype, copy=False)

    @property
    def array(self) -> NDArray[Any]:
        """The data, computed if need be; not to be changed.

        Raises
        ------
        TypeError
            If it lies on a GPU.
        """
        if self.held.device == "gpu":
            raise TypeError("The tensor lies on a GPU; copy it with .cpu(), or read it there, as CuPy and PyTorch do.")
        return self.held.samples[0]

    def _exported(self) -> Any:
        """What exports the memory."""
        return listed(self.held).at(0) if self.held.device == "gpu" else self.array

    def samples(self, count: int) -> Samples:
        held = self.held
        if count == 1:
            return held
        if held.device == "gpu":
            repeated = {"shapes": np.repeat(held.shapes, count, axis=0), "offsets": np.repeat(held.offsets, count)}
            return replace(held, sources=[*held.sources] * count, **repeated)
        array = held.samples[0]
        rows: Any = [array] * count if array.nbytes > _COPIED else Dense(np.repeat(array[None], count, axis=0))
        return Samples(held.meta, np.repeat(held.shapes, count, axis=0), rows, sources=[*held.sources] * count)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return tuple(self.held.shapes[0].tolist())

    @property
    def size(self) -> int:
        """Number of elements."""
        return volume(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.bytes

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    def item(self) -> Any:
        """The number of a tensor with one element."""
        if self.size != 1:
            raise ValueError(f"the tensor has {self.size} elements; item() is for one")
        return self.cpu().array.item()

    def copied(self) -> Self:
        held = self.held
        if held.device == "gpu":
            return type(self).of_samples(taken(listed(held), None, held.sources))
        return type(self).of_samples(replace(held, samples=[self.array.copy()]))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.array, dtype=dtype, copy=copy)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.held.device == "cpu":
            raise AttributeError("The tensor lies on the CPU; copy it with .gpu().")
        return self._exported().__cuda_array_interface__

    def __dlpack__(self, **options: Any) -> Any:
        return self._exported().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._exported().__dlpack_device__()

    def torch(self, copy: bool = False) -> Any:
        """The data as a tensor of PyTorch, which shares the memory unless a copy is asked for."""
        import torch  # noqa: PLC0415 - an optional package

        made: Any = torch.from_dlpack(self._exported())  # pyright: ignore[reportUnknownMemberType, reportPrivateImportUsage]
        return made.clone() if copy else made

    def __getitem__(self, ranges: Any) -> Tensor:
        given: tuple[Any, ...] = cast("tuple[Any, ...]", ranges) if isinstance(ranges, tuple) else (ranges,)
        places = tuple(_place(one) for one in given)
        named = [one for one in places if one is not Ellipsis]
        if len(places) - len(named) > 1:
            raise ValueError("An index has one ... at most.")
        if len(named) > self.ndim:
            raise ValueError(f"The index has {len(named)} parts; the tensor has {self.ndim} axes.")
        if all(one is Ellipsis or one == slice(None) for one in places):
            return self
        part = _Part(self, places)
        if self.device_id is not None:
            axes = part.of_axes(self.ndim)

            def build(nodes: Sequence[DataNode]) -> Any:
                return indexed(nodes[0], tuple(axes))

            return wrap(call(("slice", repr(axes)), build, [("input", self)], None))
        made = Tensor.__new__(Tensor)
        made._hold(None, part)
        return made

    def __repr__(self) -> str:
        array, layout = self.cpu().array, self.layout or ""
        return format_tensor("Tensor", array, str(self.dtype), layout, show_data=True, device=self.device.device_type)

    __str__ = __repr__


class _Sample:
    """A sample of a batch."""

    def __init__(self, batch: Batch, index: int) -> None:
        self._batch, self._index = batch, index

    @property
    def meta(self) -> TensorMeta:
        return self._batch.meta

    @property
    def device_id(self) -> int | None:
        return self._batch.device_id

    def samples(self) -> Samples:
        held, at = self._batch.held, self._index
        if held.device == "gpu":  # from its first byte, so that no other is copied with it
            one = replace(held.select([at]), indices=None)
            return replace(one, memory=held.memory + int(one.offsets[0]), offsets=np.zeros(1, np.int64))
        sources = held.sources[at : at + 1] if len(held.sources) else ()
        return Samples(held.meta, held.shapes[at : at + 1], [held.samples[at]], sources=sources)


class _Part:
    """What an index takes of a tensor."""

    def __init__(self, tensor: Tensor, places: tuple[Any, ...]) -> None:
        self._tensor, self._places = tensor, places

    @property
    def meta(self) -> TensorMeta:
        whole = self._tensor.meta
        assert whole.ndim is not None
        axes = np.arange(whole.ndim)
        kept = [axis for axis, place in zip(axes.tolist(), self.of_axes(whole.ndim), strict=True)
                if isinstance(place, slice)]  # fmt: skip
        layout = "".join(whole.layout[axis] for axis in kept) if whole.layout else ""
        return whole.with_(ndim=len(kept), layout=layout, kind="any")

    @property
    def device_id(self) -> int | None:
        return None

    def of_axes(self, ndim: int) -> list[Any]:
        """A position or a range for each axis."""
        places = list(self._places)
        at = next((i for i, one in enumerate(places) if one is Ellipsis), len(places))
        named = [one for one in places if one is not Ellipsis]
        return [*named[:at], *[slice(None)] * (ndim - len(named)), *named[at:]]

    def samples(self) -> Samples:
        held = self._tensor.held
        array = np.asarray(self._tensor.array[(*self.of_axes(held.shapes.shape[1]),)]).copy()
        return Samples.of([array], self.meta.layout or "", held.sources)


def _place(given: Any) -> Any:
    """An index or range with Python's numbers in it."""
    if given is Ellipsis:
        return given
    if isinstance(given, slice):
        parts = cast("tuple[Any, ...]", (given.start, given.stop, given.step))
        return slice(*(None if one is None else _whole(one) for one in parts))
    return _whole(given)


def _whole(given: Any) -> int:
    from dali_studio.api.dynamic.batch import Batch  # noqa: PLC0415 - it is made of tensors

    if isinstance(given, Batch):
        raise ValueError("A batch is no index of a tensor; index a batch by its property slice.")
    number: Any = given.item() if exports_memory(given) else given
    if not isinstance(number, int):
        raise TypeError(f"{given!r} is no position; give whole numbers, ranges or ...")
    return number


def _check_layout(layout: str, ndim: int) -> None:
    if len(layout) != ndim:
        raise ValueError(f"the layout {layout!r} names {len(layout)} axes; the data has {ndim}")


def _cast(value: Tensor, dtype: Any) -> Tensor:
    from dali_studio.api.dynamic.functions import cast_to  # noqa: PLC0415 - it makes tensors

    return cast_to(value, dtype)


def as_tensor(
    data: Any, dtype: DType | Any = None, device: DeviceLike | None = None, layout: str | None = None,
    pad: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor that shares the memory of the data where it can.

    Parameters
    ----------
    data
        As for `Tensor`; or a batch, whose samples must have one shape, or are padded with zeros.
    dtype, device, layout
        As for `Tensor`. Data on a GPU is copied.
    pad : bool
        For a batch.
    """
    return _made(data, dtype, device, layout, pad=pad, copy=False)


def tensor(
    data: Any, dtype: DType | Any = None, device: DeviceLike | None = None, layout: str | None = None,
    pad: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor with memory of its own; the parameters are those of `as_tensor`."""
    return _made(data, dtype, device, layout, pad=pad, copy=True)


def _made(data: Any, dtype: Any, device: Any, layout: str | None, *, pad: bool, copy: bool) -> Tensor:
    from dali_studio.api.dynamic.batch import Batch, joined  # noqa: PLC0415 - it is made of tensors

    if isinstance(data, Batch):
        return joined(data if device is None else data.to_device(device), dtype, layout, pad=pad, copy=copy)
    return Tensor(data, dtype, device, layout, copy=copy)


def row_of(arrays: Sequence[NDArray[Any]], layout: str, sources: Sequence[str] = ()) -> Samples:
    """A batch of arrays of one type and rank.

    Raises
    ------
    ValueError
        If they differ.
    """
    first = arrays[0]
    for index, array in enumerate(arrays):
        if array.dtype != first.dtype or array.ndim != first.ndim:
            raise ValueError(
                f"sample {index} has {array.ndim} axes of {array.dtype}, sample 0 has {first.ndim} of {first.dtype}; "
                "all samples of a batch need the same"
            )
    return Samples(meta_of(first.dtype, first.ndim, layout), np.array([one.shape for one in arrays], np.int64).reshape(
        len(arrays), first.ndim), list(arrays), sources=sources)  # fmt: skip
