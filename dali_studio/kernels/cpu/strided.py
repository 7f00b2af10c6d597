"""Arrays whose elements lie at any distances, copied for all samples of a batch in one compiled call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel


def copy_strided(
    src: NDArray[np.int64], extents: NDArray[np.int64], steps: NDArray[np.int64], size: int, out: NDArray[np.int64]
) -> None:
    """Copy elements into arrays in C order without gaps.

    Parameters
    ----------
    src : (N,) array
        Addresses of the first element of each sample.
    extents : (N, ndim) array
        Shapes of the results.
    steps : (N, ndim) array
        Bytes from an element to its neighbour along each axis; negative to go backwards, 0 to repeat it.
    size : {1, 2, 4, 8}
        Bytes of an element.
    out : (N,) array
        Addresses of the results.
    """
    kernel("copy_strided")(src, extents, steps, size, out)


def steps_of(shapes: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """(N, ndim) bytes between neighbours of arrays in C order without gaps."""
    steps = np.full(shapes.shape, size, np.int64)
    if shapes.shape[1] > 1:
        steps[:, :-1] *= np.cumprod(shapes[:, :0:-1], axis=1)[:, ::-1]
    return steps
