"""Loops are shared among threads where that is faster, and give the same either way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dali_studio.runtime import loops
from dali_studio.runtime.loops import Loops
from dali_studio.runtime.workers import Cancelled, WorkerPool


class Clocked(WorkerPool):
    """Two threads in name, and a clock: tasks take as many seconds as is said."""

    def __init__(self, alone: float, shared: float) -> None:
        super().__init__(2)
        self.alone, self.shared, self.now = alone, shared, 0.0
        self.runs: list[str] = []

    def map(self, function: Callable[[int], None], count: int) -> None:
        self.runs.append("shared")
        for index in range(count):
            function(index)
            self.now += self.shared

    def run_alone(self, function: Callable[[int], None], count: int, deadline: float) -> int:
        self.runs.append("alone")
        for index in range(count):
            function(index)
            self.now += self.alone
            if self.now > deadline:
                return index + 1
        return count


def clocked(monkeypatch: pytest.MonkeyPatch, alone: float, shared: float) -> tuple[Clocked, Loops]:
    """A pool with a clock, and loops that read it."""
    workers = Clocked(alone, shared)
    monkeypatch.setattr(loops, "perf_counter", lambda: workers.now)
    return workers, Loops(workers)


def run(made: Loops, times: int, count: int = 8) -> None:
    """Runs one loop, and checks that each index comes once, in order."""
    for _ in range(times):
        seen: list[int] = []
        made.run("step", seen.append, count)
        assert seen == list(range(count))


@pytest.mark.parametrize(
    ("alone", "shared", "way"), [(1e-6, 2e-6, "alone"), (2e-6, 1e-6, "shared"), (1e-6, 9.5e-7, "alone")]
)
def test_the_faster_way_is_kept(monkeypatch: pytest.MonkeyPatch, alone: float, shared: float, way: str) -> None:
    workers, made = clocked(monkeypatch, alone, shared)
    run(made, 5)
    assert workers.runs.count("shared") >= 3 and "alone" in workers.runs
    workers.runs.clear()
    run(made, 20)
    assert workers.runs == [way] * 20


def test_both_ways_are_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, made = clocked(monkeypatch, 1e-6, 2e-6)
    run(made, 40)
    workers.alone, workers.shared = 2e-6, 1e-6
    run(made, 60)
    workers.runs.clear()
    run(made, 20)
    assert workers.runs == ["shared"] * 20


def test_one_thread_hands_over_what_takes_it_longer_than_all(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, made = clocked(monkeypatch, 8e-6, 1e-6)
    run(made, 3)
    assert workers.runs == ["shared", "shared", "alone", "shared"]
    assert workers.now == pytest.approx(2 * 8e-6 + 2 * 8e-6 + 6e-6)  # two calls alone, the rest by all


def test_long_tasks_are_always_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, made = clocked(monkeypatch, 1e-6, 1e-3)
    run(made, 100)
    assert workers.runs == ["shared"] * 100


def test_each_loop_has_its_own_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, made = clocked(monkeypatch, 1e-6, 2e-6)
    run(made, 10)
    workers.runs.clear()
    made.run("another", lambda index: None, 8)
    assert workers.runs == ["shared"]
    workers.runs.clear()
    run(made, 1)
    assert workers.runs == ["alone"]


@pytest.mark.parametrize("before", range(8))
def test_the_failure_of_the_lowest_index_is_raised(before: int) -> None:
    made, wrong = Loops(WorkerPool(2)), list[int]()

    def task(index: int) -> None:
        if index in wrong:
            raise KeyError(index)

    for _ in range(before):
        made.run("step", task, 8)
    wrong += 3, 5
    with pytest.raises(KeyError, match="3"):
        made.run("step", task, 8)


@pytest.mark.parametrize("before", range(8))
def test_loops_stop_when_the_user_says_so(before: int) -> None:
    workers, last = WorkerPool(2), list[int]()
    made = Loops(workers)

    def task(index: int) -> None:
        if index in last:
            workers.cancelled.set()

    for _ in range(before):
        made.run("step", task, 8)
    last.append(2)
    with pytest.raises(Cancelled):
        made.run("step", task, 8)
