"""Linear maps along one axis, on a GPU."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.linear import Matrix
from dali_studio.kernels.cuda.extents import END, Extents
from dali_studio.kernels.cuda.stream import GpuStream

_ITEM = np.dtype(
    [("source", np.uint64), ("target", np.uint64),
     *((name, np.int64) for name in ("count", "inner", "rows", "columns", "first"))]
)  # fmt: skip
#: Elements that a warp of `transform_rows` makes.
_ELEMENTS = 128


def transform_axis_on_gpu(
    src: Batch, out: Batch, axis: int, matrices: Mapping[int, Matrix], name: Hashable, stream: GpuStream
) -> None:
    """What `kernels.cpu.linear.transform_axis` does, with the matrix for each sample's extent along the axis.

    The matrices follow from their extents and `name`: they stay on the GPU.
    """
    if len(matrices) == 1:
        ((size, matrix),) = matrices.items()
        addresses = stream.constant(("transform_axis", name, size), lambda: matrix)
        if axis == 0:
            rows = len(matrix.counts)
            _extents(axis).launch(  # each row may have a part left
                stream, "linear", "transform_rows", src, out, lambda count: 32 * (-(-count // _ELEMENTS) + rows),
                *addresses, macros={},
            )  # fmt: skip
        else:
            _extents(axis).launch(stream, "linear", "transform_axis", src, out, int, *addresses, macros={})
        return
    sizes = src.shapes[:, axis]
    items = np.zeros(len(src), _ITEM)
    items["source"], items["target"], items["count"] = src.addresses, out.addresses, out.counts
    items["inner"] = src.shapes[:, axis + 1 :].prod(axis=1, dtype=np.int64)
    items["rows"], items["columns"] = out.shapes[:, axis], sizes
    ends = np.cumsum([len(one.counts) for one in matrices.values()])
    weights = np.cumsum([len(one.weights) for one in matrices.values()])
    begins = {size: end - len(one.counts) for (size, one), end in zip(matrices.items(), ends, strict=True)}
    moved = [one._replace(starts=one.starts + end - len(one.weights))
             for one, end in zip(matrices.values(), weights, strict=True)]  # fmt: skip
    items["first"] = [begins[size] for size in sizes.tolist()]
    tables = [np.concatenate(columns) for columns in zip(*moved, strict=True)]
    stream.launch("linear", items, items["count"], function="transform_axis", tables=tables)


@cache
def _extents(axis: int) -> Extents:
    """The fields of `_ITEM`."""
    return Extents((1, 0, END), (0, axis + 1, END), (1, axis, axis + 1), (0, axis, axis + 1), more=1)
