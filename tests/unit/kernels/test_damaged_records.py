"""Kernels that read records of data sets: whatever bytes they get, they find nothing beyond them."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import example, messages
from dali_studio.kernels.cpu.record_io import REASONS, parse_records
from dali_studio.schema import record_samples

FEATURES = {"a": example.INTEGERS, "image": example.TEXTS, "box": example.FLOATS}


def number(field: int, value: int) -> bytes:
    return bytes([field << 3, value])


def content(field: int, inside: bytes) -> bytes:
    return bytes([field << 3 | 2, len(inside)]) + inside


def part(flag: int, inside: bytes) -> bytes:
    return struct.pack("<II", 0xCED7230A, flag << 29 | len(inside)) + inside + bytes(-len(inside) % 4)


SHAPE = number(1, 1) + number(2, 2) + number(3, 3)
DATUM = SHAPE + content(4, b"pixels") + number(5, 9) + content(6, b"abcd")
PICTURE = number(1, 2) + number(1, 3) + number(2, 3) + content(5, b"pixels")
LABEL = number(1, 1) + number(2, 2) + content(4, b"\x07")
REALS = content(1, b"\2") + number(2, 1) + content(3, struct.pack("<2f", 0.5, -2)) + b"\x1d" + struct.pack("<f", 3)
HEAD = struct.pack("<IfQQ", 0, 1.5, 1, 2)
EXAMPLE = record_samples.example({"a": [5, -1], "image": [b"file"], "box": [0.5, 1e30]})
POOLS: dict[str, Sequence[bytes]] = {
    "datum": [DATUM + number(7, encoded) for encoded in (0, 1)],
    "tensors": [content(1, PICTURE) + content(1, LABEL) + content(1, REALS)],
    "record": [
        part(0, HEAD + b"image"), part(1, HEAD + b"abcd") + part(2, b"efghij") + part(3, b"kl"),
        part(0, struct.pack("<IfQQ3f", 3, 0, 1, 2, 1, 2, 3) + b"image"),
    ],
    "example": [struct.pack("<Q", len(EXAMPLE)) + bytes(4) + EXAMPLE + bytes(4)],
}  # fmt: skip


def mutated(pool: Sequence[bytes], count: int) -> Iterator[bytes]:
    """The messages, with some bytes changed, left out or put in."""
    rng = random.Random(count)
    for _ in range(count):
        made = bytearray(rng.choice(pool))
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            at = rng.randrange(len(made) + 1)
            match rng.randrange(5):
                case 0:
                    made[at : at + 1] = rng.randbytes(1)
                case 1:
                    del made[at : at + rng.randrange(1, 9)]
                case 2:
                    made[at:at] = rng.randbytes(rng.randrange(1, 5))
                case 3:
                    del made[at:]
                case _:
                    made[at : at + 1] = bytes([made[at] ^ 1 << rng.randrange(8)] if at < len(made) else b"")
        yield bytes(made)


def arrays(message: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Memory of the message alone, so that sanitizers see what is read beyond it."""
    return np.array(bytearray(message), np.uint8), np.zeros(1, np.int64), np.array([len(message)])


def check_datum(message: bytes) -> bool:
    row = messages.find_data(*arrays(message))[0]
    begin, end = row[messages.BEGIN], row[messages.END]
    assert 0 <= begin <= end <= len(message)
    if row[messages.PICTURE] == messages.RAW:
        assert row[messages.HEIGHT : messages.CHANNELS + 1].prod() == end - begin
    return bool(row[messages.WHOLE])


def check_tensors(message: bytes) -> bool:
    slab, starts, sizes = arrays(message)
    found, counts = messages.find_tensors(slab, starts, sizes, 3)
    columns = messages.TensorColumns
    for place in range(3) if counts[0] >= 0 else ():
        table = found[:, place]
        row = table[0]
        assert 0 <= row[columns.FROM] <= row[columns.TO] <= len(message)
        assert 0 <= row[columns.BEGIN] <= row[columns.END] <= len(message)
        for kind, column in ((messages.REALS, columns.REALS), (messages.INTEGERS, columns.INTEGERS)):
            room = np.array([row[column]])
            assert 0 <= room[0] <= len(message)
            out = np.full(4 * row[column], 0xEE, np.uint8)
            messages.copy_tensors(slab, table, out, starts, room, kind)
    return bool(counts[0] >= 0)


def check_record(message: bytes) -> bool:
    slab, starts, sizes = arrays(message)
    found, labels = parse_records(Packed.of_bytes(slab, starts, sizes))
    begin, size, state = found[0]
    assert 0 <= begin <= begin + size <= len(message)
    assert (state == 0) == (labels.shapes[0, 0] > 0)
    assert 0 <= state < len(REASONS)
    return state == 0


def check_example(message: bytes) -> bool:
    slab, starts, sizes = arrays(message)
    found = example.find_features(slab, starts, sizes, list(FEATURES), list(FEATURES.values()))
    assert ((found[0, :, 0] >= 0) & (found[0, :, 0] <= found[0, :, 1]) & (found[0, :, 1] <= len(message))).all()
    for place, size in ((0, 8), (2, 4)):
        room = np.maximum(found[:, place, 2], 0)
        example.copy_numbers(slab, found[:, place], np.empty(size * int(room[0]), np.uint8), starts, room, size)
    return bool((found[0, :, 2] != example.DAMAGED).all())


CHECKS: dict[str, Callable[[bytes], bool]] = {
    "datum": check_datum, "tensors": check_tensors, "record": check_record, "example": check_example,
}  # fmt: skip


@pytest.mark.parametrize("kind", POOLS)
def test_mutated_records(kind: str) -> None:
    assert all(map(CHECKS[kind], POOLS[kind]))
    whole = [CHECKS[kind](message) for message in mutated(POOLS[kind], 3000)]
    assert any(whole) and not all(whole)


def test_parts_of_a_record_are_joined_with_what_they_leave_out() -> None:
    slab, starts, sizes = arrays(POOLS["record"][1])
    found, labels = parse_records(Packed.of_bytes(slab, starts, sizes))
    begin, size, _ = found[0]
    magic = struct.pack("<I", 0xCED7230A)
    assert slab[begin : begin + size].tobytes() == b"abcd" + magic + b"efghij" + magic + b"kl"
    assert labels[0].tolist() == [1.5]


def test_numbers_of_tensors_alone_and_packed() -> None:
    slab, starts, sizes = arrays(POOLS["tensors"][0])
    found, _ = messages.find_tensors(slab, starts, sizes, 3)
    out = np.empty(12, np.uint8)
    messages.copy_tensors(slab, found[:, 2], out, starts, np.array([3]), messages.REALS)
    assert out.view("<f4").tolist() == [0.5, -2, 3]


def test_groups_are_passed_over() -> None:
    group = bytes([12 << 3 | 3]) + number(1, 50) + bytes([12 << 3 | 4])
    row = messages.find_data(*arrays(group + DATUM))[0]
    assert row[messages.WHOLE] == 1 and row[messages.LABEL] == 9 and row[messages.CHANNELS] == 1
