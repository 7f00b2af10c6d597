"""Running ahead: order, errors, laziness, ends."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Generator
from typing import Any

import pytest

from dali_studio.runtime.prefetch import Prefetcher


def at_once(function: Callable[[int], Any]) -> Callable[[int], Generator[None, None, Any]]:
    """A computation that never waits."""

    def compute(number: int) -> Generator[None, None, Any]:
        yield from ()
        return function(number)

    return compute


@at_once
def square(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number * number


@pytest.mark.parametrize("background", [True, False])
def test_results_come_in_order_and_errors_in_their_place(background: bool) -> None:
    prefetcher: Prefetcher[int, int] = Prefetcher(square, background=background)
    for number in range(6):
        prefetcher.schedule(number)
    assert prefetcher.scheduled == 6
    seen: list[object] = []
    for _ in range(6):
        try:
            seen.append(prefetcher.result())
        except ValueError as error:
            seen.append(str(error))
    assert seen == [0, 1, 4, "three", 16, 25]
    assert prefetcher.scheduled == 0
    prefetcher.close()


def test_in_the_foreground_nothing_is_computed_before_it_is_asked_for() -> None:
    done: list[int] = []
    prefetcher: Prefetcher[int, None] = Prefetcher(at_once(done.append), background=False)
    before = threading.active_count()
    prefetcher.schedule(1)
    prefetcher.schedule(2)
    assert not done
    prefetcher.result()
    assert done == [1]
    assert threading.active_count() <= before


def test_in_the_background_work_goes_on_by_itself() -> None:
    done = threading.Event()
    prefetcher: Prefetcher[int, None] = Prefetcher(at_once(lambda _: done.set()), background=True)
    prefetcher.schedule(1)
    assert done.wait(5)
    prefetcher.close()


@pytest.mark.parametrize("failed", [False, True])
def test_a_forgotten_prefetcher_is_freed_and_its_thread_ends(failed: bool) -> None:
    prefetcher: Prefetcher[int, int] = Prefetcher(square, background=True)
    prefetcher.schedule(3 if failed else 1)
    prefetcher.schedule(2)
    if not failed:
        prefetcher.result()
    thread = prefetcher._thread
    reference = weakref.ref(prefetcher)
    time.sleep(0.02)
    del prefetcher
    gc.collect()
    assert thread is not None
    thread.join(5)
    assert not thread.is_alive()
    assert reference() is None


def test_the_next_request_begins_while_one_waits_and_results_stay_in_order() -> None:
    told: list[str] = []
    next_began = threading.Event()

    def compute(number: int) -> Generator[None, None, int]:
        told.append(f"begin {number}")
        if number == 1:
            next_began.set()
        if number == 2:
            raise ValueError("two")
        yield
        assert number or next_began.wait(5)
        told.append(f"end {number}")
        return number

    prefetcher: Prefetcher[int, int] = Prefetcher(compute, background=True)
    for number in range(5):
        prefetcher.schedule(number)
    assert [prefetcher.result(), prefetcher.result()] == [0, 1]
    with pytest.raises(ValueError, match="two"):
        prefetcher.result()
    assert [prefetcher.result(), prefetcher.result()] == [3, 4]
    assert told.index("begin 1") < told.index("end 0") < told.index("end 1")
    assert told.index("end 0") < told.index("begin 3")
    prefetcher.close()
