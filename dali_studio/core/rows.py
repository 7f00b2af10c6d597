"""The rows of one array as the samples of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


class Rows(Sequence[NDArray[Any]]):
    """Samples of one shape in one array: no object is made for a sample until somebody asks for it.

    Parameters
    ----------
    table : ndarray
        (N, ...); row i is sample i.
    """

    __slots__ = ("table",)

    def __init__(self, table: NDArray[Any]) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    @overload
    def __getitem__(self, index: int) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, index: slice[Any, Any, Any]) -> Rows: ...
    def __getitem__(self, index: int | slice[Any, Any, Any]) -> NDArray[Any] | Rows:
        return Rows(self.table[index]) if isinstance(index, slice) else self.table[index, ...]


def shapes_of(samples: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """(N, ndim) extents of samples with one number of axes."""
    if isinstance(samples, Rows):
        return np.tile(np.array(samples.table.shape[1:], np.int64), (len(samples), 1))
    return np.array([sample.shape for sample in samples], np.int64).reshape(len(samples), samples[0].ndim)
