"""A batch in device memory: what kernels read and write."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu import descriptors

#: Ragged samples begin at multiples of this, so that kernels can use their widest accesses.
_ALIGNMENT = 16
#: Bytes behind every slab: kernels read whole words, and may read past the last element (never write).
PADDING = 16


@dataclass(slots=True)
class DeviceBatch:
    """Samples of one element type in one slab of device memory.

    Attributes
    ----------
    memory : cupy.cuda.MemoryPointer
        The slab; keeps the memory alive.
    offsets : ndarray
        int64, (N,): first byte of every sample.
    shapes : ndarray
        int64, (N, ndim).
    dtype : numpy.dtype
    layout : str
    sources : sequence of str
        Where each sample came from, for messages; empty if not known.
    ready : cupy.cuda.Event or None
        Recorded behind the work that fills the batch; ``None`` while the iteration is being enqueued.
    """

    memory: Any
    offsets: NDArray[np.int64]
    shapes: NDArray[np.int64]
    dtype: np.dtype[Any]
    layout: str = ""
    sources: Sequence[str] = ()
    ready: Any = None

    def __len__(self) -> int:
        return len(self.shapes)

    @property
    def pointers(self) -> NDArray[np.uint64]:
        """(N,) device addresses of the samples."""
        return (self.offsets + int(self.memory.ptr)).astype(np.uint64)

    @property
    def size(self) -> int:
        """Bytes of the slab, without `PADDING`."""
        return int(self.offsets[-1]) + math.prod(self.shapes[-1].tolist()) * self.dtype.itemsize if len(self) else 0

    def on_host(self, host: NDArray[np.uint8]) -> list[NDArray[Any]]:
        """Arrays for the samples in `host`, laid out as here."""
        rows = zip(self.shapes.tolist(), self.offsets.tolist(), strict=True)
        return [np.ndarray(tuple(shape), self.dtype, host.data, offset) for shape, offset in rows]

    def sample_on_host(self, host: NDArray[np.uint8], index: int) -> NDArray[Any]:
        """The same for one sample."""
        return np.ndarray(tuple(self.shapes[index].tolist()), self.dtype, host.data, int(self.offsets[index]))

    @property
    def counts(self) -> NDArray[np.int64]:
        """(N,) elements of the samples."""
        return elements(self.shapes)


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
