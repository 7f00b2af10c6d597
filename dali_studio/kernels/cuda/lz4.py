"""Blocks of the format LZ4, on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import GpuStream

_CHUNK = np.dtype([*((name, np.uint64) for name in ("from", "to", "made")), ("size", np.int64), ("room", np.int64)])
_WARP = 32


def inflate_on_gpu(
    src: Batch, begins: Sequence[NDArray[np.int64]], sizes: Sequence[NDArray[np.int64]], out: Batch, stream: GpuStream
) -> Batch:
    """Decompress chunks of each sample into equal parts of its result; what a chunk does not give is 0.

    Parameters
    ----------
    src : Batch
        Bytes.
    begins, sizes : sequence of ndarray
        Of the chunks of each sample.
    out : Batch

    Returns
    -------
    Batch
        For each sample what `kernels.cpu.lz4.inflate` returns.
    """
    counts = np.array([len(one) for one in begins])
    made = stream.empty(counts[:, None], np.dtype(np.int64), "")
    rooms = out.counts * out.dtype.itemsize // np.maximum(counts, 1)
    owners = np.repeat(np.arange(len(src)), counts)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    chunks = np.zeros(len(owners), _CHUNK)
    chunks["from"] = src.addresses[owners] + np.concatenate([*begins, np.zeros(0, np.int64)])
    chunks["size"], chunks["room"] = np.concatenate([*sizes, np.zeros(0, np.int64)]), rooms[owners]
    chunks["to"] = out.addresses[owners] + within * chunks["room"]
    chunks["made"] = made.addresses[owners] + within * made.dtype.itemsize
    count = np.array([len(chunks)])
    stream.launch("lz4", count, len(chunks) * _WARP, function="inflate", tables=(chunks,))
    return made
