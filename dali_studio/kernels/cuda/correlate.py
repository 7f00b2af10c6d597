"""Correlation of batches with filters of up to three axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.correlate import MAX_AXES, Border
from dali_studio.kernels.cuda.stream import GpuStream

_AXES = ("depth", "height", "width")
_GROUPS = (_AXES, tuple(f"out_{name}" for name in _AXES), ("deep", "high", "wide"), ("front", "above", "left"))
_ITEM = np.dtype(
    [*((name, np.uint64) for name in ("from", "to", "filter", "fill")), ("count", np.int64), ("inner", np.int64),
     *((name, np.int32) for group in _GROUPS for name in group)]
)  # fmt: skip


def correlate(
    src: Batch, out: Batch, first: int, filters: Batch, anchors: NDArray[np.int64], border: Border,
    fills: Batch | None, stream: GpuStream,
) -> None:  # fmt: skip
    """Each element of the result is the sum of products of weights and of what lies beneath them.

    Parameters
    ----------
    src, out, first, border
        As for `kernels.cpu.correlate.correlate`, with the same sums.
    filters : Batch
        float32, with as many axes as are filtered.
    anchors : (N, A) int64 array
        Position in each filter that lies on the element that is computed.
    fills : Batch or None
        One element for each sample, for `Border.CONSTANT`; 0 without.
    """
    axes = filters.shapes.shape[1]
    items = np.zeros(len(src), _ITEM)
    items["from"], items["to"], items["filter"] = src.addresses, out.addresses, filters.addresses
    if fills is not None:
        items["fill"] = fills.addresses
    items["count"], items["inner"] = out.counts, src.shapes[:, first + axes :].prod(axis=1)
    within = slice(first, first + axes)
    for names, given, alone in zip(
        _GROUPS, (src.shapes[:, within], out.shapes[:, within], filters.shapes, anchors), (1, 1, 1, 0), strict=True
    ):
        for name in names[: MAX_AXES - axes]:
            items[name] = alone
        for name, column in zip(names[MAX_AXES - axes :], given.T, strict=True):
            items[name] = column
    macros = {"IN": src.dtype, "OUT": out.dtype, "BORDER": border}
    stream.launch("correlate", items, out.counts, macros=macros)
