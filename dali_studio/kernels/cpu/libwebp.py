"""libwebp called directly: still pictures, in the memory of their pixels and no more.

Pillow decodes each WebP file as an animation, on a canvas that is cleared beforehand: a file of 4 kB that states 117
megapixels and breaks off takes 446 MiB so, and 15 MiB here. The library is the one that Pillow brings along or is
linked to.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.wording import byte_count, size_words
from dali_studio.kernels.cpu.exif import exif_orientation
from dali_studio.kernels.cpu.image_info import DecodeError

#: A VP8 file spends more than 3 bits on the modes of each block of 256 pixels: their probabilities are fixed.
_MAX_PIXELS_A_BYTE = 1024
_ANIMATED, _HAS_EXIF, _VP8X_FLAGS = 0x02, 0x08, 20
_FIRST_CHUNK = 12


def check_length(data: memoryview, height: int, width: int) -> None:
    """Refuse a lossy file that is too short for its size; lossless ones may be of one colour, in a few bytes.

    Raises
    ------
    DecodeError
    """
    if bytes(data[12:16]) == b"VP8 " and height * width > _MAX_PIXELS_A_BYTE * len(data):
        raise DecodeError(
            f"this WebP file of {byte_count(len(data))} cannot hold the {size_words(height, width)} that its "
            "header announces; it is cut off or forged"
        )


def orientation(data: memoryview) -> int:
    """Exif orientation of a file with the extended header, 1 to 8; its Exif block may be damaged in part."""
    if bytes(data[12:16]) != b"VP8X" or not data[_VP8X_FLAGS] & _HAS_EXIF:
        return 1
    at = _FIRST_CHUNK
    while at + 8 <= len(data):
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        if bytes(data[at : at + 4]) == b"EXIF":
            return exif_orientation(data[at + 8 : at + 8 + size], damaged=True) or 1
        at += 8 + size + size % 2
    return 1


def decode(data: memoryview, shape: tuple[int, int, int]) -> NDArray[np.uint8] | None:
    """The pixels of a still picture; ``None`` for an animation, or where libwebp is not within reach.

    Parameters
    ----------
    data : memoryview
    shape : (int, int, int)
        Height, width and channels (3 or 4) that its header states.

    Raises
    ------
    DecodeError
        When the file is damaged or cut off.
    """
    into = _functions().get(shape[2])
    if into is None or (bytes(data[12:16]) == b"VP8X" and data[_VP8X_FLAGS] & _ANIMATED):
        return None
    pixels = np.empty(shape, np.uint8)
    file = np.frombuffer(data, np.uint8)
    if not into(file.ctypes.data, len(file), pixels.ctypes.data, pixels.nbytes, pixels.strides[0]):
        raise DecodeError(
            f"this WebP file of {byte_count(len(data))} cannot be decoded; it is damaged or cut off"
        )
    return pixels


@cache
def _functions() -> dict[int, Any]:
    """``WebPDecodeRGBInto`` and ``WebPDecodeRGBAInto`` by channels, if Pillow's extension module leads to them."""
    try:
        from PIL import _webp  # noqa: PLC0415 - not in every build of Pillow

        library = ctypes.CDLL(_webp.__file__)
        found = {3: library.WebPDecodeRGBInto, 4: library.WebPDecodeRGBAInto}
    except (ImportError, AttributeError, OSError):
        return {}
    for function in found.values():
        function.restype = ctypes.c_void_p
        function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return found
