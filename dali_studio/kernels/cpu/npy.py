"""Arrays in NumPy's file format, out of bytes in memory."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

_MAGIC = b"\x93NUMPY"
#: Version of the format: bytes of the header's length, and who reads the header.
_VERSIONS = {1: (2, npy.read_array_header_1_0), 2: (4, npy.read_array_header_2_0), 3: (4, npy.read_array_header_2_0)}
_LONGEST = 1 << 16


class NpyError(ValueError):
    """Bytes that are no array of numbers."""


@lru_cache(maxsize=1024)
def _parsed(version: int, header: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        shape, fortran, dtype = _VERSIONS[version][1](io.BytesIO(header))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise NpyError("the header is damaged") from error
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise NpyError(f"the elements are {dtype}; whole and real numbers of up to 64 bits, and bool, are accepted")
    return shape, fortran, dtype


def view(data: NDArray[np.uint8]) -> NDArray[Any]:
    """The array that a file holds, where it lies; perhaps not aligned, or with another order of bytes.

    Raises
    ------
    NpyError
        Where there is none.
    """
    start = data[: len(_MAGIC) + 6].tobytes()
    if not start.startswith(_MAGIC) or len(start) < len(_MAGIC) + 6:
        raise NpyError("the data is no npy file")
    version = start[len(_MAGIC)]
    if version not in _VERSIONS:
        raise NpyError(f"the version of the format is {version}; 1 to 3 are known")
    width = _VERSIONS[version][0]
    at = len(_MAGIC) + 2
    begin = at + width + int.from_bytes(start[at : at + width], "little")
    if begin > min(len(data), _LONGEST):
        raise NpyError("the header is damaged")
    shape, fortran, dtype = _parsed(version, data[at:begin].tobytes())
    count = int(np.prod(np.array(shape, object))) if shape else 1
    if begin + count * dtype.itemsize > len(data):
        raise NpyError(f"the file has {len(data) - begin:,} bytes of the {count * dtype.itemsize:,} that its array needs")
    numbers = data[begin : begin + count * dtype.itemsize].view(dtype)
    return numbers.reshape(shape, order="F" if fortran else "C")
