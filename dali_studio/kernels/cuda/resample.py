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
    in_sizes: NDArray[np.int64], sizes: NDArray[np.int64], low: NDArray[Any], high: NDArray[Any],
    shrinking: int, growing: int, antialias: bool,
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


@dataclass(slots=True)
class Geometry:
    """What a launch needs besides addresses: the same for all batches of the same shapes.

    Attributes
    ----------
    items, table : ndarray
        Descriptors of the samples, and of their rows followed by their columns, without addresses.
    starts : ndarray
        (2 N,) first byte of each axis' weights, in memory of `size` bytes.
    tile, capacity, shared : int
        Columns of a block, floats of a row, and bytes of shared memory; 0 for the direct kernel.
    threads : ndarray
        (N,) threads that the samples need.
    """

    items: NDArray[Any]
    table: NDArray[Any]
    starts: NDArray[np.int64]
    size: int
    tile: int
    capacity: int
    shared: int
    threads: NDArray[np.int64]


def geometry(
    in_shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], shrinking: int, growing: int, antialias: bool,
    rois: NDArray[Any], layout: str,
) -> Geometry:  # fmt: skip
    """Prepare the resizing of batches of these shapes.

    Parameters
    ----------
    in_shapes, out_shapes : ndarray
        (N, 3).
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
    if (in_shapes[:, [h, w]] == 0).any():
        raise ValueError("An image without pixels cannot be resized.")
    count = len(in_shapes)
    items = np.zeros(count, _ITEM)
    for side, shapes in (("in", in_shapes), ("out", out_shapes)):
        items[f"{side}_h"], items[f"{side}_w"] = shapes[:, h], shapes[:, w]
    items["planes"], items["channels"] = (in_shapes[:, c], 1) if layout == "CHW" else (1, in_shapes[:, c])
    table = np.zeros(2 * count, _AXIS)
    for first, axis, letter in ((0, h, "h"), (1, w, "w")):
        view = table[first * count : (first + 1) * count]
        axes = _axes(
            in_shapes[:, axis], out_shapes[:, axis], rois[:, first], rois[:, first + 2], shrinking, growing, antialias
        )
        view["low"], view["scale"], view["radius"], view["kind"] = axes.low, axes.scale, axes.radius, axes.kinds
        view["taps"], view["wide"], view["accumulate"] = axes.taps, axes.wide, letter == "h"
        view["in_size"], view["out_size"] = items[f"in_{letter}"], items[f"out_{letter}"]
    items["y_taps"], items["x_taps"] = table["taps"][:count], table["taps"][count:]
    sizes = 4 * table["out_size"].astype(np.int64) * (1 + table["taps"])
    ends = np.cumsum(sizes)
    size = int(ends[-1]) if count else 0
    return Geometry(items, table, ends - sizes, size, *_tiling(items, table[count:]))


def _tiling(items: NDArray[Any], columns: NDArray[Any]) -> tuple[int, int, int, NDArray[np.int64]]:
    """The widest tile of columns whose rows fit into shared memory: tile, capacity, bytes, threads of each sample."""
    in_w, out_w, out_h = (items[name].astype(np.int64) for name in ("in_w", "out_w", "out_h"))
    scale, taps = np.abs(columns["scale"].astype(np.float64)), columns["taps"].astype(np.int64)
    for tile in _TILES:
        # the columns that a tile reads: as far as its outputs lie apart, and the filter's width
        span = np.minimum(in_w, np.ceil((tile - 1) * scale).astype(np.int64) + taps + 2)
        capacity = int(-(-(span * items["channels"]).max(initial=1) // 4) * 4)
        shared = 4 * (2 * capacity + tile * (int(taps.max(initial=1)) + 1))
        if shared <= _SHARED:
            return tile, capacity, shared, -(-out_w // tile) * -(-out_h // _BAND) * items["planes"] * 256
    return 0, 0, 0, out_h * out_w * items["planes"] * items["channels"]


def resize(src: DeviceBatch, out: DeviceBatch, prepared: Geometry, stream: GpuStream) -> None:
    """Resize a batch (`kernels.cpu.resample.resize`, with the same weights to the last bit)."""
    count = len(src)
    items, table = prepared.items, prepared.table
    memory = stream.scratch(prepared.size)
    table["starts"] = prepared.starts + int(memory.ptr)
    table["weights"] = table["starts"] + 4 * table["out_size"].astype(np.uint64)
    items["src"], items["dst"] = src.pointers, out.pointers
    items["y_starts"], items["x_starts"] = table["starts"][:count], table["starts"][count:]
    items["y_weights"], items["x_weights"] = table["weights"][:count], table["weights"][count:]
    filters, layout = stream.constant("filters", _filters)
    outs = table["out_size"]
    stream.launch("weights", table, outs, np.uint64(filters), np.uint64(layout), function="axis_weights", macros=_PLAIN)
    macros = {"IN": src.dtype, "OUT": out.dtype, "BYTES": src.dtype == np.uint8}
    if prepared.tile:
        tile, capacity = np.int32(prepared.tile), np.int32(prepared.capacity)
        stream.launch("resample", items, prepared.threads, tile, capacity, macros=macros, shared=prepared.shared)
    else:
        stream.launch("resample", items, prepared.threads, function="resample_direct", macros=macros)
    del memory  # back to the pool of this stream, whose next user comes after the kernels


#: The sources name IN and OUT in their common part alone; any types do.
_PLAIN = {"IN": np.dtype(np.uint8), "OUT": np.dtype(np.uint8)}
