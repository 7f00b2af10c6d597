"""Loops that idle threads work on meanwhile: those of high priority come first, nothing is lost, and everything ends."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dali_studio.runtime.workers import Cancelled, Loop, WorkerPool

_LIMIT = 10


def counted(count: int) -> Callable[[], int]:
    """Gives 0 to count - 1, then -1."""
    numbers = itertools.count()
    return lambda: index if (index := next(numbers)) < count else -1


def until(event: threading.Event) -> None:
    assert event.wait(_LIMIT)


def test_a_patient_loop_goes_on_by_itself_and_every_index_runs_once() -> None:
    pool = WorkerPool(3)
    for _ in range(3):
        done: list[int] = []
        over = threading.Event()

        def work(index: int, done: list[int] = done, over: threading.Event = over) -> None:
            assert threading.current_thread() is not threading.main_thread()
            done.append(index)
            if len(done) == 100:
                over.set()

        loop = pool.start(work, counted(100), 100)
        until(over)
        pool.finish(loop)
        assert sorted(done) == list(range(100))
    pool.close()


def test_finish_waits_for_calls_that_have_begun() -> None:
    pool = WorkerPool(3)
    hold, last = threading.Event(), threading.Event()
    done: list[int] = []

    def work(index: int) -> None:
        if index == 0:
            until(hold)
        done.append(index)
        if index == 9:
            last.set()

    loop = pool.start(work, counted(10), 10)
    until(last)
    threading.Timer(0.03, hold.set).start()
    pool.finish(loop)
    assert sorted(done) == list(range(10))
    pool.close()


def test_a_pool_of_one_runs_a_patient_loop_where_it_is_finished() -> None:
    pool = WorkerPool(1)
    names: list[str] = []
    loop = pool.start(lambda _: names.append(threading.current_thread().name), counted(5), 5)
    assert not loop.helped and not names
    pool.finish(loop)
    assert names == [threading.current_thread().name] * 5
    assert not pool._threads._threads


def test_a_closed_pool_runs_a_patient_loop_where_it_is_finished() -> None:
    pool = WorkerPool(4)
    pool.close()
    names: list[str] = []
    loop = pool.start(lambda _: names.append(threading.current_thread().name), counted(5), 5)
    pool.finish(loop)
    assert names == [threading.current_thread().name] * 5


def test_closing_after_the_start_of_a_patient_loop_loses_nothing() -> None:
    for _ in range(30):
        pool = WorkerPool(3)
        done: list[int] = []
        loop = pool.start(done.append, counted(50), 50)
        pool.close()
        pool.finish(loop)
        assert sorted(done) == list(range(50))


def test_an_urgent_loop_ends_while_all_threads_are_in_a_patient_one_and_late_helpers_are_not_waited_for() -> None:
    pool = WorkerPool(3)
    hold = threading.Event()
    inside = threading.Barrier(3)

    def work(_: int) -> None:
        inside.wait(_LIMIT)
        until(hold)

    loop = pool.start(work, counted(2), 2)
    inside.wait(_LIMIT)  # both threads are in it, and stay there
    names: list[str] = []
    pool.map(lambda _: names.append(threading.current_thread().name), 20)
    assert names == [threading.current_thread().name] * 20
    hold.set()
    pool.finish(loop)
    # the helpers that come late find the loop closed, and go on to the next one
    together = threading.Barrier(3)
    pool.map(lambda _: together.wait(_LIMIT) and None, 3)
    assert len(names) == 20
    pool.close()


def test_who_comes_late_takes_nothing_though_there_is_something_again() -> None:
    waiting = [3, -1, 4]
    done: list[int] = []
    loop = Loop(done.append, lambda: waiting.pop(0))
    loop.work(lambda: False)
    loop.close()
    loop.help(lambda: False)
    assert done == [3] and waiting == [4]


def test_a_thread_serves_an_urgent_loop_between_two_calls_of_a_patient_one() -> None:
    pool = WorkerPool(2)
    told: list[str] = []
    begun, high = threading.Event(), threading.Event()
    together = threading.Barrier(2)

    def patiently(index: int) -> None:
        told.append(f"background {index}")
        begun.set()
        until(high)

    def urgently(_: int) -> None:
        high.set()
        together.wait(_LIMIT)  # the caller and the one thread of the pool
        told.append("high")

    loop = pool.start(patiently, counted(2), 2)
    until(begun)
    pool.map(urgently, 2)
    pool.finish(loop)
    assert sorted(told) == ["background 0", "background 1", "high", "high"]
    assert told.index("background 0") < told.index("high") < told.index("background 1")
    pool.close()


def test_the_failure_of_the_lowest_index_of_a_patient_loop_is_raised_and_stops_it() -> None:
    pool = WorkerPool(4)
    together = threading.Barrier(3)
    done: list[int] = []

    def fail(index: int) -> None:
        done.append(index)
        together.wait(_LIMIT)
        raise ValueError(f"index {index}")

    loop = pool.start(fail, counted(100), 100)
    with pytest.raises(ValueError, match="index 0"):
        pool.finish(loop)
    assert sorted(done) == [0, 1, 2]
    again: list[int] = []
    pool.finish(pool.start(again.append, counted(7), 7))
    assert sorted(again) == list(range(7))
    pool.close()


@pytest.mark.parametrize("threads", [1, 3])
def test_cancelling_stops_a_patient_loop(threads: int) -> None:
    pool = WorkerPool(threads)
    done: list[int] = []

    def work(index: int) -> None:
        pool.cancelled.set()
        done.append(index)

    loop = pool.start(work, counted(10_000), 10_000)
    with pytest.raises(Cancelled):
        pool.finish(loop)
    assert len(done) <= threads
    pool.cancelled.clear()
    pool.finish(pool.start(done.append, counted(5), 5))
    pool.close()


def test_patient_loops_follow_each_other() -> None:
    pool = WorkerPool(2)
    told: list[str] = []
    loops = [pool.start(lambda index, name=name: told.append(f"{name}{index}"), counted(3), 3) for name in "abc"]
    for loop in reversed(loops):
        pool.finish(loop)
    assert told == [f"{name}{index}" for name in "abc" for index in range(3)]
    pool.close()


@pytest.mark.parametrize("background", [False, True])
def test_a_waiting_thread_keeps_nothing_of_a_loop_alive(background: bool) -> None:
    pool = WorkerPool(3)
    data = np.zeros(10)
    freed = threading.Event()
    weakref.finalize(data, freed.set)

    def work(index: int, data: Any = data) -> None:
        data[index] += 1

    pool.finish(pool.start(work, counted(10), 10)) if background else pool.map(work, 10)
    del data, work
    assert freed.wait(_LIMIT)
    pool.close()


def test_a_forgotten_pool_is_freed() -> None:
    pool = WorkerPool(3)
    pool.map(lambda _: None, 9)
    pool.finish(pool.start(lambda _: None, counted(9), 9))
    reference = weakref.ref(pool)
    threads = pool._threads
    del pool
    assert reference() is None
    threads.end()
