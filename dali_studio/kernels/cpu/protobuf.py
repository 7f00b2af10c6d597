"""Messages in protobuf's binary form, field by field."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5
_FIXED: Final = {EIGHT: 8, FOUR: 4}


class Field(NamedTuple):
    """A field of a message: its number, how it is written, its value if it is a varint, and where its content lies."""

    number: int
    wire: int
    value: int
    begin: int
    end: int


def fields(message: memoryview, begin: int, end: int) -> Iterator[Field]:
    """The fields of the message that lies between two places.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    while begin < end:
        tag, begin = _varint(message, begin, end)
        number, wire, value, start = tag >> 3, tag & 7, 0, begin
        if wire == VARINT:
            value, begin = _varint(message, begin, end)
        elif wire == BYTES:
            size, start = _varint(message, begin, end)
            begin = start + size
        elif wire in _FIXED:
            begin += _FIXED[wire]
        else:
            raise ValueError("the message is damaged")
        if begin > end or not number:
            raise ValueError("the message is damaged")
        yield Field(number, wire, value, start, begin)


def _varint(message: memoryview, at: int, end: int) -> tuple[int, int]:
    """A number, and the place behind it."""
    value = shift = 0
    while at < end and shift < 70:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value & 2**64 - 1, at
    raise ValueError("the message is damaged")


def integers(message: memoryview, field: Field) -> list[int]:
    """The whole numbers of a repeated field, packed or alone, as 32 bits with a sign."""
    if field.wire == VARINT:
        return [_signed(field.value)]
    made: list[int] = []
    at = field.begin
    while at < field.end:
        value, at = _varint(message, at, field.end)
        made.append(_signed(value))
    return made


def _signed(value: int) -> int:
    return (value + 2**31 & 2**32 - 1) - 2**31


def floats(message: memoryview, field: Field) -> list[float]:
    """The numbers of a repeated field, packed or alone."""
    content = message[field.begin : field.end]
    if len(content) % 4 or field.wire not in (BYTES, FOUR):
        raise ValueError("the message is damaged")
    return list(struct.unpack(f"<{len(content) // 4}f", content))
