"""Resizing of up to three neighbouring axes of arrays of any number of axes: one launch for each axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.axis_batch import axes
from dali_studio.kernels.cpu.resample import as_rows
from dali_studio.kernels.cuda.resample import fill_weights
from dali_studio.kernels.cuda.stream import GpuStream

_ITEM = np.dtype(
    [*((name, np.uint64) for name in ("source", "target", "starts", "weights")),
     *((name, np.int64) for name in ("count", "inner", "in_size", "out_size", "taps"))]
)  # fmt: skip
_BETWEEN = np.dtype(np.float32)
#: Samples as planes of volumes: (planes, depth, height, width, what follows).
_AXES, _RESIZED = 5, (1, 2, 3)
#: Which of these axes one, two or three neighbouring axes are; a single one may be rows or columns.
_PLACES = {1: (2,), 2: (2, 3), 3: _RESIZED}
_COLUMNS = (3,)
#: Tiles do not matter here.
_TILES, _AT_ONCE = (64, 32), 512


@dataclass(slots=True)
class Volumes:
    """What launches need besides addresses: the same for all batches of the same shapes.

    Attributes
    ----------
    given, made : ndarray
        (N, 5): extents before and after.
    groups : list of (ndarray, list of int)
        Which samples are resampled along which axes, one after the other.
    passes : list of Pass or None
        The launches of these, once the weights are there.
    table : ndarray
        (3 N,) descriptors of all depths, heights and widths, without addresses.
    starts : ndarray
        (3 N,) first byte of each axis' weights, in memory of `size` bytes.
    weights : cupy.cuda.MemoryPointer or None
        Where the weights lie that an earlier launch computed.
    """

    given: NDArray[np.int64]
    made: NDArray[np.int64]
    groups: list[tuple[NDArray[np.int64], list[int]]]
    table: NDArray[Any]
    starts: NDArray[np.int64]
    size: int
    weights: Any = None
    passes: list[Pass] | None = None


@dataclass(slots=True)
class Pass:
    """One launch, along one axis: its samples, their extents after it and descriptors without addresses of samples."""

    members: NDArray[np.int64]
    first: bool
    last: bool
    shapes: NDArray[np.int64]
    items: NDArray[Any]
    most: int


def volumes(
    in_shapes: NDArray[np.int64], out_shapes: NDArray[np.int64], spans: Sequence[tuple[int, int]],
    rois: Sequence[NDArray[np.float64]], kinds: NDArray[np.int32], *, antialias: bool,
) -> Volumes:  # fmt: skip
    """Prepare the resizing of batches of these shapes.

    Parameters
    ----------
    in_shapes, out_shapes : ndarray
        (N, ndim).
    spans : sequence of (int, int)
        Of each sample: the first axis that is resized, and the one behind the last.
    rois : sequence of ndarray
        Of each sample: begins of the region in these axes, then ends.
    kinds, antialias
        As in `kernels.cpu.axis_batch.axes`.
    """
    count = len(in_shapes)
    given, made = np.ones((2, count, _AXES), np.int64)
    regions = np.tile([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], (count, 1))
    for index, ((first, end), roi) in enumerate(zip(spans, rois, strict=True)):
        inner = int(in_shapes[index, end:].prod())
        places = _COLUMNS if end - first == 1 and not as_rows(inner) else _PLACES[end - first]
        for extents, shapes in ((given, in_shapes), (made, out_shapes)):
            extents[index, 0], extents[index, -1] = shapes[index, :first].prod(), inner
            extents[index, places] = shapes[index, first:end]
        columns = [place - 1 for place in places]
        regions[index, [*columns, *(column + len(_RESIZED) for column in columns)]] = roi
    changed = [
        axis for axis in _RESIZED
        if (given[:, axis] != made[:, axis]).any() or regions[:, axis - 1].any()
        or (regions[:, axis + 2] != given[:, axis]).any()
    ]  # fmt: skip
    depth = [np.pad(extents[:, 1:2], ((0, 0), (0, 2)), constant_values=1) for extents in (given, made)]
    ends = np.column_stack([regions[:, 0], np.zeros(count), regions[:, 3], np.ones(count)])
    parts = [
        axes(before, after, "HWC", region, kinds, _TILES, _AT_ONCE, antialias=antialias)
        for before, after, region in ((*depth, ends), (given[:, 2:], made[:, 2:], regions[:, [1, 2, 4, 5]]))
    ]
    (deep, _, above, size, *_), (flat, _, within, more, *_) = parts
    starts = np.concatenate([above[:count], size + within])
    table = np.concatenate([deep[:count], flat])
    late = (made[:, 1] > given[:, 1]) & (deep["taps"][:count] > 1)
    groups = [(np.flatnonzero(late), [2, 3, 1]), (np.flatnonzero(~late), [1, 2, 3])]
    passes = [(members, [axis for axis in order if axis in changed] or order[-1:]) for members, order in groups]
    return Volumes(given, made, passes, table, starts, size + more)


def resize_axes_on_gpu(src: Batch, out: Batch, prepared: Volumes, stream: GpuStream) -> None:
    """What `kernels.cpu.resample.resize_axes` does with each sample."""
    if prepared.weights is None:
        table = prepared.table
        prepared.weights = stream.scratch(prepared.size)
        table["starts"] = int(prepared.weights.ptr) + prepared.starts
        table["weights"] = table["starts"] + np.dtype(np.int32).itemsize * table["out_size"].astype(np.uint64)
        fill_weights(table, stream)
    if prepared.passes is None:
        prepared.passes = list(_passes(prepared))
    between: Batch | None = None
    for one in prepared.passes:
        read = src if one.first else between
        assert read is not None
        between = None if one.last else stream.empty(one.shapes, _BETWEEN, "")
        items = one.items.copy()  # other threads may launch the same
        items["source"] = read.addresses[one.members] if one.first else read.addresses
        items["target"] = out.addresses[one.members] if between is None else between.addresses
        macros = {"IN": read.dtype, "OUT": out.dtype if between is None else _BETWEEN}
        stream.launch("resample_axes", items, one.most, function="resample_axis", macros=macros)
        del read  # back to the pool of this stream, whose next user comes after the kernel


def _passes(prepared: Volumes) -> Iterator[Pass]:
    """What is launched, in order."""
    table, count = prepared.table, len(prepared.given)
    for members, order in prepared.groups:
        shapes = prepared.given[members]
        for axis in order if len(members) else ():
            shapes = shapes.copy()
            shapes[:, axis] = prepared.made[members, axis]
            items = np.zeros(len(members), _ITEM)
            rows = table[(axis - 1) * count + members]
            for name in ("starts", "weights", "in_size", "out_size", "taps"):
                items[name] = rows[name]
            items["count"], items["inner"] = shapes.prod(axis=1), shapes[:, axis + 1 :].prod(axis=1)
            most = int(items["count"].max(initial=0))
            yield Pass(members, axis == order[0], axis == order[-1], shapes, items, most)
