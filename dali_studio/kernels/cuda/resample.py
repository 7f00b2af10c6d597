"""Resizing of batches: the weights of all axes in one launch, the pixels in another that later parts may join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import descriptors
from dali_studio.kernels.cpu.axis_batch import axes, place_weights
from dali_studio.kernels.cpu.weights import FILTERS, PLACES
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.generate import BAND, part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream

_TILES = (64, 32)  # columns of a warp: at most, and those below which fewer are not worth it
_AT_ONCE = 512  # bytes of a row that a warp filters vertically at once
_WARPS = (8, 4, 2, 1)
_SHARED = 40 * 1024  # what every GPU gives a block without being asked


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
        The input is CHW.
    tile : int
        Columns of a warp, of the sample where they are fewest.
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
    tile: int
    capacity: int
    warps: int
    weights: Any = None


def geometry(
    in_shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], kinds: NDArray[np.int32], antialias: bool,
    rois: NDArray[Any], layout: str,
) -> Geometry:  # fmt: skip
    """Prepare the resizing of batches of these shapes.

    Parameters
    ----------
    in_shapes, out_shapes : ndarray
        (N, 3).
    kinds : ndarray
        (N, 2): `Interp` of axes that shrink, and of others.
    antialias : bool
        Widen the filter by the scale where an axis shrinks.
    rois : ndarray
        (N, 4) as (y0, x0, y1, x1): the region that the output covers.
    layout : str
        "HWC" or "CHW".
    """
    table, row, starts, size, span, tile = axes(
        in_shapes, out_shapes, layout, rois, kinds, _TILES, _AT_ONCE, antialias=antialias
    )
    capacity = -(-(span + 3) // 4) * 4  # three more, to begin with whole words
    warps = next((warps for warps in _WARPS if 4 * capacity * warps <= _SHARED), 0)
    part = Part("Resample", "resample", (part_text("resample"),), row)
    return Geometry(part, table, starts, size, layout == "CHW", tile, capacity, warps)


def resize(src: Batch, out: Batch, prepared: Geometry, stream: GpuStream) -> None:
    """Resize a batch (`kernels.cpu.resample.resize`, with the same weights to the last bit)."""
    _run(prepared, src, out, (), (), stream)


def resize_part(prepared: Geometry) -> Part:
    """Resize, as the first of a chain."""
    return replace(prepared.part, launch=partial(_run, prepared))


def _run(
    prepared: Geometry, src: Batch, out: Batch, after: Sequence[Part], dtypes: Sequence[np.dtype[Any]],
    stream: GpuStream,
) -> None:  # fmt: skip
    """Resize a batch, with a chain of parts behind; `dtypes` are those of what all parts but the last give."""
    if prepared.weights is None:
        _make_weights(prepared, stream)
    parts = [prepared.part, *after]
    if not prepared.warps:
        chains.run(src, out, parts, dtypes, stream)
        return
    # of the result behind all parts, which windows may have made larger than what is resampled
    _, jobs = descriptors.measure(out.shapes, chains.order_of(out), (BAND, prepared.tile), planes=prepared.planar)
    blocks = -(-jobs // prepared.warps)
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
    prepared.weights = stream.scratch(prepared.size)
    place_weights(table, row, prepared.starts, int(prepared.weights.ptr))
    fill_weights(table, stream)


def fill_weights(table: NDArray[Any], stream: GpuStream) -> None:
    """Compute the weights of all axes of a table of `kernels.cpu.axis_batch.AXIS`, which has their addresses."""
    filters, layout = stream.constant("filters", lambda: (FILTERS, PLACES))
    stream.launch(
        "weights", table, table["out_size"], np.uint64(filters), np.uint64(layout), function="axis_weights",
        macros=_PLAIN,
    )  # fmt: skip


#: The source names IN and OUT in its common part alone; any types do.
_PLAIN = {"IN": np.dtype(np.uint8), "OUT": np.dtype(np.uint8)}
