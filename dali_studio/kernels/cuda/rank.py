"""The smallest, largest and middle elements of a box around each pixel of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cuda import strips
from dali_studio.kernels.cuda.stream import GpuStream

_INTS = ("height", "width", "high", "wide", "above", "left")
_ITEM = np.dtype(
    [("from", np.uint64), ("to", np.uint64), ("count", np.int64), ("inner", np.int64),
     *((name, np.int32) for name in _INTS)]
)  # fmt: skip
_BOX = np.dtype(
    [("from", np.uint64), ("to", np.uint64), ("strips", strips.STRIPS), ("high", np.int32), ("wide", np.int32)]
)
_MIDDLE = 2
#: Elements of boxes of which rows and columns are taken together, and of those whose middle one is found in
#: registers, and those of bytes.
_TOGETHER, _FEW, _FEW_BYTES = 16, 25, 9
#: Rows of the strips of which a block finds the middle elements.
_ROWS = 16


def extremes(
    src: Batch, out: Batch, first: int, windows: NDArray[np.int64], anchors: NDArray[np.int64], border: Border,
    stream: GpuStream, *, largest: bool,
) -> None:  # fmt: skip
    """Fill `out` with the smallest, or largest, elements (`kernels.cpu.rank.extremes`).

    Parameters
    ----------
    first : int
        The axis of rows; that of columns follows it.
    windows, anchors : (N, 2) int64 arrays
        Rows and columns of the boxes, and which of them lie on the element that is computed.
    border : Border
    """
    if src.dtype.kind == "u":
        macros = {"KIND": largest, "BORDER": border, "TAPS": strips.taps(windows)}
        if _launch("rank_extremes", src, out, first, windows, anchors, strips.both_axes(), macros, stream):
            return
    items = _items(src, src.addresses, out.addresses, first, windows, anchors)
    macros: dict[str, Any] = {"IN": src.dtype, "KIND": largest, "BORDER": border, "FEW": 0}
    if int(windows.prod(axis=1).max(initial=1)) <= _TOGETHER:
        stream.launch("rank", items, src.counts, macros=macros)
        return
    between = stream.room(int(src.counts.sum()) * src.dtype.itemsize)
    ends = np.cumsum(src.counts) * src.dtype.itemsize
    columns = items.copy()
    items["to"] = columns["from"] = int(between.ptr) + ends - src.counts * src.dtype.itemsize
    items["wide"], items["left"], columns["high"], columns["above"] = 1, 0, 1, 0
    for part in (items, columns):
        stream.launch("rank", part, src.counts, macros=macros)
    del between  # back to the pool of this stream, whose next user comes after the kernels


def medians(src: Batch, out: Batch, first: int, windows: NDArray[np.int64], stream: GpuStream) -> None:
    """Fill `out` with the middle elements of boxes (`kernels.cpu.rank.medians`); arguments are those of `extremes`."""
    sizes = np.unique(windows.prod(axis=1))
    if src.dtype == np.uint8 and sizes[-1:] > _FEW_BYTES:
        macros = {"BORDER": Border.CLAMP, "TAPS": 0}
        if _launch("rank_medians", src, out, first, windows, windows // 2, _words, macros, stream, _ROWS):
            return
    items = _items(src, src.addresses, out.addresses, first, windows, windows // 2)
    few = int(sizes[0]) if len(sizes) == 1 and sizes[0] <= _FEW else 0
    macros: dict[str, Any] = {"IN": src.dtype, "KIND": _MIDDLE, "BORDER": Border.CLAMP, "FEW": few}
    stream.launch("rank", items, src.counts, macros=macros)


def _words(line: NDArray[np.int64], _: NDArray[np.int64], reach: NDArray[np.int64]) -> NDArray[np.int64]:
    return line + (_ROWS + reach) * strips.pitch(line)


def _launch(
    name: str, src: Batch, out: Batch, first: int, windows: NDArray[np.int64], anchors: NDArray[np.int64],
    words: strips.Words, macros: dict[str, Any], stream: GpuStream, rows: int = 0,
) -> bool:  # fmt: skip
    """Launch a kernel of strips; False if shared memory does not take them."""
    beyond = windows - 1 - anchors
    reaches = np.stack([anchors[:, 0], beyond[:, 0], anchors[:, 1], beyond[:, 1]])
    cut = strips.cut(src.shapes, src.shapes, first, reaches, words, stream.shared_memory, rows)
    if cut is None:
        return False
    items = np.zeros(len(src), _BOX)
    items["from"], items["to"], items["strips"] = src.addresses, out.addresses, cut.table
    items["high"], items["wide"] = windows.T
    stream.launch(name, items, cut.work, macros={"IN": src.dtype, **macros}, shared=cut.shared)
    return True


def _items(
    src: Batch, given: NDArray[np.int64], made: NDArray[np.int64], first: int, windows: NDArray[np.int64],
    anchors: NDArray[np.int64],
) -> NDArray[Any]:  # fmt: skip
    items = np.zeros(len(src), _ITEM)
    items["from"], items["to"], items["count"] = given, made, src.counts
    items["height"], items["width"] = src.shapes[:, first], src.shapes[:, first + 1]
    items["inner"] = src.shapes[:, first + 2 :].prod(axis=1)
    items["high"], items["wide"] = windows[:, 0], windows[:, 1]
    items["above"], items["left"] = anchors[:, 0], anchors[:, 1]
    return items
