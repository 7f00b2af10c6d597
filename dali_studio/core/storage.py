"""How the samples of a batch lie in host memory: in one array, or one after the other in one slab."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


class Dense(Sequence[NDArray[Any]]):
    """Samples of one shape in one array: no object is made for a sample until somebody asks for it.

    Parameters
    ----------
    table : ndarray
        (N, ...); row i is sample i.
    """

    __slots__ = ("table",)

    def __init__(self, table: NDArray[Any]) -> None:
        self.table = table

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type, also of no samples."""
        return self.table.dtype

    def take(self, positions: Sequence[int]) -> Dense:
        """Some of the samples, copied."""
        return Dense(self.table[np.asarray(positions, np.int64)])

    def __len__(self) -> int:
        return len(self.table)

    @overload
    def __getitem__(self, index: int) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, index: slice[Any, Any, Any]) -> Dense: ...
    def __getitem__(self, index: int | slice[Any, Any, Any]) -> NDArray[Any] | Dense:
        return Dense(self.table[index]) if isinstance(index, slice) else self.table[index, ...]


class Packed(Sequence[NDArray[Any]]):
    """Samples in one piece of memory: no array is made for a sample until somebody asks for it.

    Parameters
    ----------
    slab : ndarray of uint8
        The memory, contiguous.
    starts : ndarray of int64
        (N,) first byte of every sample.
    shapes : ndarray of int64
        (N, ndim).
    dtype : numpy.dtype
    """

    __slots__ = ("dtype", "shapes", "slab", "starts")

    def __init__(
        self, slab: NDArray[np.uint8], starts: NDArray[np.int64], shapes: NDArray[np.int64], dtype: np.dtype[Any]
    ) -> None:
        self.slab, self.starts, self.shapes, self.dtype = slab, starts, shapes, dtype

    @classmethod
    def of_bytes(cls, slab: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> Packed:
        """Samples of (N,) `sizes` bytes: encoded files."""
        return cls(slab, starts, sizes[:, None], _BYTES)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(N,) bytes of the samples."""
        return self.shapes.prod(axis=1, dtype=np.int64) * self.dtype.itemsize

    def take(self, positions: Sequence[int]) -> Packed:
        """Some of the samples, where they lie."""
        chosen = np.asarray(positions, np.int64)
        return Packed(self.slab, self.starts[chosen], self.shapes[chosen], self.dtype)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, index: slice[Any, Any, Any]) -> Packed: ...
    def __getitem__(self, index: int | slice[Any, Any, Any]) -> NDArray[Any] | Packed:
        if isinstance(index, slice):
            return Packed(self.slab, self.starts[index], self.shapes[index], self.dtype)
        if not -len(self.starts) <= index < len(self.starts):
            raise IndexError(index)
        return np.ndarray(tuple(self.shapes[index].tolist()), self.dtype, self.slab, int(self.starts[index]))


_BYTES = np.dtype(np.uint8)
#: Samples of a batch in host memory.
Samples = Sequence[NDArray[Any]]


def elements_of(shapes: NDArray[np.int64]) -> int:
    """Elements of samples of (N, ndim) `shapes`, all together."""
    if len(shapes) == 1:  # a tenth of the time: iterations of one sample ask for each of their results
        return math.prod(shapes[0].tolist())
    return int(shapes.prod(axis=1, dtype=np.int64).sum())


def addresses_of(samples: Samples) -> NDArray[np.int64]:
    """(N,) addresses of contiguous samples in host memory."""
    if isinstance(samples, Packed):
        return samples.starts + samples.slab.ctypes.data
    if isinstance(samples, Dense):
        table = samples.table
        return table.ctypes.data + (table.strides[0] if table.ndim else 0) * np.arange(len(table), dtype=np.int64)
    return np.fromiter((sample.ctypes.data for sample in samples), np.int64, len(samples))


def shapes_of(samples: Samples, ndim: int | None = None) -> NDArray[np.int64]:
    """(N, ndim) extents of samples with one number of axes; `ndim` is needed for a list of none."""
    if isinstance(samples, Dense):
        return equal_shapes(len(samples), samples.table.shape[1:])
    if isinstance(samples, Packed):
        return samples.shapes
    if ndim is None:
        ndim = samples[0].ndim if samples else 0
    return np.array([sample.shape for sample in samples], np.int64).reshape(len(samples), ndim)


def dtype_of(samples: Samples) -> np.dtype[Any] | None:
    """Element type of the samples; ``None`` for a list of none."""
    if isinstance(samples, Dense | Packed):
        return samples.dtype
    return samples[0].dtype if samples else None


@lru_cache(maxsize=64)
def equal_shapes(count: int, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """(N, ndim) extents of samples of one shape: the same array for the same values, which nobody may change."""
    made = np.tile(np.array(shape, np.int64), (count, 1))
    made.flags.writeable = False
    return made


def flat(samples: Samples) -> NDArray[Any] | None:
    """All elements as one 1-D view, if the samples lie side by side in one piece of memory; else ``None``."""
    if isinstance(samples, Dense):
        return samples.table.reshape(-1) if samples.table.flags.c_contiguous else None
    if isinstance(samples, Packed) and len(samples) and _side_by_side(samples):
        return np.ndarray((elements_of(samples.shapes),), samples.dtype, samples.slab, int(samples.starts[0]))
    return None


def _side_by_side(samples: Packed) -> bool:
    return len(samples) == 1 or bool((samples.starts[1:] == (samples.starts + samples.sizes)[:-1]).all())


def dense(samples: Samples) -> NDArray[Any] | None:
    """The (N, ...) array, as a view, of samples of one shape that lie side by side; else ``None``."""
    if isinstance(samples, Dense):
        return samples.table
    if isinstance(samples, Packed) and len(samples) and (
        len(samples) == 1 or bool((samples.shapes == samples.shapes[0]).all())
    ):
        row = flat(samples)
        return None if row is None else row.reshape(len(samples), *samples.shapes[0].tolist())
    return None
