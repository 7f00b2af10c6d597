"""The geometry of resizing, as tables for all axes of a batch: what `kernels.cpu.weights.axis_weights` starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, float32, float64, int32, int64
from numpy.typing import NDArray

from dali_studio.kernels.cpu.jit import readable, short_kernel, writable
from dali_studio.kernels.cpu.weights import Interp

_INTS = ("in_size", "out_size", "kind", "taps", "wide", "accumulate")
#: What the kernel of the weights reads of an axis.
AXIS = np.dtype(
    [("starts", np.uint64), ("weights", np.uint64), ("low", np.float32), ("scale", np.float32),
     *((name, np.int32) for name in _INTS), ("radius", np.float32), ("unused", np.int32)],
    align=True,
)  # fmt: skip
_ROW_INTS = ("y_taps", "x_taps", "height", "width", "tile", "unused")
#: What the kernel of the pixels reads of a sample.
ROW = np.dtype(
    [*((name, np.uint64) for name in ("y_starts", "x_starts", "y_weights", "x_weights")),
     *((name, np.int32) for name in _ROW_INTS)],
    align=True,
)  # fmt: skip
#: Radius of each `Interp` where it is not widened.
_NATURAL = np.array([2 if kind == Interp.CUBIC else 3 if kind == Interp.LANCZOS3 else 1 for kind in Interp], np.float32)
_NEAREST = int(Interp.NN)


@short_kernel(
    readable(int64, 2), readable(int64, 2), int64, int64, int64, readable(float64, 2), int64, int64, boolean,
    readable(float32, 1), int64, int64, int64, writable(float32, 2), writable(int32, 2), writable(int32, 2),
    writable(int64, 1), writable(int64, 1),
)  # fmt: skip
def _axes(
    in_shapes, out_shapes, height, width, channel, rois, shrinking, growing, antialias, natural, most_tile, least_tile,
    at_once, floats, ints, rows, starts, found,
):  # fmt: skip
    count, one = len(in_shapes), np.float32(1)
    end = 0
    for side in range(2):
        axis = height if side == 0 else width
        for i in range(count):
            in_size, out_size = in_shapes[i, axis], out_shapes[i, axis]
            found[2] = min(found[2], in_size)
            low, high = rois[i, side], rois[i, 2 + side]
            kind = shrinking if abs(high - low) > out_size else growing
            begin = np.float32(low)
            scale = (np.float32(high) - begin) / np.float32(out_size)
            radius = natural[kind]
            if antialias:
                radius = radius * max(abs(scale), one)
            wide = int64(np.ceil(2 * np.float64(radius)))
            taps = 1 if kind == 0 else min(wide, in_size)
            at = side * count + i
            floats[at, 4], floats[at, 5], floats[at, 12] = begin, scale, radius
            ints[at, 6], ints[at, 7], ints[at, 8], ints[at, 9] = in_size, out_size, kind, taps
            ints[at, 10], ints[at, 11] = wide, side == 0
            rows[i, 8 + side], rows[i, 10 + side] = taps, out_size
            starts[at] = end
            end += 4 * out_size * (1 + taps)
            if side == 1:
                step, channels = abs(np.float64(scale)), 1 if channel < 0 else in_shapes[i, channel]
                # as many columns as are filtered at once, if that is neither too few nor more than a warp takes
                fit = np.floor(((at_once - 3) / max(channels, 1) - taps - 3) / max(step, 1e-6)) + 1
                tile = most_tile if fit < least_tile else int64(min(fit, np.float64(most_tile))) // 4 * 4
                # the columns that a warp reads: as far as its outputs lie apart, and the filter's width
                span = min(in_size, int64(np.ceil((tile - 1) * step)) + taps + 2)
                found[1] = max(found[1], span * channels)
                rows[i, 12] = tile
                found[3] = min(found[3], tile)
    found[0] = end


def axes(
    in_shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], layout: str, rois: NDArray[np.float64],
    kinds: tuple[int, int], tiles: tuple[int, int], at_once: int, *, antialias: bool,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], int, int, int]:  # fmt: skip
    """The geometry of all axes, in the precision of `axis_weights`.

    Parameters
    ----------
    kinds : (int, int)
        `Interp` of axes that shrink, and of others.
    tiles : (int, int)
        Columns of the output that are computed together, at most, and those below which fewer are not worth it.
    at_once : int
        Elements of a row of the input that these columns should read, where that are not too few columns.

    Returns
    -------
    table : ndarray
        (2 N,) of `AXIS`, without addresses: all rows, then all columns.
    rows : ndarray
        (N,) of `ROW`, without addresses.
    starts : ndarray
        (2 N,) first byte of each axis' weights.
    size : int
        Bytes of all weights.
    span : int
        Elements that a tile reads of a row of the input, at most.
    tile : int
        Columns that are computed together, of the sample where they are fewest.

    Raises
    ------
    ValueError
        If an image has no pixels.
    """
    count = len(in_shapes)
    table, rows, starts = np.zeros(2 * count, AXIS), np.zeros(count, ROW), np.empty(2 * count, np.int64)
    height, width, channel = (layout.index(letter) for letter in "HWC")
    found = np.array([0, 1, 1, tiles[0]])
    _axes()(
        in_shapes, out_shapes, height, width, -1 if layout == "CHW" else channel, rois, *kinds, antialias, _NATURAL,
        *tiles, at_once, table.view(np.float32).reshape(2 * count, -1), table.view(np.int32).reshape(2 * count, -1),
        rows.view(np.int32).reshape(count, -1), starts, found,
    )  # fmt: skip
    size, span, least, tile = found.tolist()
    if not least:
        raise ValueError("An image without pixels cannot be resized.")
    return table, rows, starts, size, span, tile


@short_kernel(readable(int64, 1), int64, writable(int64, 2), writable(int64, 2), readable(int32, 2))
def _place(starts, address, table, rows, ints):
    count = len(rows)
    for side in range(2):
        for i in range(count):
            at = side * count + i
            first = address + starts[at]
            weights = first + 4 * ints[at, 7]
            table[at, 0], table[at, 1] = first, weights
            rows[i, side], rows[i, 2 + side] = first, weights


def place_weights(table: NDArray[Any], rows: NDArray[Any], starts: NDArray[np.int64], address: int) -> None:
    """Set the addresses in both tables, of weights in memory at `address`."""
    longs, words = (table.view(kind).reshape(len(table), -1) for kind in (np.int64, np.int32))
    _place()(starts, address, longs, rows.view(np.int64).reshape(len(rows), -1), words)


def warm() -> None:
    """Compile what this module needs, or load it from the disk cache."""
    for compiled in (_axes, _place):
        compiled()
