"""How many iterations are computed together."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio.core.batch import Batch
from dali_studio.graph.edits import PortRef
from dali_studio.runtime import groups
from dali_studio.runtime.groups import Groups, QuickGroups

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


def _took(chosen: QuickGroups, *milliseconds: float, size: int = 1) -> list[int]:
    """How many iterations come behind groups that take so long for results of so many bytes."""
    made = {PortRef(node="node"): Batch.of_array(np.zeros((1, size), np.uint8))}
    sizes = list[int]()
    for one in milliseconds:
        chosen.took(chosen.next(), one / 1e3, made)
        sizes.append(chosen.next())
    return sizes


def test_quick_iterations_are_computed_together() -> None:
    assert _took(QuickGroups(3), *[1] * 6) == [2, 4, 8, 16, 21, 21]
    assert _took(QuickGroups(1), 1, 1, 1.9, 2.1, 7.9) == [2, 4, 8, 8, 8]
    assert _took(QuickGroups(1), 1, 1, size=9 << 20) == [1, 1]
    assert _took(QuickGroups(65), 0) == [1]


def test_groups_that_take_long_become_smaller() -> None:
    chosen = QuickGroups(1)
    assert _took(chosen, 1, 1, 1) == [2, 4, 8]
    assert _took(chosen, 9, 9, 7, 9, 9, 9, 9) == [8, 8, 8, 8, 8, 4, 4]
    chosen.took(1, 1e-3, {})  # of before
    assert chosen.next() == 4
    chosen.give_up()
    assert _took(chosen, 1) == [1]
