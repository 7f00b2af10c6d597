"""What is known about an encoded image before it is decoded, and the eight ways a camera can have been held.

Orientations are the values of the Exif tag 0x0112. Each one is described by three switches: flip the rows, flip the
columns, then swap the two axes; `orient` does so to an array and `stored_window` to a window.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

ImageFormat = Literal["jpeg", "png", "bmp", "tiff", "webp", "pnm", "jpeg2000"]
Window = tuple[int, int, int, int]
"""First row, first column, height and width, in pixels."""
Buffer = bytes | bytearray | memoryview | NDArray[np.uint8]
"""An encoded file in memory."""

_FLIPS = (
    (False, False, False),
    (False, True, False),
    (True, True, False),
    (True, False, False),
    (False, False, True),
    (True, False, True),
    (True, True, True),
    (False, True, True),
)


class DecodeError(ValueError):
    """An image cannot be decoded: what was found, what was expected, and where."""


class ImageInfo(msgspec.Struct, frozen=True, gc=False):
    """Facts from the header of an encoded image.

    Attributes
    ----------
    format : str
        "jpeg", "png", "bmp", "tiff", "webp", "pnm" or "jpeg2000".
    height, width : int
        Stored size in pixels, before the Exif orientation is applied.
    channels : int
        Channels after decoding as they are (``ANY_DATA``): palettes count as their colours.
    orientation : int
        Exif orientation, 1 (upright) to 8.
    bit_depth : int
        Bits per channel; 16 decodes to uint16, up to 8 to uint8, 32 to float32.
    kind : str
        JPEG coding: "baseline", "extended", "progressive" or "lossless"; empty for other formats.
    colors : str
        JPEG colour model: "gray", "ycc", "rgb", "cmyk" or "ycck"; "cmyk" for a TIFF with four inks; "masks" for a BMP
        of 32 bits that says which of them are the colours; else empty.
    inverted : bool
        JPEG with four inks: 255 stands for no ink (files with an Adobe marker).
    sampling : tuple of (int, int)
        JPEG: horizontal and vertical sampling factor per component, like ((2, 2), (1, 1), (1, 1)) for 4:2:0.
    restart_interval : int
        JPEG: units between two restart markers; 0 without them.
    single_scan : bool
        JPEG: whether one scan holds all components, so that rows arrive from top to bottom.
    wide_tables : bool
        JPEG: whether a quantisation table has 16 bits, which baseline files must not have but some do.
    frame_offset : int
        JPEG: position of the height field in the frame header, in bytes.
    interlaced : bool
        PNG: Adam7 order.
    gamma : int
        PNG: the power of the light that the numbers are, in 100,000ths, as the file states it; 0 if it does not.
    animated : bool
        PNG: several frames, of which the first is decoded.
    """

    format: ImageFormat
    height: int
    width: int
    channels: int
    orientation: int = 1
    bit_depth: int = 8
    kind: str = ""
    colors: str = ""
    inverted: bool = False
    sampling: tuple[tuple[int, int], ...] = ()
    restart_interval: int = 0
    single_scan: bool = False
    wide_tables: bool = False
    frame_offset: int = 0
    interlaced: bool = False
    gamma: int = 0
    animated: bool = False

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the decoded numbers before any conversion."""
        return np.dtype(np.float32 if self.bit_depth > 16 else np.uint16 if self.bit_depth > 8 else np.uint8)

    @property
    def subsampling(self) -> str:
        """Chroma subsampling as it is usually written ("4:2:0"); "gray" for one component, empty for other formats."""
        if not self.sampling:
            return ""
        if len(self.sampling) == 1:
            return "gray"
        (h, v), (ch, cv) = self.sampling[0], self.sampling[1]
        names = {(1, 1): "4:4:4", (2, 1): "4:2:2", (2, 2): "4:2:0", (1, 2): "4:4:0", (4, 1): "4:1:1", (4, 2): "4:1:0"}
        exact = ch > 0 and cv > 0 and h % ch == 0 and v % cv == 0
        return names.get((h // ch, v // cv), "other") if exact else "other"


def as_view(data: Buffer) -> memoryview:
    """The bytes of a file without a copy."""
    return memoryview(data)  # pyright: ignore[reportArgumentType] (numpy arrays do have the buffer protocol)


# ------------------------------------------------------------------------------------------------------ orientation


def swaps_axes(orientation: int) -> bool:
    """Whether the upright picture has height and width exchanged."""
    return _FLIPS[orientation - 1][2]


def orient(image: NDArray[Any], orientation: int) -> NDArray[Any]:
    """Upright view of a stored image (height, width, channels); no pixel is copied."""
    flip_rows, flip_columns, swap = _FLIPS[orientation - 1]
    if flip_rows:
        image = image[::-1]
    if flip_columns:
        image = image[:, ::-1]
    return image.transpose(1, 0, 2) if swap else image


def unorient(image: NDArray[Any], orientation: int) -> NDArray[Any]:
    """Stored view of an upright image: the inverse of `orient`."""
    flip_rows, flip_columns, swap = _FLIPS[orientation - 1]
    if swap:
        image = image.transpose(1, 0, 2)
    if flip_rows:
        image = image[::-1]
    return image[:, ::-1] if flip_columns else image


def stored_window(window: Window, height: int, width: int, orientation: int) -> Window:
    """Where a window of the upright picture lies in the stored one.

    Parameters
    ----------
    window : (int, int, int, int)
        First row, first column, height, width in the upright picture.
    height, width : int
        Size of the *stored* picture.
    orientation : int
        Exif orientation, 1 to 8.
    """
    y, x, h, w = window
    flip_rows, flip_columns, swap = _FLIPS[orientation - 1]
    if swap:
        y, x, h, w = x, y, w, h
    return (height - y - h if flip_rows else y), (width - x - w if flip_columns else x), h, w


def check_window(window: Window, height: int, width: int) -> None:
    """Refuse a window that is empty or reaches outside an image of the given (upright) size.

    Raises
    ------
    ValueError
        Naming the window and the image.
    """
    y, x, h, w = window
    if h < 1 or w < 1 or y < 0 or x < 0 or y + h > height or x + w > width:
        raise ValueError(
            f"the window of {h}x{w} pixels at row {y}, column {x} does not lie inside the image of {height}x{width}"
        )
