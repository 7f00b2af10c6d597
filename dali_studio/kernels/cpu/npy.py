"""Files in numpy's format (NPY), as they lie in memory."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.dtypes import from_numpy

_MAGIC, _MAX_HEADER = b"\x93NUMPY", 1 << 16


class NpyError(ValueError):
    """A file that is none of numpy's, is damaged, or has elements that are not supported."""


class Header(NamedTuple):
    """What a header says; `start` is the first byte behind it."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran_order: bool
    start: int


def header_of(data: NDArray[np.uint8]) -> Header:
    """The header of a file.

    Raises
    ------
    NpyError
    """
    lead = data[:12].tobytes()
    if len(lead) < 10 or lead[:6] != _MAGIC:
        raise NpyError("it does not begin as a file of numpy does")
    width = 2 if lead[6] == 1 else 4
    start = 8 + width
    size = int.from_bytes(lead[8:start], "little")
    text = data[start : start + size].tobytes()
    if len(text) < size or size > _MAX_HEADER:
        raise NpyError("its header is cut off")
    dtype, shape, fortran_order = _parsed(text)
    header = Header(dtype, shape, fortran_order, start + size)
    needed = dtype.itemsize * int(np.prod(shape, dtype=object))
    if len(data) - header.start < needed:
        raise NpyError(f"it is cut off: its array has {needed} bytes, of which {len(data) - header.start} are there")
    return header


@lru_cache(maxsize=256)
def _parsed(text: bytes) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    try:
        found: Any = ast.literal_eval(text.decode("latin-1").strip())
        descr, shape, fortran_order = found["descr"], found["shape"], found["fortran_order"]
        dtype = np.dtype(descr)
        extents = tuple(shape)
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError) as error:
        raise NpyError("its header cannot be understood") from error
    if not all(type(extent) is int and extent >= 0 for extent in extents):
        raise NpyError(f"its header states the shape {shape}")
    try:
        from_numpy(dtype)
    except TypeError:
        raise NpyError(f"its elements are {dtype}, which is not supported") from None
    if dtype.byteorder == ">":
        raise NpyError(f"its elements are {dtype}, whose bytes are in another order than this processor's")
    return dtype, extents, bool(fortran_order)


def array_of(data: NDArray[np.uint8], header: Header) -> NDArray[Any]:
    """The array of a file, which is not copied; its axes are in the order that the header states."""
    count = int(np.prod(header.shape, dtype=np.int64))
    flat = np.frombuffer(data, header.dtype, count, header.start)
    return flat.reshape(header.shape, order="F" if header.fortran_order else "C")
