"""What compiled code reads of JPEG files for the kernels, from headers made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.kernels.jpeg import libjpeg, scan
from tests.jpeg_scans import ZIGZAG, segment

COEFFICIENTS = bytes(range(1, 65))
DATA = b"\x12\x34\xff\xd9"


def quant(which: int, values: bytes = COEFFICIENTS) -> bytes:
    return bytes([which]) + values


def codes(which: int, symbols: bytes = b"\0\1\2", counts: bytes = b"\0\3") -> bytes:
    return bytes([which]) + counts.ljust(16, b"\0") + symbols


def frame(factors: bytes = b"\x22\x11\x11", quants: bytes = b"\0\1\1", size: tuple[int, int] = (50, 70)) -> bytes:
    parts = b"".join(bytes([c + 1, f, q]) for c, (f, q) in enumerate(zip(factors, quants, strict=True)))
    return segment(0xC0, b"\x08" + size[0].to_bytes(2, "big") + size[1].to_bytes(2, "big") + bytes([len(factors)]) + parts)


def scan_header(tables: bytes = b"\x00\x11\x11", names: bytes = b"\1\2\3", end: bytes = b"\0\x3f\0") -> bytes:
    parts = b"".join(bytes(pair) for pair in zip(names, tables, strict=True))
    return segment(0xDA, bytes([len(names)]) + parts + end)


QUANTS = segment(0xDB, quant(0)) + segment(0xDB, quant(1, COEFFICIENTS[::-1]))
CODES = b"".join(segment(0xC4, codes(which)) for which in (0, 1, 0x10, 0x11))
PLAIN = b"\xff\xd8", QUANTS, frame(), CODES, scan_header(), DATA


def read(*parts: bytes, behind: bytes = b"") -> tuple[int, Any]:
    """Where the coded data begins, and the picture; `behind` lies in memory behind the file."""
    file = np.frombuffer(b"".join(parts) + behind, np.uint8)
    pictures = np.zeros(1, scan.PICTURE)
    pictures["lengths"] = 255  # of a file before this one
    size = len(file) - len(behind)
    request, made = np.zeros((1, libjpeg.FIELDS), np.int64), np.zeros(scan.PLANNED, np.int64)
    request[0, [libjpeg.DATA, libjpeg.SIZE]] = file.ctypes.data, size
    places, rows = np.zeros((1, 2), np.int64), np.zeros(1, np.int64)
    assert scan.plan(request, places, 0, 1, 1 << 40, 1 << 20, pictures, rows, made) == 1
    return size - int(pictures[0]["size"]) if made[0] else -1, pictures[0]


def in_rows(values: bytes) -> list[int]:
    made = np.zeros(64, int)
    made[ZIGZAG] = list(values)
    return made.tolist()


@pytest.mark.parametrize(
    ("factors", "size", "units", "columns", "blocks"),
    [
        (b"\x11", (50, 70), 63, 9, 63),
        (b"\x11", (1, 1), 1, 1, 1),
        (b"\x11\x11\x11", (50, 70), 63, 9, 189),
        (b"\x21\x11\x11", (50, 70), 35, 5, 140),
        (b"\x12\x11\x11", (50, 70), 36, 9, 144),
        (b"\x22\x11\x11", (50, 70), 20, 5, 120),
        (b"\x22\x11\x11", (16384, 16384), 1 << 20, 1024, 6 << 20),
    ],
)
def test_geometry(factors: bytes, size: tuple[int, int], units: int, columns: int, blocks: int) -> None:
    count = len(factors)
    header = b"\xff\xd8", QUANTS, frame(factors, b"\0\1\1"[:count], size), CODES, scan_header(b"\0\x11\x11"[:count], b"\1\2\3"[:count])
    start, picture = read(*header, DATA)
    assert start == sum(map(len, header))
    assert (picture["h"], picture["v"], picture["components"]) == (factors[0] >> 4, factors[0] & 15, count)
    assert [picture[name] for name in ("units", "columns_of_units", "blocks")] == [units, columns, blocks]
    assert (picture["interval"], picture["intervals"]) == (0, 1)


def test_tables_and_who_uses_them() -> None:
    _, picture = read(*PLAIN)
    assert picture["dc"].tolist() == [0, 1, 1] and picture["ac"].tolist() == [2, 3, 3]
    assert picture["quant"].tolist() == [in_rows(COEFFICIENTS), *[in_rows(COEFFICIENTS[::-1])] * 2]
    assert picture["lengths"].tolist() == [[0, 3] + [0] * 14] * 4
    assert (picture["symbols"][:, :3] == [0, 1, 2]).all()


def test_several_tables_in_a_segment_and_later_ones_instead_of_earlier_ones() -> None:
    parts = (
        segment(0xDB, quant(1) + quant(0, b"\7" * 64)), segment(0xC4, CODES[4:24] + codes(0x11)), frame(),
        segment(0xC4, codes(1, b"\4\5", b"\1\1") + codes(0x10)), segment(0xDB, quant(0, b"\x09" * 64)),
    )  # fmt: skip
    start, picture = read(b"\xff\xd8", *parts, segment(0xC4, codes(0, b"\x0b", b"\1")), scan_header(), DATA)
    assert start > 0
    assert picture["quant"].tolist() == [[9] * 64, *[in_rows(COEFFICIENTS)] * 2]
    assert picture["lengths"][:, :2].tolist() == [[1, 0], [1, 1], [0, 3], [0, 3]]
    assert picture["symbols"][0, 0] == 11 and picture["symbols"][1, :2].tolist() == [4, 5]


def test_tables_that_a_file_lacks_are_empty() -> None:
    two = segment(0xC4, codes(0) + codes(0x11))
    start, picture = read(b"\xff\xd8", QUANTS, frame(b"\x11", b"\0"), two, scan_header(b"\1", b"\1"), DATA)
    assert start > 0 and picture["lengths"].sum(axis=1).tolist() == [3, 0, 0, 3]


def test_fill_bytes_and_segments_of_others_do_not_matter() -> None:
    jfif, adobe = segment(0xE0, b"JFIF\0\1\2\0\0\1\0\1\0\0"), segment(0xEE, b"Adobe\0\x64\0\0\0\0\1")
    others = jfif, segment(0xE0, b"JFXX\0\1"), adobe, segment(0xE1, b"x" * 60000), segment(0xFE, b""), segment(0xE0, b"")
    parts = [b"\xff" * k + part for k, part in enumerate((*others, *PLAIN[1:-1]))]
    start, picture = read(b"\xff\xd8", *parts, DATA)
    assert start == 2 + sum(map(len, parts)) and picture["blocks"] == 120


@pytest.mark.parametrize(("interval", "intervals"), [(0, 1), (1, 20), (7, 3), (10, 2), (20, 1), (65535, 1)])
def test_restart_intervals(interval: int, intervals: int) -> None:
    said = segment(0xDD, b"\0\3") + segment(0xDD, interval.to_bytes(2, "big"))
    start, picture = read(*PLAIN[:-2], said, *PLAIN[-2:])
    assert start > 0 and (picture["interval"], picture["intervals"]) == (interval, intervals)


REFUSED = {
    "16-bit table": (segment(0xDB, b"\x10" + bytes(128)), *PLAIN[2:]),
    "a fifth table": (segment(0xDB, quant(4)), *PLAIN[1:]),
    "a part of a table": (segment(0xDB, quant(0)[:-1]), *PLAIN[1:]),
    "a part of a second table": (segment(0xDB, quant(0) + quant(1)[:-1]), *PLAIN[1:]),
    "no table of a component": (segment(0xDB, quant(0)), *PLAIN[2:]),
    "a table beyond the fourth": (QUANTS, frame(quants=b"\0\1\4"), *PLAIN[3:]),
    "codes of a third table": (segment(0xC4, codes(2)), *PLAIN[1:]),
    "codes of a third kind": (segment(0xC4, codes(0x20)), *PLAIN[1:]),
    "more codes than there can be": (segment(0xC4, codes(0x10, counts=b"\3")), *PLAIN[1:]),
    "more later codes than there can be": (segment(0xC4, codes(0x10, counts=b"\1\1\2")), *PLAIN[1:]),
    "a code of ones": (segment(0xC4, codes(0x10, counts=b"\1\2")), *PLAIN[1:]),
    "more than 256 codes": (segment(0xC4, codes(0x10, bytes(300), b"\0" * 14 + b"\xff\x2d")), *PLAIN[1:]),
    "a part of the codes": (segment(0xC4, codes(0x10)[:-1]), *PLAIN[1:]),
    "a part of the numbers of codes": (segment(0xC4, codes(0x10) + b"\0" * 16), *PLAIN[1:]),
    "a difference of 16 bits": (segment(0xC4, codes(0, b"\0\1\x10")), *PLAIN[1:]),
    "no codes for DC": (*PLAIN[1:3], CODES[24:], *PLAIN[4:]),
    "no codes for AC": (*PLAIN[1:3], CODES[:-24], *PLAIN[4:]),
    "another order of components": (*PLAIN[1:4], scan_header(names=b"\2\1\3"), DATA),
    "fewer components": (*PLAIN[1:4], scan_header(b"\0", b"\1"), DATA),
    "a third table of codes": (*PLAIN[1:4], scan_header(b"\0\x11\x21"), DATA),
    "another third table of codes": (*PLAIN[1:4], scan_header(b"\0\x11\x12"), DATA),
    "not from the first coefficient": (*PLAIN[1:4], scan_header(end=b"\1\x3f\0"), DATA),
    "not to the last coefficient": (*PLAIN[1:4], scan_header(end=b"\0\x3e\0"), DATA),
    "fewer bits": (*PLAIN[1:4], scan_header(end=b"\0\x3f\1"), DATA),
    "a longer scan header": (*PLAIN[1:4], scan_header(end=b"\0\x3f\0\0"), DATA),
    "no scan": (*PLAIN[1:4], DATA),
    "no frame": (QUANTS, *PLAIN[3:]),
    "two frames": (*PLAIN[1:3], *PLAIN[2:]),
    "a frame of another kind": (segment(0xC2, frame()[4:]), *PLAIN[1:]),
    "a longer frame header": (QUANTS, segment(0xC0, frame()[4:] + b"\0"), *PLAIN[3:]),
    "an interval of one byte": (segment(0xDD, b"\1"), *PLAIN[1:]),
    "something between segments": (QUANTS, b"\0\0\0\0", *PLAIN[2:]),
    "a marker without a body": (b"\xff\x01", *PLAIN[1:]),
    "arithmetic conditioning": (segment(0xCC, b"\0\0"), *PLAIN[1:]),
    "a short JFIF mark": (segment(0xE0, b"JFIF\0\1\2"), *PLAIN[1:]),
    "an unknown JFIF version": (segment(0xE0, b"JFIF\0\2\0\0\0\1\0\1\0\0"), *PLAIN[1:]),
    "an unknown transform of Adobe": (segment(0xEE, b"Adobe\0\x64\0\0\0\0\2"), *PLAIN[1:]),
    "data of one byte": (*PLAIN[1:-1], b"\xd9"),
}  # fmt: skip
_FACTORS = b"\x11\x22\x11", b"\x11\x11\x12", b"\x41\x11\x11", b"\x13\x11\x11", b"\x01\x11\x11", b"\x10\x11\x11", b"\x22\x21\x21"
REFUSED |= {f"sampling {f.hex()}": (QUANTS, frame(f), *PLAIN[3:]) for f in _FACTORS}
REFUSED |= {
    "sampling of grey": (QUANTS, frame(b"\x22", b"\0"), CODES, scan_header(b"\0", b"\1"), DATA),
    "four components": (QUANTS, frame(b"\x11" * 4, b"\0" * 4), CODES, scan_header(b"\0" * 4, b"\1\2\3\4"), DATA),
    "two components": (QUANTS, frame(b"\x11" * 2, b"\0" * 2), CODES, scan_header(b"\0" * 2, b"\1\2"), DATA),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_unusual_or_makes_no_sense_is_refused(what: str) -> None:
    assert read(b"\xff\xd8", *REFUSED[what])[0] == -1


def test_a_file_that_ends_in_its_header_is_refused_wherever_it_ends() -> None:
    """What lies behind it in memory is the rest of the file, and must not be taken for a part of it."""
    file = b"".join(PLAIN[:-1]) + DATA[:1] + b"\xff\xd9"
    start, _ = read(file)
    assert start == len(file) - 3
    for size in range(start + 2):
        assert read(file[:size], behind=file[size:])[0] == -1, size
