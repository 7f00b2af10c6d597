"""Arrays in NumPy's file format, out of bytes in memory."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

_MAGIC = b"\x93NUMPY"
#: By version of the format: bytes of the header's length, and who reads the header.
_VERSIONS = {1: (2, npy.read_array_header_1_0), 2: (4, npy.read_array_header_2_0), 3: (4, npy.read_array_header_2_0)}
#: Bytes that are looked at: as many as NumPy takes for a header of a few axes, and as many as any has here.
_FIRST, _LONGEST = 128, 1 << 16


class NpyError(ValueError):
    """Bytes that are no array of numbers."""


@dataclass(frozen=True, slots=True)
class NpyHeader:
    """What a file says of its array.

    Attributes
    ----------
    begin, size : int
        Where the numbers begin, and their bytes.
    shape : tuple of int
    fortran : bool
        The first axis is the innermost one.
    dtype : numpy.dtype
        With its order of bytes.
    """

    begin: int
    size: int
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]


@lru_cache(maxsize=1024)
def _parsed(head: bytes) -> NpyHeader | None:
    """The header; ``None`` if there is more of it."""
    if not head.startswith(_MAGIC) or len(head) < len(_MAGIC) + 6:
        raise NpyError("the data is no npy file")
    version = head[len(_MAGIC)]
    if version not in _VERSIONS:
        raise NpyError(f"the version of the format is {version}; 1 to 3 are known")
    width, read = _VERSIONS[version]
    at = len(_MAGIC) + 2
    begin = at + width + int.from_bytes(head[at : at + width], "little")
    if begin > len(head):
        return None
    try:
        shape, fortran, dtype = read(io.BytesIO(head[at:begin]))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, tokenize.TokenError) as error:
        raise NpyError("the header is damaged") from error
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise NpyError(f"the elements are {dtype}; whole and real numbers of up to 64 bits, and bool, are accepted")
    count = 1
    for extent in shape:
        count *= extent
    if count < 0 or any(extent < 0 for extent in shape):
        raise NpyError("the header is damaged")
    return NpyHeader(begin, count * dtype.itemsize, shape, fortran, dtype)


def header(data: NDArray[np.uint8]) -> NpyHeader:
    """What a file says of its array, all of which is there.

    Raises
    ------
    NpyError
        Where there is none.
    """
    found = _parsed(data[:_FIRST].tobytes()) or _parsed(data[:_LONGEST].tobytes())
    if found is None:
        raise NpyError("the header is damaged")
    if found.begin + found.size > len(data):
        raise NpyError(f"the file has {len(data) - found.begin:,} bytes of the {found.size:,} that its array needs")
    return found


def view(data: NDArray[np.uint8], head: NpyHeader) -> NDArray[Any]:
    """The array that a file holds, where it lies; perhaps not aligned, or with another order of bytes."""
    numbers = data[head.begin : head.begin + head.size].view(head.dtype)
    return numbers.reshape(head.shape, order="F" if head.fortran else "C")
