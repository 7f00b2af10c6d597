"""TFRecord files: their records, each a tf.train.Example, and indices of them."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.native import kernel

#: Of `kinds`: lists of texts, floats and integers, as protobuf numbers them in a Feature.
TEXTS, FLOATS, INTEGERS = 1, 2, 3
#: Of counts: the record has no such feature, or is damaged.
MISSING, DAMAGED = -1, -2
_LENGTH = struct.Struct("<Q")
#: Bytes of a record beside its message: its length and checksum, and the message's checksum.
_BEFORE, _BEHIND = 12, 4


def find_features(
    slab: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64], names: Sequence[str],
    kinds: Sequence[int],
) -> NDArray[np.int64]:  # fmt: skip
    """Where features lie in records.

    Parameters
    ----------
    slab : ndarray
        Memory with the (N,) records, from `starts` on.
    names, kinds : sequence
        Of the F features.

    Returns
    -------
    ndarray
        (N, F, 3): first byte in the slab, one past the last, and how many values there are, `MISSING` or `DAMAGED`.
        Bytes are those of the first text, or of the whole feature for numbers.
    """
    words = [name.encode() for name in names]
    found = np.empty((len(starts), len(words), 3), np.int64)
    text = np.frombuffer(b"".join(words), np.uint8)
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    kernel("find_features")(slab, starts, sizes, text, ends, np.array(kinds, np.int32), found)
    return found


def copy_numbers(
    slab: NDArray[np.uint8], found: NDArray[np.int64], out: NDArray[np.uint8], places: NDArray[np.int64],
    room: NDArray[np.int64], size: int,
) -> None:  # fmt: skip
    """The numbers of a feature, of `size` bytes each.

    Parameters
    ----------
    found : ndarray
        (N, 3) of `find_features`.
    out : ndarray
        Memory into which they go, from the (N,) `places` on.
    room : ndarray
        (N,) how many there are at most.
    """
    kernel("copy_numbers")(slab, found, out, places, room, size)


def places_of_records(path: str) -> Iterator[tuple[int, int]]:
    """First byte and size of each record of a file.

    Raises
    ------
    ValueError
        If it is no file of records, or breaks off.
    OSError
    """
    at, total = 0, Path(path).stat().st_size
    with Path(path).open("rb") as file:
        while at < total:
            head = file.read(_LENGTH.size)
            length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else total
            size = _BEFORE + length + _BEHIND
            if at + size > total:
                raise ValueError(f"{path} has no whole record at byte {at}")
            yield at, size
            at = file.seek(at + size)


def places_of_index(path: str) -> NDArray[np.int64]:
    """(N, 2) first byte and size of each record that an index lists.

    Raises
    ------
    ValueError
        If the index cannot be read.
    """
    try:
        words = urls.read_text(path, "replace").split()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    try:
        places = np.array(words, np.str_).astype(np.int64).reshape(-1, 2)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{path} is no index, with the first byte and the size of a record on each line") from error
    if (places < 0).any():
        raise ValueError(f"{path} has a negative number")
    return places
