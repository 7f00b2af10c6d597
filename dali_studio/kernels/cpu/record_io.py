"""Files in MXNet's format RecordIO: their indices and their records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.native import kernel

_MAGIC = 0xCED7230A
#: The upper bits of a length say whether a record goes on behind it: 0, it is whole; 1, it begins.
_LENGTH, _FLAG, _FIRST = (1 << 29) - 1, 29, 1
_PREFIX = struct.Struct("<II")
#: Columns of what `record_io.cpp` finds, in its order, and why records cannot be read.
_STATE, _LABEL_BEGIN, _LABELS, _BEGIN, _SIZE, _COLUMNS = range(6)
REASONS = (
    "", "it is too short for a record", "no record begins there", "its labels are cut off",
    "a part of the record is missing", "the record is cut off",
)  # fmt: skip


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


def parse_records(data: Packed) -> tuple[NDArray[np.int64], Packed]:
    """Find the images and labels of records; those in several parts are joined in place.

    Returns
    -------
    found : ndarray
        (N, 3): first byte and bytes of the image, and 0 or the place in `REASONS` why the record cannot be read.
    labels : Packed
        float32, one or several of each record; none of one that cannot be read.
    """
    found = np.empty((len(data), _COLUMNS), np.int64)
    count = kernel("parse_records")(data.slab, data.starts, data.shapes[:, 0], found)
    labels, counts = np.empty(count, np.float32), found[:, _LABELS]
    kernel("copy_labels")(data.slab, found, labels)
    starts = (np.cumsum(counts) - counts) * labels.itemsize
    return found[:, [_BEGIN, _SIZE, _STATE]], Packed(labels.view(np.uint8), starts, counts[:, None], labels.dtype)
