"""Filling boxes of arrays: a part for images, and a kernel for any number of axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream

_ROW = np.dtype([("boxes", np.uint64), ("fill", np.uint64), ("count", np.int32), ("unused", np.int32)], align=True)
_AXES = 16
_ARRAY = np.dtype(
    [*((name, np.int64) for name in ("from", "to", "count", "boxes", "first", "fills", "channels")),
     ("extents", np.int64, _AXES)]
)  # fmt: skip


def erase_part(boxes: NDArray[np.int64], firsts: NDArray[np.int64], fills: NDArray[Any], layout: str) -> Part:
    """Fill boxes of images.

    Parameters
    ----------
    boxes : (K, 3, 2) array
        Begin and end of each axis of the layout.
    firsts : (N + 1,) array
        Number of the first box of each sample, and of all.
    fills : (N, C) array
        What each channel is filled with.
    """
    count = len(firsts) - 1
    counts = np.diff(firsts)
    table = np.zeros((count, max(int(counts.max(initial=0)), 1), 3, 2), np.int32)
    samples = np.repeat(np.arange(count), counts)
    table[samples, np.arange(len(boxes)) - firsts[samples]] = boxes[:, [layout.index(axis) for axis in "HWC"]]
    row = np.zeros(count, _ROW)
    row["count"] = counts
    tables = {"boxes": table.reshape(count, -1), "fill": np.ascontiguousarray(fills)}
    return Part("Erase", "pixel", (part_text("erase"),), row, tables, place="pixel")


def erase(
    src: Batch, out: Batch, boxes: NDArray[np.int64], firsts: NDArray[np.int64], fills: NDArray[Any], channels: int,
    stream: GpuStream,
) -> None:  # fmt: skip
    """Fill boxes of arrays of any number of axes; `channels` is the axis that `fills` has values for, or -1."""
    axes = src.shapes.shape[1]
    if axes > _AXES:
        raise ValueError(f"the data has {axes} axes; on a GPU {_AXES} can be erased")
    items = np.zeros(len(src), _ARRAY)
    items["from"], items["to"], items["count"] = src.addresses, out.addresses, src.counts
    items["first"], items["boxes"] = firsts[:-1], np.diff(firsts)
    items["fills"], items["channels"] = np.arange(len(src)) * fills.shape[1], channels
    items["extents"][:, :axes] = src.shapes
    stream.launch("erase", items, src.counts, np.int32(axes), macros={"IN": src.dtype}, tables=(boxes, fills))
