"""Resizing of batches: the weights of all axes in one launch, the pixels in another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.weights import FILTER_TABLES, Interp
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.stream import GpuStream

_AXIS_INTS = ("in_size", "out_size", "kind", "taps", "wide", "accumulate")
_AXIS = np.dtype(
    [("starts", np.uint64), ("weights", np.uint64), ("low", np.float32), ("scale", np.float32),
     *((name, np.int32) for name in _AXIS_INTS), ("radius", np.float32), ("unused", np.int32)],
    align=True,
)  # fmt: skip
_ITEM_POINTERS = ("src", "dst", "y_starts", "x_starts", "y_weights", "x_weights")
_ITEM_INTS = ("planes", "in_h", "in_w", "out_h", "out_w", "channels", "y_taps", "x_taps")
_ITEM = np.dtype(
    [*((name, np.uint64) for name in _ITEM_POINTERS), *((name, np.int32) for name in _ITEM_INTS)], align=True
)
_BAND = 4  # rows of a block, as in the source
_TILES = (256, 128, 64, 32, 16)
_SHARED = 40 * 1024  # what every GPU gives a block without being asked


#: Radius of each `Interp` where it is not widened.
_NATURAL = np.array([2 if kind == Interp.CUBIC else 3 if kind == Interp.LANCZOS3 else 1 for kind in Interp], np.float32)


@dataclass(slots=True)
class _Axes:
    """The same axis of all samples."""

    kinds: NDArray[np.int64]
    low: NDArray[np.float32]
    scale: NDArray[np.float32]
    radius: NDArray[np.float32]
    wide: NDArray[np.int64]
    taps: NDArray[np.int64]


def _axes(
    in_sizes: NDArray[np.int64], sizes: NDArray[np.int64], low: NDArray[Any], high: NDArray[Any], shrinking: int, growing: int,
    antialias: bool,
) -> _Axes:  # fmt: skip
    """The geometry of `kernels.cpu.weights.axis_weights`, for all samples at once and in the same precision."""
    kinds = np.where(np.abs(high - low) > sizes, shrinking, growing).astype(np.int64)
    begin = low.astype(np.float32)
    scale = ((high.astype(np.float32) - begin) / sizes.astype(np.float32)).astype(np.float32)
    natural = _NATURAL[kinds]
    radius = (natural * np.maximum(np.abs(scale), np.float32(1)) if antialias else natural).astype(np.float32)
    wide = np.ceil(2 * radius.astype(np.float64)).astype(np.int64)
    taps = np.where(kinds == Interp.NN, 1, np.minimum(wide, in_sizes))
    return _Axes(kinds, begin, scale, radius, wide, taps)


def _filters() -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """All filter tables one after the other, and (first, size) of each kind's."""
    kinds = sorted(FILTER_TABLES)
    layout = np.zeros((max(kinds) + 1, 2), np.int32)
    first = 0
    for kind in kinds:
        layout[kind] = first, len(FILTER_TABLES[kind])
        first += len(FILTER_TABLES[kind])
    return np.concatenate([FILTER_TABLES[kind] for kind in kinds]), layout


def resize(
    src: DeviceBatch, out: DeviceBatch, shrinking: int, growing: int, antialias: bool, rois: NDArray[Any], layout: str,
    stream: GpuStream,
) -> None:  # fmt: skip
    """Resize a batch (`kernels.cpu.resample.resize`, with the same weights to the last bit).

    Parameters
    ----------
    src, out : DeviceBatch
    shrinking, growing : int
        `Interp` of axes that shrink, and of others.
    antialias : bool
        Widen the filter by the scale where an axis shrinks.
    rois : ndarray
        (N, 4) as (y0, x0, y1, x1): the region that the output covers.
    layout : str
        "HWC" or "CHW".
    """
    h, w, c = (layout.index(letter) for letter in "HWC")
    for axis in (h, w):
        if (src.shapes[:, axis] == 0).any():
            raise ValueError("An image without pixels cannot be resized.")
    rows = _axes(src.shapes[:, h], out.shapes[:, h], rois[:, 0], rois[:, 2], shrinking, growing, antialias)
    columns = _axes(src.shapes[:, w], out.shapes[:, w], rois[:, 1], rois[:, 3], shrinking, growing, antialias)
    items = np.zeros(len(src), _ITEM)
    planar = layout == "CHW"
    items["src"], items["dst"] = src.pointers, out.pointers
    items["in_h"], items["in_w"], items["out_h"], items["out_w"] = (
        b.shapes[:, axis] for b in (src, out) for axis in (h, w)
    )
    items["planes"], items["channels"] = (src.shapes[:, c], 1) if planar else (1, src.shapes[:, c])
    items["y_taps"], items["x_taps"] = rows.taps, columns.taps
    memory = _weigh(items, rows, columns, stream)
    _resample(src, out, items, columns, stream)
    del memory


def _weigh(items: NDArray[Any], rows: _Axes, columns: _Axes, stream: GpuStream) -> Any:
    """Enqueue the computation of all weights; returns the memory that holds them."""
    count = len(items)
    table = np.zeros(2 * count, _AXIS)
    for part, axes, letter in ((slice(0, count), rows, "h"), (slice(count, None), columns, "w")):
        view = table[part]
        view["low"], view["scale"], view["radius"], view["kind"] = axes.low, axes.scale, axes.radius, axes.kinds
        view["taps"], view["wide"], view["accumulate"] = axes.taps, axes.wide, letter == "h"
        view["in_size"], view["out_size"] = items[f"in_{letter}"], items[f"out_{letter}"]
    outs = table["out_size"].astype(np.int64)
    sizes = 4 * outs * (1 + table["taps"])
    ends = np.cumsum(sizes)
    memory = stream.scratch(int(ends[-1]) if count else 0)
    table["starts"] = (ends - sizes + int(memory.ptr)).astype(np.uint64)
    table["weights"] = table["starts"] + (4 * outs).astype(np.uint64)
    items["y_starts"], items["x_starts"] = table["starts"][:count], table["starts"][count:]
    items["y_weights"], items["x_weights"] = table["weights"][:count], table["weights"][count:]
    filters, layout = stream.constant("filters", _filters)
    stream.launch("weights", table, outs, np.uint64(filters), np.uint64(layout), function="axis_weights", macros=_PLAIN)
    return memory


#: The sources name IN and OUT in their common part alone; any types do.
_PLAIN = {"IN": np.dtype(np.uint8), "OUT": np.dtype(np.uint8)}


def _resample(src: DeviceBatch, out: DeviceBatch, items: NDArray[Any], columns: _Axes, stream: GpuStream) -> None:
    macros = {"IN": src.dtype, "OUT": out.dtype, "BYTES": src.dtype == np.uint8}
    wide = items["in_w"].astype(np.int64)
    for tile in _TILES:
        # the columns that a tile reads: as far as its outputs lie apart, and the filter's width
        span = np.minimum(
            wide, np.ceil((tile - 1) * np.abs(columns.scale.astype(np.float64))).astype(np.int64) + columns.taps + 2
        )
        capacity = int(-(-(span * items["channels"]).max(initial=1) // 4) * 4)
        shared = 4 * (2 * capacity + tile * (int(columns.taps.max(initial=1)) + 1))
        if shared <= _SHARED:
            tiles, bands = -(-items["out_w"].astype(np.int64) // tile), -(-items["out_h"].astype(np.int64) // _BAND)
            threads = tiles * bands * items["planes"] * 256
            stream.launch("resample", items, threads, np.int32(tile), np.int32(capacity), macros=macros, shared=shared)
            return
    stream.launch("resample", items, out.counts, function="resample_direct", macros=macros)
