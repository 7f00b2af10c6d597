"""Blocks of the format LZ4, of the reference library (1.9.4) and damaged."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio.kernels.cpu.lz4 import DAMAGED, TOO_LARGE, inflate
from dali_studio.schema.lz4_samples import deflated, inflated

#: What the reference library makes of some data.
BLOCKS = [
    (b"", b"\x00"),
    (b"a", b"\x10a"),
    (b"abcd" * 100, b"Oabcd\x04\x00\xffuPdabcd"),
    (bytes(5000), b"\x1f\x00\x01\x00" + b"\xff" * 19 + b"\x82P" + bytes(5)),
    (b"x" * 13, b"\x13x\x01\x00Pxxxxx"),
]


def one(block: bytes, room: int) -> tuple[int, bytes]:
    out = np.zeros(room, np.uint8)
    data = np.frombuffer(block, np.uint8)
    (made,) = inflate(data, np.zeros(1, np.int64), np.array([len(block)]), out).tolist()
    return made, out.tobytes()


@pytest.mark.parametrize(("data", "block"), BLOCKS)
def test_blocks_of_the_reference_library(data: bytes, block: bytes) -> None:
    assert one(block, len(data)) == (len(data), data)
    assert inflated(np.frombuffer(block, np.uint8)) == data


def test_blocks_give_what_was_compressed() -> None:
    rng = np.random.default_rng(3)
    for levels in (1, 2, 4, 256):
        for size in (*range(40), 300, 70000):
            data = rng.integers(0, levels, size, np.uint8).tobytes()
            assert one(deflated(data), size) == (size, data)


def test_damaged_blocks_write_no_further_than_their_room() -> None:
    rng = np.random.default_rng(4)
    whole = np.frombuffer(deflated(rng.integers(0, 3, 500, np.uint8).tobytes()), np.uint8)
    for _ in range(2000):
        block = whole[: rng.integers(1, len(whole) + 1)].copy()
        block[rng.integers(0, len(block), 3)] = rng.integers(0, 256, 3)
        memory = np.full(564, 77, np.uint8)
        (made,) = inflate(block, np.zeros(1, np.int64), np.array([len(block)]), memory[:500]).tolist()
        assert made in (DAMAGED, TOO_LARGE) or 0 <= made <= 500
        assert (memory[500:] == 77).all()


@pytest.mark.parametrize(
    ("block", "found"),
    [
        (b"", DAMAGED),  # no token
        (b"\x50abc", DAMAGED),  # literals that are not there
        (b"\x10a\x05\x00\x00", DAMAGED),  # a copy of what was not written
        (b"\x10a\x00\x00\x00", DAMAGED),  # a copy of what is to be written
        (b"\x14a\x01", DAMAGED),  # half an offset
        (b"\x1fa\x01\x00\xff\xff", DAMAGED),  # a length without an end
        (b"\x10a\x01\x00", DAMAGED),  # no literals behind the last copy
        (b"\x90abcdefghi", TOO_LARGE),
        (b"\x1fa\x01\x00\x05\x00", TOO_LARGE),
    ],
)
def test_what_is_wrong_with_a_block_is_told(block: bytes, found: int) -> None:
    made, out = one(block, 8)
    assert (made, len(out)) == (found, 8)
