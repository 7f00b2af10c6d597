"""BMP files by the rules of nvidia.dali: nvImageCodec's parser says which are accepted, OpenCV how the pixels are read.

Accepted are palettes of 1, 4 and 8 bits, the latter also in run lengths (RLE8), 16 bits with the masks 555 and 565, 24
and 32 bits, the latter with any masks. Rows begin where the header says, wherever that is.

nvImageCodec has another decoder for what OpenCV refuses, which takes every file for rows of 24 bits without padding.
That picture is skewed; such files are refused here.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.wording import byte_count, size_words
from dali_studio.kernels.cpu.image_info import DecodeError, ImageInfo

_FILE_HEADER, _CORE, _SHORTEST, _WITH_MASKS, _BEHIND_MASKS = 14, 12, 40, 56, 70
_LONGEST = 1 << 20
"""Pixels of a side, for OpenCV."""
_PLAIN, _RUNS, _MASKS = 0, 1, 3
"""Kinds of compression: none, runs of 8 bits, masks."""
_MASKS_555, _MASKS_565 = (0x7C00, 0x3E0, 0x1F), (0xF800, 0x7E0, 0x1F)
_BITS = {_PLAIN: (1, 4, 8, 24, 32), _RUNS: (8,), _MASKS: (16, 32)}
_END_OF_LINE, _END, _JUMP = range(3)


class _Header(NamedTuple):
    """What the header says; `masks` are those of red, green, blue and alpha, empty for the usual order."""

    height: int
    width: int
    bits: int
    runs: bool
    upwards: bool
    begin: int
    palette: NDArray[np.uint8]
    masks: tuple[int, ...]

    @property
    def pitch(self) -> int:
        """Bytes from one row to the next."""
        return -(-self.width * self.bits // 32) * 4


def peek(data: memoryview) -> ImageInfo:
    """Read the header of a file.

    Raises
    ------
    DecodeError
        When the header is broken, the file is of a kind that is not supported, or too short for its pixels.
    """
    header = _header(data)
    if header.bits <= 8:
        channels = 3 if (header.palette != header.palette[:, :1]).any() else 1
    else:
        channels = 4 if any(header.masks[3:]) else 3
    colors = "masks" if header.masks and header.bits == 32 else ""
    return ImageInfo(format="bmp", height=header.height, width=header.width, channels=channels, colors=colors)


def decode(data: memoryview, info: ImageInfo) -> NDArray[np.uint8]:
    """Decode a file: gray, RGB or RGB + alpha.

    Returns
    -------
    ndarray of uint8, shape (height, width, channels)

    Raises
    ------
    DecodeError
        When runs are damaged or cut off.
    """
    header = _header(data)
    if header.runs:
        pixels = _looked_up(_run_lengths(data, header), header, info.channels)
    else:
        rows = np.frombuffer(data, np.uint8, header.height * header.pitch, header.begin)
        pixels = _pixels(rows.reshape(header.height, header.pitch), header, info.channels)
    return np.ascontiguousarray((pixels[::-1] if header.upwards else pixels)[..., : info.channels])


# ------------------------------------------------------------------------------------------------------------ header


def _header(data: memoryview) -> _Header:
    size = int.from_bytes(data[_FILE_HEADER : _FILE_HEADER + 4], "little")
    known = size == _CORE or _SHORTEST <= size < 1 << 31  # more than the file has is no harm where nothing follows
    if not known or len(data) < _FILE_HEADER + min(size, _SHORTEST):
        raise DecodeError(
            f"broken BMP header in a file of {byte_count(len(data))}: it states {byte_count(size)}; expected 12, or 40 "
            "and more"
        )
    (begin,) = struct.unpack_from("<I", data, 10)
    compression, used = _PLAIN, 0
    if size == _CORE:
        width, height, bits = struct.unpack_from("<HHxxH", data, 18)
    else:
        width, height, bits, compression = struct.unpack_from("<iixxHI", data, 18)
        (used,) = struct.unpack_from("<I", data, 46)
    if not 1 <= width <= _LONGEST or not 1 <= abs(height) <= _LONGEST:
        raise DecodeError(f"broken BMP header: {size_words(height, width)}; expected 1 to {_LONGEST:,} each way")
    if bits not in _BITS.get(compression, ()):
        raise DecodeError(
            f"this BMP has {bits} bits per pixel and compression {compression}, which is not supported; convert it to "
            "24 bits without compression"
        )
    masks = _masks(data, size, bits) if compression == _MASKS else ()
    palette = _palette(data, size, bits, used) if bits <= 8 else np.empty((0, 3), np.uint8)
    header = _Header(abs(height), width, bits, compression == _RUNS, height > 0, begin, palette, masks)
    # the shortest runs say that nothing follows
    if begin + (2 if header.runs else header.height * header.pitch) > len(data):
        raise DecodeError(
            f"this BMP file of {byte_count(len(data))} cannot hold the "
            f"{size_words(header.height, width)} that its header announces; it is cut off or forged"
        )
    return header


def _palette(data: memoryview, size: int, bits: int, used: int) -> NDArray[np.uint8]:
    """256 colours as RGB; those that the file does not have are black."""
    begin, entry, count = _FILE_HEADER + size, 3 if size == _CORE else 4, used or 1 << bits
    if count > 1 << bits or begin + entry * count > len(data):
        raise DecodeError(f"broken BMP header: a palette of {count} colours for {bits} bits in {byte_count(len(data))}")
    colors = np.zeros((256, 3), np.uint8)
    stored = np.frombuffer(data, np.uint8, entry * count, begin).reshape(count, entry)
    colors[:count] = stored[:, 2::-1]
    return colors


def _masks(data: memoryview, size: int, bits: int) -> tuple[int, ...]:
    """As OpenCV reads them: those of 16 bits behind the header, those of 32 bits inside, if it is long enough."""
    if bits == 32:
        masks = struct.unpack_from("<4I", data, 54) if size >= _WITH_MASKS and len(data) >= _BEHIND_MASKS else (0,)
        return masks if all(masks[:3]) else ()
    end = _FILE_HEADER + size
    masks = struct.unpack_from("<3I", data, end) if end + 12 <= len(data) else ()
    if masks not in (_MASKS_555, _MASKS_565):
        found = "/".join(f"{mask:x}" for mask in masks) or "missing"
        raise DecodeError(f"this BMP of 16 bits has the masks {found}; supported: 7c00/3e0/1f and f800/7e0/1f")
    return masks


# ------------------------------------------------------------------------------------------------------------ pixels


def _pixels(rows: NDArray[np.uint8], header: _Header, channels: int) -> NDArray[np.uint8]:
    """Colours of rows that are not compressed."""
    height, width, bits = header.height, header.width, header.bits
    if bits <= 8:
        shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
        index = (rows[:, :, None] >> shifts & np.uint8((1 << bits) - 1)).reshape(height, -1) if bits < 8 else rows
        return _looked_up(index[:, :width], header, channels)
    if bits == 16:
        values = rows.view("<u2")[:, :width, None]
        wide = header.masks == _MASKS_565
        red, green = (values >> 8, values >> 3 & 0xFC) if wide else (values >> 7, values >> 2 & 0xF8)
        return np.concatenate([red & 0xF8, green, values << 3 & 0xF8], axis=2).astype(np.uint8)
    stored = rows[:, : width * bits // 8].reshape(height, width, bits // 8)
    if not header.masks:
        return stored[..., 2::-1]
    values = stored.view("<u4")
    return np.concatenate([_scaled(values, mask) for mask in header.masks[:channels]], axis=2)


def _looked_up(index: NDArray[np.uint8], header: _Header, channels: int) -> NDArray[np.uint8]:
    return header.palette[:, :channels].take(index, axis=0)


def _scaled(values: NDArray[np.uint32], mask: int) -> NDArray[np.uint8]:
    """The bits of a mask, stretched to 0..255 in single precision."""
    shift = (mask & -mask).bit_length() - 1
    numbers = ((values & np.uint32(mask)) >> np.uint32(shift)).astype(np.float32)
    return (numbers * (np.float32(255) / np.float32(mask >> shift))).astype(np.uint8)


def _run_lengths(data: memoryview, header: _Header) -> NDArray[np.uint8]:
    """Palette indices of RLE8 in rows as stored; what is passed over has index 0.

    A row may be filled to its end without the next one being begun: only an end of line, or a jump, does that then.
    """
    height, width, at = header.height, header.width, header.begin
    index = np.zeros(height * width, np.uint8)
    row = column = 0
    wrapped = False
    while row < height:
        if at + 2 > len(data):
            raise DecodeError(
                f"the runs of this BMP of {size_words(height, width)} end at row {row}; the file is cut off"
            )
        count, value = data[at], data[at + 1]
        at += 2
        begin, before = row * width + column, row
        if count or value > _JUMP:
            length = count or value
            if column + length > width or (not count and at + value > len(data)):
                raise DecodeError(
                    f"a run of this BMP of {size_words(height, width)} reaches beyond row {row}; the file is damaged"
                )
            index[begin : begin + length] = value if count else np.frombuffer(data, np.uint8, value, at)
            column += length
            if count and column == width:
                row, column = row + 1, 0
            at += 0 if count else value + value % 2
            wrapped = row > before
            continue
        if value or not wrapped or column:
            ahead = width - column
            if value == _JUMP:
                if at + 2 > len(data):
                    continue
                ahead = data[at] + data[at + 1] * width
                at += 2
            elif value == _END:
                ahead += (height - row) * width
            row, column = divmod(begin + ahead, width)
        wrapped = False
    return index.reshape(height, width)
