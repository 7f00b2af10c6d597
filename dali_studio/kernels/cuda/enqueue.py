"""What is enqueued on a GPU's streams: launches, copies, events.

CuPy gives Python's lock away around each call of the driver. Such a call takes a few microseconds; where several
threads prepare batches, to get the lock back takes many times as long. Here the driver's own functions are called with
the lock, all of which only add to a queue. The thread must have a current device, as for CuPy.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel as compiled
from dali_studio.kernels.cuda.device import cupy

#: In the order of `enqueue.cpp`.
_FUNCTIONS = "cuLaunchKernel", "cuMemcpyAsync", "cuMemsetD8Async", "cuEventRecord", "cuStreamWaitEvent"
#: CUDA's number for copies whose direction follows from the addresses.
_ANY_DIRECTION = 4
#: Bytes of an argument of a kernel, at most, and how many arguments there may be.
_BYTES, _ARGUMENTS = 8, 32


@cache
def _driver() -> NDArray[np.int64] | None:
    """Addresses of the driver's functions; ``None`` where CuPy has no driver (tests/emulation)."""
    if not hasattr(cupy().cuda, "driver"):
        return None
    library = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    return np.array([ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in _FUNCTIONS], np.int64)


def launch(
    kernel: Any, grid: tuple[int, int], threads: int, arguments: Sequence[Any], stream: Any, shared: int = 0
) -> None:  # fmt: skip
    """Launch a kernel.

    Parameters
    ----------
    kernel : cupy.RawKernel
    grid : (int, int)
        Blocks.
    threads : int
        Of a block.
    arguments : sequence
        numpy scalars, or integers of 64 bits.
    stream : cupy.cuda.Stream
        CuPy's current one.
    shared : int
        Bytes of dynamic shared memory.
    """
    driver = _driver()
    given = [(one if isinstance(one, np.generic) else np.asarray(one)).tobytes() for one in arguments]
    if driver is None or len(given) > _ARGUMENTS or any(len(one) > _BYTES for one in given):
        kernel(grid, (threads,), arguments, shared_mem=shared)
        return
    rows = np.frombuffer(bytearray().join([one.ljust(_BYTES, b"\0") for one in given]), np.int64)
    _check(compiled("gpu_launch")(driver, kernel.kernel.ptr, *grid, threads, shared, stream.ptr, rows))


def copy(target: int, source: int, size: int, stream: Any) -> None:
    """Copy bytes between the GPU and page-locked memory of the host, or on the GPU."""
    driver = _driver()
    if driver is None:
        cupy().cuda.runtime.memcpyAsync(target, source, size, _ANY_DIRECTION, stream.ptr)
    else:
        _check(compiled("gpu_copy")(driver, target, source, size, stream.ptr))


def clear(target: int, size: int, stream: Any) -> None:
    """Write zeros to memory of the GPU."""
    driver = _driver()
    if driver is None:
        cupy().cuda.runtime.memsetAsync(target, 0, size, stream.ptr)
    else:
        _check(compiled("gpu_clear")(driver, target, size, stream.ptr))


def record(event: Any, stream: Any) -> None:
    """Let an event be behind everything that was enqueued on a stream so far."""
    driver = _driver()
    if driver is None:
        event.record(stream)
    else:
        _check(compiled("gpu_record")(driver, event.ptr, stream.ptr))


def wait(stream: Any, event: Any) -> None:
    """Let what is enqueued on a stream from now on wait for an event."""
    driver = _driver()
    if driver is None:
        stream.wait_event(event)
    else:
        _check(compiled("gpu_wait")(driver, stream.ptr, event.ptr))


def _check(code: int) -> None:
    if code:
        raise cupy().cuda.driver.CUDADriverError(code)
