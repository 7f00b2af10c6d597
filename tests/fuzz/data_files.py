"""Mutations of archives, tables, arrays and sounds that know how each format is built."""

from __future__ import annotations

import io
import json
import random
import re
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from dali_studio.schema.samples import sounds
from fuzz import picture_files, plain_bytes
from fuzz.randomness import EDGES, TEXTS, integer, some

Mutation = Callable[[random.Random, bytes], bytes]
_BLOCK = 512
_MAGIC = struct.pack("<I", 0xCED7230A)


# ------------------------------------------------------------------------------------------------------------ archives

#: Where the fields of a tar header lie: name, mode, size, time, kind, magic, prefix.
_TAR_FIELDS = ((0, 100), (100, 8), (124, 12), (124, 12), (124, 12), (136, 12), (156, 1), (257, 8), (345, 155))


def _members(data: bytes) -> list[int]:
    """Where headers of members lie, as far as sizes can be read."""
    found, at = list[int](), 0
    while at + _BLOCK <= len(data) and data[at]:
        found.append(at)
        try:
            size = int(data[at + 124 : at + 135].rstrip(b" \0") or b"0", 8)
        except ValueError:
            break
        if size < 0:
            break
        at += _BLOCK * (1 + -(-size // _BLOCK))
    return found


def _tar_field(rng: random.Random, data: bytes) -> bytes:
    """Another value in a header, mostly under a checksum that fits."""
    members = _members(data)
    if not members:
        return plain_bytes.mutated(rng, data)
    at = rng.choice(members)
    head = bytearray(data[at : at + _BLOCK])
    begin, size = rng.choice(_TAR_FIELDS)
    numbers = (b"%o" % integer(rng, 32), b"%o" % rng.randrange(9000), b"-1", b"9", b"\x80" + rng.randbytes(11), b"\xff" * 12, b"")
    names = (b"a.b", b"a", b".a", b"a/.b.c", b"../x.jpg", b"/x.cls", b"x" * 99 + b".jpg", b".", b"a.", b"folder.1/sample3.cls", rng.randbytes(20))
    value = rng.choice(names if begin in (0, 345) else (bytes([rng.randrange(256)]), b"5", b"L", b"x", b"g", b"2") if begin == 156 else numbers)
    head[begin : begin + size] = value[:size].ljust(size, b"\0")
    if rng.random() < 0.85:
        head[148:156] = b" " * 8
        head[148:156] = b"%06o\0 " % sum(head)
    return data[:at] + bytes(head) + data[at + _BLOCK :]


def _tar_order(rng: random.Random, data: bytes) -> bytes:
    """A member gone, doubled or elsewhere; the end gone."""
    members = _members(data)
    if len(members) < 2:
        return plain_bytes.mutated(rng, data)
    parts = [data[begin:end] for begin, end in zip(members, [*members[1:], len(data)], strict=True)]
    at, to = rng.randrange(len(parts)), rng.randrange(len(parts))
    match rng.randrange(4):
        case 0:
            del parts[at]
        case 1:
            parts.insert(to, parts[at])
        case 2:
            parts[at], parts[to] = parts[to], parts[at]
        case _:
            return data[: members[-1] + rng.choice((0, 100, 512, 600))]
    return b"".join(parts)


def _records(data: bytes) -> list[int]:
    found, at = list[int](), 0
    while data[at : at + 4] == _MAGIC and at + 8 <= len(data):
        found.append(at)
        at += 8 + -(-(struct.unpack_from("<I", data, at + 4)[0] & (1 << 29) - 1) // 4) * 4
    return found


def _record_field(rng: random.Random, data: bytes) -> bytes:
    """Another magic number, flag, length, label or number of labels in a record."""
    records = _records(data)
    if not records:
        return plain_bytes.mutated(rng, data)
    at = rng.choice(records)
    place, form = rng.choice(((0, "<I"), (4, "<I"), (4, "<I"), (8, "<I"), (8, "<I"), (12, "<f"), (16, "<Q"), (32, "<f")))
    if at + place + struct.calcsize(form) > len(data):
        return data[:at]
    if place == 4 and rng.random() < 0.6:
        (field,) = struct.unpack_from("<I", data, at + 4)
        length = (field & (1 << 29) - 1) + rng.choice((-4, -1, 0, 1, 4, 100))
        value: float = max(length, 0) | rng.randrange(8) << 29
    else:
        value = rng.choice((0.0, float("nan"), 1e38)) if form == "<f" else integer(rng, 8 * struct.calcsize(form))
    return data[: at + place] + struct.pack(form, value) + data[at + place + struct.calcsize(form) :]


# --------------------------------------------------------------------------------------------------- texts and tables


def _number(rng: random.Random, data: bytes) -> bytes:
    """One number of a text replaced."""
    found = list(re.finditer(rb"-?\d+(\.\d+)?", data))
    if not found:
        return plain_bytes.mutated(rng, data)
    one = rng.choice(found)
    value = rng.choice((str(rng.choice(EDGES)), str(rng.randrange(3000)), "1.5", "-0", "1e3", "0x10", "", "nan", "07", " 3", "9" * 30)).encode()
    return data[: one.start()] + value + data[one.end() :]


def _lines(rng: random.Random, data: bytes) -> bytes:
    """Lines gone, doubled, elsewhere, empty, or of other words."""
    lines = data.split(b"\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case 3:
            lines.insert(at, rng.choice((b"", b" ", b"\t", b"\0", b"#", b"v1.2 3", b"a b c", b"\xff\xfe")))
        case 4:
            words = lines[at].split()
            lines[at] = b" ".join(rng.sample(words, rng.randrange(len(words) + 1)))
        case _:
            return b"\r\n".join(lines)
    return b"\n".join(lines)


def _json_value(rng: random.Random, data: bytes) -> bytes:
    """Some value of a document, or of a line that is one, replaced or gone."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    try:
        document = json.loads(lines[at])
    except (ValueError, RecursionError):
        return _number(rng, data)
    place, key = _place(rng, document)
    if place is None:
        return _number(rng, data)
    if rng.random() < 0.25:
        del place[key]
    else:
        odd = (None, True, -1, 0, 1, 70, 12, 2**31, 2**63, 10**30, 0.5, -3.5, 1e300, "", "a", [], {}, [1], [1, 2, 3, 4], [[1, 2, 3]], "0.jpg", *TEXTS[:12])
        place[key] = rng.choice(odd)
    lines[at] = json.dumps(document).encode()
    return b"\n".join(lines)


def _place(rng: random.Random, document: object) -> tuple[Any, Any]:
    place: Any = document
    while isinstance(place, dict | list) and place:
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not (isinstance(place[key], dict | list) and place[key]) or rng.random() < 0.15:
            return place, key
        place = place[key]
    return None, 0


# ------------------------------------------------------------------------------------------------------ arrays, sounds


def _npy_header(rng: random.Random, data: bytes) -> bytes:
    """Another dictionary before an array, its length, or its version."""
    if len(data) < 12 or data[:6] != b"\x93NUMPY":
        return plain_bytes.mutated(rng, data)
    (length,) = struct.unpack_from("<H", data, 8)
    text, body = data[10 : 10 + length], data[10 + length :]
    match rng.randrange(6):
        case 0:
            kinds = (b"<f4", b"<f8", b">f4", b"<i8", b"|u1", b"<u2", b"|b1", b"<c8", b"|O", b"<U3", b"|S5", b"<M8[s]", b"f4", b"<f2", b"|V4", b"<f3", b"")
            text = re.sub(rb"'descr': '[^']*'", lambda _: b"'descr': '" + rng.choice(kinds) + b"'", text)
        case 1:
            shapes = ("()", "(0,)", "(1,)", "(-1, 3)", "(3, -1)", f"({rng.choice(EDGES)}, 2)", "(2**3,)", "(6, 9, 1)", "[6, 9]", "(6 9)", "(1,)*40", "6", "(65536, 65536, 65536)")
            text = re.sub(rb"'shape': \([^)]*\)", lambda _: b"'shape': " + rng.choice(shapes).encode(), text)
        case 2:
            text = re.sub(rb"True|False", lambda _: rng.choice((b"True", b"False", b"true", b"1", b"None")), text)
        case 3:
            text = _number(rng, text)
        case 4:
            text = plain_bytes.mutated(rng, text)[:60000]
        case _:
            return data[:6] + rng.choice((b"\1\0", b"\2\0", b"\3\0", b"\0\0", b"\xff\0", b"\1\1")) + struct.pack("<H", integer(rng, 16)) + data[10:]
    return data[:8] + struct.pack("<H", len(text)) + text + body


def _wav_chunk(rng: random.Random, data: bytes) -> bytes:
    """Another number in the chunks of a WAVE file: sizes, format, channels, rate, bits."""
    places = ((4, "<I"), (16, "<I"), (20, "<H"), (20, "<H"), (22, "<H"), (22, "<H"), (24, "<I"), (28, "<I"), (32, "<H"), (34, "<H"), (40, "<I"), (40, "<I"))
    at, form = rng.choice(places)
    size = struct.calcsize(form)
    if at + size > len(data):
        return plain_bytes.mutated(rng, data)
    value = rng.choice((1, 2, 3, 4, 8, 16, 24, 32, 64, 0xFFFE, 6, 7, 17)) % 2 ** (8 * size) if rng.random() < 0.5 else integer(rng, 8 * size)
    return data[:at] + struct.pack(form, value) + data[at + size :]


def _flac_block(rng: random.Random, data: bytes) -> bytes:
    """Bits of the first block (sizes, rate, channels, number of samples), or another kind or length of it."""
    if len(data) < 42:
        return plain_bytes.mutated(rng, data)
    changed = bytearray(data)
    if rng.random() < 0.3:
        changed[rng.randrange(4, 8)] = integer(rng, 8)
    else:
        changed[rng.randrange(8, 26)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _checksum(page: bytes) -> int:
    value = 0
    for byte in page:
        value = (value << 8 & 0xFFFFFFFF) ^ _table()[value >> 24 ^ byte]
    return value


@cache
def _table() -> tuple[int, ...]:
    made: list[int] = []
    for byte in range(256):
        value = byte << 24
        for _ in range(8):
            value = (value << 1) ^ (0x104C11DB7 if value & 0x80000000 else 0)
        made.append(value)
    return tuple(made)


def pages(data: bytes) -> list[bytes]:
    """The pages of an Ogg file."""
    found, at = list[bytes](), 0
    while data[at : at + 4] == b"OggS" and at + 27 <= len(data):
        count = data[at + 26]
        end = at + 27 + count + sum(data[at + 27 : at + 27 + count])
        found.append(data[at:end])
        at = end
    return found


def framed(page: bytes, serial: int | None = None) -> bytes:
    """A page with a checksum that fits, and another number of the stream if one is given."""
    if len(page) < 27:
        return page
    number = page[14:18] if serial is None else struct.pack("<I", serial)
    page = page[:14] + number + page[18:22] + bytes(4) + page[26:]
    return page[:22] + struct.pack("<I", _checksum(page)) + page[26:]


def _ogg_page(rng: random.Random, data: bytes) -> bytes:
    """A page changed under a checksum that fits, gone, doubled, or in another's place."""
    found = pages(data)
    if not found:
        return plain_bytes.mutated(rng, data)
    at, to = rng.randrange(len(found)), rng.randrange(len(found))
    match rng.randrange(5):
        case 0:
            del found[at]
        case 1:
            found[at], found[to] = found[to], found[at]
        case 2:
            found.insert(to, found[at])
        case _:
            changed = bytearray(found[at])
            changed[rng.randrange(5, len(changed)) if rng.random() < 0.7 else rng.randrange(5, min(30, len(changed)))] ^= 1 << rng.randrange(8)
            found[at] = framed(bytes(changed))
    return b"".join(found)


@cache
def sound_sources() -> tuple[tuple[str, bytes], ...]:
    """FLAC and Ogg files with one channel and two, whose bytes are the same in every process."""
    import soundfile

    made: list[tuple[str, bytes]] = []
    for form in ("FLAC", "OGG"):
        for channels in (1, 2):
            stream = io.BytesIO()
            soundfile.write(stream, sounds((700,), channels=channels).samples()[0].astype(np.float32), 16000, format=form)
            data = stream.getvalue()
            if form == "OGG":  # the number of the stream is drawn, and the comments tell versions alone
                data = b"".join(framed(page, 1) for page in pages(data))
            made.append((form.lower(), data))
    return tuple(made)


# ------------------------------------------------------------------------------------------------------------- choice

_PICTURES = {"jpg": "jpeg", "png": "png"}
STRUCTURED: dict[str, tuple[Mutation, ...]] = {
    "tar": (_tar_field, _tar_field, _tar_order),
    "rec": (_record_field,),
    "idx": (_number, _number, _lines),
    "txt": (_number, _lines),
    "json": (_json_value, _json_value, _number, _lines),
    "npy": (_npy_header,),
    "wav": (_wav_chunk,),
    "flac": (_flac_block,),
    "ogg": (_ogg_page,),
}


def mutated(rng: random.Random, kind: str, data: bytes) -> bytes:
    """A file, whose kind the end of its name says, after some mutations."""
    known = STRUCTURED.get(kind, picture_files.STRUCTURED.get(_PICTURES.get(kind, ""), plain_bytes.MUTATIONS))
    return some(rng, known if rng.random() < 0.75 else plain_bytes.MUTATIONS, data)
