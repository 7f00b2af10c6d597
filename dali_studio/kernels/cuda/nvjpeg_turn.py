"""The hardware decoder's turn at the queue of a batch, in compiled code: group after group without the GIL."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import llvmlite.binding
import numpy as np
from numba import types

from dali_studio.kernels.cpu import libjpeg
from dali_studio.kernels.cpu.decode_queue import BY_HARDWARE, change, now, take_group
from dali_studio.kernels.cpu.jit import kernel

#: Numbers of a decoder that the loop works with: nvJPEG's handle and state, the stream, the pixel format, the size of
#: batch that the state is prepared for, and the bounds of a group.
HANDLE, STATE, STREAM, FORMAT, PREPARED, LEAST, MOST, FACTS = range(8)
#: Numbers that it tells: when the present group began, in nanoseconds of the monotonic clock, or 0; the nanoseconds of
#: all groups; and room for a reading of the clock.
BEGUN, BUSY, _READING = range(3)
CLOCK = 5

_PREFIX = "dali_studio_"
_prepare = types.ExternalFunction(
    _PREFIX + "nvjpegDecodeBatchedInitialize",
    types.int32(types.intp, types.intp, types.int32, types.int32, types.int32),
)
_decode = types.ExternalFunction(_PREFIX + "nvjpegDecodeBatched", types.int32(*[types.intp] * 6))
_decode_parts = types.ExternalFunction(_PREFIX + "nvjpegDecodeBatchedEx", types.int32(*[types.intp] * 7))
_set_window = types.ExternalFunction(
    _PREFIX + "nvjpegDecodeParamsSetROI", types.int32(types.intp, *[types.int32] * 4)
)
_synchronize = types.ExternalFunction(_PREFIX + "cuStreamSynchronize", types.int32(types.intp))


@cache
def connect(nvjpeg: str) -> None:
    """Tell compiled code where nvJPEG and the driver are.

    Parameters
    ----------
    nvjpeg : str
        The library's file, or name for the system's loader.
    """
    functions = {
        "cuStreamSynchronize": ctypes.CDLL("libcuda.so.1"),
        **dict.fromkeys(
            (
                "nvjpegDecodeBatchedInitialize", "nvjpegDecodeBatched", "nvjpegDecodeBatchedEx",
                "nvjpegDecodeParamsSetROI",
            ),
            ctypes.CDLL(nvjpeg),
        ),
    }  # fmt: skip
    for name, library in functions.items():
        address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        llvmlite.binding.add_symbol(_PREFIX + name, address)


@kernel
def decode_groups(
    queues: Any, which: int, facts: Any, requests: Any, places: Any, windows: Any, files: Any, sizes: Any, targets: Any,
    outcomes: Any, clock: Any,
) -> tuple[int, int]:  # fmt: skip
    """Take groups from a queue and decode them, until nothing is left or one fails.

    Parameters
    ----------
    queues, which
        See `decode_queue`.
    facts : ndarray of int64
        `HANDLE` to `MOST`.
    requests : ndarray of int64, (N, `libjpeg.FIELDS`)
    places : ndarray of int64, (N, 2)
        Device address of each picture, and bytes from row to row.
    windows : ndarray of int64
        Parameters of as many pictures as a group can have, or empty, if all pictures are wanted whole.
    files, sizes, targets : ndarray of int64, (M,), (M,), (M, 8)
        Memory for the arguments of nvJPEG.
    outcomes : ndarray of int8, (N,)
        `BY_HARDWARE` is entered for what has been decoded.
    clock : ndarray of int64
        `BEGUN` and `BUSY`.

    Returns
    -------
    (int, int)
        First and number of a group that failed; a number of 0 when nothing is left.
    """
    reading = clock.ctypes.data + 8 * _READING
    while True:
        first, count = take_group(queues, which, facts[LEAST], facts[MOST])
        if count == 0:
            return first, 0
        begin = now(reading)
        change(clock.ctypes.data, begin)
        status = 0
        if facts[PREPARED] != count:
            status = _prepare(facts[HANDLE], facts[STATE], np.int32(count), np.int32(1), np.int32(facts[FORMAT]))
            facts[PREPARED] = count if status == 0 else -1
        for i in range(count):
            wanted = requests[first + i]
            files[i], sizes[i] = wanted[libjpeg.DATA], wanted[libjpeg.SIZE]
            targets[i, 0], targets[i, 4] = places[first + i, 0], places[first + i, 1]
            if len(windows) and status == 0:
                status = _set_window(
                    windows[i], np.int32(wanted[libjpeg.FIRST_COLUMN]), np.int32(wanted[libjpeg.FIRST_ROW]),
                    np.int32(wanted[libjpeg.COLUMNS]), np.int32(wanted[libjpeg.ROWS]),
                )  # fmt: skip
        given = files.ctypes.data, sizes.ctypes.data, targets.ctypes.data
        if status == 0 and len(windows):
            status = _decode_parts(
                facts[HANDLE], facts[STATE], *given, windows.ctypes.data, facts[STREAM]
            )
        elif status == 0:
            status = _decode(facts[HANDLE], facts[STATE], *given, facts[STREAM])
        late = _synchronize(facts[STREAM])  # also after an error: what was begun writes into the targets
        change(clock.ctypes.data, -begin)
        clock[BUSY] += now(reading) - begin
        if status != 0 or late != 0:
            return first, count
        for i in range(count):
            outcomes[first + i] = BY_HARDWARE
