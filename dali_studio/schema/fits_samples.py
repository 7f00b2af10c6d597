"""Sample files of the format FITS, written as its standard says: a header of cards and data, in blocks."""

from __future__ import annotations

import gzip
import itertools
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.schema.samples import Folder

_BLOCK = 2880


def fits_files(kind: str = "int16", entry: str = "") -> Folder:
    """Files of three units: an image of bytes, one of `kind`, one of real numbers.

    `kind` is an element type, "scaled" by header, "empty", "damaged" or "unlike" each other in part, "table", a way in
    which the second image is compressed (`compressed`), or "gzip": the files are.
    """
    return Folder(lambda: _fits_files(kind), f"fits {kind} {entry}".rstrip(), entry)


def unit(
    array: NDArray[Any], cards: Mapping[str, object] | None = None, *, first: bool = False, heap: bytes = b""
) -> bytes:  # fmt: skip
    """A unit that holds an image; `cards` are added to its header, or replace those of the same name."""
    begin = {"SIMPLE": "T"} if first else {"XTENSION": "'IMAGE   '"}
    bits = array.dtype.itemsize * (-8 if array.dtype.kind == "f" else 8)
    extents = {f"NAXIS{axis}": extent for axis, extent in enumerate(reversed(array.shape), 1)}
    head = {**begin, "BITPIX": bits, "NAXIS": array.ndim, **extents, "PCOUNT": 0, "GCOUNT": 1, **(cards or {})}
    text = "".join(f"{name:8}= {value!s:>20} / of a sample".ljust(80) for name, value in head.items()) + "END".ljust(80)
    data = array.astype(array.dtype.newbyteorder(">")).tobytes() + heap
    return text.encode().ljust(-(-len(text) // _BLOCK) * _BLOCK) + data.ljust(-(-len(data) // _BLOCK) * _BLOCK, b"\0")


def _fits_files(kind: str) -> dict[str, bytes]:
    shapes: dict[str, tuple[int, ...]] = {name: (6 + place, 9 - place) for place, name in enumerate(("0", "1", "2"))}
    shapes |= {"sub/0": (5, 7), "sub/10": (30, 60), "sub.2/3": (7, 7)}
    made = {"list.txt": b"sub/0.fits\n\n2.fits\n0.fits\n"}
    for place, (name, shape) in enumerate(shapes.items()):
        rng = np.random.default_rng(place)
        dtype = kind if kind in ("uint8", "int32", "int64", "float32", "float64") else "int16"
        numbers = rng.uniform(0 if dtype == "uint8" else -100, 100, (0, 3) if kind == "empty" else shape)
        array, cards = numbers.astype("float32" if kind == "unlike" and place == 1 else dtype), dict[str, object]()
        if kind == "scaled":
            cards = {"BSCALE": "2.5E0", "BZERO": "-1D1", "BLANK": 3}
        if kind == "table":
            cards = {"XTENSION": "'BINTABLE'", "TFIELDS": 0}
        second = compressed(numbers, kind) if kind in COMPRESSED else unit(array, cards)
        content = unit(rng.integers(0, 256, shape, np.uint8), first=True) + second
        content += unit(numbers.astype(np.float32))
        cut = kind == "damaged" and place == 1
        content = content[: 3 * _BLOCK + 100] if cut else content
        made[f"{name}.fits"] = gzip.compress(content, mtime=0) if kind == "gzip" else content
    return made


# -------------------------------------------------------------------------------------------------- compressed images

#: Element type, algorithm, extents of tiles, and more of the header.
COMPRESSED: dict[str, tuple[str, str, tuple[int, int], dict[str, object]]] = {
    "rice": ("int16", "RICE_1", (1, 0), {"ZVAL2": 2}), "rice tiles": ("int32", "RICE_1", (3, 4), {"ZVAL1": 16}),
    "rice bytes": ("uint8", "RICE_1", (1, 0), {"ZVAL2": 1}),
    "scaled tiles": ("int16", "RICE_1", (2, 5), {"BZERO": 32768}),
    "gzip tiles": ("int32", "GZIP_1", (2, 5), {}), "shuffled": ("float32", "GZIP_2", (1, 0), {}),
    "plio": ("int16", "PLIO_1", (1, 0), {}), "rounded": ("float32", "RICE_1", (1, 0), {"ZQUANTIZ": "'NO_DITHER'"}),
    "dithered": ("float64", "GZIP_2", (1, 0), {"ZQUANTIZ": "'SUBTRACTIVE_DITHER_1'", "ZDITHER0": 9999}),
    "dithered zeros": ("float32", "RICE_1", (4, 0), {"ZQUANTIZ": "'SUBTRACTIVE_DITHER_2'", "ZDITHER0": 17}),
}  # fmt: skip


def compressed(numbers: NDArray[Any], kind: str) -> bytes:
    """A unit that holds a compressed image: a table with a row for each tile, and their data behind it."""
    dtype, algorithm, tile, more = COMPRESSED[kind]
    array = (np.abs(numbers) if dtype == "uint8" or algorithm == "PLIO_1" else numbers).astype(dtype)
    tile = tile[0], tile[1] or array.shape[1]
    parts = [range(0, extent, size) for extent, size in zip(array.shape, tile, strict=True)]
    rounded = "ZQUANTIZ" in more
    rows, heap = list[bytes](), b""
    for number, (y, x) in enumerate(itertools.product(*parts)):
        part = array[y : y + tile[0], x : x + tile[1]].reshape(-1)
        scale, zero = 0.25 + number, 3.0 * number
        if rounded:
            part = np.round((part - zero) / scale).astype(np.int32)
            part[: number % 3] = -(2**31) + 2  # zero, in one of the methods
        written = _WRITERS[algorithm](part, more)
        count = len(written) // (2 if algorithm == "PLIO_1" else 1)
        rows.append(struct.pack(">ii", count, len(heap)) + (struct.pack(">dd", scale, zero) if rounded else b""))
        heap += written
    columns = [("COMPRESSED_DATA", "1PI" if algorithm == "PLIO_1" else "1PB"), ("ZSCALE", "1D"), ("ZZERO", "1D")]
    table = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1)
    bits = array.dtype.itemsize * (-8 if array.dtype.kind == "f" else 8)
    columns = columns if rounded else columns[:1]
    cards: dict[str, object] = {"XTENSION": "'BINTABLE'", "PCOUNT": len(heap), "TFIELDS": len(columns)}
    for place, (name, form) in enumerate(columns, 1):
        cards |= {f"TTYPE{place}": f"'{name}'", f"TFORM{place}": f"'{form}'"}
    cards |= {"ZIMAGE": "T", "ZBITPIX": bits, "ZNAXIS": 2, "ZNAXIS1": array.shape[1], "ZNAXIS2": array.shape[0],
              "ZTILE1": tile[1], "ZTILE2": tile[0], "ZCMPTYPE": f"'{algorithm}'"}  # fmt: skip
    if algorithm == "RICE_1":
        cards |= {"ZNAME1": "'BLOCKSIZE'", "ZVAL1": 32, "ZNAME2": "'BYTEPIX'", "ZVAL2": 4}
    return unit(table, {**cards, **more}, heap=heap)


def _zipped(part: NDArray[Any], _: Mapping[str, object]) -> bytes:
    return gzip.compress(part.astype(part.dtype.newbyteorder(">")).tobytes(), mtime=0)


def _shuffled(part: NDArray[Any], _: Mapping[str, object]) -> bytes:
    content = np.frombuffer(part.astype(part.dtype.newbyteorder(">")).tobytes(), np.uint8)
    return gzip.compress(content.reshape(len(part), -1).T.tobytes(), mtime=0)


def _rice(part: NDArray[Any], more: Mapping[str, object]) -> bytes:
    """Blocks that are all alike, written in one way after the other: equal numbers, some low bits, whole numbers."""
    size, block = int(str(more.get("ZVAL2", 4))), int(str(more.get("ZVAL1", 32)))
    width, code, plain = 8 * size, {1: 3, 2: 4, 4: 5}[size], {1: 6, 2: 14, 4: 25}[size]
    values = part.astype(np.int64)
    bits = f"{int(values[0]) % 2**width:0{width}b}"
    steps = np.diff(values, prepend=values[0])
    steps = (steps + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)
    folded = [2 * step if step >= 0 else -2 * step - 1 for step in map(int, steps)]
    for number, begin in enumerate(range(0, len(folded), block)):
        some = folded[begin : begin + block]
        low = plain if number % 2 or max(some) > 2**20 else min(max(some).bit_length(), plain - 1)
        if not any(some):
            bits += f"{0:0{code}b}"
            continue
        bits += f"{low + 1:0{code}b}"
        for step in some:
            upper, lower = divmod(step, 2**low)
            bits += f"{step:0{width}b}" if low == plain else "0" * upper + "1" + (f"{lower:0{low}b}" if low else "")
    return int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")


def _plio(part: NDArray[Any], _: Mapping[str, object]) -> bytes:
    """Words of every kind: zeros, a number set, raised and lowered, runs, and single ones."""
    words, high = list[int](), 1
    for place, value in enumerate(part.tolist()):
        if value == 0:
            words.append(1)
        elif value > high and place % 2:
            words.append(6 << 12 | value - high)
        elif value < high and place % 3:
            words.append(7 << 12 | high - value)
        else:
            words += [1 << 12 | value & 4095, value >> 12, (4 if place % 5 else 5) << 12 | 1]
        high = value or high
    head: Sequence[int] = [0, 7, -100, len(words) + 7, 0, 0, 0]
    return struct.pack(f">{len(head)}h{len(words)}H", *head, *words)


_WRITERS = {"RICE_1": _rice, "GZIP_1": _zipped, "GZIP_2": _shuffled, "PLIO_1": _plio}
