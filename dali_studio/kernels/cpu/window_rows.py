"""Crop windows of all samples of a batch at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, float32, int32, int64
from numpy.typing import NDArray

from dali_studio.kernels.cpu.jit import readable, short_kernel, writable

#: What becomes of a window that leaves its image: nothing, or it shrinks to the image.
KEEP, TRIM = 0, 1
_TABLE = readable(int64, 2)
_NUMBERS = readable(float32, 1)


@short_kernel(
    _TABLE, _NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS, boolean, int64,
    writable(int64, 2), writable(int64, 2), writable(boolean, 1),
)  # fmt: skip
def _windows(sizes, heights, widths, places_y, places_x, nearest, policy, anchors, crops, outside):
    for i in range(len(sizes)):
        outside[i] = False
        for axis in range(2):
            size = sizes[i, axis]
            wanted, place = (heights[i], places_y[i]) if axis == 0 else (widths[i], places_x[i])
            crop = int64(np.trunc(wanted)) if wanted > 0 else size
            corner = np.float64(place) * np.float64(size - crop)
            if nearest:  # half away from zero
                anchor = int64(np.floor(abs(corner) + 0.5))
                anchor = -anchor if corner < 0 else anchor
            else:
                anchor = int64(np.trunc(corner))
            if policy == 1:
                end = min(max(anchor + crop, 0), size)
                anchor = min(max(anchor, 0), size)
                crop = end - anchor
            outside[i] = outside[i] or anchor < 0 or anchor + crop > size
            anchors[i, axis], crops[i, axis] = anchor, crop


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
        (N,) of the windows; 0 and less for the image's.
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
    _windows()(sizes, heights, widths, *places, nearest, policy, anchors, crops, outside)
    return anchors, crops, outside


@short_kernel(_TABLE, int64, _TABLE, int64, int64, int64, boolean, writable(int64, 2), writable(int64, 1))
def _shapes(shapes, channel, crops, to_y, to_x, to_c, padded, made, most):
    for i in range(len(shapes)):
        channels = shapes[i, channel]
        most[0] = max(most[0], channels)
        target = channels
        if padded:
            target = 1
            while target < channels:
                target *= 2
        made[i, to_y], made[i, to_x], made[i, to_c] = crops[i, 0], crops[i, 1], target
        most[1] = max(most[1], target)


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
    made, most = np.empty((len(shapes), 3), np.int64), np.ones(2, np.int64)
    to = (out_layout.index(letter) for letter in "HWC")
    _shapes()(shapes, layout.index("C"), crops, *to, padded, made, most)
    return made, int(most[0])


@short_kernel(_TABLE, int64, int64, writable(int64, 2))
def _columns(table, first, second, made):
    for i in range(len(table)):
        made[i, 0], made[i, 1] = table[i, first], table[i, second]


def columns(table: NDArray[np.int64], first: int, second: int) -> NDArray[np.int64]:
    """(N, 2): two columns of a table."""
    made = np.empty((len(table), 2), np.int64)
    _columns()(table, first, second, made)
    return made


@short_kernel(_TABLE, int64, int64, _TABLE, writable(int64, 2))
def _replaced(table, first, second, values, made):
    for i in range(len(table)):
        for axis in range(table.shape[1]):
            made[i, axis] = table[i, axis]
        made[i, first], made[i, second] = values[i, 0], values[i, 1]


def with_columns(
    table: NDArray[np.int64], first: int, second: int, values: NDArray[np.int64]
) -> NDArray[np.int64]:
    """A copy of a table with two columns replaced by those of `values`."""
    made = np.empty(table.shape, np.int64)
    _replaced()(table, first, second, values, made)
    return made


@short_kernel(
    readable(int64, 2), int64, int64, int64, readable(int64, 2), readable(int64, 2), int64, int64, int64,
    readable(int64, 1), readable(int64, 1), writable(int32, 2), writable(int64, 1),
)  # fmt: skip
def _words(
    shapes, height, width, channel, anchors, out_shapes, out_height, out_width, out_channel, flips_y, flips_x, words,
    most,
):  # fmt: skip
    each_y, each_x = len(flips_y) > 1, len(flips_x) > 1
    for i in range(len(shapes)):
        mirrored = flips_y[i if each_y else 0] != 0
        words[i, 0] = anchors[i, 0] + (out_shapes[i, out_height] - 1 if mirrored else 0)
        words[i, 2] = -1 if mirrored else 1
        mirrored = flips_x[i if each_x else 0] != 0
        words[i, 1] = anchors[i, 1] + (out_shapes[i, out_width] - 1 if mirrored else 0)
        words[i, 3] = -1 if mirrored else 1
        words[i, 4], words[i, 5] = shapes[i, height], shapes[i, width]
        words[i, 6] = shapes[i, channel]
        most[0] = max(most[0], out_shapes[i, out_channel])


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
    most = np.ones(1, np.int64)
    axes, out_axes = ((letters.index("H"), letters.index("W"), letters.index("C")) for letters in (layout, out_layout))
    flipped = (np.asarray(flip, np.int64) for flip in flips)
    _words()(shapes, *axes, anchors, out_shapes, *out_axes, *flipped, words, most)
    return int(most[0])


def warm() -> None:
    """Compile what this module needs, or load it from the disk cache."""
    for compiled in (_windows, _shapes, _columns, _replaced, _words):
        compiled()
