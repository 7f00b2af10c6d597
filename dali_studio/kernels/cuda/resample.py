"""Resizing of batches: the weights of all axes in one launch, the pixels in another that later parts may join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.weights import FILTER_TABLES, Interp
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.generate import BAND, part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream

_AXIS_INTS = ("in_size", "out_size", "kind", "taps", "wide", "accumulate")
_AXIS = np.dtype(
    [("starts", np.uint64), ("weights", np.uint64), ("low", np.float32), ("scale", np.float32),
     *((name, np.int32) for name in _AXIS_INTS), ("radius", np.float32), ("unused", np.int32)],
    align=True,
)  # fmt: skip
_INTS = ("y_taps", "x_taps", "height", "width", "tile", "unused")
_ROW = np.dtype(
    [*((name, np.uint64) for name in ("y_starts", "x_starts", "y_weights", "x_weights")),
     *((name, np.int32) for name in _INTS)],
    align=True,
)  # fmt: skip
_TILES = (64, 32)  # columns of a warp: at most, and those below which fewer are not worth it
_AT_ONCE = 512  # bytes of a row that a warp filters vertically at once
_WARPS = (8, 4, 2, 1)
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
    part : Part
        Its row has no addresses yet.
    table : ndarray
        Descriptors of all rows, followed by those of all columns, without addresses.
    starts : ndarray
        (2 N,) first byte of each axis' weights, in memory of `size` bytes.
    planar : bool
        CHW.
    capacity, warps : int
        Floats of a warp's row, and warps of a block; 0 if rows do not fit into shared memory.
    weights : cupy.cuda.MemoryPointer or None
        Where the weights lie that an earlier launch computed.
    """

    part: Part
    table: NDArray[Any]
    starts: NDArray[np.int64]
    size: int
    planar: bool
    capacity: int
    warps: int
    weights: Any = None


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
    table = np.zeros(2 * count, _AXIS)
    for first, axis in ((0, h), (1, w)):
        view = table[first * count : (first + 1) * count]
        axes = _axes(
            in_shapes[:, axis], out_shapes[:, axis], rois[:, first], rois[:, first + 2], shrinking, growing, antialias
        )
        view["low"], view["scale"], view["radius"], view["kind"] = axes.low, axes.scale, axes.radius, axes.kinds
        view["taps"], view["wide"], view["accumulate"] = axes.taps, axes.wide, axis == h
        view["in_size"], view["out_size"] = in_shapes[:, axis], out_shapes[:, axis]
    row = np.zeros(count, _ROW)
    row["y_taps"], row["x_taps"] = table["taps"][:count], table["taps"][count:]
    row["height"], row["width"] = out_shapes[:, h], out_shapes[:, w]
    sizes = 4 * table["out_size"].astype(np.int64) * (1 + table["taps"])
    ends = np.cumsum(sizes)
    planar = layout == "CHW"
    part = Part("Resample", "resample", part_text("resample"), row)
    row["tile"], capacity, warps = _shared(table[count:], 1 if planar else in_shapes[:, c])
    return Geometry(part, table, ends - sizes, int(ends[-1]) if count else 0, planar, capacity, warps)


def _shared(columns: NDArray[Any], channels: Any) -> tuple[NDArray[np.int64], int, int]:
    """Columns of a warp of each sample, floats of a warp's row, and how many warps fit into shared memory."""
    scale, taps = np.abs(columns["scale"].astype(np.float64)), columns["taps"].astype(np.int64)
    # as many as are filtered at once, if that is neither too few nor more than a warp takes
    most = np.floor(((_AT_ONCE - 3) / np.maximum(channels, 1) - taps - 3) / np.maximum(scale, 1e-6)) + 1
    tile = np.where(most < _TILES[1], _TILES[0], np.minimum(most, _TILES[0])).astype(np.int64) // 4 * 4
    # the columns that a warp reads: as far as its outputs lie apart, and the filter's width
    span = np.minimum(columns["in_size"], np.ceil((tile - 1) * scale).astype(np.int64) + taps + 2)
    capacity = int(-(-((span * channels).max(initial=1) + 3) // 4) * 4)  # three more, to begin with whole words
    return tile, capacity, next((warps for warps in _WARPS if 4 * capacity * warps <= _SHARED), 0)


def resize(src: DeviceBatch, out: DeviceBatch, prepared: Geometry, stream: GpuStream) -> None:
    """Resize a batch (`kernels.cpu.resample.resize`, with the same weights to the last bit)."""
    _run(prepared, src, out, (), (), stream)


def resize_part(prepared: Geometry) -> Part:
    """Resize, as the first of a chain."""
    return replace(prepared.part, launch=partial(_run, prepared))


def _run(
    prepared: Geometry, src: DeviceBatch, out: DeviceBatch, after: Sequence[Part], dtypes: Sequence[np.dtype[Any]],
    stream: GpuStream,
) -> None:  # fmt: skip
    """Resize a batch, with a chain of parts behind; `dtypes` are those of what all parts but the last give."""
    if prepared.weights is None:
        _make_weights(prepared, stream)
    parts = [prepared.part, *after]
    if not prepared.warps:
        chains.run(src, out, parts, dtypes, stream)
        return
    sizes = chains.extents(out)
    planes = sizes[:, 2] if prepared.planar else 1
    row = prepared.part.row
    assert row is not None
    jobs = -(-sizes[:, 1] // row["tile"]) * -(-sizes[:, 0] // BAND) * planes
    blocks = -(-int(jobs.max(initial=0)) // prepared.warps)
    types = [src.dtype, *dtypes, out.dtype]
    shared = 4 * prepared.capacity * prepared.warps
    arguments = (np.int32(prepared.capacity),)
    chains.launch(
        src, out, parts, "rows", types, 0, blocks, 32 * prepared.warps, arguments, shared, stream
    )


def _make_weights(prepared: Geometry, stream: GpuStream) -> None:
    """Compute all weights; they stay as long as `prepared` is used."""
    table, row = prepared.table, prepared.part.row
    assert row is not None
    count = len(row)
    prepared.weights = stream.scratch(prepared.size)
    table["starts"] = prepared.starts + int(prepared.weights.ptr)
    table["weights"] = table["starts"] + 4 * table["out_size"].astype(np.uint64)
    row["y_starts"], row["x_starts"] = table["starts"][:count], table["starts"][count:]
    row["y_weights"], row["x_weights"] = table["weights"][:count], table["weights"][count:]
    filters, layout = stream.constant("filters", _filters)
    stream.launch(
        "weights", table, table["out_size"], np.uint64(filters), np.uint64(layout), function="axis_weights",
        macros=_PLAIN,
    )  # fmt: skip


#: The source names IN and OUT in its common part alone; any types do.
_PLAIN = {"IN": np.dtype(np.uint8), "OUT": np.dtype(np.uint8)}
