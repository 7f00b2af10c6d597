"""Output sizes of resizing, and the regions that they show, for all samples of a batch at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

#: Ways to complete a size, in the order of their numbers.
MODES = ("default", "stretch", "not_larger", "not_smaller")
#: How sizes become whole numbers, likewise.
ROUNDINGS = ("round", "truncate", "ceil")
_CENTRE = np.float32(0.5)


def sizes_and_regions(
    lows: NDArray[np.float64], highs: NDArray[np.float64], requested: NDArray[np.float32], mode: int,
    limits: NDArray[np.float32], *, exact: bool, rounding: int = 0, pivots: NDArray[np.float32] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """Sizes and regions of a batch.

    Parameters
    ----------
    lows, highs : ndarray
        (N, K) corners of the regions, as (y, x) or (z, y, x).
    requested : ndarray
        (N, K) extents; 0 for those that follow, negative ones mirror. So do regions whose begin is beyond their end,
        as in nvidia.dali not along axes that follow, unless the mode bounds all axes.
    mode : int
        Index in `MODES`.
    limits : ndarray
        (N, K) largest extents; infinite for none.
    exact : bool
        Adjust the regions, so that the scale is that of the size before it is rounded.
    rounding : int
        Index in `ROUNDINGS`; halves go away from zero.
    pivots : ndarray, optional
        (N, K) from 0 (begin) to 1 (end): what stays of a region that is adjusted; the centre by default.

    Returns
    -------
    sizes : ndarray
        (N, K), at least 1.
    regions : ndarray
        (N, 2 K): all begins, then all ends.
    """
    sizes, rois = np.empty(lows.shape, np.int64), np.empty((len(lows), 2 * lows.shape[1]))
    kept = np.broadcast_to(_CENTRE, lows.shape) if pivots is None else pivots
    reversed_ = lows > highs
    if reversed_.any():
        bounded = MODES[mode] in ("not_smaller", "not_larger") and requested.any(axis=1, keepdims=True)
        turned = reversed_ & (requested == 0) & ~np.asarray(bounded)
        lows, highs = np.where(turned, highs, lows), np.where(turned, lows, highs)
    kernel("output_sizes")(lows, highs, requested, mode, limits, exact, rounding, kept, sizes, rois)
    return sizes, rois
