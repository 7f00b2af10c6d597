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

from dali_studio.core.storage import Packed, Samples, addresses_of, shapes_of
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.strided import steps_of

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


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays of one type and number of axes, where they lie in `slab`: as tables, one row each.

    Attributes
    ----------
    slab : ndarray of uint8
    starts : ndarray of int64
        (N,) first byte of each.
    shapes, steps : ndarray of int64
        (N, ndim) extents, and bytes between neighbours.
    dtype : numpy.dtype
    """

    slab: NDArray[np.uint8]
    starts: NDArray[np.int64]
    shapes: NDArray[np.int64]
    steps: NDArray[np.int64]
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return len(self.starts)

    def packed(self) -> Packed | None:
        """The arrays where they lie; ``None`` unless all are in C order, and as aligned as their elements are."""
        size = self.dtype.itemsize
        ordered = (self.steps == steps_of(self.shapes, size)).all()
        if not ordered or ((self.starts + self.slab.ctypes.data) % size).any():
            return None
        return Packed(self.slab, self.starts, self.shapes, self.dtype)

    def __getitem__(self, index: int) -> NDArray[Any]:
        shape, steps = tuple(self.shapes[index].tolist()), tuple(self.steps[index].tolist())
        return np.ndarray(shape, self.dtype, self.slab, int(self.starts[index]), steps)


def together(files: Packed) -> Arrays | None:
    """The arrays of files; ``None`` where they are damaged or unlike, or have another order of bytes."""
    heads = headers(files)
    return None if heads is None else Arrays(files.slab, files.starts + heads[0], *heads[2:])


def headers(files: Samples) -> _Rows | None:
    """Of each file: where numbers begin and their bytes, extents, distances of neighbours; and the type of all.

    ``None`` where they are damaged or unlike, or have another order of bytes.
    """
    lengths = shapes_of(files, 1)[:, 0]
    if not len(files) or int(lengths.min()) < _FIRST:
        return None
    which = np.empty(len(files), np.int64)
    kernel("alike_pieces")(addresses_of(files), _FIRST, which)
    kinds = np.flatnonzero(which == _numbers(len(which)))  # files have few different headers, as a rule
    firsts: list[int] = kinds.tolist()
    known = _rows(tuple([files[index][:_FIRST].tobytes() for index in firsts]))
    if known is None:
        return None
    which = kinds.searchsorted(which)
    table, axes, dtype = known[0][which], known[1], known[2]
    begins, sizes = table[:, 0], table[:, 1]
    if (begins + sizes > lengths).any():
        return None
    return begins, sizes, table[:, 2 : 2 + axes], table[:, 2 + axes :], dtype


_Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], np.dtype[Any]]


@lru_cache(maxsize=64)
def _numbers(count: int) -> NDArray[np.int64]:
    """The numbers below `count`, which nobody may change."""
    made = np.arange(count)
    made.flags.writeable = False
    return made


@lru_cache(maxsize=64)
def _rows(heads: tuple[bytes, ...]) -> tuple[NDArray[np.int64], int, np.dtype[Any]] | None:
    """Of headers of one kind a row each: where numbers begin and their bytes, extents, distances of neighbours.

    And how many axes there are, and of which type the numbers.
    """
    try:
        found = [one for one in map(_parsed, heads) if one is not None and one.dtype.isnative]
    except NpyError:
        return None
    if len(found) < len(heads) or len({(one.dtype, len(one.shape)) for one in found}) > 1:
        return None
    places = np.array([(one.begin, one.size) for one in found], np.int64)
    shapes = np.array([one.shape for one in found], np.int64).reshape(len(found), len(found[0].shape))
    size = found[0].dtype.itemsize
    steps = steps_of(shapes, size)
    turned = np.array([one.fortran for one in found])
    steps[turned] = steps_of(shapes[turned, ::-1], size)[:, ::-1]
    return np.hstack([places, shapes, steps]), shapes.shape[1], found[0].dtype


def view(data: NDArray[np.uint8], head: NpyHeader) -> NDArray[Any]:
    """The array that a file holds, where it lies; perhaps not aligned, or with another order of bytes."""
    numbers = data[head.begin : head.begin + head.size].view(head.dtype)
    return numbers.reshape(head.shape, order="F" if head.fortran else "C")
