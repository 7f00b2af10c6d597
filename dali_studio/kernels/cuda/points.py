"""Points, vectors and boxes, on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.stream import GpuStream

#: Vectors of a thread, as in the source.
_VECTORS = 4
_ITEM = np.dtype([("source", np.uint64), ("target", np.uint64), ("count", np.int64)])


def transform_points_on_gpu(
    points: Batch, matrices: NDArray[np.float32], offsets: NDArray[np.float32], out: Batch, stream: GpuStream
) -> None:
    """What `kernels.cpu.transforms.transform_points` does."""
    counts = points.shapes[:, :-1].prod(axis=1, dtype=np.int64)
    _, rows, columns = matrices.shape
    macros = {"ROWS": rows, "COLUMNS": columns}
    _launch("transform_points", points, out, counts, (matrices, offsets), (), stream, -(-counts // _VECTORS), macros)


def mirror_points_on_gpu(
    points: Batch, centres: NDArray[np.float32], mirrored: NDArray[np.bool_], out: Batch, stream: GpuStream
) -> None:
    """What `kernels.cpu.transforms.mirror_points` does."""
    tables = np.float32(2) * centres, mirrored
    _launch("mirror_points", points, out, points.counts, tables, (centres.shape[1],), stream)


def mirror_boxes_on_gpu(
    boxes: Batch, horizontal: NDArray[np.int32], vertical: NDArray[np.int32], out: Batch, stream: GpuStream, *,
    corners: bool,
) -> None:  # fmt: skip
    """What `kernels.cpu.boxes.mirror_boxes` does."""
    _launch("mirror_boxes", boxes, out, boxes.counts // 4, (horizontal, vertical), (corners,), stream)


def _launch(
    function: str, src: Batch, out: Batch, counts: NDArray[np.int64], tables: tuple[NDArray[Any], ...],
    numbers: tuple[int, ...], stream: GpuStream, work: NDArray[np.int64] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> None:  # fmt: skip
    items = np.empty(len(src), _ITEM)
    items["source"], items["target"], items["count"] = src.addresses, out.addresses, counts
    macros = {"IN": src.dtype, "OUT": out.dtype, **(sizes or {})}
    work = counts if work is None else work
    stream.launch("points", items, work, *map(np.int64, numbers), function=function, macros=macros, tables=tables)
