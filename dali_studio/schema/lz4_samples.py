"""Sample blocks of the format LZ4, and what such a block gives, both written as its description says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_LONGEST_OFFSET, _SHORTEST, _ALONE = 65535, 4, 12  # bytes; at the end of a block there are no matches


def deflated(data: bytes) -> bytes:
    """A block that gives `data`."""
    out, places = bytearray(), dict[bytes, int]()
    begin = at = 0
    while at < len(data) - _ALONE:
        key = data[at : at + _SHORTEST]
        found = places.get(key)
        places[key] = at
        if found is None or at - found > _LONGEST_OFFSET:
            at += 1
            continue
        end = at + _SHORTEST
        while end < len(data) - _SHORTEST - 1 and data[end] == data[found + end - at]:
            end += 1
        out += _sequence(data[begin:at], at - found, end - at)
        begin = at = end
    return bytes(out + _sequence(data[begin:], 0, 0))


def _sequence(literals: bytes, offset: int, length: int) -> bytes:
    """Literals, and a match unless `length` is 0."""
    matched = max(length - _SHORTEST, 0)
    token = bytes([min(len(literals), 15) << 4 | min(matched, 15)])
    match = offset.to_bytes(2, "little") + _rest(matched) if length else b""
    return token + _rest(len(literals)) + literals + match


def _rest(length: int) -> bytes:
    """What follows of a length that does not fit into a token."""
    return b"\xff" * ((length - 15) // 255) + bytes([(length - 15) % 255]) if length >= 15 else b""


def inflated(block: NDArray[np.uint8]) -> bytes:
    """What a block gives, byte by byte."""
    data, out = iter(block.tobytes()), bytearray()
    for token in data:
        out += bytes(next(data) for _ in range(_length(token >> 4, data)))
        low = next(data, None)
        if low is None:
            break
        offset = low + 256 * next(data)
        for _ in range(_length(token & 15, data) + _SHORTEST):
            out.append(out[-offset])
    return bytes(out)


def _length(begun: int, data: Iterator[int]) -> int:
    for more in data if begun == 15 else ():
        begun += more
        if more < 255:
            break
    return begun
