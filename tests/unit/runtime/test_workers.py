"""The worker pool: all indices once, errors, cancellation, closing."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

from dali_studio.runtime.workers import Cancelled, WorkerPool


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_every_index_runs_once(threads: int, count: int) -> None:
    pool = WorkerPool(threads)
    seen: Counter[int] = Counter()
    lock = threading.Lock()

    def work(index: int) -> None:
        with lock:
            seen[index] += 1

    for _ in range(3):
        pool.map(work, count)
    assert seen == Counter(dict.fromkeys(range(count), 3))
    pool.close()


def test_work_is_shared_with_the_callers_thread_among_the_workers() -> None:
    pool = WorkerPool(3)
    names: set[str] = set()
    barrier = threading.Barrier(3, timeout=5)

    def work(_: int) -> None:
        names.add(threading.current_thread().name)
        barrier.wait()

    pool.map(work, 3)
    assert threading.current_thread().name in names
    assert len(names) == 3
    pool.close()


def test_one_thread_starts_none() -> None:
    before = threading.active_count()
    pool = WorkerPool(1)
    pool.map(lambda _: None, 50)
    assert threading.active_count() <= before


def test_the_failure_of_the_lowest_index_is_raised_and_the_pool_goes_on() -> None:
    pool = WorkerPool(4)
    barrier = threading.Barrier(4, timeout=5)

    def fail(index: int) -> None:
        barrier.wait()
        raise ValueError(f"index {index}")

    for _ in range(3):
        with pytest.raises(ValueError, match="index 0"):
            pool.map(fail, 4)
    done: list[int] = []
    pool.map(done.append, 9)
    assert sorted(done) == list(range(9))
    pool.close()


def test_a_failure_stops_what_has_not_begun() -> None:
    pool = WorkerPool(1)
    done: list[int] = []

    def work(index: int) -> None:
        done.append(index)
        if index == 3:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        pool.map(work, 100)
    assert done == [0, 1, 2, 3]


def test_cancelling_stops_a_loop() -> None:
    pool = WorkerPool(2)
    done: list[int] = []

    def work(index: int) -> None:
        done.append(index)
        if index == 5:
            pool.cancelled.set()

    with pytest.raises(Cancelled):
        pool.map(work, 10_000)
    assert len(done) < 100
    pool.cancelled.clear()
    pool.map(lambda _: None, 3)
    pool.close()


def test_closing_ends_the_threads_and_later_loops_run_in_the_callers() -> None:
    before = threading.active_count()
    pool = WorkerPool(4)
    pool.map(lambda _: time.sleep(0.001), 20)
    pool.close()
    names: set[str] = set()
    pool.map(lambda _: names.add(threading.current_thread().name), 20)
    assert names == {threading.current_thread().name}
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_closing_during_a_loop_neither_hangs_nor_loses_work() -> None:
    for _ in range(50):
        pool = WorkerPool(3)
        done: list[int] = []
        runner = threading.Thread(target=pool.map, args=(done.append, 200))
        runner.start()
        pool.close()
        runner.join(timeout=5)
        assert not runner.is_alive()
        assert sorted(done) == list(range(200))


@pytest.mark.parametrize("allowed", [0, 1])
def test_threads_that_the_system_refuses_are_done_without(monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    begin, begun = threading.Thread.start, list[str]()

    def start(thread: threading.Thread) -> None:
        if len(begun) == allowed:
            raise RuntimeError("can't start new thread")
        begun.append(thread.name)
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    pool = WorkerPool(4)
    for _ in range(2):  # the second time nobody waits for those that were refused
        seen: list[int] = []
        pool.map(seen.append, 100)
        assert sorted(seen) == list(range(100))
        counter = iter([*range(100), *[-1] * 9])
        pool.finish(pool.start(seen.append, counter.__next__, 100))
        assert len(seen) == 200
    pool.close()
