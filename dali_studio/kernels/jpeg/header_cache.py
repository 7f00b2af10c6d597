"""Headers of many JPEG files: files that say the same share one `ImageInfo`.

A data set has few kinds of headers. A kernel collects the numbers of a file on which the result of `parse_header`
depends, and what follows from them is found for the first file of each kind.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.storage import Packed, addresses_of, shapes_of
from dali_studio.kernels.cpu.image_info import DecodeError, ImageInfo
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.jpeg.header import header_info

#: Numbers of a key: components of the scan, place of the frame header, restart interval, 1 more than Adobe's transform,
#: JFIF, orientation, and 21 bytes of the frame header.
_KEY = 6 + 21
_NUMBERS = struct.Struct(f"{_KEY}i")
#: A key as one item.
_ROW = np.dtype((np.void, 4 * _KEY))
#: Kinds that are remembered; a data set whose files all differ must not fill the memory.
_MAX_KINDS = 4096
_known: dict[bytes, ImageInfo] = {}


def read_headers(files: Sequence[NDArray[np.uint8]]) -> tuple[list[ImageInfo], NDArray[np.int64]]:
    """The headers of JPEG files, by `parse_header`, remembered by kind.

    Parameters
    ----------
    files : sequence of ndarray of uint8
        Each contiguous in memory.

    Returns
    -------
    list of ImageInfo
        The different ones.
    ndarray of int64, (N,)
        Which of them a file has; -1 for what is no JPEG file with a plain header: `image_codec.peek` knows more.
    """
    addresses, sizes, count = addresses_of(files), shapes_of(files, 1)[:, 0], len(files)
    keys, which = np.empty((count, _KEY), np.int32), np.empty(count, np.int64)
    table = np.empty(2 << count.bit_length(), np.int64)
    kinds = kernel("jpeg_kinds")(addresses, np.ascontiguousarray(sizes), keys, which, table)
    found = [_header(kind) for kind in keys[:kinds].view(_ROW)[:, 0].tolist()]
    headers = [info for info in found if info is not None]
    if len(headers) < len(found):
        there = np.array([info is not None for info in found])
        which = np.where((which >= 0) & there[which], np.cumsum(there)[which] - 1, -1)
    return headers, which


def _header(kind: bytes) -> ImageInfo | None:
    info = _known.get(kind)
    if info is None:
        scanned, frame_at, restart, adobe, jfif, orientation, *frame = _NUMBERS.unpack(kind)
        try:
            info = header_info(bytes(frame), frame_at, orientation, restart, adobe - 1, bool(jfif), False, scanned)
        except DecodeError:
            return None
        if len(_known) >= _MAX_KINDS:
            _known.clear()
        _known[kind] = info
    return info


def have_ends(files: Sequence[NDArray[np.uint8]]) -> NDArray[np.bool_]:
    """Which JPEG files close with an end marker, bool, (N,)."""
    if isinstance(files, Packed):
        sizes = files.sizes
        last = np.maximum(files.starts + sizes - 1, 1)
        return (sizes > 3) & (files.slab[last] == 0xD9) & (files.slab[last - 1] == 0xFF)
    ends = (len(file) > 3 and file[-1] == 0xD9 and file[-2] == 0xFF for file in files)
    return np.fromiter(ends, np.bool_, len(files))
