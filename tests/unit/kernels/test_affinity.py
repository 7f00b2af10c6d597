"""Threads that keep off the processors which serve the interrupts of GPUs, with made-up interrupts and processors."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from dali_studio.kernels.cuda import affinity
from dali_studio.kernels.cuda.affinity import AwayFromInterrupts, gpu_interrupts


class Machine:
    """Processors 0, 1 and 3, whose interrupts and clock the test sets; it notes where the thread was moved to."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch, allowed: set[int]) -> None:
        self.path, self.now, self.moves = path, 100.0, list[set[int]]()
        self.serve(0, 0, 0)
        monkeypatch.setattr(affinity, "_INTERRUPTS", path)
        monkeypatch.setattr(affinity, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr("os.sched_getaffinity", lambda _: allowed, raising=False)
        monkeypatch.setattr("os.sched_setaffinity", lambda _, to: self.moves.append(to), raising=False)

    def serve(self, *counts: int) -> None:
        """The numbers of interrupts from now on, half of them from each of two GPUs."""
        rows = "".join(f" {34 + k}: {' '.join(str(n // 2) for n in counts)} PCI-MSI {k}-edge nvidia\n" for k in (0, 1))
        busy = "  7: 900000 900000 900000 IO-APIC 7-edge nvme0\nERR: 0\n"
        self.path.write_text(f"      CPU0  CPU1  CPU3\n{rows}{busy}", encoding="utf-8")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path / "interrupts", monkeypatch, {0, 1, 3})


def test_interrupts_of_all_gpus_are_added_up_and_those_of_others_are_not(machine: Machine) -> None:
    machine.serve(10, 0, 6)
    assert gpu_interrupts() == {0: 10, 1: 0, 3: 6}


@pytest.mark.parametrize("text", [None, ""])
def test_where_nothing_is_known_nothing_is_done(machine: Machine, text: str | None) -> None:
    machine.path.unlink() if text is None else machine.path.write_text(text, encoding="utf-8")
    assert gpu_interrupts() == {}
    away = AwayFromInterrupts()
    machine.now += 1000
    away.look()
    assert not machine.moves


def test_a_thread_leaves_the_busy_processors_and_follows_when_others_become_busy(machine: Machine) -> None:
    machine.serve(10**6, 10**6, 10**6)  # before the thread began: they do not matter
    away = AwayFromInterrupts()
    machine.serve(10**6 + 500, 10**6, 10**6)
    machine.now += 0.05
    away.look()  # too early to tell
    assert not machine.moves
    machine.now += 0.1
    away.look()
    assert machine.moves == [{1, 3}]
    machine.serve(10**6 + 500 + 4 * 10**5, 10**6, 10**6 + 900)
    machine.now += 4
    away.look()  # the next look is later than the first one
    machine.now += 2
    away.look()  # still processor 0 alone: some interrupts a second do not count
    assert machine.moves == [{1, 3}]
    machine.serve(10**6 + 500 + 4 * 10**5, 10**6 + 10**5, 10**6 + 10**5)
    machine.now += 6
    away.look()
    assert machine.moves == [{1, 3}, {0}]
    machine.now += 6
    away.look()  # nobody is busy: there is no need to move
    assert machine.moves == [{1, 3}, {0}]


@pytest.mark.parametrize("allowed", [{0}, {0, 3}])
def test_a_thread_that_has_nowhere_to_go_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: set[int]) -> None:
    machine = Machine(tmp_path / "interrupts", monkeypatch, allowed)
    away = AwayFromInterrupts()
    machine.serve(10**6, 0, 10**6)
    machine.now += 1
    away.look()
    assert not machine.moves
