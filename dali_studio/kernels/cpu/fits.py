"""Images in files of the format FITS: headers, element types and numbers, as the library cfitsio understands them.

A file is a row of units, each with a header of cards and with data, both in blocks of 2,880 bytes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLOCK, _CARD = 2880, 80
_END = b"END".ljust(8)
_MAX_AXES = 999
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
    """

    begin: int
    stored: np.dtype[Any]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    scale: float
    zero: float


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
    if number > 1 and cards.get("XTENSION") != "IMAGE":
        packed = " of a compressed image; uncompressed ones are read" if cards.get("ZIMAGE") == "T" else ""
        raise FitsError(f"unit {number} is a table{packed}")
    shape = _shape(cards)
    if not shape:
        raise FitsError(f"unit {number} has no image")
    scale, zero = _real(cards, "BSCALE", 1.0), _real(cards, "BZERO", 0.0)
    stored = np.dtype(_STORED[_whole(cards, "BITPIX")])
    return FitsImage(begin, stored, _held(stored, scale, zero), shape, scale, zero)


def read_image(data: NDArray[np.uint8], found: FitsImage, out: NDArray[Any]) -> None:
    """Write the numbers that an image stands for into an array of its type and shape.

    Raises
    ------
    FitsError
        If they do not fit into the type.
    """
    size = math.prod(found.shape) * found.stored.itemsize
    numbers = data[found.begin : found.begin + size].view(found.stored).reshape(found.shape)
    if (found.scale, found.zero) == (1.0, 0.0):
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
    """The values of a header by their names, and where the data behind it begins."""
    found = dict[str, str]()
    for start in range(begin, len(data) - _BLOCK + 1, _BLOCK):
        block = data[start : start + _BLOCK].tobytes()
        for at in range(0, _BLOCK, _CARD):
            card = block[at : at + _CARD]
            name = card[:8]
            if not found and name.rstrip() != (b"SIMPLE" if unit == 1 else b"XTENSION"):
                raise FitsError("it is no FITS file" if unit == 1 else f"unit {unit} does not begin as one does")
            if name == _END:
                return found, start + _BLOCK
            if card[8:10] == b"= ":
                found[name.decode("latin-1").rstrip()] = _value(card[10:].decode("latin-1").strip())
    raise FitsError(
        f"the file ends before the header of unit {unit} does" if len(data) >= _BLOCK else "it is no FITS file"
    )


def _value(text: str) -> str:
    """What stands before a comment, without quotes."""
    return text[1:].partition("'")[0].rstrip() if text.startswith("'") else text.partition("/")[0].rstrip()


def _whole(cards: dict[str, str], name: str, default: str = "") -> int:
    text = cards.get(name, default)
    try:
        return int(text)
    except ValueError:
        raise FitsError(f"its header says that {name} is {text!r}, which is no whole number") from None


def _real(cards: dict[str, str], name: str, default: float) -> float:
    text = cards.get(name, "")
    try:
        return float(text.upper().replace("D", "E")) if text else default
    except ValueError:
        raise FitsError(f"its header says that {name} is {text!r}, which is no number") from None


def _shape(cards: dict[str, str]) -> tuple[int, ...]:
    axes = _whole(cards, "NAXIS")
    if not 0 <= axes <= _MAX_AXES:
        raise FitsError(f"its header says that there are {axes} axes")
    shape = tuple(_whole(cards, f"NAXIS{axis}") for axis in range(axes, 0, -1))
    if any(extent < 0 for extent in shape):
        raise FitsError(f"its header says that the extents are {shape}")
    return shape


def _size(cards: dict[str, str]) -> int:
    """Bytes of the data of a unit."""
    bits, shape = _whole(cards, "BITPIX"), _shape(cards)
    if bits not in _STORED:
        raise FitsError(f"its header says that BITPIX is {bits}; {', '.join(map(str, _STORED))} are known")
    beside = max(_whole(cards, "PCOUNT", "0"), 0), max(_whole(cards, "GCOUNT", "1"), 0)
    return abs(bits) // 8 * beside[1] * (beside[0] + math.prod(shape)) if shape else 0


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
