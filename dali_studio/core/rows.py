"""Samples that lie in one array, as the samples of a batch."""

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


class Pieces(Sequence[NDArray[np.uint8]]):
    """Samples of bytes in one piece of memory: no array is made for a sample until somebody asks for it.

    Parameters
    ----------
    slab : ndarray of uint8
        The memory, contiguous.
    starts, sizes : ndarray of int64
        (N,) where each sample begins, and how many bytes it has.
    """

    __slots__ = ("sizes", "slab", "starts")

    def __init__(self, slab: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        self.slab, self.starts, self.sizes = slab, starts, sizes

    def take(self, indices: Sequence[int]) -> Pieces:
        """Some of the samples."""
        return Pieces(self.slab, self.starts[indices], self.sizes[indices])

    def __len__(self) -> int:
        return len(self.sizes)

    @overload
    def __getitem__(self, index: int) -> NDArray[np.uint8]: ...
    @overload
    def __getitem__(self, index: slice[Any, Any, Any]) -> Pieces: ...
    def __getitem__(self, index: int | slice[Any, Any, Any]) -> NDArray[np.uint8] | Pieces:
        if isinstance(index, slice):
            return Pieces(self.slab, self.starts[index], self.sizes[index])
        start = int(self.starts[index])
        return self.slab[start : start + int(self.sizes[index])]


def addresses_of(samples: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """(N,) addresses of contiguous samples in host memory."""
    if isinstance(samples, Pieces):
        return samples.starts + samples.slab.ctypes.data
    return np.fromiter((sample.__array_interface__["data"][0] for sample in samples), np.int64, len(samples))


def shapes_of(samples: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """(N, ndim) extents of samples with one number of axes."""
    if isinstance(samples, Rows):
        return np.tile(np.array(samples.table.shape[1:], np.int64), (len(samples), 1))
    if isinstance(samples, Pieces):
        return samples.sizes[:, None]
    return np.array([sample.shape for sample in samples], np.int64).reshape(len(samples), samples[0].ndim)
