"""``TensorCPU`` and ``TensorListCPU``: what pipelines return."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.dtypes import NUMERIC, from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.formatting import format_tensor, format_tensor_list
from dali_studio.core.storage import Dense, Packed
from dali_studio.core.tensors_base import TensorBase, TensorListBase, batch_layout


class TensorCPU(TensorBase):
    """One sample in host memory; shares its memory with whoever made it.

    Parameters
    ----------
    data : array_like
        Anything that numpy can view, through the buffer, array-interface or DLPack protocol. Arrays in another byte
        order than the machine's are converted.
    layout : str, optional
        One letter per axis.
    is_pinned : bool
        Accepted without effect: host memory is never page-locked here.
    """

    def __init__(
        self, data: Any, layout: str | None = None, is_pinned: bool = False, *, source: str = "",
        dtype: DALIDataType | None = None,
    ) -> None:  # fmt: skip
        del is_pinned
        self._wrap(_as_array(data), layout, source, dtype)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._array.__array_interface__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._array, dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        if self._array.flags.writeable:
            return super().__dlpack__(**options)
        return self._array.copy().__dlpack__(**options)  # DLPack cannot say that a mapped file is read-only

    def as_cpu(self) -> TensorCPU:
        """Itself: the data is on the CPU already."""
        return self

    def copy_to_external(self, ptr: Any) -> None:
        """Copy the bytes to the address `ptr` (an integer or a ctypes pointer)."""
        _copy_to(ptr, np.ascontiguousarray(self._array))

    def data_ptr(self) -> int:
        """Address of the first element."""
        return int(self._array.ctypes.data)

    def __str__(self) -> str:
        return format_tensor(type(self).__name__, self._array, str(self.dtype), self._layout, show_data=True)

    def __repr__(self) -> str:
        return format_tensor(type(self).__name__, self._array, str(self.dtype), self._layout, show_data=False)


def _common_layout(items: Sequence[Any]) -> str:
    """The layout of a batch of `items`: that of the first one, if it is a tensor with one."""
    layouts = [item.layout() if isinstance(item, TensorCPU) else "" for item in items]
    for index, layout in enumerate(layouts):
        if layout not in ("", layouts[0]):
            raise TypeError(f"sample {index} has layout {layout!r}, sample 0 {layouts[0]!r}; give a layout for all.")
    return layouts[0] if layouts else ""


class TensorListCPU(TensorListBase):
    """A batch of samples in host memory; samples may differ in shape.

    Parameters
    ----------
    data : array_like, sequence or TensorListCPU
        An array whose first axis is the sample, or a list of samples.
    layout : str, optional
        Layout of a sample (without the sample axis).
    is_pinned, contiguous : bool
        Accepted without effect.

    Raises
    ------
    TypeError
        If the samples differ in element type or number of axes.
    """

    def __init__(self, data: Any, layout: str | None = None, is_pinned: bool = False, contiguous: bool = True) -> None:
        del is_pinned, contiguous
        if isinstance(data, TensorListCPU):
            samples, sources = list(data._samples), list(data._sources)
            layout = data._layout if layout is None else layout
        elif isinstance(data, list | tuple):
            items = cast("list[Any]", data)
            samples, sources = [_as_array(item) for item in items], [""] * len(items)
            layout = _common_layout(items) if layout is None else layout
        else:
            dense = _as_array(data)
            if dense.ndim == 0:
                raise TypeError(
                    "a TensorListCPU needs a sample axis; got a 0-D array. Give an array of shape (N, ...)."
                )
            samples, sources = list(dense), [""] * len(dense)
        self._assign(samples, layout, sources)

    @classmethod
    def from_samples(
        cls,
        samples: Sequence[NDArray[Any]],
        layout: str = "",
        sources: Sequence[str] = (),
        dtype: DALIDataType | None = None,
    ) -> TensorListCPU:
        """Wrap sample arrays without a copy."""
        made = cls.__new__(cls)
        known = isinstance(samples, Dense | Packed)
        made._assign(samples if known else list(samples), layout, sources, dtype)
        return made

    @staticmethod
    def from_dlpack_list(
        list_of_objects: Sequence[Any], layout: str | None = None, contiguous: bool = False
    ) -> TensorListCPU:
        """A batch of objects that export DLPack, without a copy."""
        del contiguous
        return TensorListCPU([np.from_dlpack(item) for item in list_of_objects], layout)

    @staticmethod
    def broadcast(sample: TensorCPU, num_samples: int) -> TensorListCPU:
        """A batch that repeats one sample, without a copy."""
        array = np.asarray(sample)
        return TensorListCPU.from_samples([array] * num_samples, sample.layout())

    def __getitem__(self, index: int) -> TensorCPU:
        position = self._position(index)
        return TensorCPU(self._samples[position], self._layout, source=self._sources[position], dtype=self._dtype)

    def __iter__(self) -> Iterator[TensorCPU]:
        return (self[i] for i in range(len(self)))

    def at(self, index: int) -> NDArray[Any]:
        """Sample `index` as an array that shares the batch's memory."""
        return self._samples[self._position(index)]

    def arrays(self) -> list[NDArray[Any]]:
        """All samples, as `at` gives them."""
        return list(self._samples)

    def as_array(self) -> NDArray[Any]:
        """The batch as one array (N, ...); without a copy where the samples lie side by side.

        Raises
        ------
        RuntimeError
            If the samples differ in shape.
        """
        self._check_dense()
        if not self._samples:
            return np.empty((0,), np.float32)
        return _joined(self._samples)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.as_array(), dtype=dtype, copy=copy)

    def as_tensor(self) -> TensorCPU:
        """The batch as one tensor with the layout ``"N" + layout``."""
        return TensorCPU(self.as_array(), batch_layout(self._layout, self.ndim()))

    def as_reshaped_tensor(self, shape: Sequence[int]) -> TensorCPU:
        """The batch as one tensor of another shape with as many elements."""
        return TensorCPU(self.as_array().reshape(tuple(shape)))

    def as_cpu(self) -> TensorListCPU:
        """Itself: the data is on the CPU already."""
        return self

    def copy_to_external(self, ptr: Any) -> None:
        """Copy the samples, one after the other, to the address `ptr`."""
        joined = np.concatenate([np.ascontiguousarray(s).reshape(-1) for s in self._samples])
        _copy_to(ptr, joined)

    def data_ptr(self) -> int:
        """Address of the first element of a dense batch."""
        return int(self.as_array().ctypes.data)

    def __str__(self) -> str:
        return format_tensor_list(type(self).__name__, self._samples, str(self.dtype), self._layout, show_data=True)

    def __repr__(self) -> str:
        return format_tensor_list(type(self).__name__, self._samples, str(self.dtype), self._layout, show_data=False)


#: The name that the documentation uses for a batch on any device.
TensorList = TensorListCPU


#: Types of arrays and scalars that are looked at no further: batches are lists of hundreds of them.
_ARRAYS = frozenset({np.ndarray, *np.sctypeDict.values()})
_NATIVE = frozenset(map(to_numpy, NUMERIC))


def _as_array(data: Any) -> NDArray[Any]:
    if type(data) in _ARRAYS and data.dtype in _NATIVE:
        return data if type(data) is np.ndarray else np.asarray(data)
    if isinstance(data, TensorCPU):
        return data._array  # pyright: ignore[reportPrivateUsage] - the same module
    foreign = hasattr(data, "__dlpack__") and not isinstance(data, np.ndarray | np.generic)
    given = cast(Any, data)
    array = cast("NDArray[Any]", np.from_dlpack(given) if foreign else np.asarray(given))
    native = to_numpy(from_numpy(array.dtype))  # refuses what no tensor can hold
    return array if array.dtype.isnative else array.astype(native)


def _copy_to(ptr: Any, data: NDArray[Any]) -> None:
    address = ptr if isinstance(ptr, int) else ctypes.cast(ptr, ctypes.c_void_p).value
    if not address:
        raise ValueError("copy_to_external needs an address that is not null")
    ctypes.memmove(address, data.ctypes.data, data.nbytes)


def _joined(samples: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """A view of samples that lie side by side in one owner; a copy otherwise."""
    first, owner = samples[0], samples[0].base
    size = first.nbytes
    if isinstance(owner, np.ndarray) and size and first.flags.c_contiguous:
        start = first.ctypes.data
        if all(s.base is owner and s.ctypes.data == start + i * size for i, s in enumerate(samples)):
            strides = (size, *first.strides)
            offset = start - owner.ctypes.data
            return np.ndarray(
                (len(samples), *first.shape), first.dtype, owner.reshape(-1).view(np.uint8).data, offset, strides
            )
    return np.stack(samples)
