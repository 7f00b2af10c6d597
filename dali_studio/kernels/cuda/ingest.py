"""Arrays on a GPU that the program gives: whose stream they are ready on, and their copy into a batch."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from dali_studio.kernels.cuda.batch import PADDING, DeviceBatch, place
from dali_studio.kernels.cuda.device import cupy

#: What ``cuda_stream`` may say instead of a stream: the data is complete, whichever stream reads it.
COMPLETE = -1


def producer(wanted: Any, array: Any, device_id: int) -> Any:
    """The stream on which `array` is ready, and after whose later work it may change.

    Parameters
    ----------
    wanted
        What the program gave as ``cuda_stream``: a stream of CuPy, PyTorch or another library, the address of one, 0
        for the default stream, -1 for data that is complete; ``None``: the current stream of the array's library.
    array
        As the program gave it.

    Returns
    -------
    cupy.cuda.Stream
        For complete data one on which nobody else works.

    Raises
    ------
    TypeError
        For what is no stream.
    """
    cuda = cupy().cuda
    if wanted is None:
        if type(array).__module__.partition(".")[0] != "torch":
            return cuda.get_current_stream()  # arrays of other libraries were made ready on it when they were taken
        wanted = sys.modules["torch"].cuda.current_stream(array.device)
    address = _address(wanted)
    if address == COMPLETE:
        return _own_stream(device_id)
    if not hasattr(cuda.Stream, "from_external"):  # CuPy 13
        return cuda.ExternalStream(address, device_id)
    return cuda.Stream.from_external(wanted if hasattr(wanted, "__cuda_stream__") else _Address(address))


class _Address:
    """An address as CUDA's protocol for streams wants it."""

    def __init__(self, address: int) -> None:
        self._address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._address


@cache
def _own_stream(device_id: int) -> Any:
    with cupy().cuda.Device(device_id):
        return cupy().cuda.Stream(non_blocking=True)


def _address(stream: Any) -> int:
    if isinstance(stream, int):
        return stream
    if isinstance(stream, ctypes.c_void_p):
        return stream.value or 0
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("ptr", "cuda_stream", "handle"):  # CuPy, PyTorch, Numba
        if hasattr(stream, name):
            found = getattr(stream, name)
            return int(getattr(found, "value", found) or 0)
    raise TypeError(f"cuda_stream is a {type(stream).__name__}, which is no CUDA stream")


def copied(arrays: Sequence[Any], layout: str, stream: Any, allocate: Any) -> DeviceBatch:
    """A batch with the contents of CuPy arrays of one type, made on `stream`; its event tells when it is there.

    Parameters
    ----------
    arrays : sequence of cupy.ndarray
    stream : cupy.cuda.Stream
        Later work on it may change the arrays.
    allocate : callable
        ``allocate(size)`` gives device memory, for use on the current stream.
    """
    first = arrays[0]
    shapes = np.array([array.shape for array in arrays], np.int64).reshape(len(arrays), first.ndim)
    offsets, size = place(shapes, first.dtype)
    with stream:
        memory = allocate(size + PADDING)
        _copy(arrays, memory, offsets.tolist(), stream)
        ready = cupy().cuda.Event(block=False, disable_timing=True)
        ready.record(stream)
    return DeviceBatch(memory, offsets, shapes, first.dtype, layout, ready=ready)


def _copy(arrays: Sequence[Any], memory: Any, offsets: Sequence[int], stream: Any) -> None:
    """Copy arrays to their places; those that lie one behind the other on both sides go in one piece."""
    runtime = cupy().cuda.runtime
    source = target = length = 0

    def flush() -> None:
        if length:
            runtime.memcpyAsync(target, source, length, runtime.memcpyDeviceToDevice, stream.ptr)

    for array, offset in zip(arrays, offsets, strict=True):
        to = int(memory.ptr) + offset
        if not array.flags.c_contiguous:
            cupy().ndarray(array.shape, array.dtype, memory + offset)[...] = array
            continue
        if source + length != array.data.ptr or target + length != to:
            flush()
            source, target, length = int(array.data.ptr), to, 0
        length += int(array.nbytes)
    flush()
