"""Random crop windows that respect boxes or regions, with nvidia.dali's numbers.

Draws come from the streams of `core.random_stream`, one word after another, through the distributions of GNU's C++
library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.random_stream import stream_words
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.rows import PickedRows

#: Windows that are drawn for a sample where no other number is asked for: a fraction of a second.
MAX_WINDOWS = 1_000_000
#: In place of a number of boxes: coordinates are outside of the image, or no window was found.
OUTSIDE, NOT_FOUND = -1, -2


@dataclass(frozen=True, slots=True)
class Rules:
    """Which windows are drawn and accepted.

    Attributes
    ----------
    layout : tuple of int
        Places of the coordinates of a box: low ends of all axes, then high ends, or extents unless they are `corners`.
    thresholds : ndarray
        One of them is chosen for each round of attempts; the boxes' metrics must reach it.
    allow_none : bool
        The whole image is one choice more.
    ratios, scaling : ndarray
        Least and greatest ratio of two sides (x/y, or x/y, x/z and y/z), and length of a side.
    attempts : (int, int)
        Of a round, and in all; negative: as many as needed.
    by_overlap : bool
        The metric is the part of a box inside the window, not intersection over union.
    all_boxes : bool
        All boxes must reach the threshold; otherwise one.
    prune : float or None
        Boxes are left of which this part at least is inside; ``None``: whose centre is.
    """

    layout: tuple[int, ...]
    corners: bool
    thresholds: NDArray[np.float32]
    allow_none: bool
    ratios: NDArray[np.float32]
    scaling: NDArray[np.float32]
    attempts: tuple[int, int]
    by_overlap: bool
    all_boxes: bool
    prune: float | None


@dataclass(frozen=True, slots=True)
class BoxCrops:
    """Windows, and the boxes in them.

    Attributes
    ----------
    anchors, sizes : ndarray
        (N, axes) float32 each.
    boxes : ndarray
        Table of boxes, relative to their windows.
    rows : PickedRows
        Which ones are left, and where those of each sample begin in `boxes`; `OUTSIDE` or `NOT_FOUND` as number.
    """

    anchors: NDArray[np.float32]
    sizes: NDArray[np.float32]
    boxes: NDArray[np.float32]
    rows: PickedRows


def random_box_crops(
    boxes: Operand, axes: int, rules: Rules, seed: int, places: NDArray[np.int64], *,
    crops: NDArray[np.int32] | None = None, images: NDArray[np.int32] | None = None, origin: int = 0,
) -> BoxCrops:  # fmt: skip
    """Draw a window for each sample until it meets the rules.

    Parameters
    ----------
    boxes : Operand
        (boxes, 2 axes) float32, relative to the images.
    axes : int
        2 or 3.
    seed, places
        Key of the random stream, and (N,) places of the samples in it.
    crops, images : ndarray, optional
        (N, axes) sizes of windows and images, x first; with `crops`, windows are in pixels.
    origin : int
        Draws before the first one of every sample (`core.random_stream`).
    """
    counts = boxes.shapes[:, 0]
    starts, total = np.cumsum(counts) - counts, int(counts.sum())
    anchors, sizes = np.empty((2, len(counts), axes), np.float32)
    table, kept, left = _room(total, 2 * axes, len(counts))
    none = np.empty((0, axes), np.int32)
    kernel("random_box_crops")(
        boxes.addresses, counts, stream_words(seed, origin), places, starts, np.array(rules.layout, np.int32),
        rules.corners,
        rules.thresholds, rules.allow_none, rules.ratios, rules.scaling, np.array([*rules.attempts, MAX_WINDOWS]),
        rules.by_overlap, rules.all_boxes, -1.0 if rules.prune is None else rules.prune,
        none if crops is None else crops, none if images is None else images, anchors, sizes, table, kept, left,
    )  # fmt: skip
    return BoxCrops(anchors, sizes, table, PickedRows(kept, starts, left))


def ssd_crops(
    boxes: Operand, images: NDArray[np.int64], attempts: int, seed: int, places: NDArray[np.int64], origin: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.float32], PickedRows]:
    """Draw a window for each sample as SSD's training does.

    Parameters
    ----------
    boxes : Operand
        (boxes, 4) corners, relative.
    images : ndarray
        (N, 2) heights and widths.
    attempts : int
        For each threshold that is chosen.

    Returns
    -------
    windows : ndarray
        (N, 4): top, left, bottom and right, in pixels.
    table, rows
        As of `BoxCrops`.
    """
    counts = boxes.shapes[:, 0]
    starts = np.cumsum(counts) - counts
    windows = np.empty((len(counts), 4), np.int64)
    table, kept, left = _room(int(counts.sum()), 4, len(counts))
    kernel("ssd_crops")(
        boxes.addresses, counts, stream_words(seed, origin), places, starts, images, attempts, MAX_WINDOWS, windows,
        table, kept, left,
    )  # fmt: skip
    return windows, table, PickedRows(kept, starts, left)


def _room(
    total: int, columns: int, samples: int
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    return np.empty((total, columns), np.float32), np.empty(total, np.int64), np.empty(samples, np.int64)


def region_crops(
    tables: Sequence[NDArray[np.int32]], images: NDArray[np.int64] | None, seed: int, places: NDArray[np.int64],
    origin: int = 0,
) -> NDArray[np.int64]:  # fmt: skip
    """Where windows of given sizes begin that hold as much of a region as they can.

    Parameters
    ----------
    tables : sequence of three ndarray
        (N, axes) each: begins and extents of the regions, sizes of the windows.
    images : ndarray or None
        (N, axes) sizes, which windows must not leave.
    """
    made = tables[0].astype(np.int64)
    bounds = np.empty((0, tables[0].shape[-1]), np.int64) if images is None else images
    kernel("region_crops")(*tables, bounds, stream_words(seed, origin), places, made)
    return made
