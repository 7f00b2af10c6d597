"""Image files that announce what they do not hold, or hold more than they announce."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from PIL import Image

_PNG = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, body: bytes) -> bytes:
    """A chunk of a PNG file."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(height: int, width: int, compressed: bytes, *between: bytes, depth: int = 8, interlaced: bool = False) -> bytes:
    """An RGB file with the given compressed pixels, behind further chunks."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, interlaced))
    return _PNG + header + b"".join(between) + chunk(b"IDAT", compressed) + chunk(b"IEND", b"")


def png_rows(height: int, width: int, seed: int = 0) -> bytes:
    """Unfiltered rows of an RGB file of 8 bits."""
    rows = np.random.default_rng(seed).integers(0, 256, (height, 1 + 3 * width), np.uint8)
    rows[:, 0] = 0
    return rows.tobytes()


def surplus(size: int = 100_000) -> dict[str, bytes]:
    """PNG files with more than their pixels, all of which nvidia.dali accepts."""
    rows = png_rows(8, 10)
    return {
        "a byte": png(8, 10, zlib.compress(rows + b"x")),
        "rows": png(8, 10, zlib.compress(rows + rows)),
        "rows with unknown filters": png(8, 10, zlib.compress(rows + b"\x09" * 200)),
        "many": png(8, 10, zlib.compress(rows + bytes(size))),
        "behind the end of the stream": png(8, 10, zlib.compress(rows) + b"more" * 99),
        "interlaced": png(1, 1, zlib.compress(b"\0abc" + bytes(size)), interlaced=True),
        "of 16 bits": png(1, 1, zlib.compress(b"\0abcdef" + bytes(size)), depth=16),
        "further chunks": png(8, 10, zlib.compress(rows))[:-12] + chunk(b"tEXt", b"a\0b") + chunk(b"IDAT", b"x") + chunk(b"IEND", b""),
    }  # fmt: skip


def incomplete() -> dict[str, bytes]:
    """PNG files without all of their pixels, all of which nvidia.dali refuses."""
    rows = png_rows(8, 10)
    packed = zlib.compress(rows)
    apart = png(8, 10, packed[:100])[:-12] + chunk(b"tEXt", b"a\0b") + chunk(b"IDAT", packed[100:]) + chunk(b"IEND", b"")
    return {
        "a byte too few": png(8, 10, zlib.compress(rows[:-1])),
        "nothing": png(8, 10, b""),
        "no checksum": png(8, 10, packed[:-4]),
        "half a checksum": png(8, 10, packed[:-2]),
        "a wrong checksum": png(8, 10, packed[:-1] + bytes([packed[-1] ^ 1])),
        "a cut stream": png(8, 10, packed[:-20]),
        "pixels in two places": apart,
    }


def misplaced() -> dict[str, bytes]:
    """PNG files whose chunks are not what they should be, all of which nvidia.dali refuses."""
    pixels = chunk(b"IDAT", zlib.compress(bytes(11 * 8)))
    palette, header = chunk(b"PLTE", bytes(range(96))), chunk(b"IHDR", struct.pack(">IIBBBBB", 10, 8, 8, 3, 0, 0, 0))
    chunks = {
        "no palette": (pixels,),
        "palette behind the pixels": (pixels, palette),
        "two palettes": (palette, palette, pixels),
        "half a colour": (chunk(b"PLTE", b"x" * 50), pixels),
        "too many colours": (chunk(b"PLTE", b"x" * 771), pixels),
        "empty palette": (chunk(b"PLTE", b""), pixels),
        "a kind that has to be understood": (palette, pixels, chunk(b"ABCD", b"x")),
        "a name that is none": (palette, chunk(b"a1Cd", b"x"), pixels),
        "a name of the future": (palette, chunk(b"abcd", b"x"), pixels),
        "two headers": (header, palette, pixels),
    }
    return {name: _PNG + header + b"".join(parts) + chunk(b"IEND", b"") for name, parts in chunks.items()}


def jpeg(height: int, width: int, *, end: bool = False) -> bytes:
    """A small JPEG file whose header announces another size."""
    stream = io.BytesIO()
    Image.fromarray(np.zeros((16, 16, 3), np.uint8)).save(stream, "JPEG")
    data = bytearray(stream.getvalue())
    at = data.find(b"\xff\xc0") + 5
    data[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(data if end else data[:-2])


def bmp(height: int, width: int) -> bytes:
    """A BMP file with a few bytes of pixels."""
    head = struct.pack("<IHHI", 74, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, *[0] * 6)
    return b"BM" + head + b"x" * 20


def tiff(height: int, width: int) -> bytes:
    """A gray TIFF file, not compressed, with a few bytes of pixels."""
    tags = ((256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 200), (277, 1), (278, height), (279, 16))
    entries = b"".join(struct.pack("<HHII", tag, 4 if tag in (256, 257, 273, 278, 279) else 3, 1, value) for tag, value in tags)
    return (b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags)) + entries + bytes(4)).ljust(200, b"\0") + b"x" * 16


def pnm(height: int, width: int) -> bytes:
    """A PPM file with a few bytes of pixels."""
    return f"P6 {width} {height} 255\n".encode() + b"x" * 50


def jpeg2000(height: int, width: int) -> bytes:
    """A small JPEG 2000 file whose headers announce another size, in one tile."""
    stream = io.BytesIO()
    Image.fromarray(np.zeros((64, 64, 3), np.uint8)).save(stream, "JPEG2000")
    data = bytearray(stream.getvalue())
    struct.pack_into(">6I", data, data.find(b"\xff\x4f\xff\x51") + 8, width, height, 0, 0, width, height)
    struct.pack_into(">II", data, data.find(b"ihdr") + 4, height, width)
    return bytes(data)


def webp(file: bytes, height: int, width: int) -> bytes:
    """A WebP file whose header announces another size."""
    data = bytearray(file)
    if file[12:16] == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        struct.pack_into("<I", data, 21, (bits & 0xF0000000) | (height - 1) << 14 | (width - 1))
    else:
        struct.pack_into("<HH", data, 26, width, height)
    return bytes(data)


def tiles(codestream: bytes, size: tuple[int, int], tile: tuple[int, int]) -> bytes:
    """A JPEG 2000 codestream that announces another size, and tiles of another size; width first."""
    data = bytearray(codestream)
    struct.pack_into(">6I", data, 8, *size, 0, 0, *tile)
    return bytes(data)


#: Makers of files that announce a size, and are too short for large ones.
SHORT = {
    "png": lambda height, width: png(height, width, b""),
    "jpeg": jpeg,
    "bmp": bmp,
    "tiff": tiff,
    "pnm": pnm,
}
