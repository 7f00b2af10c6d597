"""Launches of generated kernels over batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.generate import (
    MOVED,
    QUADS,
    QUADS_SHORT,
    TILES,
    Form,
    form_of,
    shape_of,
    source,
    way_of,
)
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import OPTIONS, TYPES
from dali_studio.kernels.cuda.stream import MOST_SAMPLES, GpuStream

_ALIGNMENT = 16
_THREADS = 256
#: What every descriptor begins with: the extents are height, width and channels of input and output.
_HEAD = np.dtype([("src", np.int64), ("dst", np.int64), ("count", np.int64), ("extents", np.int32, 6)], align=True)
_ELEMENTS = 1 << 32  # of an image: the kernels' offsets have 32 bits


def run(
    src: DeviceBatch, out: DeviceBatch, parts: Sequence[Part], dtypes: Sequence[np.dtype[Any]], stream: GpuStream
) -> None:
    """Fill `out` with what a chain of parts makes of `src`: one launch.

    Parameters
    ----------
    dtypes : sequence of numpy.dtype
        Of what each part but the last gives.
    """
    if parts[0].launch is not None:
        parts[0].launch(src, out, parts[1:], dtypes, stream)
        return
    types = [src.dtype, *dtypes, out.dtype]
    form: Form = "flat" if form_of(parts) == "flat" else "grid"
    if form == "flat":
        counts = src.counts // (3 if any(part.rgb for part in parts) else 1)
        each = 16 // max(src.dtype.itemsize, out.dtype.itemsize)  # as N in the source
        blocks = -(-counts // (each * _THREADS))
    else:
        _check_size(src)
        _check_size(out)
        sizes, counts = extents(out), 0
        way = way_of(parts, TYPES[src.dtype.name], src.layout == "CHW")
        if way == "quads":
            blocks = -(-(sizes[:, 0] * sizes[:, 1] + QUADS_SHORT) // QUADS)
        else:
            rows, columns = TILES[way]
            blocks = -(-sizes[:, 0] // rows) * -(-(sizes[:, 1] + MOVED) // columns)
    launch(src, out, parts, form, types, counts, int(blocks.max(initial=0)), _THREADS, (), 0, stream)


def launch(
    src: DeviceBatch, out: DeviceBatch, parts: Sequence[Part], form: Form, types: Sequence[np.dtype[Any]],
    counts: NDArray[np.int64] | int, blocks: int, threads: int, arguments: tuple[Any, ...], shared: int,
    stream: GpuStream,
) -> None:  # fmt: skip
    """Launch one form of a chain's kernel; `blocks` are those of the largest sample."""
    if not blocks or not len(src):
        return
    if len(src) > MOST_SAMPLES:
        raise ValueError(f"the batch has {len(src)} samples; a GPU operator takes {MOST_SAMPLES} at most")
    planar_in, planar_out = src.layout == "CHW", out.layout == "CHW"
    signature = form, tuple([part.signature for part in parts]), tuple(types), planar_in, planar_out
    kernel = _kernels.get(signature)
    if kernel is None:
        # a kernel for all devices; CuPy compiles it at the first launch and keeps the binary on disk
        text = source(shape_of(form, parts, types, planar_in, planar_out))
        kernel = _kernels[signature] = cupy().RawKernel(text, form, options=OPTIONS)
    memory = _upload(src, out, parts, counts, stream)
    with stream.timed():
        kernel((blocks, len(src)), (threads,), (np.uint64(memory.ptr), *arguments), shared_mem=shared)
    del memory  # back to the pool of this stream, whose next user comes after the kernel


_kernels: dict[Any, Any] = {}


def extents(batch: DeviceBatch) -> NDArray[np.int64]:
    """(N, 3): height, width and channels of the samples; what is no image counts as one row."""
    shapes = batch.shapes
    if shapes.shape[1] == 3:
        return shapes[:, [1, 2, 0]] if batch.layout == "CHW" else shapes
    made = np.ones((len(batch), 3), np.int64)
    made[:, 1] = batch.counts
    return made


def _check_size(batch: DeviceBatch) -> None:
    if int(batch.shapes.max(initial=0)) ** batch.shapes.shape[1] < _ELEMENTS:
        return
    most = int(batch.counts.max(initial=0))
    if most >= _ELEMENTS:
        raise ValueError(f"an image has {most} elements; a GPU operator takes fewer than 2^32")


def _upload(
    src: DeviceBatch, out: DeviceBatch, parts: Sequence[Part], counts: NDArray[np.int64] | int, stream: GpuStream
) -> Any:
    """Everything the kernel reads besides pixels, in one copy: descriptors, then tables."""
    count = len(src)
    rows = [(part, part.row) for part in parts if part.row is not None]
    dtype = _item(tuple([row.dtype for _, row in rows]))
    places: list[tuple[int, NDArray[Any]]] = []
    end = count * dtype.itemsize
    for part, _ in rows:
        for table in part.tables.values():
            start = -(-end // _ALIGNMENT) * _ALIGNMENT
            places.append((start, table))
            end = start + table.nbytes
    host, memory = stream.pinned(end), stream.scratch(end)
    descriptors = host[: count * dtype.itemsize]
    items, columns = descriptors.view(dtype), descriptors.reshape(count, dtype.itemsize)
    head = items["head"]
    head["src"], head["dst"] = src.offsets + int(src.memory.ptr), out.offsets + int(out.memory.ptr)
    head["count"] = counts
    head["extents"][:, :3], head["extents"][:, 3:] = extents(src), extents(out)
    where = iter(places)
    for number, (part, row) in enumerate(rows):
        first = _offset(dtype, number)
        columns[:, first : first + row.itemsize] = row.view(np.uint8).reshape(count, row.itemsize)
        for name in part.tables:
            start, table = next(where)
            host[start : start + table.nbytes] = table.reshape(-1).view(np.uint8)
            start += int(memory.ptr)
            if table.ndim == 2:
                items[f"part{number}"][name] = start + table.strides[0] * np.arange(count)
            else:
                items[f"part{number}"][name] = start
    stream.copy(memory, host)
    return memory


@cache
def _item(rows: tuple[np.dtype[Any], ...]) -> np.dtype[Any]:
    fields = [("head", _HEAD), *((f"part{number}", row) for number, row in enumerate(rows))]
    return np.dtype(fields, align=True)


@cache
def _offset(dtype: np.dtype[Any], number: int) -> int:
    """First byte of a part's row in a descriptor."""
    fields: Any = dtype.fields
    return int(fields[f"part{number}"][1])
