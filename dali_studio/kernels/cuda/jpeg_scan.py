"""What `jpeg.cu` needs to know of JPEG files: tables and geometry, read by compiled code, and room for its results.

Source: ITU-T T.81, annexes B and C.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from dali_studio.kernels.cpu import jpeg_facts, libjpeg
from dali_studio.kernels.cpu.jit import kernel

#: The kernels' structure for a picture; addresses are places in a region until `settle` has added where it begins.
PICTURE = np.dtype(
    [
        *((name, np.uint64) for name in ("scan", "words", "restarts", "coefficients", "planes", "target")),
        ("pitch", np.int64),
        *((name, np.int32) for name in ("size", "blocks", "columns_of_units", "units", "interval", "intervals")),
        *((name, np.int32) for name in ("components", "h", "v")),
        *((name, np.int32) for name in ("first_row", "first_column", "rows", "columns", "colors")),
        *((name, np.int32) for name in ("chroma_rows", "chroma_columns")),
        ("dc", np.int32, 3), ("ac", np.int32, 3), ("quant", np.uint16, (3, 64)), ("lengths", np.uint8, (4, 16)),
        ("symbols", np.uint8, (4, 256)),
    ]
)  # fmt: skip
#: Bytes of the kernels' result for a picture.
RESULT = 8
_ZIGZAG = np.array([
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
])  # fmt: skip
#: Bytes that the kernels may read behind the data.
_BEHIND = 64
#: Bytes of a file from any of its segments on, at least: the header of a scan of one component, and an end marker.
_LAST = 12
_byte: Any = jpeg_facts.byte_at  # its decorator has no types
_copy_bytes = types.ExternalFunction("memcpy", types.intp(types.intp, types.intp, types.uintp))


@kernel
def _two(address: int) -> int:
    return _byte(address) << 8 | _byte(address + 1)


@kernel
def _read_quant(address: int, end: int, tables: Any) -> bool:
    """Quantisation tables of a segment, in rows; false if they are no tables of eight bits."""
    while address < end:
        which = _byte(address)
        if which > 3 or address + 65 > end:
            return False
        for k in range(64):
            tables[which, _ZIGZAG[k]] = _byte(address + 1 + k)
        address += 65
    return True


@kernel
def _read_codes(address: int, end: int, lengths: Any, symbols: Any) -> int:
    """Huffman codes of a segment; a bit for each of the four that it defines, or -1 if they make no sense."""
    found: int = 0
    while address < end:
        kind, number = _byte(address) >> 4, _byte(address) & 15
        if kind > 1 or number > 1 or address + 17 > end:
            return -1
        which, count, code = 2 * kind + number, 0, 0
        for i in range(16):
            lengths[which, i] = _byte(address + 1 + i)
            count += lengths[which, i]
            code = 2 * code + lengths[which, i]
            if code >= 1 << (i + 1):  # no code may be all ones
                return -1
        if count > 256 or address + 17 + count > end:
            return -1
        for i in range(count):
            symbols[which, i] = _byte(address + 17 + i)
            if kind == 0 and symbols[which, i] > 15:
                return -1
        found |= 1 << which
        address += 17 + count
    return found


@kernel
def _usual_mark(marker: int, body: int, size: int) -> bool:
    """Whether libjpeg understands a segment of an application as `jpeg_header` does, and says nothing about it."""
    if marker == 0xE0 and _byte(body) == 0x4A and _byte(body + 2) == 0x49:  # JFIF
        return size >= 14 and _byte(body + 4) == 0 and _byte(body + 5) == 1
    return marker != 0xEE or size < 12 or _byte(body + 11) <= 1  # Adobe's transform


@kernel
def _read_scan(address: int, frame: int, picture: Any, tables: Any, codes: int) -> bool:
    """Which tables the components use."""
    count = _byte(address)
    if _byte(frame + 9) != count or picture.h * picture.v == 0:
        return False
    if _byte(address + 1 + 2 * count) != 0 or _byte(address + 2 + 2 * count) != 63:
        return False
    if _byte(address + 3 + 2 * count) != 0:
        return False
    for c in range(count):
        wanted, quant = _byte(address + 2 + 2 * c), _byte(frame + 12 + 3 * c)
        picture.dc[c], picture.ac[c] = wanted >> 4, 2 + (wanted & 15)
        if _byte(address + 1 + 2 * c) != _byte(frame + 10 + 3 * c) or wanted >> 4 > 1 or wanted & 15 > 1:
            return False
        if not codes >> picture.dc[c] & 1 or not codes >> picture.ac[c] & 1 or tables[quant & 3, 0] == 0 or quant > 3:
            return False
        for k in range(64):
            picture.quant[c, k] = tables[quant, k]
    return True


@kernel
def _read_frame(frame: int, picture: Any) -> None:
    """Geometry; factors of 0 for what is none of the usual samplings."""
    height, width, count = _two(frame + 5), _two(frame + 7), _byte(frame + 9)
    h, v = _byte(frame + 11) >> 4, _byte(frame + 11) & 15
    usual = (count == 1 and h == 1 and v == 1) or (count == 3 and 1 <= h <= 2 and 1 <= v <= 2)
    for c in range(1, count):
        usual = usual and _byte(frame + 11 + 3 * c) == 0x11
    picture.components, picture.h, picture.v = count, h if usual else 0, v if usual else 0
    if usual:
        columns, rows = -(-width // (8 * h)), -(-height // (8 * v))
        picture.columns_of_units, picture.units = columns, columns * rows
        picture.blocks = columns * rows * (1 if count == 1 else h * v + 2)


@kernel
def read_file(  # noqa: C901, PLR0912 - one branch for each kind of segment
    address: int, size: int, picture: Any, tables: Any
) -> int:
    """Fill in what a file says.

    Parameters
    ----------
    address, size : int
        Of a file with an end marker, which `jpeg_rule.takes` lets pass.
    picture : record of `PICTURE`
    tables : ndarray of uint16, (4, 64)
        Room for what is read on the way.

    Returns
    -------
    int
        Where the coded data begins, or -1 for a file that the kernels do not decode.
    """
    position, frame, codes, interval = 2, 0, 0, 0
    tables[:], picture.lengths[:] = 0, 0
    while position + _LAST <= size:
        marker = _byte(address + position + 1)
        if marker == 0xFF:
            position += 1
            continue
        body, end = address + position + 4, position + 2 + _two(address + position + 2)
        if end > size or _byte(address + position) != 0xFF:
            return -1
        if marker == 0xC0:
            if frame > 0 or end - position != 10 + 3 * _byte(body + 5):
                return -1
            frame = address + position
            _read_frame(frame, picture)
        elif marker == 0xDB:
            if not _read_quant(body, address + end, tables):
                return -1
        elif marker == 0xC4:
            defined = _read_codes(body, address + end, picture.lengths, picture.symbols)
            if defined < 0:
                return -1
            codes |= defined
        elif marker == 0xDD:
            if end - position != 6:
                return -1
            interval = _two(body)
        elif marker == 0xDA:
            if frame == 0 or end - position != 8 + 2 * _byte(body) or end + 2 > size:
                return -1
            if not _read_scan(body, frame, picture, tables, codes):
                return -1
            picture.interval = interval
            picture.intervals = -(-picture.units // interval) if interval else 1
            return end
        elif not (0xE0 <= marker <= 0xEF and _usual_mark(marker, body, address + end - body)) and marker != 0xFE:
            return -1
        position = end
    return -1


@kernel
def _room(size: int) -> int:
    return -(-size // 256) * 256


@kernel
def plan(requests: Any, places: Any, begin: int, end: int, most: int, pictures: Any, rows: Any, made: Any) -> int:
    """Take pictures for one launch.

    Parameters
    ----------
    requests : ndarray of int64, (N, `libjpeg.FIELDS`)
    places : ndarray of int64, (N, 2)
        Device address of each picture, and bytes from row to row.
    begin, end : int
        Which of them.
    most : int
        Bytes of device memory.
    pictures : record array of `PICTURE`, (M,)
        Filled in.
    rows : ndarray of int64, (M,)
        Of each of these, where it stands in `requests`.
    made : ndarray of int64, (6,)
        How many pictures there are; bytes of what is uploaded, of what must be zero, and of the rest; most blocks, and
        most pixels of a picture.

    Returns
    -------
    int
        The first that was not looked at. Some on the way may be left out, because the kernels do not decode them.
    """
    tables = np.zeros((4, 64), np.uint16)
    count, upload, zero, rest = 0, 0, 0, 0
    made[4:] = 0
    for index in range(begin, end):
        if count == len(pictures):
            end = index
            break
        wanted, picture = requests[index], pictures[count]
        start = read_file(wanted[libjpeg.DATA], wanted[libjpeg.SIZE], picture, tables)
        if start < 0:
            continue
        size = wanted[libjpeg.SIZE] - start
        scan, words, restarts = _room(size), _room(size + _BEHIND), _room(4 * picture.intervals)
        coefficients, planes = _room(128 * picture.blocks), _room(64 * picture.blocks)
        needed = scan + words + restarts + coefficients + planes
        if needed > most:
            continue
        if upload + zero + rest + needed > most:
            end = index
            break
        picture.scan, picture.size, picture.coefficients = upload, size, zero
        picture.words, picture.restarts, picture.planes = rest, rest + words, rest + words + restarts
        upload, zero, rest = upload + scan, zero + coefficients, rest + words + restarts + planes
        picture.target, picture.pitch = places[index, 0], places[index, 1]
        picture.first_row, picture.first_column = wanted[libjpeg.FIRST_ROW], wanted[libjpeg.FIRST_COLUMN]
        picture.rows, picture.columns = wanted[libjpeg.ROWS], wanted[libjpeg.COLUMNS]
        picture.colors = wanted[libjpeg.COLORS]
        picture.chroma_rows, picture.chroma_columns = 0, 0
        if not wanted[libjpeg.REPEAT_CHROMA]:
            picture.chroma_rows = -(-wanted[libjpeg.HEIGHT] // picture.v)
            picture.chroma_columns = -(-wanted[libjpeg.WIDTH] // picture.h)
        made[4] = max(made[4], picture.blocks)
        made[5] = max(made[5], wanted[libjpeg.ROWS] * wanted[libjpeg.COLUMNS])
        rows[count] = index
        count += 1
    made[0], made[1], made[2], made[3] = count, upload, zero, rest
    return end


@kernel
def settle(requests: Any, count: int, pictures: Any, rows: Any, staged: int, upload: int, zero: int, rest: int) -> None:
    """Copy coded data to where it is uploaded from, and complete addresses.

    Parameters
    ----------
    requests, pictures, rows
        As `plan` left them.
    count : int
        Of pictures.
    staged : int
        Address in host memory of what is uploaded.
    upload, zero, rest : int
        Addresses on the GPU of the three regions.
    """
    for i in range(count):
        picture, wanted = pictures[i], requests[rows[i]]
        end = wanted[libjpeg.DATA] + wanted[libjpeg.SIZE]
        _copy_bytes(staged + np.int64(picture.scan), end - picture.size, picture.size)
        picture.scan += upload
        picture.coefficients += zero
        picture.words += rest
        picture.restarts += rest
        picture.planes += rest
