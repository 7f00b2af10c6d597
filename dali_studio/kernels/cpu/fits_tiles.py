"""Compressed images in FITS files: tables with a row for each tile (chapter 10 of the format's standard)."""

from __future__ import annotations

import functools
import itertools
import math
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

_INTEGERS = np.dtype(np.int32)
#: Ways to write tiles, as headers name them.
RICE, GZIP, SHUFFLED, PLIO = "RICE_1", "GZIP_1", "GZIP_2", "PLIO_1"
_NAMES = {"RICE_1": RICE, "RICE_ONE": RICE, "GZIP_1": GZIP, "GZIP_2": SHUFFLED, "PLIO_1": PLIO}
#: Numbers that stand for no number, and for zero, among those that real numbers are rounded to.
_NOTHING, _ZERO = -(2**31) + 1, -(2**31) + 2
#: Random numbers of the standard, and the largest place among them that a tile begins at.
_RANDOM, _BEGIN = 10000, 500
#: Bytes of the elements of a column, by the letter of its form.
_SIZES = {"L": 1, "B": 1, "I": 2, "J": 4, "K": 8, "E": 4, "D": 8, "A": 1, "C": 8, "M": 16, "P": 8, "Q": 16}


class TilesError(ValueError):
    """Tiles that cannot be read."""


class Tiles(NamedTuple):
    """How an image is divided, and where its tiles lie.

    Attributes
    ----------
    algorithm : str
    shape, tile : tuple of int
        Of the image and of a tile; the last axis is the innermost one.
    columns : mapping
        Where columns begin in a row, and their forms, by their names.
    begin, row, heap, end : int
        Where the table begins, bytes of a row, where what rows refer to begins, and where the data end.
    parameters : mapping
        Of the algorithm.
    cards : mapping
        The header.
    """

    algorithm: str
    shape: tuple[int, ...]
    tile: tuple[int, ...]
    columns: Mapping[str, tuple[int, str]]
    begin: int
    row: int
    heap: int
    end: int
    parameters: Mapping[str, str]
    cards: Mapping[str, str]


def text_of(cards: Mapping[str, str], name: str) -> str:
    """A text in a header, without quotes; empty where there is none."""
    return cards.get(name, "").removeprefix("'")


def is_compressed(cards: Mapping[str, str]) -> bool:
    """Whether a unit is a compressed image."""
    return text_of(cards, "XTENSION") == "BINTABLE" and cards.get("ZIMAGE") == "T"


def tiles_of(cards: Mapping[str, str], shape: tuple[int, ...], begin: int, size: int) -> Tiles:
    """What a header says.

    Parameters
    ----------
    shape : tuple of int
        Of the image.
    begin, size : int
        Where the data of the unit begin, and how many bytes they have.

    Raises
    ------
    TilesError
        For what is not known.
    """
    name = text_of(cards, "ZCMPTYPE")
    if name not in _NAMES:
        raise TilesError(f"its image is compressed by {name or 'an unnamed algorithm'}; {', '.join(_NAMES)} are read")
    axes = range(len(shape), 0, -1)
    tile = tuple(_whole(cards, f"ZTILE{axis}", shape[-1] if axis == 1 else 1) for axis in axes)
    if any(extent < 1 for extent in tile):
        raise TilesError(f"its header says that tiles have the extents {tile}")
    columns: dict[str, tuple[int, str]] = {}
    place = 0
    for number in range(1, _whole(cards, "TFIELDS", 0) + 1):
        form = text_of(cards, f"TFORM{number}")
        count = form[: len(form) - len(form.lstrip("0123456789"))]
        kind = form[len(count) :]
        if kind[:1] not in _SIZES:
            raise TilesError(f"its column {number} has the form {form!r}")
        columns[text_of(cards, f"TTYPE{number}").upper()] = place, kind
        place += int(count or 1) * _SIZES[kind[:1]]
    row = _whole(cards, "NAXIS1", 0)
    count = math.prod(-(-extent // part) for extent, part in zip(shape, tile, strict=True))
    if row < place or _whole(cards, "NAXIS2", 0) < count or "COMPRESSED_DATA" not in columns:
        raise TilesError(f"its table does not have {count} rows of tiles")
    parameters = {text_of(cards, f"ZNAME{i}"): cards.get(f"ZVAL{i}", "") for i in range(1, 9) if f"ZNAME{i}" in cards}
    heap = begin + _whole(cards, "THEAP", row * _whole(cards, "NAXIS2", 0))
    return Tiles(_NAMES[name], shape, tile, columns, begin, row, heap, begin + size, parameters, cards)


def _whole(cards: Mapping[str, str], name: str, default: int) -> int:
    try:
        return int(cards.get(name, default))
    except ValueError:
        raise TilesError(f"its header says that {name} is {cards[name]!r}, which is no whole number") from None


def swapped(data: NDArray[np.uint8], out: NDArray[Any]) -> None:
    """Numbers as files have them, the most significant byte first, into a contiguous array of their type."""
    kernel("swap_bytes")(data, out.reshape(-1).view(np.uint8), out.dtype.itemsize)


def read_tiles(data: NDArray[np.uint8], tiles: Tiles, stored: np.dtype[Any]) -> NDArray[Any]:
    """The numbers of an image, of the type `stored`, before they are scaled by its header.

    Raises
    ------
    TilesError
        For tiles that are damaged.
    """
    places = list(_places(tiles))
    counts = np.array([math.prod(one.stop - one.start for one in place) for place in places], np.int64)
    rounded = stored.kind == "f" and ("ZSCALE" in tiles.columns or float(tiles.cards.get("ZSCALE", 0) or 0) != 0)
    dtype = _INTEGERS if rounded else stored.newbyteorder("=")
    values, plain = _decoded(data, tiles, counts, dtype)
    ends = np.cumsum(counts)
    scales, zeros, nothing = (_parameter(data, tiles, name, len(places)) for name in ("ZSCALE", "ZZERO", "ZBLANK"))
    out = np.empty(tiles.shape, stored.newbyteorder("="))
    for number, place in enumerate(places):
        numbers: NDArray[Any] = values[ends[number] - counts[number] : ends[number]]
        if number in plain:
            numbers = plain[number]
        elif rounded:
            blank = None if nothing is None else int(nothing[number])
            scale, zero = 1.0 if scales is None else scales[number], 0.0 if zeros is None else zeros[number]
            numbers = _restored(numbers, tiles.cards, number, float(scale), float(zero), blank)
        out[place] = numbers.reshape([one.stop - one.start for one in place])
    return out


def _places(tiles: Tiles) -> Iterator[tuple[slice, ...]]:
    """Which part of the image each tile is."""
    parts = [[slice(at, min(at + size, extent)) for at in range(0, extent, size)]
             for extent, size in zip(tiles.shape, tiles.tile, strict=True)]  # fmt: skip
    return itertools.product(*parts)


def _column(data: NDArray[np.uint8], tiles: Tiles, name: str, rows: int, dtype: str, count: int = 1) -> NDArray[Any]:
    """A column of the table, with `count` numbers in each row."""
    place, _ = tiles.columns[name]
    size = np.dtype(dtype).itemsize * count
    table = data[tiles.begin : tiles.begin + rows * tiles.row].reshape(rows, tiles.row)
    return np.ascontiguousarray(table[:, place : place + size]).view(dtype)


def _parameter(data: NDArray[np.uint8], tiles: Tiles, name: str, rows: int) -> NDArray[Any] | None:
    """A number for each tile, from a column or the header."""
    if name in tiles.columns:
        kind = {"D": ">f8", "E": ">f4", "J": ">i4", "I": ">i2", "B": "u1", "K": ">i8"}.get(tiles.columns[name][1][:1])
        if kind is None:
            raise TilesError(f"its column {name} holds no numbers")
        return _column(data, tiles, name, rows, kind)[:, 0]
    try:
        return np.full(rows, float(tiles.cards[name].upper().replace("D", "E"))) if name in tiles.cards else None
    except ValueError:
        raise TilesError(f"its header says that {name} is {tiles.cards[name]!r}, which is no number") from None


def _pieces(data: NDArray[np.uint8], tiles: Tiles, name: str, rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where what a column refers to begins, and how many bytes it has."""
    kind = tiles.columns[name][1]
    if kind[:1] not in "PQ" or kind[1:2] not in _SIZES:
        raise TilesError(f"its column {name} has the form {kind!r}")
    found = _column(data, tiles, name, rows, ">i4" if kind[0] == "P" else ">i8", 2).astype(np.int64)
    sizes, starts = found[:, 0] * _SIZES[kind[1]], found[:, 1] + tiles.heap
    if len(found) and (sizes.min() < 0 or starts.min() < tiles.heap or (starts + sizes).max() > tiles.end):
        raise TilesError("its table refers to data that are not there")
    return starts, sizes


def _decoded(
    data: NDArray[np.uint8], tiles: Tiles, counts: NDArray[np.int64], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], dict[int, NDArray[Any]]]:  # fmt: skip
    """The numbers of all tiles, one after the other, and those of tiles that were not rounded, by their number."""
    starts, sizes = _pieces(data, tiles, "COMPRESSED_DATA", len(counts))
    stored = _stored(tiles)
    plain = {int(number): _alone(data, tiles, int(number), len(counts), int(counts[number]), stored)
             for number in np.flatnonzero((sizes == 0) & (counts > 0))}  # fmt: skip
    ends = np.cumsum(counts)
    places = ends - counts
    there = sizes > 0
    total = int(ends[-1]) if len(ends) else 0
    if tiles.algorithm in (RICE, PLIO):
        values = np.zeros(total, _INTEGERS)
        given = (data, starts[there], sizes[there], values, places[there], counts[there])
        if tiles.algorithm == PLIO:
            damaged = kernel("plio_tiles")(*given)
        else:
            size, block = (_number(tiles, name, default) for name, default in (("BYTEPIX", 4), ("BLOCKSIZE", 32)))
            if size not in (1, 2, 4) or not 0 < block < 2**31:
                raise TilesError(f"its numbers have {size} bytes, in blocks of {block}; 1, 2 or 4 bytes are read")
            damaged = kernel("rice_tiles")(*given, size, block)
        if damaged >= 0:
            raise TilesError(f"tile {int(np.flatnonzero(there)[damaged]) + 1} is damaged")
        return values.astype(dtype, copy=False), plain
    values = np.zeros(total, dtype)
    for number in np.flatnonzero(there):
        piece = data[int(starts[number]) : int(starts[number] + sizes[number])]
        count = int(counts[number])
        size = count * dtype.itemsize
        content = _inflated(piece, size, int(number))
        if len(content) != size:
            raise TilesError(f"tile {number + 1} has {len(content)} bytes in place of {size}")
        raw = np.frombuffer(content, np.uint8)
        if tiles.algorithm == SHUFFLED:
            raw = np.ascontiguousarray(raw.reshape(dtype.itemsize, count).T).reshape(-1)
        values[places[number] : ends[number]] = raw.view(dtype.newbyteorder(">"))
    return values, plain


def _number(tiles: Tiles, name: str, default: int) -> int:
    return _whole(tiles.parameters, name, default)


def _stored(tiles: Tiles) -> np.dtype[Any]:
    bits = _whole(tiles.cards, "ZBITPIX", 0)
    return np.dtype(f">{'f' if bits < 0 else 'u' if bits == 8 else 'i'}{abs(bits) // 8}")


def _inflated(piece: NDArray[np.uint8], size: int, number: int) -> bytes:
    """What gzip, or zlib, has made smaller."""
    try:
        return zlib.decompressobj(wbits=47).decompress(piece.tobytes(), size + 1)
    except zlib.error as error:
        raise TilesError(f"tile {number + 1} is damaged") from error


def _alone(
    data: NDArray[np.uint8], tiles: Tiles, number: int, rows: int, count: int, stored: np.dtype[Any]
) -> NDArray[Any]:  # fmt: skip
    """A tile that is not written by the algorithm of the others."""
    for name in ("GZIP_COMPRESSED_DATA", "UNCOMPRESSED_DATA"):
        if name not in tiles.columns:
            continue
        starts, sizes = _pieces(data, tiles, name, rows)
        piece = data[int(starts[number]) : int(starts[number] + sizes[number])]
        if not len(piece):
            continue
        content = _inflated(piece, count * stored.itemsize, number) if name.startswith("GZIP") else piece.tobytes()
        if len(content) != count * stored.itemsize:
            break
        return np.frombuffer(content, stored)
    raise TilesError(f"tile {number + 1} has no data")


# -------------------------------------------------------------------------------------------------------- real numbers


@functools.cache
def _random() -> NDArray[np.float32]:
    """The random numbers of the standard."""
    seed, made = 1, np.empty(_RANDOM, np.float32)
    for place in range(_RANDOM):
        seed = 16807 * seed % (2**31 - 1)
        made[place] = seed / (2**31 - 1)
    return made


@functools.cache
def _noise(first: int, count: int) -> NDArray[np.float64]:
    """What was added to the numbers of a tile before they were rounded: from each place to the end of the table."""
    table, parts = _random(), list[NDArray[np.float32]]()
    while count > 0:
        begin = int(table[first] * np.float32(_BEGIN))
        parts.append(table[begin : begin + count])
        count -= len(parts[-1])
        first = (first + 1) % _RANDOM
    return np.concatenate(parts).astype(np.float64)


def _restored(
    numbers: NDArray[Any], cards: Mapping[str, str], number: int, scale: float, zero: float, blank: int | None
) -> NDArray[np.float64]:  # fmt: skip
    """The real numbers that were rounded to these."""
    method = text_of(cards, "ZQUANTIZ")
    values = numbers.astype(np.float64)
    if method.startswith("SUBTRACTIVE_DITHER"):
        first = (number + _whole(cards, "ZDITHER0", 1) - 1) % _RANDOM
        values = (values - _noise(first, len(numbers)) + 0.5) * scale + zero
        if method.endswith("2"):
            values[numbers == _ZERO] = 0.0
    else:
        values = values * scale + zero
    values[numbers == (_NOTHING if blank is None else blank)] = np.nan
    return values
