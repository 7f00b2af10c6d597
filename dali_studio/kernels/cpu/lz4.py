"""Blocks of the format LZ4."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

#: What is told of a chunk in place of its size.
DAMAGED, TOO_LARGE = -1, -2


def inflate(
    data: NDArray[np.uint8], begins: NDArray[np.int64], sizes: NDArray[np.int64], out: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Decompress chunks of `data` into equal parts of `out`, one after the other.

    Returns
    -------
    ndarray
        The bytes that each chunk gives; negative numbers, `DAMAGED` or `TOO_LARGE`, where it cannot be decompressed.
    """
    made = np.zeros(len(begins), np.int64)
    kernel("inflate_lz4")(np.ascontiguousarray(data), begins, sizes, out, made)
    return made
