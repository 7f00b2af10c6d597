"""The line about a wait in a program: where somebody looks, and nowhere else."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from dali_studio import fn, pipeline_def
from dali_studio.api import waiting
from dali_studio.core.progress import current, doing
from dali_studio.runtime import prefetch
from dali_studio.runtime.executor import Executor


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Cell(io.StringIO):
    """What `sys.stderr` is in a notebook."""


Cell.__module__ = "ipykernel.iostream"


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Callable[[io.StringIO], io.StringIO]:
    """Lines appear at once, and go to a stream of one's own."""
    monkeypatch.delenv(waiting.PROGRESS, raising=False)
    monkeypatch.setattr(prefetch, "LONG", 0.01)
    monkeypatch.setattr(waiting, "EVERY", 0.01)

    def put(stream: io.StringIO) -> io.StringIO:
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    return put


def until(stream: io.StringIO, text: str) -> None:
    end = time.monotonic() + 10
    while text not in stream.getvalue() and time.monotonic() < end:
        time.sleep(0.01)
    assert text in stream.getvalue()


def test_a_terminal_shows_how_far_it_is_and_is_left_clean(watch: Callable[[io.StringIO], io.StringIO]) -> None:
    terminal = watch(Terminal())
    with waiting.told("Building\x1b it", after=0), doing("listing files") as stage:
        stage.done = 4096
        until(terminal, "Building? it, 2 s: listing files (4,096)")
    assert terminal.getvalue().endswith(f"\r{'':78}\r") and not current()


def test_a_cell_of_a_notebook_keeps_what_took_long(watch: Callable[[io.StringIO], io.StringIO]) -> None:
    cell = watch(Cell())
    with waiting.told("Building it", lambda: "half", after=0):
        until(cell, "Building it, 2 s: half")
    assert cell.getvalue().endswith("\n")


def test_nothing_is_said_elsewhere(
    watch: Callable[[io.StringIO], io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = watch(io.StringIO())
    with waiting.told("Building it", after=0):
        time.sleep(0.05)
    terminal = watch(Terminal())
    monkeypatch.setenv(waiting.PROGRESS, "0")
    with waiting.told("Building it", after=0):
        time.sleep(0.05)
    assert not log.getvalue() and not terminal.getvalue()


@pytest.mark.parametrize("background", [True, False])
def test_a_slow_batch_says_where_it_is(
    watch: Callable[[io.StringIO], io.StringIO], monkeypatch: pytest.MonkeyPatch, background: bool
) -> None:
    terminal, stage = watch(Terminal()), Executor._stage

    def slow_stage(*given: Any) -> Any:
        if given[0]._at == 1:
            until(terminal, "Computing a batch of slow, 2 s: coin_flip, 2 of 2")
        return stage(*given)

    monkeypatch.setattr(Executor, "_stage", slow_stage)

    @pipeline_def(batch_size=1, num_threads=1, device_id=None, exec_async=background, prefetch_queue_depth=1)
    def slow() -> Any:
        return fn.random.uniform(), fn.random.coin_flip()

    slow().run()
