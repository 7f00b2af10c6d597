"""One stream of work on a GPU: launches, uploads of tables, and memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda import sources
from dali_studio.kernels.cuda.batch import PADDING, DeviceBatch, place
from dali_studio.kernels.cuda.device import cupy

_TABLE_ALIGNMENT = 16
#: Iterations that may be in flight: their staging memory takes turns.
_TURNS = 2
_THREADS = 256
#: A grid has this many rows at most; samples are rows.
MOST_SAMPLES = 65535


class Staging:
    """Page-locked memory that copies to the GPU read from; it is used again once the GPU is through with it."""

    def __init__(self) -> None:
        self._blocks: list[tuple[Any, NDArray[np.uint8]]] = []
        self._used = 0
        self.done: Any = None

    def begin(self) -> None:
        """Start over, when the copies of the last turn have been made."""
        if self.done is not None:
            self.done.synchronize()
        if len(self._blocks) > 1:  # one block that holds all of it from now on
            size = sum(view.size for _, view in self._blocks)
            self._blocks = []
            self._grow(size)
        self._used = 0

    def take(self, size: int) -> NDArray[np.uint8]:
        """`size` bytes that stay untouched until the next turn."""
        start = -(-self._used // _TABLE_ALIGNMENT) * _TABLE_ALIGNMENT
        if not self._blocks or start + size > self._blocks[-1][1].size:
            self._grow(max(size, 1 << 20))
            start = 0
        self._used = start + size
        return self._blocks[-1][1][start : start + size]

    def _grow(self, size: int) -> None:
        memory = cupy().cuda.alloc_pinned_memory(size)
        self._blocks.append((memory, np.frombuffer(memory, np.uint8, size)))


@cache
def _kernel(name: str, function: str, options: tuple[str, ...]) -> Any:
    """A kernel for all devices; CuPy compiles it at the first launch and keeps the binary on disk."""
    return cupy().RawKernel(sources.source(name), function, options=options)


class GpuStream:
    """Work in order on one GPU.

    The stream is a blocking one: it and the default stream, on which CuPy and PyTorch work unless told otherwise,
    wait for each other, so that memory which a user lets go of is never written while the user's kernels read it.

    Parameters
    ----------
    device_id : int
    """

    def __init__(self, device_id: int) -> None:
        self.device_id = device_id
        self._cupy = cupy()
        self._device = self._cupy.cuda.Device(device_id)
        with self._device:
            self._stream = self._cupy.cuda.Stream()
        self._staging = [Staging() for _ in range(_TURNS)]
        self._turn = 0
        self._constants: dict[str, Any] = {}

    @contextmanager
    def iteration(self) -> Generator[None]:
        """Enqueue one iteration; at most two are in flight."""
        with self._device, self._stream:
            self._turn = (self._turn + 1) % _TURNS
            staging = self._staging[self._turn]
            staging.begin()
            try:
                yield
            finally:
                staging.done = self.event()

    @property
    def stream(self) -> Any:
        """CuPy's stream."""
        return self._stream

    def event(self) -> Any:
        """An event behind everything that was enqueued so far."""
        event = self._cupy.cuda.Event(block=False, disable_timing=True)
        event.record(self._stream)
        return event

    def synchronize(self) -> None:
        """Wait for everything that was enqueued so far."""
        self._stream.synchronize()

    # ---------------------------------------------------------------------------------------------------------- memory

    def empty(
        self, shapes: NDArray[np.int64], dtype: np.dtype[Any], layout: str, sources: Sequence[str] = ()
    ) -> DeviceBatch:
        """A batch whose contents are not defined yet, in CuPy's pool."""
        offsets, size = place(shapes, dtype)
        return DeviceBatch(self._cupy.cuda.alloc(size + PADDING), offsets, shapes, dtype, layout, sources)

    def scratch(self, size: int) -> Any:
        """Device memory for results inside an operator."""
        return self._cupy.cuda.alloc(size + PADDING)

    def pinned(self, size: int) -> NDArray[np.uint8]:
        """Page-locked host memory for this iteration."""
        return self._staging[self._turn].take(size)

    def copy(self, memory: Any, host: NDArray[np.uint8]) -> None:
        """Enqueue the copy of `host` (from `pinned`) to `memory`."""
        if host.size:
            memory.copy_from_host_async(_pointer(host), host.size, self._stream)

    def upload(self, *tables: NDArray[Any]) -> tuple[Any, list[int]]:
        """Copy tables to the GPU in one go.

        Returns
        -------
        memory : cupy.cuda.MemoryPointer
            To be kept until the kernels that read it are enqueued.
        addresses : list of int
            Of the tables.
        """
        starts: list[int] = []
        end = 0
        for table in tables:
            starts.append(end)
            end += -(-table.nbytes // _TABLE_ALIGNMENT) * _TABLE_ALIGNMENT
        host = self.pinned(max(end, 1))
        for start, table in zip(starts, tables, strict=True):
            host[start : start + table.nbytes] = np.ascontiguousarray(table).reshape(-1).view(np.uint8)
        memory = self.scratch(end)
        self.copy(memory, host)
        return memory, [int(memory.ptr) + start for start in starts]

    def constant(self, name: str, make: Callable[[], Sequence[NDArray[Any]]]) -> list[int]:
        """Addresses of tables that are uploaded once and stay."""
        if name not in self._constants:
            self._constants[name] = self.upload(*make())
        return self._constants[name][1]

    # -------------------------------------------------------------------------------------------------------- launches

    def launch(
        self, name: str, items: NDArray[Any], work: NDArray[np.int64] | int, *arguments: Any, function: str = "",
        macros: Mapping[str, object] | None = None, tables: Sequence[NDArray[Any]] = (), shared: int = 0,
    ) -> None:  # fmt: skip
        """Launch a kernel over a batch.

        Parameters
        ----------
        name : str
            The source.
        items : ndarray
            Structured, (N,): the kernel's descriptor of every sample.
        work : ndarray or int
            Threads that the samples need; blocks of 256 in the first axis of the grid, samples in the second.
        *arguments
            Further arguments of the kernel, after the descriptors and the addresses of `tables`: numpy scalars.
        function : str
            Default: `name`.
        macros : mapping
            Macros of the compilation.
        tables : sequence of ndarray
            Uploaded with the descriptors; their addresses are the kernel's next arguments.
        shared : int
            Bytes of dynamic shared memory.
        """
        threads = int(np.max(work)) if len(items) else 0
        if not threads:
            return
        if len(items) > MOST_SAMPLES:
            raise ValueError(f"the batch has {len(items)} samples; a GPU operator takes {MOST_SAMPLES} at most")
        memory, addresses = self.upload(items, *tables)
        kernel = _kernel(name, function or name, sources.options(macros or {}))
        grid = (-(-threads // _THREADS), len(items))
        kernel(grid, (_THREADS,), (*addresses, *arguments), shared_mem=shared)
        del memory  # back to the pool of this stream, whose next user comes after the kernel


def _pointer(host: NDArray[np.uint8]) -> Any:
    return ctypes.c_void_p(host.ctypes.data)
