"""Launches of generated kernels over batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.generate import Form, Shape, form_of, shape_of, source
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import OPTIONS
from dali_studio.kernels.cuda.stream import MOST_SAMPLES, GpuStream

_ALIGNMENT = 16
_THREADS = 256
_TILE = 32  # rows and columns of a block of the form "grid"
_HEAD = [
    ("src", np.uint64), ("dst", np.uint64), ("count", np.int64),
    *((name, np.int32) for name in ("in_h", "in_w", "in_c", "out_h", "out_w", "out_c")),
]  # fmt: skip


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
        _check_size(src, out)
        height, width, _ = axes(out)
        counts = np.zeros(len(src), np.int64)
        blocks = -(-height // _TILE) * -(-(width + 3) // _TILE)
    launch(src, out, parts, form, types, counts, int(blocks.max(initial=0)), _THREADS, (), 0, stream)


def launch(
    src: DeviceBatch, out: DeviceBatch, parts: Sequence[Part], form: Form, types: Sequence[np.dtype[Any]],
    counts: NDArray[np.int64], blocks: int, threads: int, arguments: tuple[Any, ...], shared: int, stream: GpuStream,
) -> None:  # fmt: skip
    """Launch one form of a chain's kernel; `blocks` are those of the largest sample."""
    if not blocks or not len(src):
        return
    if len(src) > MOST_SAMPLES:
        raise ValueError(f"the batch has {len(src)} samples; a GPU operator takes {MOST_SAMPLES} at most")
    shape = shape_of(form, parts, types, src.layout == "CHW", out.layout == "CHW")
    memory = _upload(src, out, parts, counts, stream)
    _kernel(shape)((blocks, len(src)), (threads,), (np.uint64(memory.ptr), *arguments), shared_mem=shared)
    del memory  # back to the pool of this stream, whose next user comes after the kernel


@cache
def _kernel(shape: Shape) -> Any:
    """A kernel for all devices; CuPy compiles it at the first launch and keeps the binary on disk."""
    return cupy().RawKernel(source(shape), shape.form, options=OPTIONS)


def axes(batch: DeviceBatch) -> tuple[Any, Any, Any]:
    """Height, width and channels of the samples; what is no image counts as one row."""
    shapes = batch.shapes
    if shapes.shape[1] != 3:
        return 1, batch.counts, 1
    return (shapes[:, 1], shapes[:, 2], shapes[:, 0]) if batch.layout == "CHW" else tuple(shapes.T)


def _check_size(src: DeviceBatch, out: DeviceBatch) -> None:
    pixels = max(int(batch.shapes.prod(axis=1).max(initial=0)) for batch in (src, out))
    if pixels >= 1 << 32:
        raise ValueError(f"an image has {pixels} elements; a GPU operator takes fewer than 2^32")


def _upload(
    src: DeviceBatch, out: DeviceBatch, parts: Sequence[Part], counts: NDArray[np.int64], stream: GpuStream
) -> Any:
    """Everything the kernel reads besides pixels, in one copy: descriptors, then tables."""
    count = len(src)
    rows = [(number, part) for number, part in enumerate(parts) if part.row is not None]
    dtype = _item(tuple((number, part.row.dtype) for number, part in rows if part.row is not None))
    places: list[tuple[int, str, int, NDArray[Any]]] = []
    end = count * dtype.itemsize
    for number, part in rows:
        for name, table in part.tables.items():
            start = -(-end // _ALIGNMENT) * _ALIGNMENT
            places.append((number, name, start, table))
            end = start + table.nbytes
    host = stream.pinned(end)
    memory = stream.scratch(end)
    items = host[: count * dtype.itemsize].view(dtype)
    items["src"], items["dst"], items["count"] = src.pointers, out.pointers, counts
    for side, batch in (("in", src), ("out", out)):
        for letter, values in zip("hwc", axes(batch), strict=True):
            items[f"{side}_{letter}"] = values
    for number, part in rows:
        items[f"p{number}"] = part.row
    for number, name, start, table in places:
        host[start : start + table.nbytes] = np.ascontiguousarray(table).reshape(-1).view(np.uint8)
        step = table.strides[0] if table.ndim == 2 else 0
        items[f"p{number}"][name] = int(memory.ptr) + start + step * np.arange(count, dtype=np.uint64)
    stream.copy(memory, host)
    return memory


@cache
def _item(parts: tuple[tuple[int, np.dtype[Any]], ...]) -> np.dtype[Any]:
    return np.dtype([*_HEAD, *((f"p{number}", dtype) for number, dtype in parts)], align=True)
