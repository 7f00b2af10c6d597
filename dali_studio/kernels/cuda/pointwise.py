"""Pointwise operators over batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.stream import GpuStream

_ITEM = np.dtype([("src", np.uint64), ("dst", np.uint64), ("count", np.int64), ("factors", np.float32, 12)], align=True)
_SCALE, _CAST, _MATRIX = 0, 1, 2


def _launch(
    src: DeviceBatch, out: DeviceBatch, mode: int, counts: NDArray[np.int64], factors: Any, stream: GpuStream
) -> None:
    items = np.zeros(len(src), _ITEM)
    items["src"], items["dst"], items["count"] = src.pointers, out.pointers, counts
    if factors is not None:
        items["factors"][:, : factors.shape[1]] = factors
    each = 16 // max(src.dtype.itemsize, out.dtype.itemsize)  # as N in the source
    stream.launch("pointwise", items, -(-counts // each), macros={"IN": src.dtype, "OUT": out.dtype, "MODE": mode})


def cast(src: DeviceBatch, out: DeviceBatch, stream: GpuStream) -> None:
    """Convert every element, rounding half away from zero and saturating (`kernels.cpu.convert.convert`)."""
    _launch(src, out, _CAST, src.counts, None, stream)


def brightness_contrast(
    src: DeviceBatch, out: DeviceBatch, multiply: NDArray[np.float32], add: NDArray[np.float32], stream: GpuStream
) -> None:
    """out = round(src * multiply + add), saturated; one factor and one summand per sample."""
    _launch(src, out, _SCALE, src.counts, np.stack([multiply, add], axis=1), stream)


def linear_color(src: DeviceBatch, out: DeviceBatch, matrices: NDArray[np.float32], stream: GpuStream) -> None:
    """out = round(M[:, :3] @ (r, g, b) + M[:, 3]) for every pixel; `matrices` is (N, 3, 4)."""
    _launch(src, out, _MATRIX, src.counts // 3, matrices.reshape(len(src), 12), stream)
