"""Polygons of chosen masks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.rows import PickedRows

#: Why the masks of a sample cannot be selected, in place of its number of vertices: one is wanted twice, one has no
#: polygon, or a polygon has vertices that are not there.
TWICE, MISSING, OUTSIDE = -1, -2, -3


def select_polygons(
    ids: Operand, polygons: Operand, vertices: NDArray[np.int64], *, renumber: bool
) -> tuple[NDArray[np.int32], NDArray[np.int64], PickedRows]:
    """The polygons of some masks, and their vertices.

    Parameters
    ----------
    ids : Operand
        int32, (masks,): which masks, in order.
    polygons : Operand
        int32, (polygons, 3): mask, first vertex, end. Of several polygons of a mask the last one counts.
    vertices : ndarray
        (N,) how many there are.
    renumber : bool
        Number the masks from 0.

    Returns
    -------
    table : ndarray
        int32, (masks of all samples, 3): the same of the masks, whose vertices lie one after the other.
    starts : ndarray
        (N,) where the rows of each sample begin in it.
    rows : PickedRows
        Which vertices these are; `TWICE`, `MISSING` or `OUTSIDE` as number.
    """
    counts = ids.shapes[:, 0]
    starts = np.cumsum(counts) - counts
    table, firsts = np.empty((int(counts.sum()), 3), np.int32), np.empty(int(counts.sum()), np.int64)
    used = np.empty(len(counts), np.int64)
    kernel("select_polygons")(
        ids.addresses, counts, polygons.addresses, polygons.shapes[:, 0], vertices, starts, renumber, table, firsts,
        used,
    )  # fmt: skip
    if (used < 0).any():
        return table, starts, PickedRows(firsts[:0], starts, used)
    lengths = (table[:, 2] - table[:, 1]).astype(np.int64)
    before = np.cumsum(lengths) - lengths
    picked = np.arange(int(lengths.sum()), dtype=np.int64) + np.repeat(firsts - before, lengths)
    return table, starts, PickedRows(picked, np.cumsum(used) - used, used)
