"""Rows of tables, so many for each sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu.native import kernel


@dataclass(frozen=True, slots=True)
class PickedRows:
    """Which rows are left of each sample.

    Attributes
    ----------
    picked : ndarray
        int64: numbers of rows within their sample.
    starts, counts : ndarray
        int64, (N,): those of each sample.
    """

    picked: NDArray[np.int64]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    def of(self, batch: Batch, layout: str = "") -> Batch:
        """These rows of a batch, along its first axis."""
        shapes = batch.shapes.copy()
        shapes[:, 0] = self.counts
        sizes = batch.shapes[:, 1:].prod(axis=1) * batch.dtype.itemsize
        ends = np.cumsum(sizes * self.counts)
        slab = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
        starts = ends - sizes * self.counts
        addresses = starts + slab.ctypes.data
        kernel("gather_rows")(batch.addresses, sizes, self.starts, self.counts, self.picked, addresses)
        return Batch.of(Packed(slab, starts, shapes, batch.dtype), layout, batch.sources)

    def of_numbers(self) -> NDArray[np.int64]:
        """The numbers of the rows, one sample after the other."""
        before = np.cumsum(self.counts) - self.counts
        return self.picked[np.arange(int(self.counts.sum())) + np.repeat(self.starts - before, self.counts)]


def row_samples(table: NDArray[Any], starts: NDArray[np.int64], counts: NDArray[np.int64]) -> Packed:
    """Rows of one table as samples: `counts` of them, from `starts` on."""
    step = table.itemsize * int(np.prod(table.shape[1:], dtype=np.int64))
    shapes = np.empty((len(counts), table.ndim), np.int64)
    shapes[:, 0], shapes[:, 1:] = counts, table.shape[1:]
    return Packed(table.reshape(-1).view(np.uint8), starts * step, shapes, table.dtype)


#: Bytes from which on it is worth to give Python's lock away while they are copied.
_LONG = 1 << 17


def copy_bytes(sources: NDArray[np.int64], sizes: NDArray[np.int64], targets: NDArray[np.int64]) -> None:
    """Copy (N,) pieces of memory, given by addresses and bytes."""
    count = len(sources)
    if int(sizes.sum()) > _LONG:
        kernel("join_batch")(sources[None], sizes[None], np.ones(count, np.int64), targets)
        return
    which = np.zeros(count, np.int64)
    kernel("gather_rows")(sources, sizes, np.arange(count), np.ones(count, np.int64), which, targets)
