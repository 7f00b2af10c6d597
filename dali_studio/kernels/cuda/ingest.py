"""Arrays on a GPU that the program gives: whose stream they are ready on, and their copy into a batch."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.storage import equal_shapes
from dali_studio.kernels.cuda import sources
from dali_studio.kernels.cuda.batch import PADDING, elements, place
from dali_studio.kernels.cuda.device import cupy

#: What ``cuda_stream`` may say instead of a stream: the data is complete, whichever stream reads it.
COMPLETE = -1
_COPY = np.dtype([("source", np.uint64), ("target", np.uint64), ("size", np.int64)])
_PIECE, _THREADS = 32768, 256  # bytes and threads of a block
_MAX_ARRAYS = 65535  # arrays of a launch
_ADDRESS, _SHAPE, _CONTIGUOUS = attrgetter("data.ptr"), attrgetter("shape"), attrgetter("flags.c_contiguous")


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
    return _own_stream(device_id) if address_of(wanted) == COMPLETE else external(wanted, device_id)


def external(stream: Any, device_id: int) -> Any:
    """A stream of another library as one of CuPy, which keeps it alive where it is an object of CUDA's protocol."""
    cuda = cupy().cuda
    if not hasattr(cuda.Stream, "from_external"):  # CuPy 13
        return cuda.ExternalStream(address_of(stream), device_id)
    return cuda.Stream.from_external(stream if hasattr(stream, "__cuda_stream__") else _Address(address_of(stream)))


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


def address_of(stream: Any) -> int:
    """The address of a stream of any library.

    Raises
    ------
    TypeError
        For what is no stream.
    """
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


def copied(arrays: Any, layout: str, stream: Any, allocate: Any) -> Batch:
    """A batch with the contents of CuPy arrays of one type, made on `stream`; its event tells when it is there.

    Parameters
    ----------
    arrays : sequence of cupy.ndarray, or cupy.ndarray
        The samples, or one array whose first axis is the sample.
    stream : cupy.cuda.Stream
        Later work on it may change the arrays.
    allocate : callable
        ``allocate(size)`` gives device memory, for use on the current stream.
    """
    count, one = len(arrays), isinstance(arrays, cupy().ndarray)
    first = arrays if one else arrays[0]
    given = [first.shape[1:]] if one else list(map(_SHAPE, arrays))
    alike = given.count(given[0]) == len(given)
    shapes = equal_shapes(count, given[0]) if alike else np.array(given, np.int64)
    offsets, size = place(shapes, first.dtype)
    table = -(-(size + PADDING) // 16) * 16  # the kernel's table lies behind the samples
    runtime = cupy().cuda.runtime
    with stream:
        memory = allocate(table if one else table + count * _COPY.itemsize)
        if one and _CONTIGUOUS(first):
            runtime.memcpyAsync(int(memory.ptr), _ADDRESS(first), size, runtime.memcpyDeviceToDevice, stream.ptr)
        elif one:
            cupy().ndarray(first.shape, first.dtype, memory)[...] = first
        else:
            _copy(arrays, elements(shapes) * first.dtype.itemsize, memory, offsets, table, stream)
        ready = cupy().cuda.Event(block=False, disable_timing=True)
        ready.record(stream)
    return Batch.on_gpu(memory, offsets, shapes, first.dtype, layout, ready=ready)


def gathered(addresses: NDArray[np.int64], out: Batch, stream: Any) -> None:
    """Copy samples of other batches, by their device addresses, into a batch of the `stream` (a `GpuStream`)."""
    if not len(out):
        return
    copies = np.empty(len(out), _COPY)
    copies["source"], copies["target"] = addresses, out.addresses
    copies["size"] = out.counts * out.dtype.itemsize
    blocks = -(-int(copies["size"].max()) // _PIECE)
    memory, (address,) = stream.upload(copies)
    for begin in range(0, len(copies) if blocks else 0, _MAX_ARRAYS):
        count = min(_MAX_ARRAYS, len(copies) - begin)
        stream.start(_kernel(), (blocks, count), _THREADS, (np.uint64(address + begin * _COPY.itemsize),))
    del memory  # back to the pool of this stream, whose next user comes after the kernel


def write_rows(table: NDArray[Any], out: Batch, stream: Any) -> None:
    """Copy the rows of an array (N, ...) in host memory into the samples of a batch of the `stream`."""
    rows = np.ascontiguousarray(table)
    memory, (address,) = stream.upload(rows)
    gathered(address + rows.strides[0] * np.arange(len(out)), out, stream)
    del memory  # as above


def _copy(
    arrays: Sequence[Any], sizes: NDArray[np.int64], memory: Any, offsets: NDArray[np.int64], table: int, stream: Any
) -> None:
    """Copy arrays to their places: in one piece if they lie like that on both sides, or else by one launch."""
    copies = np.empty(len(arrays), _COPY)
    copies["source"] = list(map(_ADDRESS, arrays))
    copies["target"], copies["size"] = offsets + int(memory.ptr), sizes
    for index, (array, contiguous) in enumerate(zip(arrays, map(_CONTIGUOUS, arrays), strict=True)):
        if not contiguous:
            cupy().ndarray(array.shape, array.dtype, memory + int(offsets[index]))[...] = array
            copies["size"][index] = 0
    runtime = cupy().cuda.runtime
    if _in_one_piece(copies, sizes):
        length = int(sizes.sum())
        if length:
            source = int(copies["source"][0])
            runtime.memcpyAsync(int(memory.ptr), source, length, runtime.memcpyDeviceToDevice, stream.ptr)
        return
    address = int(memory.ptr) + table
    # `copies` may go when the call returns, since it is no page-locked memory
    runtime.memcpyAsync(address, copies.ctypes.data, copies.nbytes, runtime.memcpyHostToDevice, stream.ptr)
    for begin in range(0, len(arrays), _MAX_ARRAYS):
        some = copies["size"][begin : begin + _MAX_ARRAYS]
        blocks = -(-int(some.max()) // _PIECE)
        if blocks:
            _kernel()((blocks, len(some)), (_THREADS,), (np.uint64(address + begin * _COPY.itemsize),))


def _in_one_piece(copies: NDArray[Any], sizes: NDArray[np.int64]) -> bool:
    """Whether all arrays lie one behind the other, where they are and where they go, and none is strided."""
    steps = sizes[:-1].astype(np.uint64)
    return bool((copies["size"] == sizes).all()) and all(
        bool((copies[name][1:] - copies[name][:-1] == steps).all()) for name in ("source", "target")
    )


@cache
def _kernel() -> Any:
    options = sources.options({"IN": np.dtype(np.uint8), "OUT": np.dtype(np.uint8)})
    return sources.compiled(sources.source("gather"), "gather", options)
