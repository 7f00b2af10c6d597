"""libjpeg-turbo called by compiled code: a picture, or a window of one, without Python in between.

The library is the one that Pillow brings along or is linked to; its functions are found through Pillow's extension
module. Usual baseline files are decoded without it, to the same pixels (`baseline.cpp`). Of a window only the rows and
blocks that are needed are transformed, and nothing below it is read.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

import numpy as np
import simplejpeg  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel

#: Numbers of a request; see `decode`.
(
    DATA, SIZE, HEIGHT, WIDTH, COLORS, CHANNELS, FAST_DCT, REPEAT_CHROMA, FIRST_ROW, FIRST_COLUMN, ROWS, COLUMNS,
    TARGET, PITCH, FIELDS,
) = range(15)  # fmt: skip
DONE, FAILED = 1, 2
"""Outcomes of a request: the pixels are there, or something is wrong with the file."""
COLOR_SPACES = {"GRAY": 1, "RGB": 2, "CMYK": 4, "BGR": 8}
"""What libjpeg-turbo calls the colours that can be asked for."""
PNG = 0
"""Stands in place of colours where the file is a PNG file, which decode threads decode without libjpeg-turbo."""

_FUNCTIONS = (
    "jpeg_std_error", "jpeg_CreateDecompress", "jpeg_mem_src", "jpeg_read_header", "jpeg_start_decompress",
    "jpeg_crop_scanline", "jpeg_skip_scanlines", "jpeg_read_scanlines", "jpeg_destroy_decompress",
)  # fmt: skip


def decode(request: NDArray[np.int64], entries: NDArray[np.int64]) -> int:
    """Decode one picture.

    Parameters
    ----------
    request : ndarray of int64
        The numbers `DATA` to `PITCH`, in this order: address and size of the file; height and width that its header
        states; colours, by `COLOR_SPACES`, and their number of channels, where 3 of "CMYK" are RGB; 1 for the fast
        transform; 1 for repeated instead of interpolated chroma; first row, first column, rows and columns of the
        window; address of the first pixel of the result, and bytes from row to row.
    entries : ndarray of int64
        From `entry_points`.

    Returns
    -------
    int
        `DONE` or `FAILED`. It also fails if the window is not inside the picture.
    """
    return kernel("decode_jpeg")(request, entries)


def decode_some(requests: NDArray[np.int64], entries: NDArray[np.int64]) -> NDArray[np.int64]:
    """Decode several pictures, (N, `FIELDS`); returns their (N,) outcomes.

    It also fails where a part of a file is asked for that may have been cut off, and where there is no address.
    """
    outcomes = np.empty(len(requests), np.int64)
    kernel("decode_jpegs")(requests, entries, outcomes)
    return outcomes


def decode_alone(request: NDArray[np.int64]) -> int:
    """`decode` without the library: `FAILED` for all but usual baseline files in which nothing is wrong."""
    return kernel("decode_jpeg_alone")(request)


def decode_into(
    file: NDArray[np.uint8], pixels: NDArray[np.uint8], size: tuple[int, int], colors: str, channels: int,
    window: tuple[int, int, int, int], entries: NDArray[np.int64], *, fast_dct: bool, repeat_chroma: bool,
    sound: bool = True,
) -> int:  # fmt: skip
    """Decode one picture whose file and pixels are arrays.

    Parameters
    ----------
    file : ndarray of uint8, (N,)
    pixels : ndarray of uint8, (M,)
        The pixels of the window go to its beginning.
    size : (int, int)
        Height and width that the header states.
    colors, channels
        Of `COLOR_SPACES`, and how many channels it has.
    window : (int, int, int, int)
        First row, first column, rows and columns.
    entries, fast_dct, repeat_chroma
        See `decode`.
    sound : bool
        Whether the file must be without fault. Otherwise all rows are enough, be they damaged.

    Returns
    -------
    int
        `DONE` or `FAILED`, as of `decode`; also where the pixels have no room.
    """
    return kernel("decode_jpeg_into")(
        file, pixels, *size, COLOR_SPACES[colors], channels, fast_dct, repeat_chroma, sound, *window, entries
    )


@cache
def entry_points() -> NDArray[np.int64] | None:
    """What compiled code needs to call the library, its functions' addresses; ``None`` where it cannot be called so.

    That is the case on 32-bit systems and on Windows, and where Pillow comes without libjpeg-turbo, or with one of
    another interface.
    """
    if sys.platform == "win32" or sys.maxsize < 2**32:
        return None
    try:
        from PIL import _imaging, features  # noqa: PLC0415 - only here

        if not features.check_feature("libjpeg_turbo"):
            return None
        library = ctypes.CDLL(_imaging.__file__)
        found = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in _FUNCTIONS]
    except (ImportError, AttributeError, OSError):
        return None
    entries = np.array(found, np.int64)
    return entries if _works(entries) else None


def _works(entries: NDArray[np.int64]) -> bool:
    """Whether a picture comes out as it should; some builds have structures of another version of libjpeg.

    It is asked for the fast transform, which is always the library's.
    """
    data = np.frombuffer(simplejpeg.encode_jpeg(np.arange(768, dtype=np.uint8).reshape(16, 16, 3)), np.uint8)
    made = np.zeros((9, 11, 3), np.uint8)
    numbers = data.ctypes.data, len(data), 16, 16, COLOR_SPACES["RGB"], 3, 1, 0, 4, 3, 9, 11, made.ctypes.data, 33
    outcome = decode(np.array(numbers, np.int64), entries)
    return outcome == DONE and np.array_equal(made, simplejpeg.decode_jpeg(data, fastdct=True)[4:13, 3:14])


def describe() -> str:
    """The library that compiled code calls, or why there is none, for people."""
    if entry_points() is not None:
        from PIL import features  # noqa: PLC0415 - only here

        return f"libjpeg-turbo {features.version_feature('libjpeg_turbo')}, called by compiled code"
    return "not called by compiled code, so that decoding takes longer: Pillow's libjpeg-turbo is not within reach"
