"""Launches of generated kernels over batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import descriptors
from dali_studio.kernels.cuda.generate import (
    MOVED,
    NUMBERED,
    QUADS,
    QUADS_SHORT,
    TILES,
    Template,
    most_units,
    source,
    spec_of,
    template_of,
    units,
    variant_of,
)
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import OPTIONS, TYPES, compiled
from dali_studio.kernels.cuda.staging import Table
from dali_studio.kernels.cuda.stream import MAX_SAMPLES, GpuStream

_ALIGNMENT = 16
_THREADS = 256
#: What every descriptor begins with: the extents are height, width and channels of input and output.
_HEAD = np.dtype([("src", np.int64), ("dst", np.int64), ("count", np.int64), ("extents", np.int32, 6)], align=True)
_FIELDS: Any = _HEAD.fields
#: Where a descriptor has the address of the result.
TARGET = int(_FIELDS["dst"][1])
_ELEMENTS = 1 << 32  # of an image: the kernels' offsets have 32 bits


def run(
    src: Batch, out: Batch, parts: Sequence[Part], dtypes: Sequence[np.dtype[Any]], stream: GpuStream
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
    template: Template = "flat" if template_of(parts) == "flat" else "grid"
    most, _ = descriptors.measure(src.shapes, order_of(src))
    if template == "flat":
        unit, _ = units(parts)
        each = min(16 // max(src.dtype.itemsize, out.dtype.itemsize), most_units(parts))  # as N in the source
        blocks = -(-(most // unit) // (each * _THREADS))
    else:
        variant = variant_of(parts, TYPES[src.dtype.name], src.layout == "CHW")
        if variant == "quads":
            made, pixels = descriptors.measure(out.shapes, order_of(out))
            blocks = -(-(pixels + QUADS_SHORT) // QUADS)
        elif variant == "numbered":
            made, pixels = descriptors.measure(out.shapes, order_of(out))
            blocks = -(-pixels // NUMBERED)
        else:
            made, blocks = descriptors.measure(out.shapes, order_of(out), TILES[variant], MOVED)
        unit, most = 0, max(most, made)
        if most >= _ELEMENTS:
            raise ValueError(f"an image has {most} elements; a GPU operator takes fewer than 2^32")
    launch(src, out, parts, template, types, unit, blocks, _THREADS, (), 0, stream)


def launch(
    src: Batch, out: Batch, parts: Sequence[Part], template: Template, types: Sequence[np.dtype[Any]],
    unit: int, blocks: int, threads: int, arguments: tuple[Any, ...], shared: int, stream: GpuStream,
) -> None:  # fmt: skip
    """Launch one kind of a chain's kernel.

    Parameters
    ----------
    unit : int
        Elements of the input that the descriptors count as one; 0 if they need no count.
    blocks : int
        Of the largest sample.
    """
    if not blocks or not len(src):
        return
    if len(src) > MAX_SAMPLES:
        raise ValueError(f"the batch has {len(src)} samples; a GPU operator takes {MAX_SAMPLES} at most")
    planar_in, planar_out = src.layout == "CHW", out.layout == "CHW"
    signature = template, tuple([part.signature for part in parts]), tuple(types), planar_in, planar_out
    kernel = _kernels.get(signature)
    if kernel is None:
        text = source(spec_of(template, parts, types, planar_in, planar_out))
        kernel = _kernels[signature] = compiled(text, template, OPTIONS)
    table = _upload(src, out, parts, unit, stream)
    stream.start(kernel, (blocks, len(src)), threads, (np.uint64(table.address), *arguments), shared)
    del table  # back to the pool of this stream, whose next user comes after the kernel


_kernels: dict[Any, Any] = {}


def order_of(batch: Batch) -> int:
    """How kernels see the extents of the samples: what is no image counts as one row."""
    if batch.shapes.shape[1] != 3:
        return descriptors.ROW
    return descriptors.CHW if batch.layout == "CHW" else descriptors.HWC


def item_size(parts: Sequence[Part]) -> int:
    """Bytes of a descriptor."""
    return _item(tuple([part.row.dtype for part in parts if part.row is not None]))[0].itemsize


def _upload(src: Batch, out: Batch, parts: Sequence[Part], unit: int, stream: GpuStream) -> Table:
    """Everything the kernel reads besides pixels, in one copy: descriptors, then tables."""
    count = len(src)
    rows = [(part, part.row) for part in parts if part.row is not None]
    dtype, firsts = _item(tuple([row.dtype for _, row in rows]))
    end = count * dtype.itemsize
    places: list[list[tuple[str, int, NDArray[Any]]]] = []
    for part, _ in rows:
        places.append([])
        for name, table in part.tables.items():
            start = -(-end // _ALIGNMENT) * _ALIGNMENT
            places[-1].append((name, start, table))
            end = start + table.nbytes
    made = stream.table(end)
    host = made.host
    items = descriptors.Descriptors(host[: count * dtype.itemsize], count, dtype.itemsize)
    items.heads(_info(src), _info(out), unit)
    for (first, fields), (_, row), parts_tables in zip(firsts, rows, places, strict=True):
        items.rows(first, row)
        for name, start, table in parts_tables:
            host[start : start + table.nbytes] = table.reshape(-1).view(np.uint8)
            items.addresses(first + fields[name], made.address + start, table.strides[0] if table.ndim == 2 else 0)
    stream.send(made)
    return made


def _info(batch: Batch) -> tuple[int, NDArray[np.int64], NDArray[np.int64], int]:
    return int(batch.memory.ptr), batch.offsets, batch.shapes, order_of(batch)


@cache
def _item(rows: tuple[np.dtype[Any], ...]) -> tuple[np.dtype[Any], list[tuple[int, dict[str, int]]]]:
    """The type of a descriptor, and for each row its first byte there and those of its fields within it."""
    names = [f"part{number}" for number in range(len(rows))]
    dtype = np.dtype([("head", _HEAD), *zip(names, rows, strict=True)], align=True)
    fields: Any = dtype.fields
    firsts = [int(fields[name][1]) for name in names]
    return dtype, [(first, _fields(row)) for first, row in zip(firsts, rows, strict=True)]


def _fields(row: np.dtype[Any]) -> dict[str, int]:
    fields: Any = row.fields
    return {name: int(found[1]) for name, found in fields.items()}
