"""Linear maps along one axis, on a GPU."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.linear import Matrix
from dali_studio.kernels.cuda.stream import GpuStream

_ITEM = np.dtype(
    [("source", np.uint64), ("target", np.uint64),
     *((name, np.int64) for name in ("count", "inner", "rows", "columns", "first"))]
)  # fmt: skip


def transform_axis_on_gpu(
    src: Batch, out: Batch, axis: int, matrices: Mapping[int, Matrix], stream: GpuStream
) -> None:
    """What `kernels.cpu.linear.transform_axis` does, with the matrix for each sample's extent along the axis."""
    sizes = src.shapes[:, axis]
    items = np.zeros(len(src), _ITEM)
    items["source"], items["target"], items["count"] = src.addresses, out.addresses, out.counts
    items["inner"] = src.shapes[:, axis + 1 :].prod(axis=1, dtype=np.int64)
    items["rows"], items["columns"] = out.shapes[:, axis], sizes
    if len(matrices) == 1:
        (matrix,) = matrices.values()
        name = "transform_axis", *(column.tobytes() for column in matrix)
        addresses = map(np.uint64, stream.constant(name, lambda: matrix))
        stream.launch("linear", items, items["count"], *addresses, function="transform_axis")
        return
    ends = np.cumsum([len(one.counts) for one in matrices.values()])
    weights = np.cumsum([len(one.weights) for one in matrices.values()])
    begins = {size: end - len(one.counts) for (size, one), end in zip(matrices.items(), ends, strict=True)}
    moved = [one._replace(starts=one.starts + end - len(one.weights))
             for one, end in zip(matrices.values(), weights, strict=True)]  # fmt: skip
    items["first"] = [begins[size] for size in sizes.tolist()]
    tables = [np.concatenate(columns) for columns in zip(*moved, strict=True)]
    stream.launch("linear", items, items["count"], function="transform_axis", tables=tables)
