"""``TensorGPU`` and ``TensorListGPU``: results that lie on a GPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.dtypes import from_numpy
from dali_studio.core.formatting import format_tensor, format_tensor_list
from dali_studio.core.optional import require
from dali_studio.core.storage import equal_shapes
from dali_studio.core.tensors import TensorCPU, TensorListCPU
from dali_studio.core.tensors_base import TensorBase, TensorListBase, batch_layout

#: DLPack's numbers for memory of CUDA devices: their own, and managed memory.
_DLPACK_CUDA = (2, 13)


def _cupy() -> Any:
    return require("cupy", purpose="A tensor on a GPU", install="'dali-studio[gpu-cu12]' or 'dali-studio[gpu-cu13]'")


class TensorGPU(TensorBase):
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
        self._wrap(_as_device_array(data), layout, source)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self._array.__cuda_array_interface__

    def __dlpack__(self, **options: Any) -> Any:
        with self._array.device:  # whose current stream the reader's is to wait for
            return super().__dlpack__(**options)

    def device_id(self) -> int:
        """Number of the GPU."""
        return int(self._array.device.id)

    @property
    def stream(self) -> None:
        """``None``: the data is complete, whichever stream reads it."""
        return None

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

    def __str__(self) -> str:
        host = _cupy().asnumpy(self._array)
        return format_tensor(type(self).__name__, host, str(self.dtype), self._layout, show_data=True, device="gpu")

    def __repr__(self) -> str:
        return format_tensor(
            type(self).__name__, self._array, str(self.dtype), self._layout, show_data=False, device="gpu"
        )


class TensorListGPU(TensorListBase):
    """A batch of samples in device memory; samples may differ in shape.

    Parameters
    ----------
    data : object, sequence of objects or TensorListGPU
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
        if isinstance(data, TensorListGPU):
            sources = list(data._sources)  # noqa: SLF001 - its own class
            self._assign(data.arrays(), data.layout() if layout is None else layout, sources)
            return
        if isinstance(data, list | tuple):
            items = cast("list[Any]", data)
            self._assign(list(items) if _all_cupy(items) else [_as_device_array(item) for item in items], layout, [])
            return
        array = _as_device_array(data)
        if not array.ndim or not len(array) or not array.flags.c_contiguous:
            self._assign(list(array), layout, [])
            return
        count, shape = len(array), array.shape
        offsets, shapes = _steps(count, array.nbytes // count), equal_shapes(count, shape[1:])
        self._samples = _Slab(array.data, offsets, shapes, array.dtype, array)
        self._sources = ("",) * count
        self._dtype, self._layout = from_numpy(array.dtype), ""
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
        made = cls.__new__(cls)
        made._samples = _Slab(memory, offsets, shapes, dtype)  # noqa: SLF001 - its own class
        made._sources = sources if len(sources) else ("",) * len(shapes)  # noqa: SLF001
        made._dtype, made._layout = from_numpy(dtype), layout if len(shapes) else ""  # noqa: SLF001
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

    def ndim(self) -> int:
        """Number of axes of a sample."""
        return self._samples.ndim if isinstance(self._samples, _Slab) and self._samples else super().ndim()

    def arrays(self) -> list[Any]:
        """The samples as CuPy arrays that share the batch's memory."""
        return list(self._samples)

    def whole(self) -> Any:
        """The samples as one CuPy array, if they are one in memory; ``None`` if they are not."""
        found = self._samples
        return found.whole() if isinstance(found, _Slab) and len(found) else None

    def at(self, index: int) -> TensorGPU:
        """Sample `index`; shares the batch's memory."""
        position = self._position(index)
        return TensorGPU(self._samples[position], self._layout, source=self._sources[position])

    __getitem__ = at

    def __iter__(self) -> Iterator[TensorGPU]:
        return (self.at(i) for i in range(len(self)))

    def device_id(self) -> int:
        """Number of the GPU; -1 for an empty batch."""
        found = self._samples
        return int((found.memory if isinstance(found, _Slab) else found[0].data).device_id) if found else -1

    @property
    def stream(self) -> None:
        """``None``: the data is complete, whichever stream reads it."""
        return None

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
        return TensorGPU(self._dense(), batch_layout(self._layout, self.ndim()))

    def as_reshaped_tensor(self, shape: Sequence[int]) -> TensorGPU:
        """The batch as one tensor of another shape with as many elements."""
        return TensorGPU(self._dense().reshape(tuple(shape)))

    def _dense(self) -> Any:
        cupy = _cupy()
        if not self._samples:
            return cupy.empty((0,), np.float32)
        whole = self.whole()
        if whole is not None:
            return whole
        first = self._samples[0]
        self._check_dense()
        start, size = first.data.ptr, first.nbytes
        side_by_side = all(
            s.data.mem is first.data.mem and s.data.ptr == start + i * size and s.flags.c_contiguous
            for i, s in enumerate(self._samples)
        )
        if side_by_side:
            return cupy.ndarray((len(self), *first.shape), first.dtype, first.data)
        with first.device:  # not the caller's, where several GPUs are in use
            return cupy.stack(self._samples)

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


class _Slab(Sequence[Any]):
    """Samples in one piece of device memory: no array is made for a sample until somebody asks for it."""

    def __init__(
        self, memory: Any, offsets: NDArray[np.int64], shapes: NDArray[np.int64], dtype: np.dtype[Any],
        whole: Any = None,
    ) -> None:  # fmt: skip
        self.memory, self._offsets, self._shapes, self._dtype = memory, offsets, shapes, dtype
        #: All samples as one array, where somebody gave or wanted it.
        self._whole = whole

    def __len__(self) -> int:
        return len(self._shapes)

    @property
    def ndim(self) -> int:
        """Number of axes of a sample."""
        return int(self._shapes.shape[1])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return _Slab(self.memory, self._offsets[index], self._shapes[index], self._dtype)
        shape, memory = tuple(self._shapes[index].tolist()), self.memory + int(self._offsets[index])
        return _cupy().ndarray(shape, self._dtype, memory)

    def whole(self) -> Any:
        """All samples as one array; ``None`` if they differ in shape, or do not lie side by side."""
        if self._whole is None and self._is_array():
            shape = (len(self), *self._shapes[0].tolist())
            self._whole = _cupy().ndarray(shape, self._dtype, self.memory + int(self._offsets[0]))
        return self._whole

    def _is_array(self) -> bool:
        size = int(self._shapes[0].prod()) * self._dtype.itemsize
        return bool((self._shapes == self._shapes[0]).all() and (np.diff(self._offsets) == size).all())


@lru_cache(maxsize=64)
def _steps(count: int, size: int) -> NDArray[np.int64]:
    """Where samples of one size begin that lie side by side: the same array for the same values, not to be changed."""
    made = size * np.arange(count, dtype=np.int64)
    made.flags.writeable = False
    return made


#: Types of lists of arrays in host memory, mostly.
_PLAIN = {np.ndarray}


def on_gpu(data: Any) -> bool:
    """Whether `data`, an array or a list of arrays, lies in the memory of a GPU.

    Raises
    ------
    TypeError
        If some of a list do and others do not.
    """
    if isinstance(data, list | tuple):
        kinds = set(map(type, cast("list[Any]", data)))
        if kinds == _PLAIN or all(issubclass(kind, np.ndarray | np.generic) for kind in kinds):
            return False
        if _all_cupy(cast("list[Any]", data)):
            return True
        found = [on_gpu(item) for item in cast("list[Any]", data)]
        if any(found) and not all(found):
            raise TypeError(
                f"sample {found.index(True)} lies on a GPU and sample {found.index(False)} does not; "
                "all samples of a batch must lie on one device"
            )
        return any(found)
    if isinstance(data, np.ndarray | np.generic | TensorListCPU | TensorCPU):
        return False
    if isinstance(data, TensorListGPU) or _all_cupy((data,)) or hasattr(data, "__cuda_array_interface__"):
        return True
    return hasattr(data, "__dlpack_device__") and int(data.__dlpack_device__()[0]) in _DLPACK_CUDA


def _all_cupy(items: Sequence[Any]) -> bool:
    """Whether all are CuPy arrays, which need no closer look; quick, since it is asked for every batch."""
    module = sys.modules.get("cupy")
    return module is not None and set(map(type, items)) == {module.ndarray}


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
