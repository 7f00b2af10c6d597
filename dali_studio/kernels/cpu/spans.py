"""Copies of whole batches in host memory, in equal shares for several threads, however large the samples are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.native import kernel

#: Bytes that a thread copies at a time.
_SHARE = 1 << 20


def copy_span(
    batch: Batch, offsets: NDArray[np.int64], target: NDArray[np.uint8], begin: int,
    run: Callable[[Callable[[int], None], int], None],
) -> None:  # fmt: skip
    """Copy a part of what a batch is elsewhere.

    Parameters
    ----------
    batch : Batch
        In host memory; its samples are contiguous.
    offsets : ndarray of int64
        (N,) first byte of every sample where they are to lie, ascending.
    target : ndarray of uint8
        Memory for what lies there from byte `begin` on.
    run : callable
        ``run(function, count)`` calls ``function(i)`` for every i below `count`, perhaps on several threads.
    """
    addresses, sizes = batch.addresses, batch.counts * batch.dtype.itemsize

    def share(i: int) -> None:
        at = i * _SHARE
        kernel("copy_span")(addresses, offsets, sizes, target[at : at + _SHARE], begin + at)

    run(share, -(-len(target) // _SHARE))
