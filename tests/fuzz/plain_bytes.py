"""Mutations of bytes that know nothing of their meaning."""

from __future__ import annotations

import random
import struct

from fuzz.randomness import integer, some

#: No input becomes longer than this: a search lives from many small ones.
LONGEST = 1 << 16


def flip(rng: random.Random, data: bytes) -> bytes:
    """Some bits turned over, close together or anywhere."""
    changed = bytearray(data)
    base, span = (0, len(data)) if rng.random() < 0.5 else (rng.randrange(len(data) + 1), 16)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = base + rng.randrange(max(span, 1))
        if at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwrite(rng: random.Random, data: bytes) -> bytes:
    """An integer at an edge of its range in place of what was there; often near the beginning, where headers are."""
    form = rng.choice(("B", "<H", ">H", "<I", ">I"))
    size = struct.calcsize(form)
    if len(data) < size:
        return data
    end = len(data) - size + 1
    at = rng.randrange(min(end, 64) if rng.random() < 0.6 else end)
    return data[:at] + struct.pack(form, integer(rng, 8 * size)) + data[at + size :]


def cut(rng: random.Random, data: bytes) -> bytes:
    """The beginning alone."""
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.7 else data[: max(len(data) - rng.randrange(1, 20), 0)]


def lengthen(rng: random.Random, data: bytes) -> bytes:
    """More bytes behind the end."""
    more = rng.randrange(1, 600)
    return data + rng.choice((bytes(more), b"\xff" * more, rng.randbytes(more), data[:more]))


def remove(rng: random.Random, data: bytes) -> bytes:
    """Some bytes left out."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice((1, 2, 4, 40)) :]


def repeat(rng: random.Random, data: bytes) -> bytes:
    """A part once more, there or elsewhere."""
    begin, to = rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)
    return data[:to] + data[begin : begin + rng.randrange(1, 64)] + data[to:]


def fill(rng: random.Random, data: bytes) -> bytes:
    """One value over a stretch."""
    begin, count = rng.randrange(len(data) + 1), rng.choice((1, 4, 30, 200))
    end = min(begin + count, len(data))
    return data[:begin] + bytes([rng.choice((0, 255, rng.randrange(256)))]) * (end - begin) + data[end:]


MUTATIONS = (flip, overwrite, cut, lengthen, remove, repeat, fill)


def mutated(rng: random.Random, data: bytes) -> bytes:
    """The data after some mutations."""
    return some(rng, MUTATIONS, data)[:LONGEST]


def spliced(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """The beginning of one with the end of another, often at the same place."""
    at = rng.randrange(len(data) + 1)
    return (data[:at] + other[at if rng.random() < 0.7 else rng.randrange(len(other) + 1) :])[:LONGEST]
