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
    return bitmap(height, width, pixels=b"x" * 20)


def bitmap(
    height: int, width: int, bits: int = 24, *, kind: int = 0, size: int = 40, more: bytes = b"", colors: bytes = b"",
    used: int = 0, begin: int | None = None, pixels: bytes | None = None,
) -> bytes:  # fmt: skip
    """A BMP file of any kind: `more` follows the 40 bytes of the header, `colors` are those of its palette."""
    if pixels is None:
        pitch = -(-abs(width) * bits // 32) * 4
        pixels = np.random.default_rng([abs(height), abs(width), bits]).integers(0, 256, abs(height) * pitch, np.uint8).tobytes()
    head = struct.pack("<IiiHHIIiiII", size, width, height, 1, bits, kind, *[0] * 3, used, 0) + more
    offset = 14 + len(head) + len(colors) if begin is None else begin
    return b"BM" + struct.pack("<IHHI", 74, 0, 0, offset) + head + colors + pixels


def bitmaps() -> dict[str, bytes]:
    """BMP files that Pillow does not write, all of which nvidia.dali accepts."""
    few = bytes(range(64))
    many = np.random.default_rng(3).integers(0, 256, 1024, np.uint8).tobytes()
    gray = b"".join(bytes([i, i, i, 0]) for i in range(256))
    runs = b"\x07\x01\0\0\x07\x02\0\0\x03\x05\0\0\0\x04\1\2\3\4\0\2\3\1\2\3\0\1"

    def masks(*values: int) -> bytes:
        return struct.pack(f"<{len(values)}I", *values)

    def with_masks(*values: int) -> bytes:
        return bitmap(5, 7, 32, kind=3, size=108, more=masks(*values) + bytes(52))

    return {
        "4 bits": bitmap(5, 7, 4, colors=few),
        "4 bits, 9 colours": bitmap(5, 7, 4, colors=few[:36], used=9),
        "8 bits, 5 colours": bitmap(5, 7, 8, colors=few[:20], used=5),
        "8 bits, gray": bitmap(5, 7, 8, colors=gray),
        "runs": bitmap(5, 7, 8, kind=1, colors=many, pixels=runs),
        "runs, gray": bitmap(5, 7, 8, kind=1, colors=gray, pixels=runs),
        "runs, downwards": bitmap(-5, 7, 8, kind=1, colors=many, pixels=runs),
        "runs that end at once": bitmap(5, 7, 8, kind=1, colors=many, pixels=b"\0\1"),
        "a full row of single pixels": bitmap(2, 4, 8, kind=1, colors=many, pixels=b"\0\4\1\2\3\4\0\0\4\5"),
        "16 bits, 555": bitmap(5, 7, 16, kind=3, more=masks(0x7C00, 0x3E0, 0x1F)),
        "16 bits, 565": bitmap(5, 7, 16, kind=3, more=masks(0xF800, 0x7E0, 0x1F)),
        "32 bits, masks of 8": with_masks(0xFF, 0xFF00, 0xFF0000, 0xFF000000),
        "32 bits, masks of 10": with_masks(0x3FF00000, 0xFFC00, 0x3FF, 0),
        "32 bits, odd masks": with_masks(0x50F00000, 0xFFFF00, 0x1, 0),
        "32 bits, a mask missing": with_masks(0xFF, 0, 0xFF00, 0),
        "32 bits, masks behind the header": bitmap(5, 7, 32, kind=3, more=masks(0xFF, 0xFF00, 0xFF0000)),
        "downwards": bitmap(-5, 7),
        "a header of 41 bytes": bitmap(5, 7, size=41, more=b"x"),
        "a header that is longer than the file": bitmap(5, 7, size=30_000),
        "pixels from the beginning": bitmap(5, 7, begin=0),
    }


def tiff(height: int, width: int) -> bytes:
    """A gray TIFF file, not compressed, with a few bytes of pixels."""
    tags = ((256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 200), (277, 1), (278, height), (279, 16))
    entries = b"".join(struct.pack("<HHII", tag, 4 if tag in (256, 257, 273, 278, 279) else 3, 1, value) for tag, value in tags)
    return (b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags)) + entries + bytes(4)).ljust(200, b"\0") + b"x" * 16


def packed_tiff(height: int, width: int, compression: str) -> bytes:
    """A small TIFF file with compressed pixels, whose header announces another size."""
    stream = io.BytesIO()
    Image.fromarray(np.zeros((16, 16, 3), np.uint8)).save(stream, "TIFF", compression=compression)
    data = bytearray(stream.getvalue())
    (start,) = struct.unpack_from("<I", data, 4)
    for at in range(start + 2, len(data) - 11, 12):
        tag = int.from_bytes(data[at : at + 2], "little")
        if tag in (256, 257, 278):  # as long integers: width, height, rows of a strip
            struct.pack_into("<HII", data, at + 2, 4, 1, width if tag == 256 else height)
        if tag == 278:
            break
    return bytes(data)


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
