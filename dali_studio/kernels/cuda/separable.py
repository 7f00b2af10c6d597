"""Convolution of batches along their axes: a launch for each axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda.batch import place
from dali_studio.kernels.cuda.stream import GpuStream

_LINE = np.dtype([(name, np.int64) for name in ("from", "to", "count", "first", "size", "inner", "taps")])


def convolve(
    src: Batch, out: Batch, first: int, windows: NDArray[np.float32], taps: NDArray[np.int64], stream: GpuStream
) -> None:
    """Convolve neighbouring axes from `first` on (`kernels.cpu.separable.convolve`, with the same sums).

    Parameters
    ----------
    windows : (K,) float32 array
        The weights of all axes of the first sample, then of those of the second, and so on.
    taps : (N, A) int64 array
        How many weights each axis has.
    """
    starts = (np.cumsum(taps) - taps.ravel()).reshape(taps.shape)
    sums = np.dtype(np.float64 if src.dtype == np.float64 else np.float32)
    shapes, counts = src.shapes, src.counts
    offsets, size = place(shapes, sums)
    given, dtype = src.addresses, src.dtype
    kept: list[Any] = []
    for axis in reversed(range(taps.shape[1])):
        target = out.dtype if axis == 0 else sums
        if axis == 0:
            made = out.addresses
        else:
            kept.append(stream.scratch(size))
            made = offsets + int(kept[-1].ptr)
        lines = np.empty(len(src), _LINE)
        lines["from"], lines["to"], lines["count"] = given, made, counts
        lines["first"], lines["taps"] = starts[:, axis], taps[:, axis]
        lines["size"] = shapes[:, first + axis]
        lines["inner"] = shapes[:, first + axis + 1 :].prod(axis=1)
        macros: dict[str, Any] = {"IN": dtype, "OUT": target}
        stream.launch("separable", lines, counts, macros=macros, tables=(windows,))
        given, dtype = made, target
    del kept  # back to the pool of this stream, whose next user comes after the kernels
