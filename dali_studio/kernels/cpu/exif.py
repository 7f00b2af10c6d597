"""Orientation from Exif blocks, by the rules of nvidia.dali.

Two readers are at work there. nvImageCodec's parser looks for the block that states the size of the result: damage to
any entry that it reads, not only to the orientation's, makes a block worthless. OpenCV, which turns the pixels, has
rules of its own about which block counts, and takes what stands before the damage.
"""

from __future__ import annotations

import struct

from dali_studio.kernels.cpu.image_info import swaps_axes

_MAGIC, _ORIENTATION, _ENTRY = 42, 0x0112, 12
#: Tags whose text, or whose fractions (with their number), have to lie inside the block, and those with a short number.
_TEXTS = (0x010E, 0x010F, 0x0110, 0x0131, 0x0132, 0x8298)
_FRACTIONS = {0x011A: 1, 0x011B: 1, 0x013E: 2, 0x013F: 6, 0x0211: 3, 0x0214: 6}
_SHORTS = (_ORIENTATION, 0x0128, 0x0213)
_LONGEST_TEXT = 4
"""Bytes of a text that stands in the entry itself."""


def exif_orientation(data: bytes | memoryview, *, damaged: bool = False) -> int:
    """Orientation from an Exif block (TIFF structure, without the ``Exif`` prefix).

    Parameters
    ----------
    data : bytes-like
        Starts with the byte order mark: ``II``, and whatever else stands for the other order.
    damaged : bool
        Take what stands before an entry that is damaged or missing.

    Returns
    -------
    int
        1 to 8, 1 also for an unknown value; 0 when the block is damaged or has no such tag.
    """
    found: list[int] = []
    try:
        _read_entries(data, found)
    except struct.error:
        if not damaged:
            return 0
    if not found:
        return 0
    return found[0] if 1 <= found[0] <= 8 else 1


def agreed(parsed: int, turned: int) -> int:
    """Orientation of the result, if the parser says so and OpenCV so: the latter's, unless only one exchanges the axes.

    In that case nvidia.dali returns pixels in disorder, and here the picture is turned as the parser says.
    """
    return turned if swaps_axes(parsed) == swaps_axes(turned) else parsed


def _read_entries(data: bytes | memoryview, found: list[int]) -> None:
    """Append the values of the orientation; ``struct.error`` where an entry reaches beyond the data."""
    order = "<" if bytes(data[:2]) == b"II" else ">"
    if struct.unpack_from(f"{order}H", data, 2)[0] != _MAGIC:
        return
    (first,) = struct.unpack_from(f"{order}I", data, 4)
    (count,) = struct.unpack_from(f"{order}H", data, first)
    for at in range(first + 2, first + 2 + _ENTRY * count, _ENTRY):
        (tag,) = struct.unpack_from(f"{order}H", data, at)
        if tag in _TEXTS:
            (size,) = struct.unpack_from(f"{order}I", data, at + 4)
            (place,) = struct.unpack_from(f"{order}I", data, at + 8) if size > _LONGEST_TEXT else (8,)
            _check(data, place, size)
        elif tag in _FRACTIONS:
            (place,) = struct.unpack_from(f"{order}I", data, at + 8)
            _check(data, place, 8 * _FRACTIONS[tag])
        elif tag in _SHORTS:
            (value,) = struct.unpack_from(f"{order}H", data, at + 8)
            if tag == _ORIENTATION:
                found.append(value)


def _check(data: bytes | memoryview, begin: int, size: int) -> None:
    if begin + size > len(data):
        raise struct.error(f"{size} bytes at {begin} of {len(data)}")
