"""Output sizes of resizing, and the regions that they show, for all samples of a batch at once."""

from __future__ import annotations

import numba
import numpy as np
from numba import boolean, float32, float64, int64
from numpy.typing import NDArray

from dali_studio.kernels.cpu.jit import readable, short_kernel, writable

#: Ways to complete a size, in the order of their numbers.
MODES = ("default", "stretch", "not_larger", "not_smaller")
#: In place of a larger size, which no integer holds; it is refused in turn.
_ENDLESS = 2.0**62


@numba.njit
def _sign(value):
    return np.float32(-1) if value < 0 else np.float32(1)


@numba.njit
def _adjusted(height, width, tall, broad, mode, most_h, most_w):
    """The wanted height and width with a missing side filled in, by mode and limit; in single precision.

    `tall` and `broad` are the extents of the region, `most_h` and `most_w` the limits.
    """
    one = np.float32(1)
    safe_h, safe_w = tall if tall > 0 else one, broad if broad > 0 else one
    scale_h, scale_w = abs(height) / safe_h, abs(width) / safe_w
    if mode >= 2:
        if height == 0 and width == 0:
            common = one
        elif height == 0 or width == 0:
            common = scale_w if height == 0 else scale_h
        else:
            common = min(scale_h, scale_w) if mode == 2 else max(scale_h, scale_w)
        common = min(common, most_h / safe_h, most_w / safe_w)
        return _sign(height) * tall * common, _sign(width) * broad * common
    other = (scale_h if height != 0 else one) * (scale_w if width != 0 else one)
    missing_h, missing_w = (tall, broad) if mode == 1 else (tall * other, broad * other)
    made_h = min(abs(height) if height != 0 else missing_h, most_h)
    made_w = min(abs(width) if width != 0 else missing_w, most_w)
    return _sign(height) * made_h, _sign(width) * made_w


@numba.njit
def _region(low, high, wanted, exact):
    """Size, begin and end of one axis."""
    if wanted < 0:
        low, high = high, low
    size = min(np.float64(abs(wanted)), _ENDLESS)
    # half away from zero, of a number in single precision
    rounded = max(int64(np.floor(np.float32(size) + np.float32(0.5))), 1)
    if exact:
        factor = rounded / size if size > 0 else 1.0
        centre = (low + high) / 2
        low, high = centre + (low - centre) * factor, centre + (high - centre) * factor
        low, high = np.float64(np.float32(low)), np.float64(np.float32(high))
    return rounded, low, high


@short_kernel(
    readable(float64, 2), readable(float64, 2), readable(float32, 2), int64, readable(float32, 2), boolean,
    writable(int64, 2), writable(float64, 2),
)  # fmt: skip
def _sizes(lows, highs, requested, mode, limits, exact, sizes, rois):
    for i in range(len(sizes)):
        tall, broad = np.float32(abs(highs[i, 0] - lows[i, 0])), np.float32(abs(highs[i, 1] - lows[i, 1]))
        height, width = _adjusted(
            requested[i, 0], requested[i, 1], tall, broad, mode, limits[i, 0], limits[i, 1]
        )
        sizes[i, 0], rois[i, 0], rois[i, 2] = _region(lows[i, 0], highs[i, 0], height, exact)
        sizes[i, 1], rois[i, 1], rois[i, 3] = _region(lows[i, 1], highs[i, 1], width, exact)


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
