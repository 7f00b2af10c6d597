"""TIFF, WebP, PNM and JPEG 2000 through Pillow, where its pixels are nvidia.dali's; the rest is refused.

Pillow reads the headers of all; pixels of WebP come from libwebp itself, and those of JPEG 2000 with more than 8 bits
per colour from OpenJPEG, where these are within reach.

Refused with a reason: TIFF files of which neither Pillow nor `tiff_samples` gives the samples, and PNM files whose
largest value is neither 255 nor 65535.
"""

from __future__ import annotations

import io
import re
import struct
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.ImageFile import ImageFile
from PIL.Jpeg2KImagePlugin import Jpeg2KImageFile
from PIL.PpmImagePlugin import PpmImageFile
from PIL.TiffImagePlugin import TiffImageFile
from PIL.WebPImagePlugin import WebPImageFile

from dali_studio.core.wording import byte_count, size_words
from dali_studio.kernels.cpu import libwebp, openjpeg, tiff_samples
from dali_studio.kernels.cpu.image_convert import inks_to_rgb, lab_to_rgb
from dali_studio.kernels.cpu.image_info import DecodeError, ImageFormat, ImageInfo, swaps_axes, unorient


class _TiffFile(TiffImageFile):
    """A TIFF file as libtiff makes colours of it: of YCbCr that is not compressed, of a palette with alpha, too."""

    @property
    def use_load_libtiff(self) -> bool:
        return self._by_libtiff or self.tag_v2.get(_PHOTOMETRIC) == _YCBCR

    @use_load_libtiff.setter
    def use_load_libtiff(self, value: bool) -> None:
        self._by_libtiff = value

    def _setup(self) -> None:
        if self.tag_v2.get(_PHOTOMETRIC) == _PALETTE and self.tag_v2.get(_EXTRA) == (_MULTIPLIED,):
            self.tag_v2[_EXTRA] = (_SEPARATE,)  # an index is no colour that an alpha could multiply
        super()._setup()


#: Opened directly: ``Image.open`` refuses large pictures by a limit of its own, which is the process's.
_PLUGINS: dict[ImageFormat, type[ImageFile]] = {
    "tiff": _TiffFile,
    "webp": WebPImageFile,
    "pnm": PpmImageFile,
    "jpeg2000": Jpeg2KImageFile,
}
#: Pillow's names of codings that spend a bit or more on every pixel.
_UNPACKED = ("raw", "ppm", "ppm_plain")
#: Bytes of pixels that a compressed byte of a TIFF can stand for, at most, by Pillow's name of the compression; others
#: have no such limit.
_MAX_INFLATED = {"raw": 8, "tiff_lzw": 4096, "tiff_adobe_deflate": 1032, "tiff_deflate": 1032, "packbits": 64}
#: Pillow's names of compressions of one bit a pixel, which spend a bit or more on every row.
_FAX = ("tiff_ccitt", "group3", "group4", "tiff_raw_16")
#: Tiles of a JPEG 2000 file, and bytes of the markers that begin each (SOT, SOD).
_MAX_TILES, _TILE_BYTES = 65535, 14
#: How a codestream of JPEG 2000 begins, and in how many bytes of a file.
_CODESTREAM, _HEAD = b"\xff\x4f\xff\x51", 65536
_WORDS = {"tiff": "TIFF", "webp": "WebP", "pnm": "PNM", "jpeg2000": "JPEG 2000"}
_CHANNELS = {
    "1": 1, "L": 1, "LA": 2, "P": 3, "PA": 3, "RGB": 3, "RGBA": 4, "RGBX": 3, "CMYK": 4, "F": 1, "I": 1, "LAB": 3,
}  # fmt: skip
_ORIENTATION, _COLOR_MAP, _BITS, _TILE_WIDTH, _TILE_HEIGHT, _FORMAT, _WHITE_POINT = 274, 320, 258, 322, 323, 339, 318
_PHOTOMETRIC, _PALETTE, _YCBCR = 262, 3, 6
_EXTRA, _MULTIPLIED, _SEPARATE = 338, 1, 2
_SIGNED = 2
_PNM_HEADER = re.compile(
    rb"P([1-6])(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+(\d+)(?:(?:\s|#[^\n]*\n)+(\d+))?\s", re.DOTALL
)


@contextmanager
def _reading(data: memoryview, fmt: ImageFormat) -> Generator[None]:
    """Where Pillow reads a file: every way it can fail, but for want of memory, becomes a `DecodeError`."""
    size = byte_count(len(data))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (DecodeError, MemoryError):
        raise
    except (SyntaxError, IndexError, TypeError, struct.error) as problem:
        if str(problem) == "unknown pixel mode":
            raise _unsupported_samples(fmt) from problem
        raise DecodeError(
            f"broken {_WORDS[fmt]} header in a file of {size}; the file is damaged or cut off"
        ) from problem
    except Exception as problem:  # Pillow's plugins raise nearly anything on damaged files
        if re.search("decoder (error|object)", str(problem)):  # with a number, or nothing, for the reason
            raise DecodeError(f"this {_WORDS[fmt]} file of {size} is damaged or cut off") from problem
        raise DecodeError(f"this {_WORDS[fmt]} file of {size} cannot be decoded: {problem}") from problem


def _unsupported_samples(fmt: ImageFormat) -> DecodeError:
    return DecodeError(
        f"this {_WORDS[fmt]} holds samples of a kind that is not supported; supported are whole numbers from 0 of 8 "
        "and 16 bits, and floats of 32"
    )


@contextmanager
def _opened(data: memoryview, fmt: ImageFormat) -> Generator[ImageFile]:
    with _reading(data, fmt), _PLUGINS[fmt](io.BytesIO(data)) as image:
        yield image


def peek(data: memoryview, fmt: ImageFormat) -> ImageInfo:
    """Read the header of a file.

    Raises
    ------
    DecodeError
        When the header is broken or the file is of a kind that is not supported.
    """
    if fmt == "jpeg2000":
        _refuse_tiles(data)
    if fmt == "tiff":
        samples = _samples(data)
        if samples is not None:
            return _peek_samples(data, samples)
    with _opened(data, fmt) as image:
        _refuse_unsupported(data, fmt, image)
        _refuse_incomplete(data, fmt, image)
        mode = image.mode
        wide = mode.startswith("I") or _is_wide_pnm(data, fmt) or (fmt == "tiff" and mode in ("P", "PA"))
        wide = wide or (fmt == "jpeg2000" and _bits_of_jpeg2000(data) > 8)
        depth = 32 if mode == "F" else 16 if wide else 8
        by_libtiff = mode == "LAB" or _tiff_tag(image, _PHOTOMETRIC, None) == _YCBCR
        width, height = image.size
        if fmt == "webp":
            libwebp.check_length(data, height, width)
        orientation = libwebp.orientation(data) if fmt == "webp" else _tiff_orientation(image)
        if fmt == "tiff" and swaps_axes(orientation):  # Pillow gives the upright size of a TIFF
            width, height = height, width
        return ImageInfo(
            format=fmt,
            height=height,
            width=width,
            channels=_CHANNELS.get(mode, 1),
            orientation=orientation,
            bit_depth=depth,
            colors="cmyk" if mode == "CMYK" else "converted" if by_libtiff else "",
        )


def decode(data: memoryview, info: ImageInfo, output_type: str) -> NDArray[Any]:
    """Decode a file as stored: gray, gray + alpha, RGB, RGB + alpha.

    Returns
    -------
    ndarray of uint8, uint16 or float32, shape (height, width, channels)

    Raises
    ------
    DecodeError
        When the file is damaged or cut off.
    """
    if _is_wide_pnm(data, info.format):
        return _wide_pnm(data, info)
    if info.format == "webp":
        pixels = libwebp.decode(data, (info.height, info.width, info.channels))
        if pixels is not None:
            return pixels
    if info.format == "jpeg2000" and info.bit_depth > 8 and info.channels > 1:
        return openjpeg.decode(data, (info.height, info.width, info.channels))
    samples = _samples(data) if info.format == "tiff" else None
    if samples is not None:
        planes = [_plane(data, samples, plane) for plane in range(samples.planes)]
        return np.ascontiguousarray(planes[0] if len(planes) == 1 else np.concatenate(planes, axis=2))
    with _opened(data, info.format) as image:
        if image.mode in ("P", "PA"):
            index = np.asarray(image)
            pixels = _palette(image)[index if index.ndim == 2 else index[..., 0]]
        else:
            pixels = _pixels(image, output_type)
        stored = unorient(pixels, info.orientation) if info.format == "tiff" else pixels
    return np.ascontiguousarray(stored)


def _samples(data: memoryview) -> tiff_samples.Samples | None:
    with _reading(data, "tiff"):
        return tiff_samples.samples_of(data)


def _plane(data: memoryview, samples: tiff_samples.Samples, plane: int) -> NDArray[Any]:
    with _reading(data, "tiff"), TiffImageFile(tiff_samples.as_bytes(data, samples, plane)) as image:
        return tiff_samples.of_bytes(np.asarray(image), samples)


def _peek_samples(data: memoryview, samples: tiff_samples.Samples) -> ImageInfo:
    with _reading(data, "tiff"), TiffImageFile(tiff_samples.as_bytes(data, samples)) as image:
        _refuse_incomplete(data, "tiff", image, (samples.width, samples.height))
        most = _MAX_INFLATED.get(image.info.get("compression", ""), 1)
    size = samples.height * samples.row * samples.planes
    if size > most * len(data):  # planes may share their places
        raise DecodeError(
            f"this TIFF file of {byte_count(len(data))} cannot hold the {byte_count(size)} of samples that its "
            "header announces; it is cut off or forged"
        )
    return ImageInfo(
        format="tiff", height=samples.height, width=samples.width, channels=samples.channels,
        orientation=samples.orientation, bit_depth=samples.bits,
    )  # fmt: skip


def _pixels(image: Image.Image, output_type: str) -> NDArray[Any]:
    """The image as an array; CMYK becomes RGB, with a fourth channel of 255 where the file's channels are wanted."""
    if image.mode == "CMYK":
        rgb = inks_to_rgb(np.asarray(image), inverted=False)
        return rgb if output_type != "ANY_DATA" else np.pad(rgb, ((0, 0), (0, 0), (0, 1)), constant_values=255)
    if image.mode in ("1", "RGBX"):
        image = image.convert("L" if image.mode == "1" else "RGB")
    array = np.asarray(image)
    if image.mode == "LAB":
        array = lab_to_rgb(array, _tiff_tag(image, _WHITE_POINT, None))
    if image.mode.startswith("I"):
        array = array.astype(np.uint16)
    return array[..., None] if array.ndim == 2 else array


def _palette(image: Image.Image) -> NDArray[Any]:
    """Colours of a palette image; TIFF stores them in 16 bits, of which Pillow drops the lower half."""
    wide = _tiff_tag(image, _COLOR_MAP, None)
    if wide is not None:
        colors = np.asarray(wide, np.uint16).reshape(3, -1).T
    else:
        # not `getpalette`, which decodes the picture: a header may state any size
        stored = image.palette
        order = (stored.rawmode or stored.mode) if stored is not None else "RGB"
        entries = np.frombuffer(bytes(stored.palette) if stored is not None else b"", np.uint8)
        entries = entries[: entries.size // len(order) * len(order)].reshape(-1, len(order))
        colors = entries[:, [order.index(channel) for channel in "RGB"]]
    table = np.zeros((256, 3), colors.dtype)
    table[: len(colors[:256])] = colors[:256]
    return table


def _tiff_tag(image: Image.Image, tag: int, default: Any) -> Any:
    """Value of a TIFF tag; the default for other files."""
    return image.tag_v2.get(tag, default) if isinstance(image, TiffImageFile) else default


def _tiff_orientation(image: Image.Image) -> int:
    value = _tiff_tag(image, _ORIENTATION, 1)
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _refuse_unsupported(data: memoryview, fmt: ImageFormat, image: Image.Image) -> None:
    mode = image.mode
    if mode not in _CHANNELS and not mode.startswith("I;16"):
        raise DecodeError(
            f"this {_WORDS[fmt]} holds {mode} colours, which are not supported; convert it to RGB or gray"
        )
    if fmt == "tiff":
        if mode == "I" or _SIGNED in _tiff_tag(image, _FORMAT, ()):
            raise _unsupported_samples(fmt)
        bits = _tiff_tag(image, _BITS, (1,))
        if len(bits) > 1 and max(bits) > 8:
            raise DecodeError(
                f"this TIFF has {len(bits)} channels of {max(bits)} bits in a form that is not supported; convert it "
                "to RGB of 8 or 16 bits, as it is or with LZW or Deflate"
            )
    if fmt == "jpeg2000" and (channels := _channels_of_jpeg2000(data)) > 1 and (bits := _bits_of_jpeg2000(data)) > 8:
        colors = (3, 4) if openjpeg.is_available() else ()
        if bits > 16 or channels not in colors:
            raise DecodeError(
                f"this JPEG 2000 has {channels} channels of {bits} bits; supported are 8, and gray "
                f"{'or colours ' if colors else ''}up to 16"
            )
    header = _PNM_HEADER.match(data) if fmt == "pnm" else None
    if header is not None and header[1] in b"2356" and int(header[4] or 0) not in (255, 65535):
        raise DecodeError(f"this PNM file counts to {int(header[4] or 0)}; supported: 255 and 65535")


def _refuse_incomplete(
    data: memoryview, fmt: ImageFormat, image: ImageFile, stated: tuple[int, int] | None = None
) -> None:
    """Refuse a file that is too short for the pixels that its header announces, or has strips for a part of them.

    `stated` are the width and height that the file says, if not those of the image.
    """
    width, height = image.size
    boxes = [tile[1] for tile in image.tile if tile[0] in _UNPACKED]
    pixels = sum((box[2] - box[0]) * (box[3] - box[1]) for box in boxes if box is not None)
    inflated = _MAX_INFLATED.get(image.info.get("compression", ""), 0) if fmt == "tiff" else 0
    filled = _up(width, image, _TILE_WIDTH) * _up(height, image, _TILE_HEIGHT)
    short = inflated and filled * min(_tiff_tag(image, _BITS, (1,))) > 8 * inflated * len(data)
    if fmt == "tiff" and image.info.get("compression") in _FAX:
        bits = max(_tiff_tag(image, _BITS, (1,)))
        if bits > 1:  # libtiff says so once Pillow has taken the memory
            raise DecodeError(f"broken TIFF header: a compression for 1 bit a pixel, and {bits} bits")
        short = height > 8 * len(data)
    if short or pixels > 8 * len(data) or (boxes and pixels < width * height):
        width, height = stated or image.size
        raise DecodeError(
            f"this {_WORDS[fmt]} file of {byte_count(len(data))} cannot hold the "
            f"{size_words(height, width)} that its header announces; it is cut off or forged"
        )


def _up(extent: int, image: Image.Image, tile: int) -> int:
    """An extent of a picture with what fills its last tile: libtiff takes memory for whole ones."""
    side = _tiff_tag(image, tile, 1)
    return -(-extent // side) * side if isinstance(side, int) and side > 0 else extent


# ------------------------------------------------------------------------------------------------- PNM, JPEG 2000


def _is_wide_pnm(data: memoryview, fmt: ImageFormat) -> bool:
    """Whether this is a binary PGM or PPM file with 16 bits per channel."""
    if fmt != "pnm":
        return False
    header = _PNM_HEADER.match(data)
    return header is not None and header[1] in (b"5", b"6") and header[4] == b"65535"


def _wide_pnm(data: memoryview, info: ImageInfo) -> NDArray[np.uint16]:
    header = _PNM_HEADER.match(data)
    begin = header.end() if header else 0
    count = info.height * info.width * info.channels
    if len(data) - begin < 2 * count:
        raise DecodeError(
            f"this PNM file of {size_words(info.height, info.width)} needs {byte_count(begin + 2 * count)}, but ends "
            f"after {byte_count(len(data))}; it is cut off"
        )
    values = np.frombuffer(data, ">u2", count, begin)
    return values.astype(np.uint16).reshape(info.height, info.width, info.channels)


def _refuse_tiles(data: memoryview) -> None:
    """Refuse a file with more tiles than its bytes can hold: OpenJPEG finds out after Pillow has taken the memory."""
    at = _codestream(data) - 32
    if at < 0:  # Pillow would take memory for what the box of the header says
        raise DecodeError(f"broken JPEG 2000 header: no codestream begins in the first {_HEAD:,} bytes")
    right, bottom, first_left, first_top, wide, high, tile_left, tile_top = struct.unpack_from(">8I", data, at)
    if not (wide and high):
        return  # Pillow says so
    # the first tile has to hold the first sample
    if not (tile_left <= first_left < tile_left + wide and tile_top <= first_top < tile_top + high):
        raise DecodeError(
            f"broken JPEG 2000 header: tiles of {size_words(high, wide)} begin at {tile_left}, {tile_top}"
        )
    _refuse_other_size(data, right - first_left, bottom - first_top)
    tiles = max(-(-(right - tile_left) // wide), 0) * max(-(-(bottom - tile_top) // high), 0)
    # Each has a header, and a byte for each component of each 32,768 x 32,768 samples at least.
    widest = min(wide, right - first_left), min(high, bottom - first_top)
    needed = tiles * _TILE_BYTES + max(widest[0] >> 15, 1) * max(widest[1] >> 15, 1)
    if tiles > _MAX_TILES or needed > len(data):
        raise DecodeError(
            f"this JPEG 2000 file of {byte_count(len(data))} cannot hold the {tiles:,} tiles that its header "
            "announces; it is cut off or forged"
        )


def _refuse_other_size(data: memoryview, width: int, height: int) -> None:
    """Refuse a file whose box of the header states another size than its codestream: Pillow takes memory by the box."""
    at = bytes(data[:_HEAD]).find(b"ihdr") + 4
    if at < 4 or len(data) < at + 8 or bytes(data[:4]) == _CODESTREAM:
        return
    stated = int.from_bytes(data[at : at + 4], "big"), int.from_bytes(data[at + 4 : at + 8], "big")
    if stated != (height, width):
        raise DecodeError(
            f"broken JPEG 2000 header: {size_words(*stated)}, but its codestream has {size_words(height, width)}"
        )


def _codestream(data: memoryview) -> int:
    """Position of the SIZ segment's component count in a JPEG 2000 file, or -1."""
    at = bytes(data[:_HEAD]).find(_CODESTREAM)
    return at + 40 if at >= 0 and len(data) > at + 44 else -1


def _channels_of_jpeg2000(data: memoryview) -> int:
    at = _codestream(data)
    return int.from_bytes(data[at : at + 2], "big") if at >= 0 else 1


def _bits_of_jpeg2000(data: memoryview) -> int:
    at = _codestream(data)
    return (data[at + 2] & 127) + 1 if at >= 0 else 8
