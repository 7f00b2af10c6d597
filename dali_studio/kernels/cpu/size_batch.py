"""Output sizes of resizing, and the regions that they show, for all samples of a batch at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

#: Ways to complete a size, in the order of their numbers.
MODES = ("default", "stretch", "not_larger", "not_smaller")


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
    kernel("output_sizes")(lows, highs, requested, mode, limits, exact, sizes, rois)
    return sizes, rois
