"""Coefficients of JPEG files, read from baseline files and written to others, with any scans or codes (ITU-T T.81)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

ZIGZAG = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
]  # fmt: skip
_LONGEST_RUN = 0x7FFF


def segment(marker: int, body: bytes) -> bytes:
    return bytes([0xFF, marker]) + (len(body) + 2).to_bytes(2, "big") + body


def segments(file: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Marker, body and end of the segments of a header, up to that of the first scan."""
    at, marker = 2, 0
    while marker != 0xDA:
        marker, end = file[at + 1], at + 2 + int.from_bytes(file[at + 2 : at + 4], "big")
        yield marker, file[at + 4 : end], end
        at = end


@dataclass(frozen=True)
class Frame:
    """The size of a picture, and the sampling of its luma relative to chroma."""

    height: int
    width: int
    components: int
    h: int
    v: int

    @classmethod
    def of(cls, body: bytes) -> Frame:
        return cls(body[1] << 8 | body[2], body[3] << 8 | body[4], body[5], body[7] >> 4, body[7] & 15)

    @property
    def units(self) -> tuple[int, int]:
        return -(-self.height // (8 * self.v)), -(-self.width // (8 * self.h))

    @property
    def owners(self) -> list[int]:
        """The component of each block of a unit."""
        return [0] * (self.h * self.v) + ([1, 2] if self.components == 3 else [])

    @property
    def blocks(self) -> int:
        return self.units[0] * self.units[1] * len(self.owners)

    def order(self, components: Sequence[int]) -> Iterator[tuple[list[tuple[int, int]], int]]:
        """Blocks and components of what is coded together in a scan, and its number."""
        rows, columns = self.units
        per_unit = len(self.owners)
        if len(components) > 1:
            for unit in range(rows * columns):
                yield [(unit * per_unit + i, c) for i, c in enumerate(self.owners) if c in components], unit
            return
        (c,) = components
        h, v = (self.h, self.v) if c == 0 else (1, 1)
        high, wide = -(-self.height * v // (8 * self.v)), -(-self.width * h // (8 * self.h))
        for number in range(high * wide):
            y, x = divmod(number, wide)
            unit = y // v * columns + x // h
            yield [(unit * per_unit + self.owners.index(c) + y % v * h + x % h, c)], number


def baseline(file: bytes) -> tuple[Frame, Array]:
    """Frame and coefficients of a file with one scan: int16, (blocks, 64), in the order of coding and in rows."""
    codes: dict[int, dict[str, int]] = {}
    frame, interval = Frame(0, 0, 0, 0, 0), 0
    header = list(segments(file))
    _, body, end = header[-1]
    for marker, told, _ in header:
        if marker == 0xC0:
            frame = Frame.of(told)
        elif marker == 0xDD:
            interval = int.from_bytes(told, "big")
        elif marker == 0xC4:
            codes |= _tables(told)
    tables = {c: body[2 + 2 * c] for c in range(frame.components)}
    made = np.zeros((frame.blocks, 64), np.int16)
    parts = _intervals(file[end:])
    bits, at, last = "", 0, [0, 0, 0]

    def symbol(table: dict[str, int]) -> tuple[int, int]:
        nonlocal at
        length = next(n for n in range(1, 17) if bits[at : at + n] in table)
        found = table[bits[at : at + length]]
        size = found & 15
        raw = bits[at + length : at + length + size]
        at += length + size
        value = int(raw or "0", 2)
        return found >> 4, value if not size or raw[0] == "1" else value - (1 << size) + 1

    for blocks, number in frame.order(range(frame.components)):
        if number % (interval or frame.blocks) == 0:
            bits, at, last = next(parts), 0, [0, 0, 0]
        for block, c in blocks:
            last[c] += symbol(codes[tables[c] >> 4])[1]
            made[block, 0] = last[c]
            k = 1
            while k < 64:
                run, value = symbol(codes[0x10 | tables[c] & 15])
                if not value and run < 15:
                    break
                made[block, ZIGZAG[k + run]] = value
                k += run + 1
    return frame, made


def _tables(body: bytes) -> dict[int, dict[str, int]]:
    made: dict[int, dict[str, int]] = {}
    while body:
        count, code = sum(body[1:17]), 0
        symbols, made[body[0]] = iter(body[17 : 17 + count]), {}
        for length, some in enumerate(body[1:17], 1):
            made[body[0]] |= {f"{code + i:0{length}b}": next(symbols) for i in range(some)}
            code = (code + some) * 2
        body = body[17 + count :]
    return made


def _intervals(data: bytes) -> Iterator[str]:
    at = begin = 0
    while True:
        at = data.index(b"\xff", at)
        if data[at + 1]:
            part = data[begin:at].replace(b"\xff\0", b"\xff")
            yield f"{int.from_bytes(part, 'big'):0{8 * len(part)}b}" if part else ""
            begin = at + 2
        at += 2


@dataclass(frozen=True)
class Scan:
    """Components, first and last coefficient, bit above (0: none yet) and lowest bit, units between restart markers."""

    components: tuple[int, ...]
    first: int
    last: int
    high: int
    low: int
    interval: int = 0


_SYMBOLS = bytes(range(15)), bytes(s for s in range(256) if s != 0xE0)  # codes of equal length: the places of symbols
_LENGTHS = 4, 8


class _Writer:
    """Bits of a scan."""

    def __init__(self, codes: dict[int, str]) -> None:
        self.codes, self.bits, self.run, self.waiting = codes, "", 0, ""

    def symbol(self, symbol: int, size: int = 0, bits: int = 0) -> None:
        self.bits += self.codes[symbol]
        self.bits += f"{bits & ((1 << size) - 1):0{size}b}" if size else ""

    def end_run(self) -> None:
        if self.run:
            size = self.run.bit_length() - 1
            self.symbol(size << 4, size, self.run)
            self.bits += self.waiting
            self.run, self.waiting = 0, ""

    def difference(self, difference: int) -> None:
        size = abs(difference).bit_length()
        self.symbol(size, size, difference if difference > 0 else difference - 1)

    def first(self, values: Array, low: int) -> None:
        run = 0
        for value in values.tolist():
            size = (abs(value) >> low).bit_length()
            if not size:
                run += 1
                continue
            self.end_run()
            for _ in range(run // 16):
                self.symbol(0xF0)
            number = abs(value) >> low
            self.symbol(run % 16 << 4 | size, size, number if value > 0 else ~number)
            run = 0
        if run:
            self.over("")

    def refine(self, values: Array, low: int) -> None:
        run, more = 0, ""
        numbers = [abs(value) >> low for value in values.tolist()]
        end = max((k for k, number in enumerate(numbers) if number == 1), default=-1)
        for k, (number, value) in enumerate(zip(numbers, values.tolist(), strict=True)):
            if not number:
                run += 1
                continue
            while run > 15 and k <= end:
                self.end_run()
                self.symbol(0xF0)
                self.bits, more, run = self.bits + more, "", run - 16
            if number > 1:
                more += str(number & 1)
                continue
            self.end_run()
            self.symbol(run << 4 | 1, 1, int(value > 0))
            self.bits, more, run = self.bits + more, "", 0
        if run or more:
            self.over(more)

    def over(self, more: str) -> None:
        self.run, self.waiting = self.run + 1, self.waiting + more
        if self.run == _LONGEST_RUN:
            self.end_run()

    def data(self) -> bytes:
        self.end_run()
        bits, self.bits = self.bits + "1" * (-len(self.bits) % 8), ""
        return (int(bits, 2).to_bytes(len(bits) // 8, "big") if bits else b"").replace(b"\xff", b"\xff\0")


def progressive(file: bytes, scans: Sequence[Scan]) -> bytes:
    """A progressive file with the coefficients, header and quantisation tables of a baseline file."""
    frame, values = baseline(file)
    zigzag = values[:, ZIGZAG].astype(np.int64)
    made = b"\xff\xd8"
    for marker, body, _ in segments(file):
        if marker not in (0xC4, 0xDA, 0xDD):
            made += segment(0xC2 if marker == 0xC0 else marker, body)
    for ac, (symbols, length) in enumerate(zip(_SYMBOLS, _LENGTHS, strict=True)):
        counts = bytes(len(symbols) if n == length else 0 for n in range(1, 17))
        made += segment(0xC4, bytes([ac << 4]) + counts + symbols)
    for scan in scans:
        made += segment(0xDD, scan.interval.to_bytes(2, "big"))
        names = b"".join(bytes([c + 1, 0]) for c in scan.components)
        made += segment(0xDA, bytes([len(scan.components)]) + names + bytes([scan.first, scan.last, scan.high << 4 | scan.low]))
        made += _scan_data(frame, zigzag, scan)
    return made + b"\xff\xd9"


def _scan_data(frame: Frame, zigzag: Array, scan: Scan) -> bytes:
    ac = scan.first > 0
    codes = {symbol: f"{place:0{_LENGTHS[ac]}b}" for place, symbol in enumerate(_SYMBOLS[ac])}
    writer, made, last = _Writer(codes), b"", [0, 0, 0]
    for blocks, number in frame.order(scan.components):
        if scan.interval and number and number % scan.interval == 0:
            made += writer.data() + bytes([0xFF, 0xD0 | (number // scan.interval - 1) & 7])
            last = [0, 0, 0]
        for block, c in blocks:
            if scan.first:
                band = zigzag[block, scan.first : scan.last + 1]
                (writer.refine if scan.high else writer.first)(band, scan.low)
                continue
            value = int(zigzag[block, 0]) >> scan.low
            if scan.high:
                writer.bits += str(value & 1)
                continue
            writer.difference(value - last[c])
            last[c] = value
    return made + writer.data()


def recoded(file: bytes, dc: bytes, ac: bytes) -> bytes:
    """The coefficients of a baseline file in codes that all components have: counts of 1 to 16 bits, and symbols."""
    frame, values = baseline(file)
    zigzag = values[:, ZIGZAG].astype(np.int64)
    tables = b"\0" + dc + b"\x10" + ac
    dcs, acs = ({symbol: code for code, symbol in codes.items()} for codes in _tables(tables).values())
    made = b"\xff\xd8"
    for marker, body, _ in segments(file):
        if marker not in (0xC4, 0xDA, 0xDD):
            made += segment(marker, body)
    names = b"".join(bytes([c + 1, 0]) for c in range(frame.components))
    made += segment(0xC4, tables) + segment(0xDA, bytes([frame.components]) + names + b"\0\x3f\0")
    writer, last = _Writer(dcs), [0, 0, 0]
    for blocks, _ in frame.order(range(frame.components)):
        for block, c in blocks:
            writer.codes = dcs
            writer.difference(int(zigzag[block, 0]) - last[c])
            last[c] = int(zigzag[block, 0])
            writer.codes = acs
            writer.first(zigzag[block, 1:], 0)
            writer.end_run()
    return made + writer.data() + b"\xff\xd9"
