"""Crop windows of all samples of a batch at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

#: What becomes of a window that leaves its image: nothing, or it shrinks to the image.
KEEP, TRIM = 0, 1


def windows(
    sizes: NDArray[np.int64], heights: NDArray[np.float32], widths: NDArray[np.float32],
    places: tuple[NDArray[np.float32], NDArray[np.float32]], *, nearest: bool, policy: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:  # fmt: skip
    """Place a window in each image.

    Parameters
    ----------
    sizes : ndarray
        (N, 2) heights and widths of the images.
    heights, widths : ndarray
        (N,) of the windows; less than 1 for the image's.
    places : tuple
        (N,) from 0 (top, left) to 1 (bottom, right).
    nearest : bool
        Round the corner half away from zero; otherwise towards zero.
    policy : int
        `KEEP` or `TRIM`.

    Returns
    -------
    anchors, crops : ndarray
        (N, 2) as (y, x) and (height, width).
    outside : ndarray
        (N,) whether the window leaves the image.
    """
    count = len(sizes)
    anchors, crops, outside = np.empty((count, 2), np.int64), np.empty((count, 2), np.int64), np.empty(count, np.bool_)
    kernel("crop_windows")(sizes, heights, widths, *places, nearest, policy, anchors, crops, outside)
    return anchors, crops, outside


def window_shapes(
    shapes: NDArray[np.int64], layout: str, crops: NDArray[np.int64], out_layout: str, *, padded: bool
) -> tuple[NDArray[np.int64], int]:
    """Shapes of windows in another layout, with the channels a power of two if they are `padded`.

    Returns
    -------
    shapes : ndarray
        (N, 3).
    channels : int
        Most channels of an image, at least 1.
    """
    made, to = np.empty((len(shapes), 3), np.int64), out_layout.index
    channel, to_y, to_x, to_c = layout.index("C"), to("H"), to("W"), to("C")
    return made, kernel("window_shapes")(shapes, channel, crops, to_y, to_x, to_c, padded, made)


def columns(table: NDArray[np.int64], first: int, second: int) -> NDArray[np.int64]:
    """(N, 2): two columns of a table."""
    made = np.empty((len(table), 2), np.int64)
    kernel("table_columns")(table, first, second, made)
    return made


def with_columns(table: NDArray[np.int64], first: int, second: int, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """A copy of a table with two columns replaced by those of `values`."""
    made = np.empty(table.shape, np.int64)
    kernel("table_with_columns")(table, first, second, values, made)
    return made


def fill_window_words(
    shapes: NDArray[np.int64], layout: str, anchors: NDArray[np.int64], out_shapes: NDArray[np.int64], out_layout: str,
    flips: tuple[NDArray[Any], NDArray[Any]], words: NDArray[np.int32],
) -> int:  # fmt: skip
    """What kernels on a GPU are told of windows.

    Parameters
    ----------
    flips : tuple
        Whether windows are mirrored top to bottom, and left to right: (N,), or (1,) for all.
    words : ndarray
        (N, 7 or more), to be filled: first row and column that is read, the steps to the next ones, height, width and
        channels of the input.

    Returns
    -------
    int
        Most channels of an output, at least 1.
    """
    axes, out_axes = ((letters.index("H"), letters.index("W"), letters.index("C")) for letters in (layout, out_layout))
    flipped = (np.asarray(flip, np.int64) for flip in flips)
    return kernel("window_words")(shapes, *axes, anchors, out_shapes, *out_axes, *flipped, words)
