"""PNG files of every kind: all bit depths and colour types, palettes and Adam7.

ISA-L inflates (package `isal`, some 2.5 times as fast as zlib) and a compiled loop undoes the row filters; both release
the GIL. Sound files of 8 bits a channel without a palette are decoded by compiled code as a whole, which calls ISA-L
itself. What ISA-L refuses, and everything where the package is not installed, is left to zlib, so that its verdict on
damaged files holds. 16-bit channels keep all their bits, which Pillow does not do for colours.
"""

from __future__ import annotations

import ctypes
import importlib
import io
import struct
import sys
import zlib
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.optional import available
from dali_studio.core.wording import byte_count, size_words
from dali_studio.kernels.cpu.exif import agreed, exif_orientation
from dali_studio.kernels.cpu.image_info import DecodeError, ImageInfo
from dali_studio.kernels.cpu.native import kernel

#: zlib on platforms for which the package has no wheel.
fast_zlib: Any = importlib.import_module("isal.isal_zlib") if available("isal") else zlib
SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_ADAM7 = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
"""First row, first column, row step and column step of the seven passes."""
#: What libpng takes the gamma of sRGB for, and the rendering intents with which it takes the chunk seriously.
_SRGB_GAMMA = 45455
_INTENTS = (b"\0", b"\1", b"\2", b"\3")
#: Bytes that one compressed byte can stand for, at most: 258 take two bits.
_MAX_INFLATED = 1032
#: Place of the first chunk, the chunks that every reader has to understand, the colour type with a palette, its bytes.
_FIRST, _CRITICAL, _PALETTE, _LONGEST_PALETTE = 8, (b"IHDR", b"PLTE", b"IDAT", b"IEND"), 3, 768
#: Bytes that describe a frame of an animation.
_FRAME_BYTES = 26
#: How an Exif block has to begin for libpng.
_EXIF_MARKS = (b"II*\0", b"MM\0*")
#: Compressed bytes that zlib inflates at a time: it copies what it could not use.
_PIECE = 1 << 16
#: What compiled code calls of ISA-L.
_FUNCTIONS = ("isal_inflate_init", "isal_inflate_stateless", "isal_adler32", "crc32_gzip_refl")


def parse_header(data: memoryview) -> ImageInfo:
    """Read the header of a PNG file, its Exif blocks and, before the pixels, how bright its numbers are.

    Raises
    ------
    DecodeError
        When the header is cut off or makes no sense.
    """
    if len(data) < 33 or bytes(data[12:16]) != b"IHDR":
        raise DecodeError(f"the PNG file has {byte_count(len(data))} and no complete header; expected 33 bytes or more")
    width, height, depth, color, method, filtering, interlace = struct.unpack(">IIBBBBB", data[16:29])
    small = 0 < width < 1 << 31 and 0 < height < 1 << 31
    if not small or depth not in _DEPTHS.get(color, ()) or method or filtering or interlace > 1:
        raise DecodeError(
            f"broken PNG header: {size_words(height, width)}, {depth} bits, colour type {color}, "
            f"interlacing {interlace}"
        )
    needed = sum(_pass_sizes(_passes(height, width, interlace == 1), _CHANNELS[color] * depth))
    if needed > _MAX_INFLATED * len(data):
        raise DecodeError(
            f"this PNG file of {byte_count(len(data))} cannot hold the {size_words(height, width)} that its "
            "header announces; it is cut off or forged"
        )
    parsed, turned, gamma, position, late = 1, 0, 0, 33, False  # late: libpng leaves a gamma behind a palette alone
    animated = behind = False  # behind: the still picture
    while position + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        body = data[position + 8 : position + 8 + length]
        if kind == b"eXIf":
            parsed = exif_orientation(body) or parsed
            if not turned and bytes(body[:4]) in _EXIF_MARKS and _is_whole(data, position, length):  # libpng's rules
                turned = exif_orientation(body, damaged=True) or 1
        elif kind in (b"sRGB", b"gAMA") and not late and _is_whole(data, position, length):
            if kind == b"gAMA":
                gamma = gamma or (int.from_bytes(body, "big") if length == 4 else 0)
            elif bytes(body[:1]) in _INTENTS:
                gamma = _SRGB_GAMMA
        elif kind == b"acTL" and not behind:
            animated |= length == 8 and int.from_bytes(body[:4], "big") > 1
        if kind == b"IEND":
            break
        behind |= kind == b"IDAT"
        late |= kind in (b"PLTE", b"IDAT")
        position += 12 + length
    return ImageInfo(
        format="png",
        height=height,
        width=width,
        channels=3 if color == 3 else _CHANNELS[color],
        orientation=agreed(parsed, turned or 1),
        bit_depth=16 if depth == 16 else 8,
        interlaced=interlace == 1,
        gamma=gamma,
        animated=animated,
    )


def decode(data: memoryview, info: ImageInfo, out: NDArray[np.uint8] | None = None) -> NDArray[Any]:
    """Decode a PNG file as stored: gray, gray + alpha, RGB or RGB + alpha; palettes become RGB.

    Parameters
    ----------
    data : memoryview
        The file.
    info : ImageInfo
        Its header.
    out : ndarray of uint8, optional
        Memory in C order, which is used if it fits pixels that need no more work than their filters.

    Returns
    -------
    ndarray of uint8 or uint16, shape (height, width, channels)
        uint16 for 16-bit files; depths below 8 bits are stretched to 0..255.

    Raises
    ------
    DecodeError
        When a chunk is damaged or missing.
    """
    if info.animated:
        return _first_frame(data, info)
    depth, color = data[24], data[25]
    channels = _CHANNELS[color]
    if depth == 8 and color != _PALETTE and not info.interlaced and is_compiled():
        shape = info.height, info.width, channels
        pixels = np.empty(shape, np.uint8) if out is None or out.shape != shape else out
        if kernel("decode_png_into")(np.frombuffer(data, np.uint8), pixels):
            return pixels
    compressed, palette = _chunks(data)
    passes = _passes(info.height, info.width, info.interlaced)
    sizes = _pass_sizes(passes, channels * depth)
    raw = _inflate(compressed, sum(sizes), info)
    if depth == 8 and color != 3 and not info.interlaced:
        return _samples(raw, info.height, info.width, channels, depth, out)
    image = np.empty((info.height, info.width, channels), info.dtype)
    begin = 0
    for ((first_row, first_column, row_step, column_step), rows, columns), size in zip(passes, sizes, strict=True):
        part = _samples(raw[begin : begin + size], rows, columns, channels, depth)
        image[first_row::row_step, first_column::column_step] = part
        begin += size
    if color == 3:
        return _look_up(image[..., 0], palette)
    if depth < 8:
        image *= 255 // ((1 << depth) - 1)
    return image


def _first_frame(data: memoryview, info: ImageInfo) -> NDArray[Any]:
    """The first frame of an animation as OpenCV reads it, on black; the still picture only where it is a frame."""
    still, place, position, frames = bytearray(data[:_FIRST]), (0, 0, 0, 0), _FIRST, 0
    while position + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        chunk = data[position : position + 12 + length]
        if kind == b"fcTL":
            frames += 1
            if frames == 1 and length == _FRAME_BYTES:
                place = struct.unpack(">4I", chunk[12:28])  # columns, rows, first column, first row
                still[_FIRST : _FIRST + 25] = _chunk(b"IHDR", bytes(chunk[12:20]) + bytes(data[24:29]))
        elif kind == b"fdAT" and frames == 1:
            still += _chunk(b"IDAT", bytes(chunk[12:-4]))
        elif kind not in (b"acTL", b"fdAT") and (kind != b"IDAT" or frames == 1):
            still += chunk
        if kind == b"IEND":
            break
        position += 12 + length
    columns, rows, left, top = place
    if not 0 < columns <= info.width - left or not 0 < rows <= info.height - top:
        raise DecodeError(
            f"the first frame of the animated PNG file has {size_words(rows, columns)} at ({left}, {top}); "
            f"its picture has {size_words(info.height, info.width)}"
        )
    view = memoryview(still)
    frame = decode(view, parse_header(view))
    if frame.shape[:2] == (info.height, info.width):
        return frame
    image = np.zeros((info.height, info.width, frame.shape[2]), frame.dtype)
    image[top : top + rows, left : left + columns] = frame
    return image


def _chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk, with its length and its checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", fast_zlib.crc32(kind + body))


@cache
def is_compiled() -> bool:
    """Whether compiled code can decode files of the usual kind: ISA-L's functions are found, and work.

    They are looked up in the extension module of the package, which is linked to the library.
    """
    if fast_zlib is zlib or sys.platform == "win32" or sys.maxsize < 2**32:
        return False
    try:
        library = ctypes.CDLL(fast_zlib.__file__)
        found = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in _FUNCTIONS]
    except (AttributeError, OSError):
        return False
    from PIL import Image  # noqa: PLC0415 - only here

    kernel("png_use")(np.array(found, np.int64))
    wanted = np.arange(600, dtype=np.uint8).reshape(10, 20, 3) ** 2
    made, file = np.zeros_like(wanted), io.BytesIO()
    Image.fromarray(wanted).save(file, "png")
    decoded = kernel("decode_png_into")(np.frombuffer(file.getvalue(), np.uint8), made)
    return bool(decoded) and np.array_equal(made, wanted)


_Pass = tuple[tuple[int, int, int, int], int, int]


def _passes(height: int, width: int, interlaced: bool) -> list[_Pass]:
    """Grid, rows and columns of every pass that holds pixels."""
    grids = _ADAM7 if interlaced else ((0, 0, 1, 1),)
    sizes = [(grid, -(-(height - grid[0]) // grid[2]), -(-(width - grid[1]) // grid[3])) for grid in grids]
    return [(grid, rows, columns) for grid, rows, columns in sizes if rows > 0 and columns > 0]


def _pass_sizes(passes: list[_Pass], bits: int) -> list[int]:
    """Bytes of the filtered rows of every pass; a pixel has so many bits."""
    return [rows * (1 + -(-columns * bits // 8)) for _, rows, columns in passes]


def _chunks(data: memoryview) -> tuple[list[memoryview], NDArray[np.uint8]]:
    """The compressed pixels and the palette; every critical chunk's checksum is verified.

    As for libpng, pixels lie in chunks that follow each other; further ones, behind another chunk, are passed over.
    """
    position = _FIRST
    pixels: list[memoryview] = []
    palette = np.zeros((0, 3), np.uint8)
    before = b""
    while position + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        body = data[position + 8 : position + 8 + length]
        if position + 12 + length > len(data):
            break
        if not kind[0] & 0x20 and not _is_whole(data, position, length):
            raise DecodeError(f"the PNG file is damaged: wrong checksum in its {kind.decode('latin1')} chunk")
        _check_kind(kind, first=position == _FIRST)
        if kind == b"IDAT" and (not pixels or before == kind):
            pixels.append(body)
        elif kind == b"PLTE" and data[25] == _PALETTE:
            if len(palette) or pixels or length % 3 or not 0 < length <= _LONGEST_PALETTE:
                raise DecodeError("the PNG file is damaged: its palette is broken, late or given twice")
            palette = np.frombuffer(body, np.uint8).reshape(-1, 3)
        elif kind == b"IEND":
            if data[25] == _PALETTE and not len(palette):
                raise DecodeError("the PNG file is damaged: it has no palette")
            return pixels, palette
        position, before = position + 12 + length, kind
    raise DecodeError(f"the PNG file ends after {byte_count(len(data))} without its end chunk (IEND); it is cut off")


def _check_kind(kind: bytes, *, first: bool) -> None:
    """Refuse a chunk whose name is none, or that has to be understood and is not."""
    plain = kind.isalpha() and not kind[2] & 0x20
    if first != (kind == b"IHDR") or not plain or not (kind[0] & 0x20 or kind in _CRITICAL):
        raise DecodeError(f"the PNG file is damaged: it has a chunk called {kind.decode('latin1')!r}")


def _is_whole(data: memoryview, position: int, length: int) -> bool:
    """Whether the checksum of a chunk is right."""
    end = position + 8 + length
    return fast_zlib.crc32(data[position + 4 : end]) == int.from_bytes(data[end : end + 4], "big")


def _inflate(parts: list[memoryview], size: int, info: ImageInfo) -> NDArray[np.uint8]:
    """The first `size` bytes of the compressed pixels; what follows is not inflated, since it may be without end."""
    wanted = size + 1  # the byte behind the pixels tells whether the checksum should follow
    raw, finished = (None if fast_zlib is zlib else _inflate_fast(parts, wanted)) or _inflate_carefully(parts, wanted)
    if len(raw) < size:
        raise DecodeError(
            f"the PNG file holds {byte_count(len(raw))} of pixels; {size_words(info.height, info.width)} need "
            f"{byte_count(size)}"
        )
    if len(raw) == size and not finished:
        raise DecodeError("the PNG file is damaged: its compressed pixels end without their checksum")
    return raw[:size]


def _inflate_fast(parts: list[memoryview], wanted: int) -> tuple[NDArray[np.uint8], bool] | None:
    """Up to `wanted` bytes by ISA-L, and whether they end there; nothing if it finds a fault."""
    inflater = fast_zlib.decompressobj()
    try:
        made = inflater.decompress(parts[0] if len(parts) == 1 else b"".join(parts), wanted)
    except fast_zlib.error:
        return None
    return np.frombuffer(made, np.uint8), inflater.eof


def _inflate_carefully(parts: list[memoryview], wanted: int) -> tuple[NDArray[np.uint8], bool]:
    """The same by zlib."""
    raw = np.empty(wanted, np.uint8)
    inflater, filled = zlib.decompressobj(), 0
    pieces = (part[at : at + _PIECE] for part in parts for at in range(0, len(part), _PIECE))
    try:
        for piece in pieces:
            made = inflater.decompress(piece, wanted - filled)
            raw[filled : filled + len(made)] = np.frombuffer(made, np.uint8)
            filled += len(made)
            if filled == wanted or inflater.eof:
                break
    except zlib.error as problem:
        raise DecodeError(f"the PNG file is damaged: its compressed pixels cannot be read ({problem})") from problem
    return raw[:filled], inflater.eof


def _samples(
    raw: NDArray[np.uint8], rows: int, columns: int, channels: int, depth: int, out: NDArray[np.uint8] | None = None
) -> NDArray[Any]:
    """Undo the row filters and unpack the samples of one pass: (rows, columns, channels), in `out` if it fits."""
    stride = -(-columns * channels * depth // 8)
    if out is None or out.shape != (rows, columns, channels):
        out = np.empty((rows, stride), np.uint8)
    lines = out.reshape(rows, stride)
    above, step = np.zeros(stride, np.uint8), max(1, channels * depth // 8)
    if not kernel("unfilter")(raw.reshape(rows, stride + 1), lines, above, step):
        raise DecodeError("the PNG file is damaged: a row has an unknown filter; expected 0 to 4")
    if depth == 8:
        return lines.reshape(rows, columns, channels)
    if depth == 16:
        return lines.view(">u2").reshape(rows, columns, channels)
    shifts = np.arange(8 - depth, -1, -depth, dtype=np.uint8)
    samples = (lines[:, :, None] >> shifts) & np.uint8((1 << depth) - 1)
    return samples.reshape(rows, -1)[:, : columns * channels].reshape(rows, columns, channels)


def _look_up(index: NDArray[Any], palette: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Colours of palette indices; an index past the end of the palette is black."""
    table = np.zeros((256, 3), np.uint8)
    table[: min(len(palette), 256)] = palette[:256]
    return table[index]
