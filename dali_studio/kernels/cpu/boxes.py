"""Boxes of objects: mirrored, pasted, turned with their images, and matched with anchors.

Boxes are float32, (boxes, 4): left and top, then right and bottom (`corners`), or width and height. The loops work on a
whole batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.rows import PickedRows

#: How much of what a turned box grows by is kept: all, half of it, nothing.
MODES = ("expand", "halfway", "fixed")


def _counts(boxes: Operand) -> NDArray[np.int64]:
    return boxes.shapes.prod(axis=1) // 4


def mirror_boxes(
    boxes: Operand, horizontal: NDArray[np.int32], vertical: NDArray[np.int32], out: Operand, *, corners: bool
) -> None:
    """Mirror boxes in relative coordinates, where the (N,) numbers are not 0."""
    kernel("mirror_boxes")(boxes.addresses, _counts(boxes), horizontal, vertical, corners, out.addresses)


def paste_boxes(
    boxes: Operand, ratios: NDArray[np.float32], places: tuple[NDArray[np.float32], NDArray[np.float32]], out: Operand,
    *, corners: bool,
) -> None:  # fmt: skip
    """Where boxes in relative coordinates are once their images lie on a larger canvas.

    Parameters
    ----------
    ratios : ndarray
        (N,) width of the canvas in terms of the image's.
    places : tuple of ndarray
        (N,) each: where the image lies, from 0 (left, top) to 1.
    """
    kernel("paste_boxes")(boxes.addresses, _counts(boxes), ratios, *places, corners, out.addresses)


def rotate_boxes(
    boxes: Operand, angles: NDArray[np.float32], sizes: NDArray[np.float32], canvases: NDArray[np.float32], *,
    corners: bool, relative: bool, mode: str, threshold: float,
) -> tuple[NDArray[np.float32], PickedRows]:  # fmt: skip
    """Boxes around what is in them, once the images are turned about their centres.

    Parameters
    ----------
    angles : ndarray
        (N,) in radians, counter-clockwise.
    sizes, canvases : ndarray
        (N, 2) widths and heights, in pixels, before and after.
    relative : bool
        Coordinates are relative to these sizes.
    mode : str
        One of `MODES`.
    threshold : float
        Boxes are left out of which a smaller part is inside the canvas.

    Returns
    -------
    table : ndarray
        Boxes, cut to the canvas.
    rows : PickedRows
        Where those of each sample begin in the table, how many they are, and which boxes they were.
    """
    counts = _counts(boxes)
    ends = np.cumsum(counts)
    starts, total = ends - counts, int(ends[-1]) if len(ends) else 0
    # the nearest floats: single precision sines are off by some last bits
    waves = [function(angles.astype(np.float64)).astype(np.float32)[:, None] for function in (np.cos, np.sin)]
    turns = np.concatenate([*waves, sizes, canvases], axis=1, dtype=np.float32)
    table, kept, left = np.empty((total, 4), np.float32), np.empty(total, np.int64), np.empty(len(counts), np.int64)
    number = MODES.index(mode)
    kernel("rotate_boxes")(
        boxes.addresses, counts, turns, corners, relative, number, threshold, starts, table, kept, left
    )
    return table, PickedRows(kept, starts, left)


def anchor_table(anchors: Any) -> NDArray[np.float32]:
    """(5, anchors) of (anchors, 4) corners: left, top, right, bottom and area, as `encode_boxes` needs them."""
    corners = np.asarray(anchors, np.float32).reshape(-1, 4).T
    areas = (corners[2:3] - corners[:1]) * (corners[3:] - corners[1:2])
    return np.ascontiguousarray(np.concatenate([corners, areas]), np.float32)


def encode_boxes(
    boxes: Operand, labels: Operand, anchors: NDArray[np.float32], out: Operand, out_labels: Operand, *,
    criteria: float, offset: bool, scale: float, means: NDArray[np.float32], deviations: NDArray[np.float32],
) -> None:  # fmt: skip
    """Match boxes with anchors, as SSD's training does.

    Each anchor gets the box that overlaps it most, if intersection over union is more than `criteria`; each box has the
    anchor that it overlaps most. Of equal ones the last is taken.

    Parameters
    ----------
    boxes, labels : Operand
        (boxes, 4) corners, and as many int32.
    anchors : ndarray
        From `anchor_table`.
    out, out_labels : Operand
        (anchors, 4) float32, the centre and the size of the matched box, or of the anchor; int32, 0 for none.
    offset : bool
        Write how far matched boxes are from their anchors instead, in the anchor's size and as logarithms of sizes,
        less `means` and divided by `deviations`; others are 0.
    scale : float
        Factor for all coordinates before that.
    """
    count = anchors.shape[1]
    memory = scratch(12 * count)[: 12 * count].view(np.float32).reshape(3, count)
    kernel("encode_boxes")(
        boxes.addresses, _counts(boxes), labels.addresses, anchors, criteria, offset, scale, means, deviations, memory,
        out.addresses, out_labels.addresses,
    )  # fmt: skip
