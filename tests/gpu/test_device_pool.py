"""Which memory of a GPU is asked for, and when it goes back."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

from dali_studio.kernels.cuda import pool, retired
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.pool import DevicePool
from dali_studio.kernels.cuda.staging import roomy
from dali_studio.kernels.cuda.stream import GpuStream

pytestmark = pytest.mark.gpu

MIB = 1 << 20


class Blocks:
    """CuPy's pool, of which only the calls are of interest."""

    def __init__(self, named: Callable[[int], object]) -> None:
        self.calls: list[object] = []
        self._named = named

    def malloc(self, size: int) -> None:
        self.calls.append(self._named(size))

    def free_all_blocks(self, stream: Any) -> None:
        del stream
        self.calls.append("back")


def test_memory_that_outlives_its_stream_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """CuPy's pools give nothing back that comes after their end."""
    monkeypatch.setattr(retired, "_LATER", 0.01)
    pools = retired._retired._pools  # pyright: ignore[reportPrivateUsage]
    stream = GpuStream(0)
    blocks, there = stream.pool.blocks, stream.pool.aside(1 << 20)
    del stream
    gc.collect()
    assert any(one is blocks for _, one in pools)
    assert blocks.used_bytes() >= 1 << 20
    del there
    retired.give_back()
    assert not any(one is blocks for _, one in pools)
    assert blocks.total_bytes() == 0


def test_where_memory_is_saved_pieces_of_about_the_same_size_have_one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, stream = DevicePool(cupy().cuda.Device(0), None), cupy().cuda.Stream()
    blocks = memory.blocks = Blocks(lambda size: size / MIB)
    monkeypatch.setattr(pool, "_IN_TURNS", 2)
    monkeypatch.setattr(pool, "_SEEN", 5)
    memory.thrifty = True
    with stream:
        for size in (30, 31, 29.9, 30.6, 15, 16, 10, 12):
            memory.piece(memory.rounded(int(size * MIB)), stream)
    assert blocks.calls == [
        "back", 30.25, "back", 31.25, "back", 31.25, 31.25, 15.25, 31.25, "back", 10.25, "back", 12.25
    ]  # fmt: skip


@pytest.mark.parametrize("thrifty", [False, True])
def test_a_stream_keeps_its_largest_piece_of_memory_alone(*, thrifty: bool) -> None:
    memory = DevicePool(cupy().cuda.Device(0), None)
    blocks = memory.blocks = Blocks(lambda size: size >= 5000)
    memory.thrifty = thrifty
    for size in (1000, 5000, 900, 5000, 20_000):
        memory.alone(size)
    assert blocks.calls == ["back", False, "back", True, False, True, "back", True]


@pytest.mark.parametrize("size", [*range(1, 70), 511, 513, 10_000, 1 << 20, (1 << 20) + 1])
def test_pieces_of_memory_have_room(size: int) -> None:
    assert size <= roomy(size) < size * 17 / 16 + 512
