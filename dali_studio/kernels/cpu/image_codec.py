"""Image files of all formats: recognise, read the header, decode to any colours and type.

JPEG goes through libjpeg-turbo and PNG through ISA-L and an own loop, both without the GIL; BMP is read as it lies
there; TIFF, WebP, PNM and JPEG 2000 go through Pillow. What would not give nvidia.dali's pixels is refused with the
reason.

The three steps are separate, so that a batch can be peeked first and its output shapes be known before anything is
decoded: `peek` -> `output_shape` -> `decode`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dali_studio.core.storage import shapes_of
from dali_studio.core.wording import byte_count
from dali_studio.kernels.cpu import bmp, png
from dali_studio.kernels.cpu.image_convert import (
    OUTPUT_DTYPES,
    OUTPUT_TYPES,
    check_output,
    convert,
    output_channels,
    states_gamma,
    to_gray,
    to_gray_by_light,
    truncated_gray,
)
from dali_studio.kernels.cpu.image_info import (
    Buffer,
    DecodeError,
    ImageFormat,
    ImageInfo,
    Window,
    as_view,
    check_window,
    orient,
    stored_window,
    swaps_axes,
)
from dali_studio.kernels.jpeg import codec as jpeg
from dali_studio.kernels.jpeg.header_cache import read_headers

__all__ = [
    "OUTPUT_DTYPES",
    "OUTPUT_TYPES",
    "DecodeError",
    "ImageInfo",
    "decode",
    "decode_view",
    "output_channels",
    "output_shape",
    "peek",
    "peek_all",
    "sniff",
]

_FOREIGN = (
    (b"GIF8", "a GIF"),
    (b"\0\0\1\0", "a Windows icon"),
    (b"%PDF", "a PDF document"),
    (b"<svg", "an SVG drawing"),
    (b"<?xml", "an XML text"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
    (b"8BPS", "a Photoshop file"),
    (b"PK\3\4", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x93NUMPY", "a numpy array (use the numpy reader)"),
)
_SUPPORTED = "JPEG, PNG, BMP, TIFF, WebP, PNM (PBM, PGM, PPM) and JPEG 2000"


def sniff(buf: Buffer) -> ImageFormat:
    """Recognise the format of an image file from its first bytes.

    Raises
    ------
    DecodeError
        When it is none of the supported ones; the message says what it looks like instead.
    """
    head = bytes(as_view(buf)[:16])
    if head[:3] == b"\xff\xd8\xff":
        return "jpeg"
    if head[:8] == png.SIGNATURE:
        return "png"
    if head[:2] == b"BM":
        return "bmp"
    if head[:4] in (b"II*\0", b"MM\0*", b"II+\0"):
        return "tiff"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    if head[:1] == b"P" and head[1:2] in (b"1", b"2", b"3", b"4", b"5", b"6") and head[2:3].isspace():
        return "pnm"
    if head[:12] == b"\0\0\0\x0cjP  \r\n\x87\n" or head[:4] == b"\xff\x4f\xff\x51":
        return "jpeg2000"
    size = len(as_view(buf))
    if size == 0:
        raise DecodeError("the image has no bytes; the file is empty")
    if size < 12 and head[:2] == b"\xff\xd8":
        raise DecodeError(f"the image has only {byte_count(size)}; the file is cut off")
    looks = next((name for mark, name in _FOREIGN if head.startswith(mark)), None)
    if head[4:12] in (b"ftypavif", b"ftypheic", b"ftypmif1"):
        looks = "an AVIF or HEIC picture"
    found = f"this is {looks}" if looks else f"{byte_count(size)} that start with {head[:8].hex(' ')}"
    raise DecodeError(f"not a supported image: {found}; expected {_SUPPORTED}")


def peek(buf: Buffer) -> ImageInfo:
    """Read the header of an image file; no pixel is decoded.

    Parameters
    ----------
    buf : bytes-like
        The file. Copied only for formats other than JPEG, PNG and BMP.

    Returns
    -------
    ImageInfo
        Format, stored size, channels, orientation and coding.

    Raises
    ------
    DecodeError
        When the format is unknown or the header is broken.
    """
    found = sniff(buf)
    if found == "jpeg":
        info = jpeg.parse_header(buf)
        jpeg.check_length(buf, info)
        return info
    if found == "png":
        return png.parse_header(as_view(buf))
    if found == "bmp":
        return bmp.peek(as_view(buf))
    from dali_studio.kernels.cpu import pillow_codec  # noqa: PLC0415 - few programs have such files

    return pillow_codec.peek(as_view(buf), found)


def peek_all(files: Sequence[NDArray[np.uint8]]) -> tuple[list[ImageInfo | DecodeError], NDArray[np.int64]]:
    """`peek` for many files: the different headers, or errors in their place, and which of them a file has."""
    found, which = read_headers(files)  # remembered by kind; the length is the file's own
    largest = max([info.height * info.width for info in found], default=0)
    if len(files) and int(shapes_of(files)[:, 0].min()) * jpeg.MAX_PIXELS_A_BYTE < largest:
        return [_peeked(file) for file in files], np.arange(len(files))
    kinds: list[ImageInfo | DecodeError] = [*found]
    for index in np.flatnonzero(which < 0).tolist():
        which[index] = len(kinds)
        kinds.append(_peeked(files[index]))
    return kinds, which


def _peeked(file: NDArray[np.uint8]) -> ImageInfo | DecodeError:
    try:
        return peek(file)
    except DecodeError as error:
        return error


def output_shape(info: ImageInfo, output_type: str = "RGB", adjust_orientation: bool = True) -> tuple[int, int, int]:
    """Height, width and channels that `decode` will produce.

    Parameters
    ----------
    info : ImageInfo
        Header of the file.
    output_type : str
        "RGB", "BGR", "GRAY", "YCbCr" or "ANY_DATA" (the channels of the file).
    adjust_orientation : bool
        Whether the picture is turned upright as its Exif tag asks.
    """
    channels = output_channels(info.channels, output_type)
    if adjust_orientation and swaps_axes(info.orientation):
        return info.width, info.height, channels
    return info.height, info.width, channels


def decode(
    buf: Buffer,
    info: ImageInfo | None = None,
    *,
    output_type: str = "RGB",
    dtype: DTypeLike = np.uint8,
    adjust_orientation: bool = True,
    use_fast_idct: bool = False,
    repeat_chroma: bool = False,
    roi: Window | None = None,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Decode an image file.

    Parameters
    ----------
    buf : bytes-like
        The file.
    info : ImageInfo, optional
        Its header, if it was peeked before.
    output_type : str
        "RGB", "BGR", "GRAY", "YCbCr" (studio range) or "ANY_DATA" (channels of the file, alpha included).
    dtype : dtype
        uint8, int8, uint16, int16, uint32, int32 (0 to the largest number) or float32 (0 to 1).
    adjust_orientation : bool
        Turn the picture upright as its Exif tag asks.
    use_fast_idct : bool
        Faster, less accurate JPEG transform (about one level of difference on average). As in nvidia.dali, pictures
        that have to be turned get the accurate one all the same.
    repeat_chroma : bool
        Repeat the subsampled chroma of JPEG instead of interpolating it: the pixels of NVIDIA's hardware decoder.
    roi : (int, int, int, int), optional
        First row, first column, height and width of the part to decode, in the upright picture.
    out : ndarray, optional
        Where to put the pixels: C-contiguous, of exactly the right shape and ``dtype``.

    Returns
    -------
    ndarray of dtype, shape (height, width, channels)
        C-contiguous; ``out`` if given.

    Raises
    ------
    DecodeError
        When the file is damaged, cut off or of an unsupported kind.
    ValueError
        When an argument makes no sense.
    """
    target = check_output(output_type, dtype)
    header = peek(buf) if info is None else info
    orientation = header.orientation if adjust_orientation else 1
    height, width, channels = output_shape(header, output_type, adjust_orientation)
    if roi is not None:
        check_window(roi, height, width)
        height, width = roi[2:]
    _check_out(out, (height, width, channels), target)
    direct = out if orientation == 1 and roi is None and target == np.uint8 else None
    stored = None if roi is None else stored_window(roi, header.height, header.width, orientation)
    fast_idct = use_fast_idct and orientation == 1
    image = _stored_pixels(buf, header, output_type, fast_idct, repeat_chroma, stored, orientation != 1, target, direct)
    upright = orient(image, orientation)
    if out is None:
        return np.ascontiguousarray(upright) if roi is None or header.format != "jpeg" else upright.copy()
    if upright is not out and not _same_memory(upright, out):
        out[...] = upright
    return out


def decode_view(
    buf: Buffer,
    info: ImageInfo,
    roi: Window,
    *,
    output_type: str = "RGB",
    adjust_orientation: bool = True,
    use_fast_idct: bool = False,
    repeat_chroma: bool = False,
) -> NDArray[np.uint8]:
    """Decode a window to uint8 without a copy where the file allows it.

    Parameters
    ----------
    buf, info, roi, output_type, adjust_orientation, use_fast_idct, repeat_chroma
        As for `decode`.

    Returns
    -------
    ndarray of uint8, shape (roi height, roi width, channels)
        Pixels and channels are adjacent, rows may lie further apart. The memory belongs to this thread and is
        overwritten by its next call: use the pixels, or copy them, before.
    """
    orientation = info.orientation if adjust_orientation else 1
    height, width, _ = output_shape(info, output_type, adjust_orientation)
    check_window(roi, height, width)
    stored = stored_window(roi, info.height, info.width, orientation)
    fast_idct = use_fast_idct and orientation == 1
    image = _stored_pixels(
        buf, info, output_type, fast_idct, repeat_chroma, stored, orientation != 1, np.dtype(np.uint8), None
    )
    upright = orient(image, orientation)
    packed = upright.strides[1:] == (upright.shape[2], 1)
    return upright if packed else upright.copy()


def _stored_pixels(
    buf: Buffer,
    info: ImageInfo,
    output_type: str,
    fast_idct: bool,
    repeat_chroma: bool,
    window: Window | None,
    turned: bool,
    dtype: np.dtype[Any],
    out: NDArray[Any] | None,
) -> NDArray[Any]:
    """Pixels as stored (not turned), in the wanted colours and type; ``window`` is in stored coordinates."""
    if info.format == "jpeg":
        colors, rest = jpeg.colors_for(info, output_type)
        speed = {"fast_dct": fast_idct, "fast_upsampling": repeat_chroma}
        if window is None:
            memory = out if rest is None else None
            image = jpeg.decode(buf, info, colors, **speed, out=memory)  # pyright: ignore[reportArgumentType]
        else:
            image = jpeg.decode_window(buf, info, *window, colors, **speed)
        if rest is None:
            return image if dtype == np.uint8 else convert(image, "jpeg", "ANY_DATA", dtype)
        return jpeg.finish(image, info, rest, dtype)
    if info.format == "png":
        # pixels may be decoded where they are to lie, unless channels change places or are mixed
        native = png.decode(as_view(buf), info, None if output_type in ("BGR", "YCbCr") else out)
    elif info.format == "bmp":
        native = bmp.decode(as_view(buf), info)
    else:
        from dali_studio.kernels.cpu import pillow_codec  # noqa: PLC0415 - few programs have such files

        native = pillow_codec.decode(as_view(buf), info, output_type)
    if window is not None:
        y, x, h, w = window
        native = native[y : y + h, x : x + w]
    if output_type == "GRAY" and native.shape[2] >= 3 and states_gamma(info.gamma) and not info.animated:
        native = to_gray_by_light(native, info.gamma)
    elif output_type == "GRAY" and info.colors == "masks":
        native = truncated_gray(native)
    elif output_type == "GRAY" and info.bit_depth == 12 and native.shape[2] >= 3:  # a TIFF, which goes through OpenCV
        native = to_gray(native >> 4, "bmp") << 4
    return convert(native, _gray_rule(info, turned), output_type, dtype)


def _gray_rule(info: ImageInfo, turned: bool) -> str:
    """Format whose weights make gray: nvidia.dali leaves TIFF files to OpenCV when they are turned, CMYK or the like.

    Turned ones of floats it does not read. OpenCV leaves gray of PNG files to libpng, but not of animated ones.
    """
    if info.animated:
        return "webp"
    by_opencv = info.colors in ("cmyk", "converted") or (turned and info.bit_depth <= 16)
    return "bmp" if info.format == "tiff" and by_opencv else info.format


def _check_out(out: NDArray[Any] | None, shape: tuple[int, int, int], dtype: np.dtype[Any]) -> None:
    if out is None:
        return
    if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
        order = "" if out.flags.c_contiguous else ", not contiguous"
        raise ValueError(
            f"out is {out.dtype.name} of shape {out.shape}{order}; this image needs {dtype.name} of {shape}"
        )


def _same_memory(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return a.__array_interface__["data"][0] == b.__array_interface__["data"][0] and a.strides == b.strides
