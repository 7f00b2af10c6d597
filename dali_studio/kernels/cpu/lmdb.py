"""Where the values of an LMDB database lie in its file: they are read like records of any other file.

The file is a tree of pages, the leaves of which have keys and values; large values have pages of their own. What is
read is what the last transaction that was finished has left.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Begin of a page: flags, and where free space begins, or how many pages a large value takes.
_HEAD, _META = struct.Struct("<10xHHH"), struct.Struct("<10xH4xII8xQI44x4x2xH24xQQ8xQ")
_PAGE_HEAD, _NODE_HEAD, _KEY_SIZE = 16, 8, 6
_MAGIC, _VERSION = 0xBEEFC0DE, 1
_BRANCH, _LEAF, _DESCRIPTION = 1, 2, 8
#: Flags of a node: its value has pages of its own; it is more than a value.
_LARGE, _NO_VALUE = 1, 6
_NOTHING = 2**64 - 1
_DEEPEST = 32
#: Bytes of memory that a process can have at all; the library maps as many as the description says.
_ADDRESSABLE = 2**47


def places_of_values(folder: str) -> tuple[str, NDArray[np.int64]]:
    """The file of a database, and (N, 3) first byte and size of each value in it and begin of its entry, by their keys.

    Raises
    ------
    ValueError
        If there is none, or it is damaged.
    """
    path = Path(folder) / "data.mdb"
    try:
        file = np.memmap(path, np.uint8, "r").view(np.ndarray)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is empty"
        raise ValueError(f"{path} cannot be read: {reason}") from error
    try:
        newest = _newest(file)
        tables = _leaves(file, newest.size, newest.root, newest.depth) if newest.root != _NOTHING else []
    except (ValueError, IndexError, struct.error) as error:
        raise ValueError(f"{path} is no LMDB database, or is damaged") from error
    places = np.concatenate(tables) if tables else np.empty((0, 3), np.int64)
    if len(places) != newest.entries:
        raise ValueError(f"{path} is damaged: it says that it has {newest.entries:,} values, and has {len(places):,}")
    if len(places) and (places.min() < 0 or (places[:, 0] + places[:, 1]).max() > len(file)):
        raise ValueError(f"{path} breaks off: it lists values that are not in it")
    return str(path), places


def key_at(path: str, entry: int) -> str:
    """The key of an entry; nothing, if the file cannot be read any more."""
    try:
        with Path(path).open("rb") as file:
            file.seek(entry)
            size = int.from_bytes(file.read(_NODE_HEAD)[_KEY_SIZE:], "little")
            return file.read(size).decode(errors="replace")
    except OSError:
        return ""


def _newest(file: NDArray[np.uint8]) -> _Description:
    """What the newer of the first two pages says."""
    first = _described(file, 0)
    second = _described(file, first.size)
    newer = max(first, second, key=lambda one: one.transaction)
    if newer.mapped > _ADDRESSABLE:
        raise ValueError("too large a map")
    return newer


class _Description(NamedTuple):
    """What one of the first two pages says."""

    flags: int
    magic: int
    version: int
    mapped: int
    size: int
    depth: int
    entries: int
    root: int
    transaction: int


def _described(file: NDArray[np.uint8], at: int) -> _Description:
    found = _Description(*_META.unpack(file[at : at + _META.size].tobytes()))
    is_known = found.flags & _DESCRIPTION and (found.magic, found.version) == (_MAGIC, _VERSION)
    if not is_known or found.size < 256 or found.depth > _DEEPEST:
        raise ValueError("another format")
    return found


def _leaves(file: NDArray[np.uint8], size: int, root: int, depth: int) -> list[NDArray[np.int64]]:
    """The values of each leaf below a page."""
    page = file[root * size : (root + 1) * size]
    flags, lower, upper = _HEAD.unpack(page[:_PAGE_HEAD].tobytes())
    if len(page) < size or depth < 1 or not _PAGE_HEAD <= lower <= upper <= size:
        raise ValueError("a page is damaged")
    nodes = page[_PAGE_HEAD:lower].view("<u2").astype(np.int64)
    heads = _words(page, nodes, np.dtype("<u2"), 4).astype(np.int64)
    if flags & _BRANCH:
        below = heads[:, 0] | heads[:, 1] << 16 | heads[:, 2] << 32
        return [leaf for number in below.tolist() for leaf in _leaves(file, size, number, depth - 1)]
    if not flags & _LEAF or (heads[:, 2] & _NO_VALUE).any():
        raise ValueError("a page of another kind")
    sizes, starts = heads[:, 0] | heads[:, 1] << 16, nodes + _NODE_HEAD + heads[:, 3]
    large = (heads[:, 2] & _LARGE) > 0
    pages = _words(page, starts[large], np.dtype("<u8"), 1)[:, 0].astype(np.int64)
    starts += root * size
    starts[large] = pages * size + _PAGE_HEAD
    return [np.stack([starts, sizes, nodes + root * size], axis=1)]


def _words(
    page: NDArray[np.uint8], places: NDArray[np.int64], dtype: np.dtype[np.generic], count: int
) -> NDArray[np.generic]:  # fmt: skip
    """(N, count) numbers from each of the places on."""
    return page[places[:, None] + np.arange(count * dtype.itemsize)].view(dtype)
