"""JPEG files: whole decode and decode of a window, through libjpeg-turbo.

The pixels are those of nvidia.dali's CPU decoder: accurate integer DCT and "fancy" chroma upsampling. Damaged data
is treated alike, too: an entropy error or a missing end marker is tolerated, a file without its last pixels is not.

Sound files go through `libjpeg`, which leaves usual ones to our own decoder. What it cannot do or finds fault with goes
through simplejpeg, which says what is wrong, and decodes what can be had of damaged data.
"""

from __future__ import annotations

import math
import re
import threading
from contextlib import suppress
from typing import Any

import numpy as np
import simplejpeg  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray

from dali_studio.core.wording import byte_count, size_words
from dali_studio.kernels.cpu.image_convert import convert, inks_to_rgb, truncated_gray
from dali_studio.kernels.cpu.image_info import Buffer, DecodeError, ImageInfo, Window, as_view
from dali_studio.kernels.jpeg import libjpeg
from dali_studio.kernels.jpeg.header import parse_header

__all__ = ["check_length", "colors_for", "decode", "decode_window", "finish", "parse_header"]

_CHANNELS = {"GRAY": 1, "RGB": 3, "BGR": 3, "CMYK": 4}
#: No byte of Huffman codes stands for more: blocks have 64 pixels, 16 times as many where the sampling is coarsest.
MAX_PIXELS_A_BYTE = 64 * 16 * 8
#: What libjpeg-turbo says of damage in spite of which there are pixels.
_TOLERATED = ("Corrupt", "extraneous", "Inconsistent")
#: Markers at which the codes of a scan end: all but those between restart intervals.
_STOP = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
_scratch = threading.local()


# ----------------------------------------------------------------------------------------------------------- decode


def decode(
    data: Buffer,
    info: ImageInfo,
    colors: str = "RGB",
    *,
    fast_dct: bool = False,
    fast_upsampling: bool = False,
    out: NDArray[np.uint8] | None = None,
) -> NDArray[np.uint8]:
    """Decode a whole file, as stored (the orientation is not applied).

    Parameters
    ----------
    data : bytes-like
        The file.
    info : ImageInfo
        Its header.
    colors : {"RGB", "BGR", "GRAY", "CMYK"}
        Wanted channels; "GRAY" is the luma plane, "CMYK" only exists for four components.
    fast_dct : bool
        libjpeg's faster, less accurate inverse DCT (mean difference about one level).
    fast_upsampling : bool
        Repeat chroma samples instead of interpolating: the pixels of NVIDIA's hardware decoder.
    out : ndarray of uint8, optional
        C-contiguous memory of at least height * width * channels bytes to decode into.

    Returns
    -------
    ndarray of uint8, shape (height, width, channels)
        In ``out`` if given.

    Raises
    ------
    DecodeError
        When the file is cut off or cannot be decoded.
    """
    _check_supported(info)
    shape = info.height, info.width, _CHANNELS[colors]
    size = math.prod(shape)
    memory = np.empty(size, np.uint8) if out is None else out.reshape(-1)[:size]
    window = 0, 0, *shape[:2]
    if plain(info, colors) and _decode_rows(
        data, info, window, colors, fast_dct, fast_upsampling, memory, sound=True
    ):
        return memory.reshape(shape)
    try:
        return _call(data, colors, fast_dct, fast_upsampling, out, strict=True)
    except ValueError as problem:
        reason = str(problem)
        cut_off = "Premature end" in reason or not _has_end(data, info)
    if not cut_off and any(word in reason for word in _TOLERATED):
        with suppress(ValueError):  # damaged entropy data: take what can be had, as nvidia.dali does
            return _call(data, colors, fast_dct, fast_upsampling, out, strict=False)
    # as for nvidia.dali, what follows the last row does not matter: unknown markers, or that the end marker is missing
    if _decode_rows(data, info, window, colors, fast_dct, fast_upsampling, memory, sound=cut_off):
        return memory.reshape(shape)
    if cut_off:
        raise _cut_off(len(as_view(data)), info)
    raise DecodeError(f"libjpeg-turbo cannot decode this JPEG of {size_words(info.height, info.width)}: {reason}")


def decode_window(
    data: Buffer,
    info: ImageInfo,
    y: int,
    x: int,
    h: int,
    w: int,
    colors: str = "RGB",
    *,
    fast_dct: bool = False,
    fast_upsampling: bool = False,
) -> NDArray[np.uint8]:
    """Decode the window of ``h`` rows and ``w`` columns at (y, x) of the *stored* image.

    Parameters
    ----------
    data, info, colors, fast_dct, fast_upsampling
        As for `decode`.
    y, x, h, w : int
        The window in pixels; it has to lie inside the image.

    Returns
    -------
    ndarray of uint8, shape (h, w, channels)
        Bit-equal to ``decode(...)[y : y + h, x : x + w]``. A view of memory that this thread's next call overwrites;
        its rows may lie further apart than they are long.

    Raises
    ------
    DecodeError
        When the file is cut off or cannot be decoded.
    """
    _check_supported(info)
    out = _scratch_memory("pixels", h * w * _CHANNELS[colors])
    part = (h, w) != (info.height, info.width) and plain(info, colors) and _has_end(data, info)
    if part and _decode_rows(data, info, (y, x, h, w), colors, fast_dct, fast_upsampling, out, sound=True):
        return out.reshape(h, w, _CHANNELS[colors])
    out = _scratch_memory("pixels", info.height * info.width * _CHANNELS[colors])
    image = decode(data, info, colors, fast_dct=fast_dct, fast_upsampling=fast_upsampling, out=out)
    return image[y : y + h, x : x + w]


def plain(info: ImageInfo, colors: str) -> bool:
    """Whether `libjpeg` decodes such a file to such colours, if nothing is wrong with it."""
    return (
        info.format == "jpeg" and info.bit_depth == 8 and colors in libjpeg.COLOR_SPACES
        and (info.channels == 4) == (colors == "CMYK") and info.kind in ("baseline", "extended", "progressive")
        and libjpeg.entry_points() is not None
    )  # fmt: skip


def _decode_rows(
    data: Buffer, info: ImageInfo, window: Window, colors: str, fast_dct: bool, fast_upsampling: bool,
    out: NDArray[np.uint8], *, sound: bool,
) -> bool:  # fmt: skip
    """Decode a window into contiguous memory; false if rows are missing, or damaged where the file is to be `sound`."""
    entries = libjpeg.entry_points()
    if entries is None:
        return False
    outcome = libjpeg.decode_into(
        np.frombuffer(data, np.uint8), out, (info.height, info.width), colors, _CHANNELS[colors], window, entries,
        fast_dct=fast_dct, repeat_chroma=fast_upsampling, sound=sound,
    )  # fmt: skip
    return outcome == libjpeg.DONE


def _call(
    data: Buffer, colors: str, fast_dct: bool, fast_upsampling: bool, out: NDArray[np.uint8] | None, strict: bool
) -> NDArray[np.uint8]:
    image: NDArray[np.uint8] = simplejpeg.decode_jpeg(
        data, colors, fastdct=fast_dct, fastupsample=fast_upsampling, buffer=out, strict=strict
    )
    return image


def _scratch_memory(purpose: str, size: int) -> NDArray[np.uint8]:
    """``size`` bytes of memory that one thread reuses for one purpose."""
    memory: NDArray[np.uint8] | None = getattr(_scratch, purpose, None)
    if memory is None or memory.size < size:
        memory = np.empty(size + size // 4, np.uint8)
        setattr(_scratch, purpose, memory)
    return memory[:size]


def _check_supported(info: ImageInfo) -> None:
    if info.kind == "lossless":
        raise DecodeError("this is a lossless JPEG (ITU-T T.81 process 14), which is not supported; convert it to PNG")
    if info.bit_depth != 8:
        raise DecodeError(
            f"this JPEG has {info.bit_depth} bits per channel ({info.kind}); only 8 bits can be decoded. "
            "Convert it to 8 bits, or to PNG if it needs 16"
        )


def check_length(data: Buffer, info: ImageInfo) -> None:
    """Refuse a file that is cut off so early that its header announces far more than there is.

    Raises
    ------
    DecodeError
        When there is no end marker, and not a bit for each block of pixels.
    """
    size = len(as_view(data))
    if size * MAX_PIXELS_A_BYTE < info.height * info.width and info.kind != "arithmetic" and not _has_end(data, info):
        raise _cut_off(size, info)


def _has_end(data: Buffer, info: ImageInfo) -> bool:
    """Whether an end marker follows the frame header, or any other that ends the only scan."""
    view = as_view(data)
    tail = bytes(view[-64:])
    if b"\xff\xd9" in tail:
        return True
    whole = bytes(view)
    if whole.find(b"\xff\xd9", info.frame_offset) >= 0:
        return True
    scan = whole.find(b"\xff\xda", info.frame_offset)
    return info.single_scan and scan >= 0 and _STOP.search(whole, scan + 2) is not None


def _cut_off(size: int, info: ImageInfo) -> DecodeError:
    return DecodeError(
        f"the JPEG file ends after {byte_count(size)} without its end marker, so part of its "
        f"{size_words(info.height, info.width)} is missing; the file is cut off. Fetch or export it again"
    )


# ---------------------------------------------------------------------------------------------------------- colours


def colors_for(info: ImageInfo, output_type: str) -> tuple[str, str | None]:
    """What libjpeg-turbo has to deliver for an output type, and what remains to be converted afterwards.

    Parameters
    ----------
    info : ImageInfo
        Header of the file.
    output_type : str
        One of `image_convert.OUTPUT_TYPES`.

    Returns
    -------
    (str, str or None)
        Colours for `decode`; None, or the output type that `finish` has to make of them.

    Raises
    ------
    DecodeError
        For the channels of a CMYK file as they are: nvidia.dali has no such output.
    """
    if info.channels == 4:
        if output_type == "ANY_DATA":
            raise DecodeError("this JPEG holds four inks (CMYK), which ANY_DATA cannot deliver; ask for RGB")
        return "CMYK", output_type
    if output_type == "YCbCr":
        return "RGB", "YCbCr"
    if output_type == "ANY_DATA":
        return ("GRAY" if info.channels == 1 else "RGB"), None
    return output_type, None


def finish(image: NDArray[np.uint8], info: ImageInfo, output_type: str, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Convert what `decode` delivered to the output type that `colors_for` left open."""
    if info.channels == 4:
        image = inks_to_rgb(image, info.inverted)
        if output_type == "GRAY":
            image = truncated_gray(image)
    return convert(image, "jpeg", output_type, dtype)
