"""``TensorCPU`` and ``TensorListCPU``: what pipelines return."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.formatting import format_tensor, format_tensor_list


class TensorCPU:
    """One sample in host memory; shares its memory with whoever made it.

    Parameters
    ----------
    data : array_like
        Anything that numpy can view, through the buffer, array-interface or DLPack protocol.
    layout : str, optional
        One letter per axis.
    is_pinned : bool
        Accepted without effect: host memory is never page-locked here.
    """

    def __init__(self, data: Any, layout: str | None = None, is_pinned: bool = False, *, source: str = "") -> None:
        del is_pinned
        self._array: NDArray[Any] = _as_array(data)
        self._source = source
        self._layout = ""
        self.set_layout(layout)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._array.__array_interface__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._array, dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    def shape(self) -> list[int]:
        """Extents of the sample."""
        return list(self._array.shape)

    def ndim(self) -> int:
        """Number of axes."""
        return self._array.ndim

    @property
    def dtype(self) -> DALIDataType:
        """Element type."""
        return from_numpy(self._array.dtype)

    def layout(self) -> str:
        """One letter per axis, or an empty string."""
        return self._layout

    def set_layout(self, layout: str | None) -> None:
        """Name the axes; ``None`` or ``""`` takes the names away."""
        self._layout = _checked_layout(layout, self._array.ndim)

    def reinterpret(self, new_type: DALIDataType) -> None:
        """Read the same bytes as another element type of the same size."""
        self._array = _reinterpreted(self._array, new_type)

    def squeeze(self, dim: int | None = None) -> bool:
        """Drop axes of extent 1 (all, or axis `dim`); returns whether the shape changed."""
        before = self._array.shape
        axes = [i for i, extent in enumerate(before) if extent == 1 and dim in (None, i, i - len(before))]
        self._array = np.squeeze(self._array, tuple(axes))
        if self._layout:
            self._layout = "".join(letter for i, letter in enumerate(self._layout) if i not in axes)
        return self._array.shape != before

    def as_cpu(self) -> TensorCPU:
        """Itself: the data is on the CPU already."""
        return self

    def copy_to_external(self, ptr: Any) -> None:
        """Copy the bytes to the address `ptr` (an integer or a ctypes pointer)."""
        _copy_to(ptr, np.ascontiguousarray(self._array))

    def data_ptr(self) -> int:
        """Address of the first element."""
        return int(self._array.ctypes.data)

    def source_info(self) -> str:
        """Where the sample came from (a path relative to the reader's root), or an empty string."""
        return self._source

    def get_property(self, key: str) -> Any:
        """``"layout"`` or ``"source_info"``.

        Raises
        ------
        RuntimeError
            For any other key.
        """
        if key == "layout":
            return self._layout
        if key == "source_info":
            return self._source
        raise RuntimeError(f"unknown tensor property {key!r}; use 'layout' or 'source_info'")

    def __str__(self) -> str:
        return format_tensor(type(self).__name__, self._array, str(self.dtype), self._layout, show_data=True)

    def __repr__(self) -> str:
        return format_tensor(type(self).__name__, self._array, str(self.dtype), self._layout, show_data=False)


class TensorListCPU:
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

    def __init__(
        self, data: Any, layout: str | None = None, is_pinned: bool = False, contiguous: bool = True
    ) -> None:
        del is_pinned, contiguous
        if isinstance(data, TensorListCPU):
            samples, sources = list(data._samples), list(data._sources)
            layout = data._layout if layout is None else layout
        elif isinstance(data, list | tuple):
            items = cast("list[Any]", data)
            samples, sources = [_as_array(item) for item in items], [""] * len(items)
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
        cls, samples: Sequence[NDArray[Any]], layout: str = "", sources: Sequence[str] = (),
        dtype: DALIDataType | None = None,
    ) -> TensorListCPU:
        """Wrap sample arrays without a copy."""
        made = cls.__new__(cls)
        made._assign(list(samples), layout, sources if len(sources) else ("",) * len(samples), dtype)
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

    def _assign(
        self, samples: list[NDArray[Any]], layout: str | None, sources: Sequence[str], dtype: DALIDataType | None = None
    ) -> None:
        first = samples[0] if samples else None
        for index, sample in enumerate(samples):
            assert first is not None
            if sample.dtype != first.dtype or sample.ndim != first.ndim:
                raise TypeError(
                    f"sample {index} has dtype {sample.dtype} and {sample.ndim} axes, sample 0 has {first.dtype} and "
                    f"{first.ndim}; all samples of a batch need the same."
                )
        self._samples = samples
        self._sources: Sequence[str] = sources
        self._dtype = dtype or (from_numpy(first.dtype) if first is not None else DALIDataType.NO_TYPE)
        self._layout = ""
        if first is not None:
            self.set_layout(layout)

    def __len__(self) -> int:
        return len(self._samples)

    def __getitem__(self, index: int) -> TensorCPU:
        position = self._position(index)
        return TensorCPU(self._samples[position], self._layout, source=self._sources[position])

    def __iter__(self) -> Iterator[TensorCPU]:
        return (self[i] for i in range(len(self)))

    def at(self, index: int) -> NDArray[Any]:
        """Sample `index` as an array that shares the batch's memory."""
        return self._samples[self._position(index)]

    def _position(self, index: int) -> int:
        position = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= position < len(self):
            raise IndexError(f"sample {index} does not exist; the batch has {len(self)} samples (0 to {len(self) - 1})")
        return position

    def shape(self) -> list[tuple[int, ...]]:
        """Shapes of all samples."""
        return [sample.shape for sample in self._samples]

    def ndim(self) -> int:
        """Number of axes of a sample."""
        return self._samples[0].ndim if self._samples else 0

    @property
    def dtype(self) -> DALIDataType:
        """Element type."""
        return self._dtype

    def layout(self) -> str:
        """Layout of a sample."""
        return self._layout

    def set_layout(self, layout: str | None) -> None:
        """Name the axes of a sample."""
        self._layout = _checked_layout(layout, self.ndim())

    def is_dense_tensor(self) -> bool:
        """Whether all samples have one shape, so that the batch can be an array."""
        return all(sample.shape == self._samples[0].shape for sample in self._samples)

    def as_array(self) -> NDArray[Any]:
        """The batch as one array (N, ...); without a copy where the samples lie side by side.

        Raises
        ------
        RuntimeError
            If the samples differ in shape.
        """
        if not self.is_dense_tensor():
            different = next(s.shape for s in self._samples if s.shape != self._samples[0].shape)
            raise RuntimeError(
                f"the batch is not one array: its samples differ in shape ({self._samples[0].shape} and {different}). "
                "Crop, resize or pad them to one shape, or read them one by one with at(i)."
            )
        if not self._samples:
            return np.empty((0,), np.float32)
        return _joined(self._samples)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.as_array(), dtype=dtype, copy=copy)

    def as_tensor(self) -> TensorCPU:
        """The batch as one tensor with the layout ``"N" + layout``."""
        return TensorCPU(self.as_array(), f"N{self._layout}" if self._layout else None)

    def as_reshaped_tensor(self, shape: Sequence[int]) -> TensorCPU:
        """The batch as one tensor of another shape with as many elements."""
        return TensorCPU(self.as_array().reshape(tuple(shape)))

    def as_cpu(self) -> TensorListCPU:
        """Itself: the data is on the CPU already."""
        return self

    def reinterpret(self, new_type: DALIDataType) -> None:
        """Read the same bytes as another element type of the same size."""
        self._samples = [_reinterpreted(sample, new_type) for sample in self._samples]
        self._dtype = new_type

    def reset(self) -> None:
        """Drop the samples."""
        self._samples, self._sources = [], []

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


def _as_array(data: Any) -> NDArray[Any]:
    if isinstance(data, TensorCPU):
        return data._array  # pyright: ignore[reportPrivateUsage] - the same module
    foreign = hasattr(data, "__dlpack__") and not isinstance(data, np.ndarray | np.generic)
    given = cast(Any, data)
    array = cast("NDArray[Any]", np.from_dlpack(given) if foreign else np.asarray(given))
    to_numpy(from_numpy(array.dtype))  # refuses what no tensor can hold
    return array


def _checked_layout(layout: str | None, ndim: int) -> str:
    if layout and len(layout) != ndim:
        raise ValueError(f"layout {layout!r} names {len(layout)} axes; the data has {ndim}. Give one letter per axis.")
    return layout or ""


def _reinterpreted(array: NDArray[Any], new_type: DALIDataType) -> NDArray[Any]:
    target = to_numpy(new_type)
    if target.itemsize != array.dtype.itemsize:
        raise TypeError(f"{array.dtype} has {array.dtype.itemsize} bytes per element, {target} has {target.itemsize}")
    return array.view(target)


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
