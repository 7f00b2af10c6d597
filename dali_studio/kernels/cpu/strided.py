"""Arrays whose elements lie at any distances, copied for all samples of a batch in one compiled call."""

from __future__ import annotations

from typing import Any

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


def copy_strided_one(
    source: NDArray[Any], offset: int, extents: NDArray[np.int64], steps: NDArray[np.int64], index: int,
    out: NDArray[Any],
) -> None:  # fmt: skip
    """The same for one sample: row `index` of the tables, from byte `offset` of an array that need not lie in order."""
    source = np.asarray(source, order="C")
    places = source.__array_interface__["data"][0] + offset, out.__array_interface__["data"][0]
    kernel("copy_strided_one")(places[0], extents, steps, index, out.itemsize, places[1])


def copy_rows(source: NDArray[Any], order: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Write ``source[order]``, whose positions must be there, along the first axis."""
    source = np.asarray(source, order="C")
    size = out.nbytes // max(len(order), 1)
    places = source.__array_interface__["data"][0], out.__array_interface__["data"][0]
    kernel("copy_rows")(places[0], order, size, places[1])


def address_of(array: NDArray[Any]) -> NDArray[np.int64]:
    """(1,) address of the first element, for what takes those of a batch."""
    return np.array([array.__array_interface__["data"][0]], np.int64)


def lines_along(shapes: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    """(N, 3) elements before, along and behind an axis of arrays in C order without gaps."""
    products = [shapes[:, :axis].prod(axis=1), shapes[:, axis], shapes[:, axis + 1 :].prod(axis=1)]
    return np.stack(products, axis=1)


def steps_of(shapes: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """(N, ndim) bytes between neighbours of arrays in C order without gaps."""
    steps = np.full(shapes.shape, size, np.int64)
    if shapes.shape[1] > 1:
        steps[:, :-1] *= np.cumprod(shapes[:, :0:-1], axis=1)[:, ::-1]
    return steps
