"""Files in MXNet's format RecordIO: their indices and their records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import urls

_MAGIC, _HEADER = 0xCED7230A, struct.Struct("<IIIfQQ")
HEADER_SIZE = _HEADER.size
#: The upper bits of a length say whether a record goes on behind it: 0, it is whole; 1, it begins; 3, it ends.
_LENGTH, _FLAG, _WHOLE, _FIRST, _LAST = (1 << 29) - 1, 29, 0, 1, 3
_PREFIX = struct.Struct("<II")


def places_of_records(path: str) -> Iterator[int]:
    """Where the records of a file begin.

    Raises
    ------
    ValueError
        If it is no file of records, or breaks off.
    OSError
    """
    at, size = 0, Path(path).stat().st_size
    with Path(path).open("rb") as file:
        while at < size:
            head = file.read(_PREFIX.size)
            magic, word = _PREFIX.unpack(head) if len(head) == _PREFIX.size else (0, 0)
            end = at + _PREFIX.size + -(-(word & _LENGTH) // 4) * 4
            if magic != _MAGIC or end > size:
                raise ValueError(f"{path} has no whole record at byte {at}")
            if word >> _FLAG <= _FIRST:  # what follows a first part belongs to it
                yield at
            at = file.seek(end)


def places_of_index(
    path: str, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where the records of files of these sizes lie: number of the file, first byte, and bytes of each.

    Raises
    ------
    ValueError
        If the index cannot be read, is empty, or reaches beyond the files.
    """
    try:
        words = urls.read_text(path, "replace").split()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    try:
        pairs = np.array(list(map(int, words[: len(words) // 2 * 2])), np.int64).reshape(-1, 2)
        places = np.sort(pairs[:, 1])
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{path} is no index of numbers and places") from error
    ends = np.cumsum(sizes)
    if not len(places) or places[0] < 0 or places[-1] > ends[-1]:
        raise ValueError(f"{path} has no places, or some that the files do not have")
    lengths = np.diff(np.append(places, ends[-1]))
    there = lengths > 0
    places, lengths = places[there], lengths[there]
    files = np.searchsorted(ends, places, side="right")
    starts = places - (ends - sizes)[files]
    return files.astype(np.int64), starts, np.minimum(lengths, sizes[files] - starts)


def plain_records(data: Packed) -> tuple[NDArray[np.bool_], NDArray[np.float32], NDArray[np.int64]]:
    """Which records are whole and have one label, and of these the labels, and the bytes of the images behind them."""
    long = np.flatnonzero(data.shapes[:, 0] >= HEADER_SIZE)
    words = data.slab[data.starts[long, None] + np.arange(HEADER_SIZE)].view("<u4").reshape(-1, HEADER_SIZE // 4)
    ends = 8 + (words[:, 1] & _LENGTH).astype(np.int64)
    plain = (words[:, 0] == _MAGIC) & (words[:, 1] >> _FLAG == _WHOLE) & (words[:, 2] == 0)
    plain &= (ends >= HEADER_SIZE) & (ends <= data.shapes[long, 0])
    found = np.zeros(len(data), bool)
    labels, sizes = np.zeros(len(data), np.float32), np.zeros(len(data), np.int64)
    found[long], labels[long] = plain, words[:, 3].copy().view("<f4")
    sizes[long] = ends - HEADER_SIZE
    return found, labels, sizes


def parsed_record(record: NDArray[np.uint8]) -> tuple[NDArray[np.float32], int, int]:
    """The labels of a record, and where its image lies in it; records in several parts are joined in place.

    Raises
    ------
    ValueError
        If it is none.
    """
    if len(record) < HEADER_SIZE:
        raise ValueError("it is too short for a record")
    magic, word, count, label, _, _ = _HEADER.unpack(record[: HEADER_SIZE].tobytes())
    flag, end = word >> _FLAG, 8 + (word & _LENGTH)
    if magic != _MAGIC:
        raise ValueError("no record begins there")
    begin = HEADER_SIZE + 4 * count
    if begin > end:
        raise ValueError("its labels are cut off")
    read = end
    while flag not in (_WHOLE, _LAST):  # a part ends before each magic number in the data, which the parts leave out
        read += -read % 4
        magic, word = struct.unpack("<II", record[read : read + 8].tobytes()) if read + 8 <= len(record) else (0, 0)
        flag, size = word >> _FLAG, word & _LENGTH
        if magic != _MAGIC or flag in (_WHOLE, _FIRST):
            raise ValueError("a part of the record is missing")
        record[end : end + 4].view("<u4")[:] = _MAGIC
        record[end + 4 : end + 4 + size] = record[read + 8 : read + 8 + size].copy()
        read, end = read + 8 + size, end + 4 + size
    if end > len(record):
        raise ValueError("the record is cut off")
    if not count:
        return np.array([label], np.float32), begin, end - begin
    return record[HEADER_SIZE : begin].copy().view("<f4").astype(np.float32), begin, end - begin
