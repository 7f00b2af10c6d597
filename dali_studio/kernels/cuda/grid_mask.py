"""Squares of a grid, which cover pixels: a part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import headers

_ROW = np.dtype([("mask", np.float32, 5)], align=True)


def grid_mask_part(fields: NDArray[np.float32], *, planar: bool) -> Part:
    """Set to 0 what the squares of a grid cover (`kernels.cpu.grid_mask.grid_mask`).

    Parameters
    ----------
    fields : (N, 5) array
        Of the functor ``GridMask``.
    planar : bool
        The layout is CHW, whose first two axes are taken for rows and columns.
    """
    row = np.empty(len(fields), _ROW)
    row["mask"] = fields
    texts = (*headers("grid_mask"), part_text("grid_mask"))
    return Part("GridMaskPart", "pixel", texts, row, flags=(int(planar),), place="pixel")
