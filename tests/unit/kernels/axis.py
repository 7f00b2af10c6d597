"""The weights of one axis by themselves, which resizing computes on the way."""

from __future__ import annotations

import numpy as np

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array
from dali_studio.kernels.cpu.weights import FILTERS, PLACES, Interp


def axis_weights(
    kind: int, antialias: bool, in_size: int, low: float, high: float, out_size: int, first: int, count: int,
    mirrored: bool, accumulate: bool,
) -> tuple[Array, Array]:  # fmt: skip
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
    starts : (count,) int32 array
        First input pixel of every output pixel; `starts + taps <= in_size`.
    weights : (count, taps) float32 array
        Their sum is 1. Taps beyond the edge are added to the edge pixel's.
    """
    axis = int(Interp(kind)), antialias, int(in_size), low, high, int(out_size)
    starts = np.empty(count, np.int32)
    weights = np.empty((count, kernel("axis_taps")(*axis)), np.float32)
    kernel("axis_weights")(*axis, first, mirrored, accumulate, FILTERS, PLACES, starts, weights)
    return starts, weights
