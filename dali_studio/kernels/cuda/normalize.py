"""Normalisation by the mean and the deviation of the data itself, on a GPU."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.extents import END, Extents
from dali_studio.kernels.cuda.reduce import reduce_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream

_FLOAT = np.dtype(np.float32)
#: Elements of a row that one group of threads takes, at most, and those for which a warp is enough.
_LONGEST, _SHORT = 16384, 1024
Table = NDArray[np.int64]


def uploaded(table: NDArray[np.float32], shapes: Table, stream: GpuStream) -> Batch:
    """Arrays of these shapes, which lie one after the other in host memory."""
    counts = shapes.prod(axis=1, dtype=np.int64)
    memory, (address,) = stream.upload(table, lasting=True)  # a batch's own, not the iteration's for tables
    offsets = address - int(memory.ptr) + _FLOAT.itemsize * (np.cumsum(counts) - counts)
    return Batch.on_gpu(memory, offsets, shapes, _FLOAT)


def normalize_rows_on_gpu(
    data: Batch, axes: int, ddof: int, epsilon: float, scale: float, shift: float, dtype: np.dtype[Any],
    stream: GpuStream,
) -> Batch | None:  # fmt: skip
    """`data` normalised by its own mean and deviation along its last `axes` in one launch; ``None`` for long rows."""
    longest = int(data.shapes[:, -axes:].prod(axis=1).max(initial=0))
    if longest > _LONGEST:
        return None
    made = stream.empty(data.shapes, dtype, data.layout, data.sources)
    lanes = 32 if longest <= _SHORT else 256
    macros = {"IN": data.dtype, "OUT": dtype, "LANES": lanes}
    numbers = np.int64(ddof), *map(np.float32, (epsilon, scale, shift))
    items = _rows(data.shapes.shape[1] - axes)
    items.launch(stream, "normalize_rows", "normalize_rows", data, made, lanes.__mul__, *numbers, macros=macros)
    return made


@cache
def _rows(axes: int) -> Extents:
    """Rows, which have several axes each, and their elements."""
    return Extents((0, 0, axes), (0, axes, END))


class Statistics(NamedTuple):
    """What is computed of the samples, or of the whole batch.

    Attributes
    ----------
    reduced : ndarray
        (ndim,) bool: along which axes.
    shapes : ndarray
        (N, ndim) of the results.
    over_batch : bool
        All samples have one result then, which comes once for each of them; `shapes` are equal.
    """

    data: Batch
    reduced: NDArray[np.bool_]
    shapes: Table
    over_batch: bool
    stream: GpuStream

    def means(self) -> Batch:
        """The means."""
        return self._finished(None, 0, 0.0, 0.0)

    def factors(self, means: Batch, ddof: int, epsilon: float, scale: float) -> Batch:
        """`scale` over the deviations from `means`, and 0 where nothing deviates."""
        return self._finished(means, ddof, epsilon, scale)

    def _finished(self, means: Batch | None, ddof: int, epsilon: float, scale: float) -> Batch:
        sums = self.stream.empty(self.shapes, _FLOAT, "")
        taken = "itself" if means is None else "deviation"
        reduce_on_gpu(self.data, self.reduced, sums, self.stream, taken=taken, means=means)
        counts = self.data.shapes[:, self.reduced].prod(axis=1, dtype=np.int64)
        free = (counts.sum(keepdims=True) if self.over_batch else counts) - ddof
        items = np.zeros(len(free), _item(1))
        items["source"] = items["target"] = sums.addresses[: len(free)]
        items["count"] = sums.counts[: len(free)]
        weights = np.where(free > 0, 1 / np.maximum(free, 1), 0).astype(np.float32)
        self.stream.launch(
            "normalize", items, items["count"], np.int64(len(sums) if self.over_batch else 1),
            np.int64(means is not None), np.float32(epsilon), np.float32(scale), function="statistics",
            macros={"IN": _FLOAT, "OUT": _FLOAT, "AXES": 1, "COUNT": 1}, tables=(weights,),
        )  # fmt: skip
        if not self.over_batch:
            return sums
        return Batch.on_gpu(sums.memory, np.repeat(sums.offsets[:1], len(sums)), self.shapes, _FLOAT)


def normalize_on_gpu(
    data: Batch, means: Batch, factors: Batch, reduced: NDArray[np.bool_], shift: float, out: Batch, stream: GpuStream
) -> None:
    """Write ``(data - mean) * factor + shift``; means and factors have one element along the axes `reduced`."""
    groups: list[list[int]] = []  # neighbouring axes that count as one
    for axis, gone in enumerate(reduced.tolist()):
        if groups and reduced[groups[-1][0]] == gone:
            groups[-1].append(axis)
        else:
            groups.append([axis])
    items = np.zeros(len(data), _item(max(len(groups), 1)))
    items["source"], items["target"], items["count"] = data.addresses, out.addresses, data.counts
    items["mean"], items["factor"] = means.addresses, factors.addresses
    stride = np.ones(len(data), np.int64)
    for number, axes in reversed(list(enumerate(groups))):
        extents = data.shapes[:, axes].prod(axis=1)
        items["extents"][:, number] = extents
        if not reduced[axes[0]]:
            items["strides"][:, number] = stride
            stride = stride * extents
    count = 16 // max(data.dtype.itemsize, out.dtype.itemsize)
    macros: dict[str, Any] = {"IN": data.dtype, "OUT": out.dtype, "AXES": max(len(groups), 1), "COUNT": count}
    stream.launch("normalize", items, -(-items["count"] // count), np.float32(shift), macros=macros)


@cache
def _item(axes: int) -> np.dtype[Any]:
    return np.dtype(
        [*((name, np.uint64) for name in ("source", "target", "mean", "factor")), ("count", np.int64),
         ("extents", np.int64, (axes,)), ("strides", np.int64, (axes,))]
    )  # fmt: skip
