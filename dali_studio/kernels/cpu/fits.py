"""Images in files of the format FITS: headers, element types and numbers, as the library cfitsio understands them.

A file is a row of units, each with a header of cards and with data, both in blocks of 2,880 bytes.
"""

from __future__ import annotations

import math
import sys
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.fits_tiles import Tiles, TilesError, is_compressed, read_tiles, swapped, text_of, tiles_of

_BLOCK, _CARD = 2880, 80
_END = b"END "
#: What other extensions are than images.
_TABLES = ("TABLE", "BINTABLE", "A3DTABLE", "3DTABLE")
_MAX_AXES = 999
_GZIP = b"\x1f\x8b"
#: Stored element types by BITPIX, most significant byte first.
_STORED = {
    bits: np.dtype(f">{kind}")
    for bits, kind in ((8, "u1"), (16, "i2"), (32, "i4"), (64, "i8"), (-32, "f4"), (-64, "f8"))
}
#: Types that scaled integers fit into, in the order in which they are tried.
_SCALED = tuple(np.dtype(name) for name in ("int8", "int16", "uint16", "int32", "uint32"))
_SIGN_BIT = 2.0**63


class FitsError(ValueError):
    """Bytes that are no image in this format."""


class FitsImage(NamedTuple):
    """What a header says of an image.

    Attributes
    ----------
    begin : int
        Where the numbers begin.
    stored, dtype : numpy.dtype
        Their type in the file, and the one that holds what they stand for.
    shape : tuple of int
        The last axis is the innermost one.
    scale, zero : float
        What a number is multiplied by, and what is added to it.
    tiles : Tiles or None
        Of a compressed image, whose numbers lie elsewhere.
    """

    begin: int
    stored: np.dtype[Any]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    scale: float
    zero: float
    tiles: Tiles | None = None


def inflated(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A file, also where it is compressed as a whole, by gzip.

    Raises
    ------
    FitsError
        For a damaged one.
    """
    made = b""
    left = data[: len(_GZIP)].tobytes()
    if left != _GZIP:
        return data
    left = data.tobytes()
    try:
        while left.startswith(_GZIP):
            member = zlib.decompressobj(wbits=31)
            made += member.decompress(left)
            left = member.unused_data
            if not member.eof:
                raise FitsError("it is compressed by gzip, and breaks off")
    except zlib.error as error:
        raise FitsError("it is compressed by gzip, and damaged") from error
    return np.frombuffer(made, np.uint8)


def image(data: NDArray[np.uint8], number: int) -> FitsImage:
    """The image of a unit.

    Parameters
    ----------
    data : ndarray of uint8
        The file.
    number : int
        Which unit, from 1.

    Raises
    ------
    FitsError
        If there is no such unit, it is no image, or the file ends before its end.
    """
    cards, begin = _cards(data, 0, 1)
    for unit in range(2, number + 1):
        begin += _blocks(_size(cards))
        if begin >= len(data):
            raise FitsError(f"it has {unit - 1} units; the one with the number {number} is asked for")
        cards, begin = _cards(data, begin, unit)
    size = _size(cards)
    if begin + _blocks(size) > len(data):
        raise FitsError(f"the file ends before the data of unit {number}, of which there are {size:,} bytes")
    compressed = number > 1 and is_compressed(cards)
    if number > 1 and text_of(cards, "XTENSION") in _TABLES and not compressed:
        raise FitsError(f"unit {number} is a table")
    prefix = "Z" if compressed else ""
    shape = _shape(cards, prefix)
    if not shape:
        raise FitsError(f"unit {number} has no image")
    scale, zero = _real(cards, "BSCALE", 1.0), _real(cards, "BZERO", 0.0)
    stored = _stored(cards, prefix)
    try:
        tiles = tiles_of(cards, shape, begin, size) if compressed else None
    except TilesError as error:
        raise FitsError(str(error)) from error
    if number > 1 and not compressed:  # parameters before the numbers, which nobody reads
        begin = max(begin + _whole(cards, "PCOUNT", "0") * stored.itemsize, 0)
    if begin + math.prod(shape) * stored.itemsize > len(data) and not compressed:
        raise FitsError(f"the file ends before the numbers of unit {number}")
    return FitsImage(begin, stored, _held(stored, scale, zero), shape, scale, zero, tiles)


def read_image(data: NDArray[np.uint8], found: FitsImage, out: NDArray[Any]) -> None:
    """Write the numbers that an image stands for into an array of its type and shape.

    Raises
    ------
    FitsError
        If they do not fit into the type.
    """
    size = math.prod(found.shape) * found.stored.itemsize
    if found.tiles is not None:
        try:
            numbers = read_tiles(data, found.tiles, found.stored)
        except TilesError as error:
            raise FitsError(str(error)) from error
    else:
        numbers = data[found.begin : found.begin + size].view(found.stored).reshape(found.shape)
    if (found.scale, found.zero) == (1.0, 0.0):
        if found.tiles is None and found.stored.itemsize > 1 and out.flags.c_contiguous and sys.byteorder == "little":
            swapped(data[found.begin : found.begin + size], out)
        else:
            out[...] = numbers
    elif (found.scale, found.zero, found.dtype) == (1.0, _SIGN_BIT, np.int64):
        # numbers without a sign, of which those with 63 bits fit
        if numbers.size and numbers.max() >= 0:
            raise FitsError("it has numbers of 64 bits without a sign, of which one does not fit into INT64")
        np.bitwise_xor(numbers, np.int64(-(2**63)), out=out, casting="unsafe")
    else:
        with np.errstate(all="ignore"):
            values = numbers.astype(np.float64) * found.scale + found.zero
        if found.dtype == np.int64 and not (np.abs(values) < _SIGN_BIT).all():
            raise FitsError("it has numbers that do not fit into INT64")
        with np.errstate(all="ignore"):
            out[...] = values


def _cards(data: NDArray[np.uint8], begin: int, unit: int) -> tuple[dict[str, str], int]:
    """The values of a header by their names, and where the data behind it begins.

    Of a name that comes twice the first counts; texts keep the quote that they begin with.
    """
    found = dict[str, str]()
    for start in range(begin, len(data) - _BLOCK + 1, _BLOCK):
        block = data[start : start + _BLOCK].tobytes()
        for at in range(0, _BLOCK, _CARD):
            card = block[at : at + _CARD]
            name = card[:8]
            if not found and name.rstrip() != (b"SIMPLE" if unit == 1 else b"XTENSION"):
                raise FitsError("it is no FITS file" if unit == 1 else f"unit {unit} does not begin as one does")
            if name[: len(_END)] == _END:
                _check_order(found, unit)
                return found, start + _BLOCK
            value = card[9:].decode("latin-1").strip(" ") if card[8:9] == b"=" else ""
            found.setdefault(name.decode("latin-1").rstrip(), _value(value))
    raise FitsError(
        f"the file ends before the header of unit {unit} does" if len(data) >= _BLOCK else "it is no FITS file"
    )


def _value(text: str) -> str:
    """What stands before a comment."""
    return "'" + text[1:].partition("'")[0].rstrip() if text.startswith("'") else text.partition("/")[0].rstrip(" ")


def _check_order(cards: Mapping[str, str], unit: int) -> None:
    """Refuse a header that does not begin with what every one has, in its order."""
    if unit == 1 and cards["SIMPLE"][:1] not in ("T", "F"):
        raise FitsError(f"its header says that SIMPLE is {cards['SIMPLE']!r}, which is neither T nor F")
    axes = range(1, _whole(cards, "NAXIS") + 1 if "NAXIS" in cards else 1)
    wanted = ["BITPIX", "NAXIS", *(f"NAXIS{axis}" for axis in axes)]
    for name, there in zip(wanted, list(cards)[1:], strict=False):
        if name != there:
            raise FitsError(f"the header of unit {unit} has {there!r} where {name} belongs")


def _whole(cards: Mapping[str, str], name: str, default: str | None = None) -> int:
    """A whole number; nothing is 0, and what follows it behind a space is passed over, as cfitsio does."""
    text = cards.get(name, default)
    try:
        return int("none" if text is None else text.split()[0] if text else 0)
    except ValueError:
        said = text_of(cards, name)
        raise FitsError(f"its header says that {name} is {said!r}, which is no whole number") from None


def _real(cards: Mapping[str, str], name: str, default: float) -> float:
    """A number; what is none is passed over, as cfitsio does, unless it is a text."""
    said = text_of(cards, name)
    try:
        return float(said.upper().replace("D", "E"))
    except ValueError:
        if cards.get(name, "").startswith("'"):
            raise FitsError(f"its header says that {name} is {said!r}, which is no number") from None
        return default


def _shape(cards: Mapping[str, str], prefix: str = "") -> tuple[int, ...]:
    axes = _whole(cards, f"{prefix}NAXIS")
    if not 0 <= axes <= _MAX_AXES:
        raise FitsError(f"its header says that there are {axes} axes")
    shape = tuple(_whole(cards, f"{prefix}NAXIS{axis}") for axis in range(axes, 0, -1))
    if any(extent < 0 for extent in shape):
        raise FitsError(f"its header says that the extents are {shape}")
    return shape


def _stored(cards: Mapping[str, str], prefix: str = "") -> np.dtype[Any]:
    bits = _whole(cards, f"{prefix}BITPIX")
    if bits not in _STORED:
        raise FitsError(f"its header says that {prefix}BITPIX is {bits}; {', '.join(map(str, _STORED))} are known")
    return np.dtype(_STORED[bits])


def _size(cards: Mapping[str, str]) -> int:
    """Bytes of the data of a unit."""
    element, shape = _stored(cards).itemsize, _shape(cards)
    beside = max(_whole(cards, "PCOUNT", "0"), 0), _whole(cards, "GCOUNT", "1")
    if "XTENSION" in cards and beside[1] < 1:
        raise FitsError(f"its header says that GCOUNT is {beside[1]}")
    return element * beside[1] * (beside[0] + math.prod(shape)) if shape else 0


def _blocks(size: int) -> int:
    """Bytes that data take in a file."""
    return -(-size // _BLOCK) * _BLOCK


def _held(stored: np.dtype[Any], scale: float, zero: float) -> np.dtype[Any]:
    """The type that scaled numbers have."""
    native = stored.newbyteorder("=")
    if (scale, zero) == (1.0, 0.0) or stored.kind == "f" or stored.itemsize == 8:
        return native
    if zero != 2.0**31 and not (zero < 2.0**31 and zero.is_integer() and scale.is_integer()):
        return np.dtype(np.float32 if stored.itemsize < 4 else np.float64)
    bounds = np.iinfo(native)
    low, high = sorted((zero + scale * bounds.min, zero + scale * bounds.max))
    for dtype in _SCALED:
        limits = np.iinfo(dtype)
        exact = dtype.itemsize > 1 or (low, high) == (limits.min, limits.max)
        if limits.min <= low and high <= limits.max and exact:
            return dtype
    return np.dtype(np.float64)
