"""``TensorGPU`` and ``TensorListGPU``: results that lie on a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.formatting import format_tensor, format_tensor_list
from dali_studio.core.optional import require
from dali_studio.core.tensors import TensorCPU, TensorListCPU


def _cupy() -> Any:
    return require("cupy", purpose="A tensor on a GPU", install="'dali-studio[gpu-cu12]' or 'dali-studio[gpu-cu13]'")


class TensorGPU:
    """One sample in device memory; shares its memory with whoever made it.

    CuPy and PyTorch take it without a copy, through ``__cuda_array_interface__`` or DLPack.

    Parameters
    ----------
    data : object
        A CuPy array, or anything that exports ``__cuda_array_interface__`` or DLPack.
    layout : str, optional
        One letter per axis.
    """

    def __init__(self, data: Any, layout: str | None = None, *, source: str = "") -> None:
        self._array: Any = _as_device_array(data)
        self._source = source
        self._layout = ""
        self.set_layout(layout)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self._array.__cuda_array_interface__

    def __dlpack__(self, **options: Any) -> Any:
        with self._array.device:  # whose current stream the reader's is to wait for
            return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    def shape(self) -> list[int]:
        """Extents of the sample."""
        return list(self._array.shape)

    def ndim(self) -> int:
        """Number of axes."""
        return int(self._array.ndim)

    @property
    def dtype(self) -> DALIDataType:
        """Element type."""
        return from_numpy(self._array.dtype)

    def device_id(self) -> int:
        """Number of the GPU."""
        return int(self._array.device.id)

    @property
    def stream(self) -> None:
        """``None``: the data is complete, whichever stream reads it."""
        return None

    def layout(self) -> str:
        """One letter per axis, or an empty string."""
        return self._layout

    def set_layout(self, layout: str | None) -> None:
        """Name the axes; ``None`` or ``""`` takes the names away."""
        self._layout = _checked(layout, self.ndim())

    def reinterpret(self, new_type: DALIDataType) -> None:
        """Read the same bytes as another element type of the same size."""
        self._array = _reinterpreted(self._array, new_type)

    def squeeze(self, dim: int | None = None) -> bool:
        """Drop axes of extent 1 (all, or axis `dim`); returns whether the shape changed."""
        before = self._array.shape
        axes = [i for i, extent in enumerate(before) if extent == 1 and dim in (None, i, i - len(before))]
        self._array = self._array.squeeze(tuple(axes))
        if self._layout:
            self._layout = "".join(letter for i, letter in enumerate(self._layout) if i not in axes)
        return self._array.shape != before

    def as_cpu(self) -> TensorCPU:
        """A copy in host memory."""
        return TensorCPU(_cupy().asnumpy(self._array), self._layout, source=self._source)

    def copy_to_external(
        self, ptr: Any, cuda_stream: Any = None, non_blocking: bool = False, use_copy_kernel: bool = False
    ) -> None:
        """Copy the bytes to the device address `ptr`; returns when they are there."""
        del cuda_stream, non_blocking, use_copy_kernel
        _copy_out([self._array], ptr)

    def data_ptr(self) -> int:
        """Device address of the first element."""
        return int(self._array.data.ptr)

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
        host = _cupy().asnumpy(self._array)
        return format_tensor(type(self).__name__, host, str(self.dtype), self._layout, show_data=True, device="gpu")

    def __repr__(self) -> str:
        return format_tensor(
            type(self).__name__, self._array, str(self.dtype), self._layout, show_data=False, device="gpu"
        )


class TensorListGPU:
    """A batch of samples in device memory; samples may differ in shape.

    Parameters
    ----------
    data : object or sequence of objects
        A device array whose first axis is the sample, or a list of device arrays (CuPy, or anything that exports
        ``__cuda_array_interface__`` or DLPack).
    layout : str, optional
        Layout of a sample (without the sample axis).

    Raises
    ------
    TypeError
        If the samples differ in element type or number of axes.
    """

    def __init__(self, data: Any, layout: str | None = None) -> None:
        several = isinstance(data, list | tuple)
        samples = (
            [_as_device_array(item) for item in cast("list[Any]", data)] if several else list(_as_device_array(data))
        )
        self._assign(samples, layout or "", [""] * len(samples), None)
        self.set_layout(layout)

    @classmethod
    def from_memory(
        cls, memory: Any, offsets: NDArray[np.int64], shapes: NDArray[np.int64], dtype: np.dtype[Any], layout: str = "",
        sources: Sequence[str] = (),
    ) -> TensorListGPU:  # fmt: skip
        """Wrap samples in one slab without a copy.

        Parameters
        ----------
        memory : cupy.cuda.MemoryPointer
            The slab, which lives as long as any view of it.
        offsets : ndarray
            (N,) first byte of every sample.
        shapes : ndarray
            (N, ndim).
        """
        array = _cupy().ndarray
        rows = zip(shapes.tolist(), offsets.tolist(), strict=True)
        samples = [array(tuple(shape), dtype, memory + offset) for shape, offset in rows]
        made = cls.__new__(cls)
        made._assign(samples, layout, sources if len(sources) else ("",) * len(samples), from_numpy(dtype))  # noqa: SLF001 - its own class
        return made

    @staticmethod
    def from_dlpack_list(
        list_of_objects: Sequence[Any], layout: str | None = None, stream: Any = None, contiguous: bool = False
    ) -> TensorListGPU:
        """A batch of objects that export DLPack, without a copy."""
        del stream, contiguous
        return TensorListGPU(list(list_of_objects), layout)

    @staticmethod
    def broadcast(sample: TensorGPU, num_samples: int) -> TensorListGPU:
        """A batch that repeats one sample, without a copy."""
        return TensorListGPU([sample] * num_samples, sample.layout())

    def _assign(self, samples: list[Any], layout: str, sources: Sequence[str], dtype: DALIDataType | None) -> None:
        for index, sample in enumerate(samples):
            if sample.dtype != samples[0].dtype or sample.ndim != samples[0].ndim:
                raise TypeError(
                    f"sample {index} has dtype {sample.dtype} and {sample.ndim} axes, sample 0 has {samples[0].dtype} "
                    f"and {samples[0].ndim}; all samples of a batch need the same."
                )
        self._samples, self._layout = samples, layout if samples else ""
        self._sources: Sequence[str] = sources
        self._dtype = dtype or (from_numpy(samples[0].dtype) if samples else DALIDataType.NO_TYPE)

    def __len__(self) -> int:
        return len(self._samples)

    def at(self, index: int) -> TensorGPU:
        """Sample `index`; shares the batch's memory."""
        position = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= position < len(self):
            raise IndexError(f"sample {index} does not exist; the batch has {len(self)} samples (0 to {len(self) - 1})")
        return TensorGPU(self._samples[position], self._layout, source=self._sources[position])

    __getitem__ = at

    def __iter__(self) -> Iterator[TensorGPU]:
        return (self.at(i) for i in range(len(self)))

    def shape(self) -> list[tuple[int, ...]]:
        """Shapes of all samples."""
        return [tuple(sample.shape) for sample in self._samples]

    def ndim(self) -> int:
        """Number of axes of a sample."""
        return int(self._samples[0].ndim) if self._samples else 0

    @property
    def dtype(self) -> DALIDataType:
        """Element type."""
        return self._dtype

    def device_id(self) -> int:
        """Number of the GPU; -1 for an empty batch."""
        return int(self._samples[0].device.id) if self._samples else -1

    @property
    def stream(self) -> None:
        """``None``: the data is complete, whichever stream reads it."""
        return None

    def layout(self) -> str:
        """Layout of a sample."""
        return self._layout

    def set_layout(self, layout: str | None) -> None:
        """Name the axes of a sample."""
        self._layout = _checked(layout, self.ndim())

    def is_dense_tensor(self) -> bool:
        """Whether all samples have one shape, so that the batch can be an array."""
        return all(sample.shape == self._samples[0].shape for sample in self._samples)

    def as_cpu(self) -> TensorListCPU:
        """A copy in host memory."""
        cupy = _cupy()
        if self._samples and self.is_dense_tensor():
            samples: list[NDArray[Any]] = list(cupy.asnumpy(self._dense()))
        else:
            samples = [cupy.asnumpy(sample) for sample in self._samples]
        return TensorListCPU.from_samples(samples, self._layout, self._sources, self._dtype)

    def as_tensor(self) -> TensorGPU:
        """The batch as one tensor with the layout ``"N" + layout``; without a copy where the samples lie side by side.

        Raises
        ------
        RuntimeError
            If the samples differ in shape.
        """
        return TensorGPU(self._dense(), f"N{self._layout}" if self._layout else None)

    def as_reshaped_tensor(self, shape: Sequence[int]) -> TensorGPU:
        """The batch as one tensor of another shape with as many elements."""
        return TensorGPU(self._dense().reshape(tuple(shape)))

    def _dense(self) -> Any:
        cupy = _cupy()
        if not self._samples:
            return cupy.empty((0,), np.float32)
        first = self._samples[0]
        if not self.is_dense_tensor():
            different = next(s.shape for s in self._samples if s.shape != first.shape)
            raise RuntimeError(
                f"the batch is not one array: its samples differ in shape ({first.shape} and {different}). "
                "Crop, resize or pad them to one shape, or read them one by one with at(i)."
            )
        start, size = first.data.ptr, first.nbytes
        side_by_side = all(
            s.data.mem is first.data.mem and s.data.ptr == start + i * size and s.flags.c_contiguous
            for i, s in enumerate(self._samples)
        )
        if side_by_side:
            return cupy.ndarray((len(self), *first.shape), first.dtype, first.data)
        with first.device:  # not the caller's, where several GPUs are in use
            return cupy.stack(self._samples)

    def reinterpret(self, new_type: DALIDataType) -> None:
        """Read the same bytes as another element type of the same size."""
        self._samples = [_reinterpreted(sample, new_type) for sample in self._samples]
        self._dtype = new_type

    def reset(self) -> None:
        """Drop the samples."""
        self._samples, self._sources = [], []

    def copy_to_external(
        self, ptr: Any, cuda_stream: Any = None, non_blocking: bool = False, use_copy_kernel: bool = False
    ) -> None:
        """Copy the samples, one after the other, to the device address `ptr`; returns when they are there."""
        del cuda_stream, non_blocking, use_copy_kernel
        _copy_out(self._samples, ptr)

    def data_ptr(self) -> int:
        """Device address of the first element of a dense batch."""
        return int(self._dense().data.ptr)

    def __str__(self) -> str:
        samples = [self.as_cpu().at(i) for i in range(len(self))] if len(self) else []
        return format_tensor_list(
            type(self).__name__, samples, str(self.dtype), self._layout, show_data=True, device="gpu"
        )

    def __repr__(self) -> str:
        return format_tensor_list(
            type(self).__name__, self._samples, str(self.dtype), self._layout, show_data=False, device="gpu"
        )


def _as_device_array(data: Any) -> Any:
    if isinstance(data, TensorGPU):
        return data._array  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the same module
    cupy, given = _cupy(), data
    if isinstance(given, cupy.ndarray):
        return given
    if hasattr(given, "__cuda_array_interface__"):
        return cupy.asarray(given)
    if hasattr(given, "__dlpack__") and not isinstance(given, np.ndarray | np.generic):
        return cupy.from_dlpack(given)
    raise TypeError(
        f"{type(data).__name__} is not on a GPU. Give an object with __cuda_array_interface__ or DLPack, "
        "or use TensorListCPU."
    )


def _checked(layout: str | None, ndim: int) -> str:
    if layout and len(layout) != ndim:
        raise ValueError(f"layout {layout!r} names {len(layout)} axes; the data has {ndim}. Give one letter per axis.")
    return layout or ""


def _reinterpreted(array: Any, new_type: DALIDataType) -> Any:
    target = to_numpy(new_type)
    if target.itemsize != array.dtype.itemsize:
        raise TypeError(f"{array.dtype} has {array.dtype.itemsize} bytes per element, {target} has {target.itemsize}")
    return array.view(target)


def _copy_out(arrays: Sequence[Any], ptr: Any) -> None:
    address = int(ptr if isinstance(ptr, int) else getattr(ptr, "value", 0) or 0)
    if not address:
        raise ValueError("copy_to_external needs a device address that is not null")
    runtime = _cupy().cuda.runtime
    for array in arrays:
        with array.device:
            whole = _cupy().ascontiguousarray(array)
            runtime.memcpy(address, whole.data.ptr, whole.nbytes, runtime.memcpyDeviceToDevice)
            runtime.deviceSynchronize()
        address += int(whole.nbytes)
