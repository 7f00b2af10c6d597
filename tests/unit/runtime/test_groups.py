"""How many iterations are computed together."""

from __future__ import annotations

import pytest

from dali_studio.runtime import groups
from dali_studio.runtime.groups import Groups

_MIB = 1 << 20


class _Memory:
    """As many bytes for each sample of an iteration, and for what the groups before have left."""

    def __init__(self, each: int) -> None:
        self.device_memory, self.each, self.trimmed = 0, each, 0

    def holds(self, iterations: int) -> None:
        self.device_memory = max(self.device_memory, iterations * self.each)

    def trim(self) -> None:
        self.trimmed += 1
        self.device_memory = 0


def _run(chosen: Groups, memory: _Memory, count: int) -> list[int]:
    sizes = list[int]()
    for _ in range(count):
        sizes.append(chosen.next())
        memory.holds(sizes[-1])
    return sizes


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "SAMPLES", 64)
    monkeypatch.setattr(groups, "_MEMORY", 256 * _MIB)


@pytest.mark.parametrize(("batch", "each", "found"), [(1, 1, 64), (8, 1, 8), (8, 50, 5), (64, 1, 1), (8, 1000, 1)])
def test_groups_follow_single_iterations(batch: int, each: int, found: int) -> None:
    memory = _Memory(each * _MIB)
    assert _run(Groups(batch, memory), memory, 12) == [1] * 4 + [found] * 8
    assert not memory.trimmed


def test_a_limit_of_the_user_is_the_measure() -> None:
    memory = _Memory(10 * _MIB)
    assert _run(Groups(1, memory, 100 * _MIB), memory, 5)[-1] == 5
    memory = _Memory(10 * _MIB)
    assert _run(Groups(1, memory, 8192 * _MIB), memory, 5)[-1] == 64


def test_larger_pictures_make_groups_smaller() -> None:
    memory = _Memory(2 * _MIB)
    chosen = Groups(1, memory)
    assert _run(chosen, memory, 6)[-1] == 64
    memory.each = 32 * _MIB
    sizes = _run(chosen, memory, 8)
    assert sizes == [64] + [8] * 7
    assert memory.trimmed == 1
    memory.each = 1000 * _MIB
    assert _run(chosen, memory, 12)[-1] == 1


def test_giving_up_lasts() -> None:
    memory = _Memory(_MIB)
    chosen = Groups(1, memory)
    _run(chosen, memory, 8)
    chosen.give_up()
    assert _run(chosen, memory, 8) == [1] * 8
