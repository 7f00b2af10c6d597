"""Small picture files of every kind, and mutations that know how each format is built."""

from __future__ import annotations

import io
import random
import re
import struct
import zlib
from collections.abc import Callable
from functools import cache

import forged
import numpy as np
from images import coded, encoded, picture
from PIL import Image

from fuzz import plain_bytes
from fuzz.randomness import integer, some

SIZES = ((24, 31), (8, 8), (1, 1), (17, 3), (3, 40), (33, 64))
Mutation = Callable[[random.Random, bytes], bytes]


# --------------------------------------------------------------------------------------------------------------- JPEG


def _segments(data: bytes) -> list[bytes]:
    """The file in pieces: start, one for each segment (with the coded pixels behind a scan's header), end."""
    pieces, at = [data[:2]], 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != 0xD9:
        end = at + 2 + struct.unpack_from(">H", data, at + 2)[0]
        if data[at + 1] == 0xDA:
            found = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]").search(data, end)
            end = found.start() if found else len(data)
        pieces.append(data[at:end])
        at = end
    return [*pieces, data[at:]]


def _jpeg_order(rng: random.Random, data: bytes) -> bytes:
    pieces = _segments(data)
    at, to = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    match rng.randrange(4):
        case 0:
            del pieces[at]
        case 1:
            pieces.insert(to, pieces[at])
        case 2:
            pieces[at], pieces[to] = pieces[to], pieces[at]
        case _:
            marker = rng.choice((0x01, 0x02, 0xC0, 0xC4, 0xC8, 0xCC, 0xD0, 0xD8, 0xD9, 0xDB, 0xDC, 0xDD, 0xE1, 0xEE, 0xF0, 0xFE, 0xFF))
            body = rng.randbytes(rng.choice((0, 1, 2, 12, 60)))
            length = len(body) + 2 if rng.random() < 0.8 else integer(rng, 16)
            pieces.insert(to, bytes([0xFF, marker]) + struct.pack(">H", length) + body)
    return b"".join(pieces)


def _jpeg_field(rng: random.Random, data: bytes) -> bytes:
    """Another number in a segment, most often the frame's or the scan's header."""
    pieces = _segments(data)
    heads = [i for i, piece in enumerate(pieces) if len(piece) > 4 and piece[1] in (0xC0, 0xC1, 0xC2, 0xDA, 0xDD, 0xEE)]
    all_of_them = [i for i, piece in enumerate(pieces) if len(piece) > 4]
    if not all_of_them:
        return plain_bytes.overwrite(rng, data)
    at = rng.choice(heads if heads and rng.random() < 0.7 else all_of_them)
    piece = bytearray(pieces[at])
    place = rng.randrange(2, min(len(piece), 24))
    if rng.random() < 0.7:
        piece[place] = integer(rng, 8)
    elif place + 2 <= len(piece):
        struct.pack_into(">H", piece, place, integer(rng, 16))
    pieces[at] = bytes(piece)
    return b"".join(pieces)


def _jpeg_pixels(rng: random.Random, data: bytes) -> bytes:
    """The coded pixels alone are mutated, so that the headers stay good."""
    pieces = _segments(data)
    scans = [i for i, piece in enumerate(pieces) if piece[1:2] == b"\xda"]
    if not scans:
        return plain_bytes.mutated(rng, data)
    at = rng.choice(scans)
    head = 2 + struct.unpack_from(">H", pieces[at].ljust(4, b"\0"), 2)[0]
    pieces[at] = pieces[at][:head] + plain_bytes.mutated(rng, pieces[at][head:])
    return b"".join(pieces)


# ---------------------------------------------------------------------------------------------------------------- PNG


def _chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], 8
    while at + 12 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        found.append((kind, data[at + 8 : at + 8 + length]))
        at += 12 + length
    return found


def _png(chunks: list[tuple[bytes, bytes]]) -> bytes:
    """The chunks as a file, with lengths and checksums that fit."""
    framed = (struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


def _png_order(rng: random.Random, data: bytes) -> bytes:
    chunks = _chunks(data)
    if not chunks:
        return plain_bytes.mutated(rng, data)
    at, to = rng.randrange(len(chunks)), rng.randrange(len(chunks))
    match rng.randrange(4):
        case 0:
            del chunks[at]
        case 1:
            chunks.insert(to, chunks[at])
        case 2:
            chunks[at], chunks[to] = chunks[to], chunks[at]
        case _:
            kind = rng.choice((b"gAMA", b"sRGB", b"tRNS", b"PLTE", b"eXIf", b"cHRM", b"iCCP", b"sBIT", b"tEXt", b"abcd", b"ABCD", b"IDAT", b"IEND", b"acTL"))
            chunks.insert(to, (kind, rng.choice((b"", b"\0", struct.pack(">I", integer(rng, 32)), rng.randbytes(6), rng.randbytes(768)))))
    return _png(chunks)


def _png_field(rng: random.Random, data: bytes) -> bytes:
    """Another number in the header, or other bytes in some chunk, under a checksum that fits."""
    chunks = _chunks(data)
    if not chunks:
        return plain_bytes.mutated(rng, data)
    at = 0 if rng.random() < 0.6 else rng.randrange(len(chunks))
    kind, body = chunks[at]
    if kind == b"IHDR" and len(body) == 13:
        fields = list(struct.unpack(">IIBBBBB", body))
        which = rng.randrange(7)
        fields[which] = integer(rng, 32 if which < 2 else 8) if rng.random() < 0.5 else rng.choice((0, 1, 2, 3, 4, 6, 8, 16, 30))
        body = struct.pack(">IIBBBBB", *fields)
    elif body:
        body = plain_bytes.mutated(rng, body)
    chunks[at] = (kind, body)
    return _png(chunks)


def _png_pixels(rng: random.Random, data: bytes) -> bytes:
    """The rows are mutated before they are compressed: filters, too few, too many, split over chunks."""
    chunks = _chunks(data)
    packed = b"".join(body for kind, body in chunks if kind == b"IDAT")
    try:
        rows = zlib.decompressobj().decompress(packed, 1 << 20)
    except zlib.error:
        return plain_bytes.mutated(rng, data)
    match rng.randrange(5):
        case 0:
            rows = plain_bytes.mutated(rng, rows)
        case 1:
            rows += rng.randbytes(rng.choice((1, 10, 5000)))
        case 2:
            rows = rows[: rng.randrange(len(rows) + 1)]
        case 3:
            rows += bytes(rng.choice((1 << 16, 1 << 22)))  # a few thousand bytes of file
        case _:
            pass
    packed = zlib.compress(rows, rng.choice((0, 1, 9)))[: plain_bytes.LONGEST]
    parts = [packed]
    if rng.random() < 0.5:
        at = rng.randrange(len(packed) + 1)
        parts = [packed[:at], packed[at:]]
    if rng.random() < 0.2:
        parts[-1] += rng.randbytes(4)
    first = next((i for i, (kind, _) in enumerate(chunks) if kind == b"IDAT"), len(chunks))
    rest = [(kind, body) for kind, body in chunks if kind != b"IDAT"]
    return _png([*rest[:first], *((b"IDAT", part) for part in parts), *rest[first:]])


# ---------------------------------------------------------------------------------------------- BMP, TIFF, WebP, others


def _fields(places: tuple[tuple[int, str], ...]) -> Mutation:
    """A mutation of the fields of a header, given by offset and `struct` format."""

    def change(rng: random.Random, data: bytes) -> bytes:
        at, form = rng.choice(places)
        size = struct.calcsize(form)
        if at + size > len(data):
            return plain_bytes.overwrite(rng, data)
        return data[:at] + struct.pack(form, integer(rng, 8 * size)) + data[at + size :]

    return change


_bmp_field = _fields(((2, "<I"), (10, "<I"), (14, "<I"), (18, "<I"), (22, "<I"), (26, "<H"), (28, "<H"), (30, "<I"), (34, "<I"), (46, "<I"), (50, "<I"), (54, "<I")))
_webp_field = _fields(((4, "<I"), (16, "<I"), (20, "<I"), (21, "<I"), (23, "<H"), (24, "<I"), (26, "<H"), (28, "<H"), (30, "<H")))


def _tiff_entry(rng: random.Random, data: bytes) -> bytes:
    """One entry of the directory: its tag, type, count or value changed, or the entry doubled."""
    order = "<" if data[:2] == b"II" else ">"
    try:
        (start,) = struct.unpack_from(order + "I", data, 4)
        (count,) = struct.unpack_from(order + "H", data, start)
    except struct.error:
        return plain_bytes.mutated(rng, data)
    at = start + 2 + 12 * rng.randrange(max(count, 1))
    if at + 12 > len(data):
        return plain_bytes.mutated(rng, data)
    entry = list(struct.unpack_from(order + "HHII", data, at))
    tags = (254, 256, 257, 258, 259, 262, 266, 273, 274, 277, 278, 279, 284, 297, 317, 320, 322, 323, 324, 325, 338, 339, 347, 34665)
    match rng.randrange(5):
        case 0:
            entry[0] = rng.choice(tags)
        case 1:
            entry[1] = rng.randrange(20)
        case 2:
            entry[2] = integer(rng, 32)
        case 3:
            entry[3] = integer(rng, 32) if rng.random() < 0.7 else rng.choice((1, 2, 3, 5, 6, 7, 8, 32773, 34712))
        case _:
            other = start + 2 + 12 * rng.randrange(max(count, 1))
            return data[:at] + data[other : other + 12].ljust(12, b"\0") + data[at + 12 :]
    return data[:at] + struct.pack(order + "HHII", *entry) + data[at + 12 :]


def _pnm_header(rng: random.Random, data: bytes) -> bytes:
    """Another word in the header: kind, sizes, largest value, comments and odd blanks."""
    words = data.split(None, 4)
    if len(words) < 4:
        return plain_bytes.mutated(rng, data)
    at = rng.randrange(4)
    word = rng.choice((str(integer(rng, rng.choice((8, 16, 32)))), "P1", "P2", "P3", "P4", "P5", "P6", "P7", "Pf", "0", "-1", "1e3", "255", "65535", "99999999999999999999", "x")).encode()
    blank = rng.choice((b" ", b"\n", b"\t", b"\r\n", b" # words\n", b"\v", b"\n#\n#\n"))
    words[at] = word
    return blank.join(words) if rng.random() < 0.5 else b"\n".join(words[:3]) + b"\n" + blank.join(words[3:])


def _jp2_marker(rng: random.Random, data: bytes) -> bytes:
    """A field of the codestream's size segment or of a box."""
    start = data.find(b"\xff\x4f\xff\x51")
    if start < 0 or rng.random() < 0.3:
        return _fields(((0, ">I"), (12, ">I"), (32, ">I"), (40, ">I"), (48, ">I"), (52, ">I"), (56, ">H"), (58, "B")))(rng, data)
    places = ((4, ">H"), (8, ">I"), (12, ">I"), (16, ">I"), (20, ">I"), (24, ">I"), (28, ">I"), (32, ">I"), (36, ">I"), (40, ">H"), (42, "B"), (43, "B"), (44, "B"))
    return _fields(tuple((start + at, form) for at, form in places))(rng, data)


STRUCTURED: dict[str, tuple[Mutation, ...]] = {
    "jpeg": (_jpeg_order, _jpeg_field, _jpeg_pixels),
    "png": (_png_order, _png_field, _png_pixels),
    "bmp": (_bmp_field,),
    "tiff": (_tiff_entry,),
    "webp": (_webp_field,),
    "pnm": (_pnm_header,),
    "jpeg2000": (_jp2_marker,),
}
FORMATS = ("jpeg", "jpeg", "jpeg", "png", "png", "bmp", "tiff", "webp", "pnm", "jpeg2000")


@cache
def sources(form: str) -> tuple[bytes, ...]:
    """Good files of a format, of all its kinds and of a few sizes."""
    made: list[np.ndarray] = []
    for number, size in enumerate(SIZES):
        array = picture(*size, seed=number)
        gray, alpha = array[..., :1], np.concatenate([array, array[..., :1]], axis=2)
        wide = picture(*size, 1, np.uint16, number)
        exif = Image.Exif()
        exif[0x0112] = number % 8 + 1
        match form:
            case "jpeg":
                made += [coded(array, sampling, 40 + 9 * number) for sampling in ("444", "422", "420", "440", "Gray")]
                made += [encoded(array, progressive=True), encoded(array, exif=exif.tobytes()), encoded(alpha, mode="CMYK"),
                         encoded(array, quality=95, subsampling=2, restart_marker_blocks=2)]  # fmt: skip
            case "png":
                made += [encoded(array, "PNG", mode=mode) for mode in ("L", "RGB", "RGBA", "LA", "P", "1")]
                made += [encoded(wide, "PNG"), encoded(array, "PNG", exif=exif.tobytes())]
            case "bmp":
                made += [encoded(array, "BMP", mode=mode) for mode in ("L", "RGB", "RGBA", "P", "1")]
            case "tiff":
                made += [encoded(array, "TIFF", mode=mode, compression=packing) for mode in ("L", "RGB", "RGBA", "P", "CMYK")
                         for packing in ("raw", "tiff_lzw")]  # fmt: skip
                made += [encoded(array, "TIFF", compression="tiff_adobe_deflate"), encoded(array, "TIFF", mode="1"), encoded(wide, "TIFF")]
            case "webp":
                made += [encoded(array, "WEBP", quality=70), encoded(array, "WEBP", lossless=True), encoded(alpha, "WEBP", lossless=True)]
            case "pnm":
                made += [encoded(array, "PPM"), encoded(gray, "PPM"), encoded(array, "PPM", mode="1"), encoded(wide, "PPM")]
                values = b" ".join(b"%d" % value for value in array.ravel())
                made.append(np.frombuffer(b"P3 %d %d 255\n" % (size[1], size[0]) + values, np.uint8))
            case _:
                made += [encoded(array, "JPEG2000"), encoded(gray, "JPEG2000"), _codestream(array)]
    return (*(item.tobytes() for item in made), *(forged.bitmaps().values() if form == "bmp" else ()))


def _codestream(array: np.ndarray) -> np.ndarray:
    stream = io.BytesIO()
    Image.fromarray(array).save(stream, "JPEG2000", no_jp2=True)
    return np.frombuffer(stream.getvalue(), np.uint8)


def mutated(rng: random.Random) -> tuple[str, bytes]:
    """A format, and a file of it after some mutations; now and then a good file."""
    form = rng.choice(FORMATS)
    data = rng.choice(sources(form))
    kind = rng.random()
    if kind < 0.02:
        return form, data
    if kind < 0.1:
        return form, plain_bytes.spliced(rng, data, rng.choice(sources(form if rng.random() < 0.7 else rng.choice(FORMATS))))
    if kind < 0.65:
        return form, some(rng, STRUCTURED[form], data)[: 2 * plain_bytes.LONGEST]
    return form, plain_bytes.mutated(rng, data)
