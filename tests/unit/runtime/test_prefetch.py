"""Running ahead: order, errors, laziness, ends."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from collections.abc import Callable, Generator
from types import SimpleNamespace
from typing import Any

import pytest

from dali_studio.runtime import prefetch
from dali_studio.runtime.prefetch import Prefetcher

_LIMIT = 10
#: One thread for both parts, and two.
THREADS = pytest.mark.parametrize("small", [True, False], ids=["one thread", "two threads"])


def at_once(function: Callable[[int], Any]) -> Callable[[int], Generator[None, None, Any]]:
    """A computation that never waits."""

    def compute(number: int) -> Generator[None, None, Any]:
        yield from ()
        return function(number)

    return compute


def square_of(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number * number


square = at_once(square_of)


@THREADS
@pytest.mark.parametrize("background", [True, False])
def test_results_come_in_order_and_errors_in_their_place(background: bool, small: bool) -> None:
    prefetcher: Prefetcher[int, int] = Prefetcher(square, background=background, small=small)
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


@THREADS
def test_in_the_background_work_goes_on_by_itself(small: bool) -> None:
    done = threading.Event()
    prefetcher: Prefetcher[int, None] = Prefetcher(at_once(lambda _: done.set()), background=True, small=small)
    prefetcher.schedule(1)
    assert done.wait(5)
    prefetcher.close()


@THREADS
@pytest.mark.parametrize("failed", [False, True])
def test_a_forgotten_prefetcher_is_freed_and_its_thread_ends(failed: bool, small: bool) -> None:
    prefetcher: Prefetcher[int, int] = Prefetcher(square, background=True, small=small)
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


def test_one_thread_begins_the_next_requests_before_it_waits() -> None:
    told: list[str] = []
    scheduled = threading.Event()

    def compute(number: int) -> Generator[None, None, int]:
        assert scheduled.wait(_LIMIT)
        told.append(f"begin {number}")
        yield
        told.append(f"end {number}")
        return number

    prefetcher: Prefetcher[int, int] = Prefetcher(compute, background=True, small=True)
    for number in range(4):
        prefetcher.schedule(number)
    scheduled.set()
    assert [prefetcher.result() for _ in range(4)] == list(range(4))
    assert told == ["begin 0", "begin 1", "begin 2", "end 0", "begin 3", "end 1", "end 2", "end 3"]
    thread = prefetcher._thread
    prefetcher.close()
    assert thread is not None
    thread.join(_LIMIT)
    assert not thread.is_alive()


def test_no_more_than_three_requests_are_under_way() -> None:
    lock, hold = threading.Lock(), threading.Event()
    begun: list[int] = []
    three, fourth = threading.Event(), threading.Event()
    under_way, most = 0, 0

    def compute(number: int) -> Generator[None, None, int]:
        nonlocal under_way, most
        with lock:
            begun.append(number)
            under_way += 1
            most = max(most, under_way)
        if len(begun) == 3:
            three.set()
        if len(begun) == 4:
            fourth.set()
        yield
        assert hold.wait(_LIMIT)
        with lock:
            under_way -= 1
        return number

    prefetcher: Prefetcher[int, int] = Prefetcher(compute, background=True)
    for number in range(8):
        prefetcher.schedule(number)
    assert three.wait(_LIMIT)
    assert not fourth.wait(0.05)
    hold.set()
    assert [prefetcher.result() for _ in range(8)] == list(range(8))
    assert most == 3
    prefetcher.close()


@THREADS
def test_a_failure_gives_its_place_to_the_next_request(small: bool) -> None:
    def compute(number: int) -> Generator[None, None, int]:
        if number % 3 == 0:
            raise ValueError(f"begin {number}")
        yield
        if number % 3 == 1:
            raise ValueError(f"end {number}")
        yield
        return number

    prefetcher: Prefetcher[int, int] = Prefetcher(compute, background=True, small=small)
    for number in range(12):
        prefetcher.schedule(number)
    seen: list[object] = []
    for _ in range(12):
        try:
            seen.append(prefetcher.result())
        except ValueError as error:
            seen.append(str(error))
    assert seen == [(f"begin {n}", f"end {n}", n)[n % 3] for n in range(12)]
    prefetcher.close()


@THREADS
@pytest.mark.parametrize("background", [True, False])
def test_a_computation_may_wait_many_times_or_never(background: bool, small: bool) -> None:
    def compute(number: int) -> Generator[None, None, list[int]]:
        parts: list[int] = []
        for part in range(number):
            parts.append(part)
            yield
        return parts

    prefetcher: Prefetcher[int, list[int]] = Prefetcher(compute, background=background, small=small)
    for number in (0, 5, 1, 0, 2):
        prefetcher.schedule(number)
    assert [len(prefetcher.result()) for _ in range(5)] == [0, 5, 1, 0, 2]
    prefetcher.close()


@pytest.mark.parametrize("forgotten", [True, False])
def test_both_threads_end_though_computations_wait(forgotten: bool) -> None:
    """What has begun is finished; when the prefetcher is forgotten, what has not begun is left."""
    hold, three = threading.Event(), threading.Event()
    begun: list[int] = []
    ended: list[int] = []

    def compute(number: int) -> Generator[None, None, int]:
        begun.append(number)
        if number == 2:
            three.set()
        yield
        assert hold.wait(_LIMIT)
        ended.append(number)
        return number

    before = set(threading.enumerate())
    prefetcher: Prefetcher[int, int] = Prefetcher(compute, background=True)
    for number in range(6):
        prefetcher.schedule(number)
    assert three.wait(_LIMIT)
    threads = set(threading.enumerate()) - before
    assert {thread.name for thread in threads} == {"dali-studio-begin", "dali-studio-finish"}
    reference = weakref.ref(prefetcher)
    if forgotten:
        del prefetcher
        gc.collect()
        assert reference() is None
    else:
        prefetcher.close()
    hold.set()
    for thread in threads:
        thread.join(_LIMIT)
        assert not thread.is_alive()
    assert begun == ended == list(range(3 if forgotten else 6))


@THREADS
@pytest.mark.parametrize("fails", [False, True])
def test_a_waiting_prefetcher_keeps_no_result_alive(fails: bool, small: bool) -> None:
    class Data:
        pass

    freed = threading.Event()

    def compute(_: int) -> Generator[None, None, Data]:
        data = Data()
        weakref.finalize(data, freed.set)
        yield
        if fails:
            raise ValueError("lost")
        return data

    prefetcher: Prefetcher[int, Data] = Prefetcher(compute, background=True, small=small)
    prefetcher.schedule(0)
    if fails:
        with pytest.raises(ValueError, match="lost"):
            prefetcher.result()
    else:
        prefetcher.result()
    gc.collect()
    assert freed.wait(_LIMIT)
    prefetcher.close()


def test_what_only_enqueues_is_computed_when_it_is_added_once_the_first_result_was_asked_for() -> None:
    done: list[int] = []

    def compute(number: int) -> int:
        done.append(number)
        return square_of(number)

    prefetcher: Prefetcher[int, int] = Prefetcher(at_once(compute), background=True, enqueues=True)
    before = threading.active_count()
    prefetcher.schedule(0)
    prefetcher.schedule(1)
    assert not done
    assert prefetcher.result() == 0
    prefetcher.schedule(2)
    prefetcher.schedule(3)
    assert done == [0, 1, 2, 3] and threading.active_count() == before
    assert [prefetcher.result(), prefetcher.result()] == [1, 4]
    with pytest.raises(ValueError, match="three"):
        prefetcher.result()
    assert prefetcher.scheduled == 0
    prefetcher.close()


@THREADS
def test_quick_requests_are_computed_where_they_are_asked_for(small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    where: list[int] = []

    def compute(number: int) -> int:
        where.append(threading.get_ident())
        return number

    def run(first: int, count: int) -> set[int]:
        where.clear()
        prefetcher.schedule(first)
        for number in range(first + 1, first + count):  # one ahead, as pipelines do
            prefetcher.schedule(number)
            assert prefetcher.result() == number - 1
        assert prefetcher.result() == first + count - 1
        return set(where)

    monkeypatch.setattr(prefetch, "_QUICK", 60.0)
    monkeypatch.setattr(prefetch, "_QUICK_ENOUGH", 60.0)
    prefetcher: Prefetcher[int, int] = Prefetcher(at_once(compute), background=True, small=small)
    run(0, 200)
    own = threading.get_ident()
    assert run(200, 5) == {own}
    monkeypatch.setattr(prefetch, "_QUICK_ENOUGH", -1.0)
    monkeypatch.setattr(prefetch, "_EXCUSED", 0)
    monkeypatch.setattr(prefetch, "_QUICK", -1.0)  # from now on they are slow, which the next one shows
    assert own not in (run(300, 1) and run(301, 5))
    prefetcher.close()


def paced(taken: list[tuple[float, float]], *, quick: bool = True, interrupted: bool = False) -> bool:
    """Whether requests are expected to be quick after some that took so long, and before which the caller was away."""

    class Pace(prefetch._Pace):
        def _interrupted(self) -> bool:
            return interrupted

    pace = Pace()
    for _ in range(prefetch._IN_A_ROW if quick else 0):
        pace.count(0.0)
    assert pace.quick is quick
    for seconds, pace.away in taken:
        pace.count(seconds, expected=pace.quick)
    return pace.quick


def test_how_long_quick_requests_take_depends_on_what_the_caller_does_meanwhile() -> None:
    assert paced([(1e-4, 1.0)] * 16, quick=False)
    assert not paced([(1e-3, 1.0)] * 16, quick=False)
    assert paced([(1e-3, 1e-5)] * 16, quick=False)
    assert not paced([(1e-2, 1e-5)] * 16, quick=False)


def test_one_interruption_does_not_make_requests_slow() -> None:
    assert paced([(4e-3, 1.0)])
    assert paced([(4e-3, 1.0), *[(1e-5, 1.0)] * 30] * 10)
    assert not paced([(4e-3, 1.0)] * 3)
    assert not paced([(5e-4, 1.0)] * 40)
    assert paced([*[(5e-2, 1.0)] * 3, (1e-5, 1.0)] * 10, interrupted=True)
    assert not paced([(5e-2, 1.0)] * 4, interrupted=True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_a_thread_knows_that_it_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter([3, 3, 4])
    monkeypatch.setattr(prefetch.resource, "getrusage", lambda which: SimpleNamespace(ru_nivcsw=next(counts)))
    pace = prefetch._Pace()
    assert [pace._interrupted() for _ in range(3)] == [True, False, True]
