"""A row of elements for each number, on a GPU."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import GpuStream

_ITEM = np.dtype([("source", np.uint64), ("target", np.uint64), ("count", np.int64), ("inner", np.int64)])


def one_hot_on_gpu(
    src: Batch, axis: int, classes: int, off_on: NDArray[np.generic], out: Batch, stream: GpuStream
) -> None:
    """What `kernels.cpu.one_hot.one_hot` does."""
    items = np.empty(len(src), _ITEM)
    items["source"], items["target"], items["count"] = src.addresses, out.addresses, src.counts * classes
    items["inner"] = src.shapes[:, axis:].prod(axis=1, dtype=np.int64)
    values = off_on.view(np.dtype(f"u{out.dtype.itemsize}"))
    macros = {"IN": src.dtype, "OUT": values.dtype}
    stream.launch("one_hot", items, items["count"], np.int64(classes), macros=macros, tables=(values,))
