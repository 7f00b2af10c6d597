"""Output sizes of resizing, and the regions that they show, for all samples of a batch at once."""

from __future__ import annotations

import numba
import numpy as np
from numba import boolean, float32, float64, int64
from numpy.typing import NDArray

from dali_studio.kernels.cpu.jit import readable, short_kernel, writable

#: Ways to complete a size, in the order of their numbers.
MODES = ("default", "stretch", "not_larger", "not_smaller")


@numba.njit
def _adjusted(wanted, extents, mode, limits, made):
    """Fill in a missing side and apply mode and limit, in single precision; all of two elements."""
    one, none = np.float32(1), np.float32(0)
    scale = np.empty(2, np.float32)
    safe = np.empty(2, np.float32)
    count = 0
    for axis in range(2):
        safe[axis] = extents[axis] if extents[axis] > 0 else one
        scale[axis] = abs(wanted[axis]) / safe[axis]
        count += wanted[axis] != 0
    if mode >= 2:
        common = np.float32(np.inf) if mode == 2 else none
        for axis in range(2):
            if wanted[axis] != 0:
                common = min(common, scale[axis]) if mode == 2 else max(common, scale[axis])
        if count == 0:
            common = one
        common = min(common, limits[0] / safe[0], limits[1] / safe[1])
        for axis in range(2):
            sign = -one if wanted[axis] < 0 else one
            made[axis] = sign * extents[axis] * common
        return
    other = (scale[0] if wanted[0] != 0 else one) * (scale[1] if wanted[1] != 0 else one)
    for axis in range(2):
        sign = -one if wanted[axis] < 0 else one
        missing = extents[axis] if mode == 1 else extents[axis] * other
        made[axis] = sign * min(abs(wanted[axis]) if wanted[axis] != 0 else missing, limits[axis])


@short_kernel(
    readable(float64, 2), readable(float64, 2), readable(float32, 2), int64, readable(float32, 2), boolean,
    writable(int64, 2), writable(float64, 2),
)  # fmt: skip
def _sizes(lows, highs, requested, mode, limits, exact, sizes, rois):
    wanted = np.empty(2, np.float32)
    extents = np.empty(2, np.float32)
    for i in range(len(sizes)):
        for axis in range(2):
            extents[axis] = np.float32(abs(highs[i, axis] - lows[i, axis]))
        _adjusted(requested[i], extents, mode, limits[i], wanted)
        for axis in range(2):
            low, high = lows[i, axis], highs[i, axis]
            if wanted[axis] < 0:
                low, high = high, low
            size = np.float64(abs(wanted[axis]))
            # half away from zero, of a number in single precision
            sizes[i, axis] = max(int64(np.floor(np.float32(size) + np.float32(0.5))), 1)
            if exact:
                factor = sizes[i, axis] / size if size > 0 else 1.0
                centre = (low + high) / 2
                low, high = centre + (low - centre) * factor, centre + (high - centre) * factor
                low, high = np.float64(np.float32(low)), np.float64(np.float32(high))
            rois[i, axis], rois[i, 2 + axis] = low, high


def sizes_and_regions(
    lows: NDArray[np.float64], highs: NDArray[np.float64], requested: NDArray[np.float32], mode: int,
    limits: NDArray[np.float32], *, exact: bool,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """Sizes and regions of a batch.

    Parameters
    ----------
    lows, highs : ndarray
        (N, 2) corners of the regions, as (y, x).
    requested : ndarray
        (N, 2) heights and widths; 0 for those that follow, negative ones mirror.
    mode : int
        Index in `MODES`.
    limits : ndarray
        (N, 2) largest heights and widths; infinite for none.
    exact : bool
        Adjust the regions, so that the scale is that of the size before it is rounded.

    Returns
    -------
    sizes : ndarray
        (N, 2), rounded half away from zero, at least 1.
    regions : ndarray
        (N, 4) as (y0, x0, y1, x1).
    """
    sizes, rois = np.empty(lows.shape, np.int64), np.empty((len(lows), 4))
    _sizes()(lows, highs, requested, mode, limits, exact, sizes, rois)
    return sizes, rois


def warm() -> None:
    """Compile what this module needs, or load it from the disk cache."""
    _sizes()
