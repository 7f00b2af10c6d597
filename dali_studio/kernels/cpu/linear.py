"""Linear maps along one axis: banks of filters, discrete cosine transforms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.strided import address_of, lines_along

Floats = NDArray[np.float32]


class Matrix(NamedTuple):
    """Rows of a matrix, of which only those weights are kept that lie between its first and last that is not 0.

    Attributes
    ----------
    weights : ndarray of float32
        All that are kept, row by row.
    starts, firsts, counts : ndarray of int64
        Of each row: where its weights begin, which column the first of them belongs to, and how many there are.
    factors : ndarray of float32
        What the sums are multiplied by in the end.
    """

    weights: Floats
    starts: NDArray[np.int64]
    firsts: NDArray[np.int64]
    counts: NDArray[np.int64]
    factors: Floats

    @classmethod
    def of(cls, table: Floats, factors: Floats | None = None) -> Matrix:
        """The matrix (rows, columns); `factors` are 1 unless they are given."""
        there = table != 0
        firsts = np.where(there.any(axis=1), there.argmax(axis=1), 0).astype(np.int64)
        ends = np.where(there.any(axis=1), table.shape[1] - there[:, ::-1].argmax(axis=1), 0).astype(np.int64)
        counts = ends - firsts
        kept = (row[first:end] for row, first, end in zip(table, firsts, ends, strict=True))
        weights = np.concatenate([np.empty(0, np.float32), *kept])
        ones = np.ones(len(table), np.float32)
        return cls(weights, np.cumsum(counts) - counts, firsts, counts, ones if factors is None else factors)


def transform_axis(src: Floats, out: Floats, axis: int, matrix: Matrix) -> None:
    """Multiply the vectors along an axis by a matrix: products are added up one after the other.

    Parameters
    ----------
    src, out : ndarray
        Of one shape but for `axis`, where `src` has as many elements as the matrix has columns and `out`, which is
        contiguous, as many as it has rows.
    """
    lines = np.ascontiguousarray(src)
    transform_axes(address_of(lines), np.array([lines.shape], np.int64), address_of(out), axis, matrix)


def transform_axes(
    src: NDArray[np.int64], shapes: NDArray[np.int64], out: NDArray[np.int64], axis: int, matrix: Matrix
) -> None:
    """The same for float32 arrays of (N, ndim) shapes at (N,) addresses."""
    given = (src, lines_along(shapes, axis), out, *matrix)
    needed = kernel("transform_axis")(*given, scratch())
    if needed:
        kernel("transform_axis")(*given, scratch(needed))
