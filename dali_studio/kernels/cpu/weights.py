"""Where the output pixels of one axis of a separable filter read, and how much of it.

Filters are tables that are read with linear interpolation, as in nvidia.dali: a cubic or Lanczos filter evaluated
exactly would differ from it in about 0.2 % of all uint8 pixels.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numba
import numpy as np

from dali_studio.kernels.cpu.jit import kernel


class Interp(IntEnum):
    """Interpolation kinds, numbered as `nvidia.dali.types.DALIInterpType`."""

    NN = 0
    LINEAR = 1
    CUBIC = 2
    LANCZOS3 = 3
    TRIANGULAR = 4
    GAUSSIAN = 5


def _cubic(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Keys' kernel with a = -0.5 (Catmull-Rom)."""
    x = np.abs(x)
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def _table(function: Any, radius: float, size: int) -> np.ndarray[Any, Any]:
    return function(np.linspace(-radius, radius, size)).astype(np.float32)


_TRIANGLE = np.array([0, 1, 0], np.float32)
_CUBIC = _table(_cubic, 2.0, 129)
_LANCZOS3 = _table(lambda x: np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0.0), 3.0, 193)
_GAUSSIAN = _table(lambda x: np.exp(-x * x), 2.0, 65)  # cut at 2 sqrt 2 sigma
#: The tables by kind, for kernels on other devices.
FILTER_TABLES: dict[int, np.ndarray[Any, Any]] = {
    Interp.LINEAR: _TRIANGLE,
    Interp.CUBIC: _CUBIC,
    Interp.LANCZOS3: _LANCZOS3,
    Interp.TRIANGULAR: _TRIANGLE,
    Interp.GAUSSIAN: _GAUSSIAN,
}


@numba.njit
def _filter_table(kind):
    if kind == 2:
        return _CUBIC
    if kind == 3:
        return _LANCZOS3
    if kind == 5:
        return _GAUSSIAN
    return _TRIANGLE


@numba.njit
def _look_up(table, x):
    """The table at position x >= 0, interpolated linearly; it falls to 0 one step after its end."""
    size = len(table)
    if x >= size:
        return np.float32(0.0)
    index = int(x)
    after = table[index + 1] if index + 1 < size else np.float32(0.0)
    return table[index] + (x - np.float32(index)) * (after - table[index])


@numba.njit
def _nearest_starts(low, scale, in_size, first, count, mirrored, accumulate, starts):
    """floor(low + (i + 0.5) scale); `accumulate` adds the scale up from pixel 0 instead, with its rounding errors."""
    running = low + np.float32(0.5) * scale
    if accumulate:
        for _ in range(first):
            running = np.float32(running + scale)
    for i in range(count):
        where = running if accumulate else low + (np.float32(first + i) + np.float32(0.5)) * scale
        running = np.float32(running + scale)
        starts[count - 1 - i if mirrored else i] = min(max(int(np.floor(where)), 0), in_size - 1)


@kernel
def axis_weights(kind, antialias, in_size, low, high, out_size, first, count, mirrored, accumulate):
    """Where each output pixel of one axis reads, and how much of it.

    Parameters
    ----------
    kind : int
        An `Interp`.
    antialias : bool
        Widen the filter by the scale when shrinking.
    in_size, out_size : int
        Pixels along the axis, of the input and of the whole output.
    low, high : float
        The region of the input that the whole output covers, in pixel-corner coordinates; `low > high` flips.
    first, count : int
        The window of the output that is wanted.
    mirrored : bool
        Give the window's pixels in reverse order.
    accumulate : bool
        Step the position of NN by repeated addition, as nvidia.dali does for rows but not for columns.

    Returns
    -------
    starts : (count,) intp array
        First input pixel of every output pixel; `starts + taps <= in_size`.
    weights : (count, taps) float32 array
        Their sum is 1. Taps beyond the edge are added to the edge pixel's.
    """
    low = np.float32(low)
    scale = np.float32((np.float32(high) - low) / np.float32(out_size))
    starts = np.empty(count, np.intp)
    if kind == 0:
        _nearest_starts(low, scale, in_size, first, count, mirrored, accumulate, starts)
        return starts, np.ones((count, 1), np.float32)
    natural = np.float32(2.0) if kind == 2 else np.float32(3.0) if kind == 3 else np.float32(1.0)
    radius = natural * max(abs(scale), np.float32(1.0)) if antialias else natural
    table = _filter_table(kind)
    table_step = np.float32((len(table) - 1) / (2 * radius))
    wide = int(np.ceil(2 * radius))
    taps = min(wide, in_size)
    weights = np.zeros((count, taps), np.float32)
    raw = np.empty(wide, np.float32)
    origin = np.float32(low + np.float32(0.5) * scale - np.float32(0.5) - radius)
    for i in range(count):
        edge = np.float32(first + (count - 1 - i if mirrored else i)) * scale + origin
        leftmost = int(np.ceil(edge))
        position = (np.float32(leftmost) - edge) * table_step
        total = np.float32(0.0)
        for k in range(wide):
            raw[k] = _look_up(table, position)
            total += raw[k]
            position += table_step
        start = min(max(leftmost, 0), in_size - taps)
        for k in range(wide):
            tap = min(max(leftmost + k, 0), in_size - 1) - start
            weights[i, tap] += raw[k] / total
        starts[i] = start
    return starts, weights
