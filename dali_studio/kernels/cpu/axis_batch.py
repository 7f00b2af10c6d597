"""The geometry of resizing, as tables for all axes of a batch: what their weights follow from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.weights import Interp

_INTS = ("in_size", "out_size", "kind", "taps", "wide", "accumulate")
#: What the kernel of the weights reads of an axis.
AXIS = np.dtype(
    [("starts", np.uint64), ("weights", np.uint64), ("low", np.float32), ("scale", np.float32),
     *((name, np.int32) for name in _INTS), ("radius", np.float32), ("support", np.float32)],
    align=True,
)  # fmt: skip
_LAST_KIND = len(Interp) - 1
_ROW_INTS = ("y_taps", "x_taps", "height", "width", "tile", "unused")
#: What the kernel of the pixels reads of a sample.
ROW = np.dtype(
    [*((name, np.uint64) for name in ("y_starts", "x_starts", "y_weights", "x_weights")),
     *((name, np.int32) for name in _ROW_INTS)],
    align=True,
)  # fmt: skip


def axes(
    in_shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], layout: str, rois: NDArray[np.float64],
    kinds: NDArray[np.int32], tiles: tuple[int, int], at_once: int, *, antialias: bool,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64], int, int, int]:  # fmt: skip
    """The geometry of all axes, in the precision of their weights.

    Parameters
    ----------
    kinds : ndarray
        (N, 2): `Interp` of axes that shrink, and of others.
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
        If an image has no pixels and its output has some.
    """
    count = len(in_shapes)
    table, rows, starts = np.zeros(2 * count, AXIS), np.zeros(count, ROW), np.empty(2 * count, np.int64)
    height, width, channel = map(layout.index, "HWC")
    found = np.empty(4, np.int64)
    nothing = (out_shapes == 0).any(axis=1, keepdims=True)
    if nothing.any():  # nothing is read for them; their weights are those of one pixel
        in_shapes, out_shapes = (np.where(nothing, 1, shapes) for shapes in (in_shapes, out_shapes))
        rois = np.where(nothing, (0.0, 0.0, 1.0, 1.0), rois)
    if kinds.size and not 0 <= kinds.min() <= kinds.max() <= _LAST_KIND:
        raise ValueError(f"Interp is 0 to {_LAST_KIND}; given are {kinds.min()} to {kinds.max()}.")
    kernel("axes")(
        in_shapes, out_shapes, height, width, -1 if layout == "CHW" else channel, rois, kinds, *tiles,
        at_once, antialias, table.view(np.uint8), rows.view(np.uint8), starts, found,
    )  # fmt: skip
    size, span, least, tile = found.tolist()
    if not least:
        raise ValueError("An image without pixels cannot be resized.")
    return table, rows, starts, size, span, tile


def place_weights(table: NDArray[Any], rows: NDArray[Any], starts: NDArray[np.int64], address: int) -> None:
    """Set the addresses in both tables, of weights in memory at `address`."""
    kernel("place")(starts, address, table.view(np.uint8), rows.view(np.uint8))
