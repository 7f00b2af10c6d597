"""Correlation of batches with filters of up to three axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.correlate import MAX_AXES, Border
from dali_studio.kernels.cuda import strips
from dali_studio.kernels.cuda.stream import GpuStream

_AXES = ("depth", "height", "width")
_GROUPS = (_AXES, tuple(f"out_{name}" for name in _AXES), ("deep", "high", "wide"), ("front", "above", "left"))
_ITEM = np.dtype(
    [*((name, np.uint64) for name in ("from", "to", "filter", "fill")), ("count", np.int64), ("inner", np.int64),
     *((name, np.int32) for group in _GROUPS for name in group)]
)  # fmt: skip
_PLANE_AXES = 2
_PLANE = np.dtype(
    [*((name, np.uint64) for name in ("from", "to", "filter", "fill")), ("strips", strips.STRIPS), ("high", np.int32),
     ("wide", np.int32)]
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
    if _planes(src, out, first, filters, anchors, border, fills, stream):
        return
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


def _words(line: NDArray[np.int64], width: NDArray[np.int64], reach: NDArray[np.int64]) -> NDArray[np.int64]:
    return line + (strips.PIECE + reach) * strips.pitch(line) + strips.PIECE * strips.pitch(width)


def _planes(
    src: Batch, out: Batch, first: int, filters: Batch, anchors: NDArray[np.int64], border: Border,
    fills: Batch | None, stream: GpuStream,
) -> bool:  # fmt: skip
    """Filter planes in shared memory; False if there are not two axes, or filters are too large."""
    if filters.shapes.shape[1] != _PLANE_AXES:
        return False
    (high, wide), (above, left) = filters.shapes.T, anchors.T
    weights = high * -(-wide // strips.RUN) * strips.RUN  # neighbouring ones are read together
    reaches = np.stack([above, high - 1 - above, left, wide - 1 - left])
    cut = strips.cut(src.shapes, out.shapes, first, reaches, _words, stream.shared_memory, strips.PIECE, weights)
    if cut is None:
        return False
    items = np.zeros(len(src), _PLANE)
    items["from"], items["to"], items["filter"] = src.addresses, out.addresses, filters.addresses
    if fills is not None:
        items["fill"] = fills.addresses
    items["strips"], items["high"], items["wide"] = cut.table, high, wide
    macros = {"IN": src.dtype, "OUT": out.dtype, "BORDER": border, "TAPS": strips.taps(wide)}
    stream.launch("correlate_planes", items, cut.work, macros=macros, shared=cut.shared)
    return True
