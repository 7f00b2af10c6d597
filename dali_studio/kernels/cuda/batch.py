"""Where the samples of a batch lie in device memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu import descriptors

#: Ragged samples begin at multiples of this, so that kernels can use their widest accesses.
_ALIGNMENT = 16
#: Bytes behind every slab: kernels read whole words, and may read past the last element (never write).
PADDING = 16


def elements(shapes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of elements for each row of extents."""
    return shapes.prod(axis=1, dtype=np.int64)


def place(shapes: NDArray[np.int64], dtype: np.dtype[Any]) -> tuple[NDArray[np.int64], int]:
    """Where samples lie in a slab.

    Samples of one shape lie side by side without gaps, so that the batch is an array; others are aligned.

    Returns
    -------
    offsets : ndarray
        int64, (N,).
    size : int
        Bytes of the slab, without `PADDING`.
    """
    return descriptors.place(shapes, dtype.itemsize, _ALIGNMENT)
