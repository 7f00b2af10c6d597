"""The hardware decoder takes group after group from the queue of a batch, in compiled code without the GIL."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.jpeg import decode_queue, libjpeg

#: Numbers of a decoder that the loop works with: nvJPEG's handle and state, the stream, the pixel format, the size of
#: batch that the state is prepared for, and the bounds of a group.
HANDLE, STATE, STREAM, FORMAT, PREPARED, MIN_GROUP, MAX_GROUP, INFO = range(8)
#: Numbers that it tells: when the present group began, in nanoseconds of the monotonic clock, or 0; and the nanoseconds
#: of all groups.
BEGUN, BUSY, CLOCK = range(3)
#: Functions that the loop calls.
FUNCTIONS = (
    "nvjpegDecodeBatchedInitialize", "nvjpegDecodeBatched", "nvjpegDecodeBatchedEx", "nvjpegDecodeParamsSetROI",
    "cuStreamSynchronize",
)  # fmt: skip


@cache
def functions(nvjpeg: str) -> NDArray[np.int64]:
    """Addresses of `FUNCTIONS`, those of nvJPEG and of the driver.

    Parameters
    ----------
    nvjpeg : str
        The library's file, or name for the system's loader.
    """
    own, driver = ctypes.CDLL(nvjpeg), ctypes.CDLL("libcuda.so.1")
    found = [getattr(driver if name.startswith("cu") else own, name) for name in FUNCTIONS]
    return np.array([ctypes.cast(function, ctypes.c_void_p).value for function in found], np.int64)


def decode_groups(
    functions: NDArray[np.int64], queue: tuple[NDArray[np.int64], int], info: NDArray[np.int64],
    requests: NDArray[np.int64], places: NDArray[np.int64], windows: NDArray[np.int64],
    tables: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], outcomes: NDArray[np.int8],
    clock: NDArray[np.int64],
) -> tuple[int, int]:  # fmt: skip
    """Take groups from a queue and decode them, until nothing is left or one fails.

    Parameters
    ----------
    functions : ndarray of int64
        Addresses of `FUNCTIONS`.
    queue : (ndarray, int)
        See `decode_queue`.
    info : ndarray of int64
        `HANDLE` to `MAX_GROUP`.
    requests : ndarray of int64, (N, `libjpeg.FIELDS`)
    places : ndarray of int64, (N, 2)
        Device address of each picture, and bytes from row to row.
    windows : ndarray of int64
        Parameters of as many pictures as a group can have, or empty, if all pictures are wanted whole.
    tables : (ndarray, ndarray, ndarray) of int64, (M,), (M,), (M, 8)
        Memory for the arguments of nvJPEG, as many as a group can have: files, sizes, targets.
    outcomes : ndarray of int8, (N,)
        `BY_HARDWARE` is entered for what has been decoded.
    clock : ndarray of int64
        `BEGUN` and `BUSY`.

    Returns
    -------
    (int, int)
        First and number of a group that failed; a number of 0 when nothing is left.
    """
    queues, which = queue
    files, sizes, targets = tables
    count, most = len(requests), int(max(info[MIN_GROUP], info[MAX_GROUP]))
    sound = (
        functions.shape == (len(FUNCTIONS),) and info.shape == (INFO,) and clock.shape == (CLOCK,)
        and requests.shape == (count, libjpeg.FIELDS) and places.shape == (count, 2) and outcomes.shape == (count,)
        and min(len(files), len(sizes), len(targets)) >= most and targets.shape[1:] == (8,)
        and (not len(windows) or len(windows) >= most)
        and queues[which * decode_queue.WORDS + decode_queue.SHARED] <= count
    )  # fmt: skip
    if not sound:
        raise ValueError(f"{count} requests, {len(places)} places and tables for {len(files)} pictures do not fit.")
    code = kernel("nvjpeg_groups")(
        functions, queues, decode_queue.checked(queues, which), info, requests, places, windows, files, sizes, targets,
        outcomes, clock,
    )  # fmt: skip
    return divmod(code, 1 << 32)
