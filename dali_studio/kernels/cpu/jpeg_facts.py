"""Headers of many JPEG files: files that say the same share one `ImageInfo`.

A data set has few kinds of headers. A kernel collects the numbers of a file on which the result of `parse_header`
depends; that function itself, slower by far, reads only the first file of each kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.image_info import ImageInfo
from dali_studio.kernels.cpu.jit import kernel
from dali_studio.kernels.cpu.jpeg_header import parse_header

#: Numbers of a key: components of the scan, place of the frame header, restart interval, Adobe's transform, JFIF, and
#: the bytes of the frame header.
_FRAME = 5
_LONGEST = 19
#: Kinds that are remembered; a data set whose files all differ must not fill the memory.
_MOST = 4096
_known: dict[bytes, ImageInfo] = {}


@kernel
def _collect(data: Any, key: Any) -> bool:  # noqa: C901, PLR0912 - one branch for each kind of segment
    """Fill `key`; false for what is no plain header, or holds an orientation."""
    size = len(data)
    if size < 4 or data[0] != 0xFF or data[1] != 0xD8:
        return False
    position = 2
    while position + 4 <= size:
        marker = data[position + 1]
        if data[position] != 0xFF or marker == 0x01 or 0xD0 <= marker <= 0xD9:
            return False
        if marker == 0xFF:
            position += 1
            continue
        body = position + 4
        end = position + 2 + (np.int64(data[position + 2]) << 8 | np.int64(data[position + 3]))
        if end > size:
            return False
        if marker == 0xDA:
            key[0] = data[body]
            return key[1] > 0
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            if key[1] or end - position > _LONGEST + 2:
                return False
            key[1] = position
            for k in range(position, end):
                key[_FRAME + k - position] = data[k]
        elif marker == 0xDD:
            key[2] = np.int64(data[body]) << 8 | np.int64(data[body + 1])
        elif marker == 0xE0:
            if end - body >= 4 and data[body] == 0x4A and data[body + 1] == 0x46 and data[body + 2] == 0x49:
                key[4] = key[4] | (data[body + 3] == 0x46)
        elif marker == 0xE1:
            if end - body >= 2 and data[body] == 0x45 and data[body + 1] == 0x78:  # Exif
                return False
        elif marker == 0xEE:
            if end - body < 12 or data[body] != 0x41 or data[body + 1] != 0x64:  # Adobe
                return False
            key[3] = 1 + np.int64(data[body + 11])
        position = end
    return False


def read_header(data: NDArray[np.uint8]) -> ImageInfo:
    """`parse_header`, remembered by kind.

    Parameters
    ----------
    data : ndarray of uint8
        The whole file, contiguous.

    Raises
    ------
    DecodeError
        As `parse_header`.
    """
    key = np.zeros(_FRAME + _LONGEST + 2, np.int32)
    if not _collect(data, key):
        return parse_header(data)
    kind = key.tobytes()
    info = _known.get(kind)
    if info is None:
        info = parse_header(data)
        if len(_known) >= _MOST:
            _known.clear()
        _known[kind] = info
    return info
