"""Linear maps along one axis: banks of filters, discrete cosine transforms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
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
    _transform((address_of(lines), lines_along(np.array([lines.shape], np.int64), axis), address_of(out)), matrix)


def transforming_axes(
    src: Batch, out: Batch, axis: int, matrices: Mapping[int, Matrix]
) -> Callable[[int, int], None]:  # fmt: skip
    """What does the same for the samples from one to before another, in float32.

    Parameters
    ----------
    matrices : mapping
        By the extent of a sample of `src` along the axis.
    """
    tables = src.addresses, lines_along(src.shapes, axis), out.addresses
    sizes = src.shapes[:, axis]
    rows = {size: np.flatnonzero(sizes == size) for size in matrices} if len(matrices) > 1 else {}
    groups = [(some, [table[some] for table in tables], matrices[size]) for size, some in rows.items()]

    def compute(begin: int, end: int) -> None:
        if not groups:
            for matrix in matrices.values():
                _transform([table[begin:end] for table in tables], matrix)
        for some, own, matrix in groups:
            first, last = np.searchsorted(some, (begin, end)).tolist()
            if first < last:
                _transform([table[first:last] for table in own], matrix)

    return compute


def _transform(tables: Sequence[NDArray[np.int64]], matrix: Matrix) -> None:
    """One matrix for samples, of which addresses, extents and the results' addresses are given."""
    needed = kernel("transform_axis")(*tables, *matrix, scratch())
    if needed:
        kernel("transform_axis")(*tables, *matrix, scratch(needed))
