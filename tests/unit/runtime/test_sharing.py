"""Images shared between hardware and threads: each is decoded once, whatever fails or is slow."""

from __future__ import annotations

import gc
import threading
import time
import warnings
import weakref
from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dali_studio.kernels.cuda.device import Unavailable
from dali_studio.kernels.jpeg.decode_queue import BY_HARDWARE, take_group
from dali_studio.kernels.jpeg.decode_threads import DecodeThreadPool
from dali_studio.kernels.jpeg.nvjpeg import MAX_GROUP, MIN_GROUP, HardwareDecoder
from dali_studio.runtime.sharing import DecoderFeeder, DecodeWorkQueue, Decoding
from dali_studio.runtime.workers import WorkerPool

_HARDWARE, _THREAD = 1, 100
_LIMIT = 10


class Decoder(HardwareDecoder):
    """Takes its turn in the thread that waits for it, and "decodes" into an array.

    Parameters
    ----------
    refused : set of int
        Positions that it cannot decode.
    on_take, on_done : callable
        Called with the number of a group, from 0, when it has been taken and when its pixels are there.
    """

    def __init__(
        self, refused: set[int] | None = None, on_take: Callable[[int], None] = lambda _: None,
        on_done: Callable[[int], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self.refused, self.on_take, self.on_done = refused or set(), on_take, on_done
        self.groups: list[list[int]] = []
        self.stalled = False
        self.closed = threading.Event()
        self.thread: threading.Thread | None = None

    def wait(self, batch: Any, timeout: float | None = None) -> NDArray[np.bool_]:
        self.thread = threading.current_thread()
        job, rows, pixels = batch
        while (group := take_group(*job.queue, MIN_GROUP, MAX_GROUP))[1]:
            taken = range(group[0], sum(group))
            number = len(self.groups)
            self.groups.append([rows[row] for row in taken])
            self.on_take(number)
            decoded = [row for row in taken if rows[row] not in self.refused]
            for row in decoded:
                pixels[rows[row]] += _HARDWARE
            self.on_done(number)
            job.outcomes[decoded] = BY_HARDWARE
        return job.outcomes == BY_HARDWARE

    def close(self) -> None:
        self.closed.set()


class Batch:
    """The pixels of a batch and its decoding."""

    def __init__(
        self, count: int, *, alone: list[int] | None = None, fails: tuple[int, ...] = (),
        before: Callable[[int], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self.pixels = np.zeros(count, np.int64)
        alone = alone or []
        both = [i for i in range(count) if i not in alone]
        self.shared = DecodeWorkQueue(both, alone)
        self._fails, self._before = fails, before
        turn: Any = (self.shared.batch, both, self.pixels)
        self.decoding = Decoding(self.shared, self._by_thread, lambda _: turn)

    def _by_thread(self, position: int) -> None:
        self._before(position)
        if position in self._fails:
            raise ValueError(f"image {position}")
        self.pixels[position] += _THREAD

    def run(self, pool: WorkerPool, *feeders: DecoderFeeder) -> list[int]:
        self.decoding.start(pool, DecodeThreadPool(0), feeders)
        return self.decoding.finish(pool)

    def check(self, on_gpu: list[int]) -> None:
        """Everything was decoded once, and by whom it was said."""
        assert np.flatnonzero(self.pixels == _HARDWARE).tolist() == on_gpu
        assert (np.delete(self.pixels, on_gpu) == _THREAD).all()


@pytest.fixture
def pool() -> Any:
    made = WorkerPool(3)
    yield made
    made.close()


def until(event: threading.Event) -> None:
    assert event.wait(_LIMIT)


# ----------------------------------------------------------------------------------------------------- what is waiting


def test_threads_take_what_only_they_may_then_from_the_end_and_the_hardware_from_the_beginning() -> None:
    shared = DecodeWorkQueue(list(range(0, 400, 2)), [1, 3])
    assert [shared.take() for _ in range(4)] == [3, 1, 398, 396]
    assert take_group(*shared.batch.queue, MIN_GROUP, MAX_GROUP) == (0, 99)
    assert shared.take() == 394


def test_after_a_stop_nothing_is_left() -> None:
    shared = DecodeWorkQueue(list(range(50)), [50, 51])
    shared.take()
    shared.stop()
    assert shared.take() == -1
    assert take_group(*shared.batch.queue, MIN_GROUP, MAX_GROUP)[1] == 0


def test_every_image_is_taken_once_whoever_takes_it() -> None:
    for _ in range(20):
        shared = DecodeWorkQueue(range(3000), range(3000, 3100))
        taken: list[list[int]] = [[] for _ in range(6)]
        begin = threading.Barrier(6)

        def one_by_one(own: list[int], shared: DecodeWorkQueue = shared, begin: Any = begin) -> None:
            begin.wait(_LIMIT)
            own.extend(iter(shared.take, -1))

        def in_groups(own: list[int], shared: DecodeWorkQueue = shared, begin: Any = begin) -> None:
            begin.wait(_LIMIT)
            while (group := take_group(*shared.batch.queue, MIN_GROUP, MAX_GROUP))[1]:
                own.extend(range(group[0], sum(group)))

        threads = [
            threading.Thread(target=in_groups if k < 2 else one_by_one, args=(own,)) for k, own in enumerate(taken)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(_LIMIT)
        assert Counter(chain(*taken)) == Counter(range(3100))


# ------------------------------------------------------------------------------------------------------------ decoding


@pytest.mark.parametrize("count", [1, 40, 700])
def test_everything_is_decoded_once_batch_after_batch(pool: WorkerPool, count: int) -> None:
    decoder = Decoder()
    feeder = DecoderFeeder(lambda: decoder)
    for _ in range(3):
        batch = Batch(count, alone=[0] if count > 1 else [])
        batch.check(batch.run(pool, feeder))
    assert not feeder.disabled_reason
    feeder.close()


def test_a_decoder_that_overlaps_is_given_the_next_batch_before_it_is_waited_for(pool: WorkerPool) -> None:
    """Each "wait" takes what is left of its batch: the batches were handed over before, in order."""
    said: list[str] = []
    third = threading.Event()

    class Overlapping(Decoder):
        overlaps = True

        def wait(self, batch: Any, timeout: float | None = None) -> NDArray[np.bool_]:
            said.append("wait")
            return super().wait(batch, timeout)

    def opened() -> Overlapping:
        until(third)  # three batches stand in line
        return Overlapping()

    feeder = DecoderFeeder(opened)
    batches = [Batch(MIN_GROUP, before=lambda _: until(batches[2].decoding._feeders[0])) for _ in range(3)]
    for batch in batches:
        to_gpu = batch.decoding._to_gpu
        batch.decoding._to_gpu = lambda decoder, to_gpu=to_gpu: said.append("hand over") or to_gpu(decoder)  # type: ignore[misc]
        batch.decoding.start(pool, DecodeThreadPool(0), [feeder])
    third.set()
    for batch in batches:
        batch.check(batch.decoding.finish(pool))
    assert said == ["hand over", "hand over", "wait", "hand over", "wait", "wait"]
    assert not feeder.disabled_reason
    feeder.close()


def test_the_hardware_decodes_while_threads_are_busy_and_never_what_only_they_may(pool: WorkerPool) -> None:
    """The threads hold until the hardware has all that it may take."""
    all_submitted = threading.Event()
    decoder = Decoder(on_done=lambda number: all_submitted.set() if number == 1 else None)
    feeder = DecoderFeeder(lambda: decoder)
    batch = Batch(2 * MIN_GROUP + 3, alone=[5, 9, 20], before=lambda _: until(all_submitted))
    on_gpu = batch.run(pool, feeder)
    batch.check(on_gpu)
    assert on_gpu == [i for i in range(2 * MIN_GROUP + 3) if i not in (5, 9, 20)]
    assert [len(group) for group in decoder.groups] == [MIN_GROUP, MIN_GROUP]
    feeder.close()


def test_without_hardware_the_threads_decode_everything(pool: WorkerPool) -> None:
    batch = Batch(100, alone=[1, 2])
    assert batch.run(pool) == []
    batch.check([])


def test_refused_pictures_go_to_the_threads(pool: WorkerPool) -> None:
    over = threading.Event()
    refused, alone = {0, 7, MIN_GROUP, 2 * MIN_GROUP - 1}, [2 * MIN_GROUP + k for k in range(3)]
    decoder = Decoder(refused, on_done=lambda number: over.set() if number == 1 else None)
    feeder = DecoderFeeder(lambda: decoder)
    batch = Batch(2 * MIN_GROUP + 3, alone=alone, before=lambda _: until(over))
    on_gpu = batch.run(pool, feeder)
    batch.check(on_gpu)
    assert on_gpu == sorted(set(range(2 * MIN_GROUP)) - refused)
    feeder.close()


@pytest.mark.parametrize("where", ["on_take", "on_done"])
def test_threads_decode_what_was_on_gpu_when_it_failed_and_it_is_not_used_again(
    pool: WorkerPool, where: str
) -> None:  # fmt: skip
    failed = threading.Event()

    def fail(number: int) -> None:
        if number == (1 if where == "on_take" else 0):
            failed.set()
            raise RuntimeError("the hardware is on fire")

    decoder = Decoder(**{where: fail})
    feeder = DecoderFeeder(lambda: decoder)
    batch = Batch(2 * MIN_GROUP + 1, alone=[0], before=lambda _: until(failed))
    with pytest.warns(RuntimeWarning, match="the hardware is on fire"):
        on_gpu = batch.run(pool, feeder)
    assert on_gpu == (decoder.groups[0] if where == "on_take" else [])
    assert (batch.pixels[on_gpu] == _HARDWARE).all()
    assert (np.delete(batch.pixels, on_gpu) >= _THREAD).all()
    assert not batch.decoding.stalled
    assert feeder.disabled_reason == "the hardware is on fire"
    groups = len(decoder.groups)
    after = Batch(100, before=lambda _: until(after.decoding._feeders[0]))
    assert after.run(pool, feeder) == []
    after.check([])
    assert len(decoder.groups) == groups
    feeder.close()


def test_a_stalled_decoder_is_not_waited_for_again_and_its_batch_says_so(pool: WorkerPool) -> None:
    failed = threading.Event()

    def stall(_: int) -> None:
        decoder.stalled = True
        failed.set()
        raise RuntimeError("no answer")

    decoder = Decoder(on_done=stall)
    feeder = DecoderFeeder(lambda: decoder)
    batch = Batch(2 * MIN_GROUP + 1, alone=[0], before=lambda _: until(failed))
    with pytest.warns(RuntimeWarning, match="no answer"):
        assert batch.run(pool, feeder) == []
    assert (batch.pixels >= _THREAD).all()
    assert batch.decoding.stalled
    assert len(decoder.groups) == 1
    feeder.close()


def test_where_warnings_are_errors_batches_that_wait_in_line_do_not_hang(pool: WorkerPool) -> None:
    go_on, submitted = threading.Event(), threading.Event()

    def fail(_: int) -> None:
        until(go_on)
        submitted.set()
        raise RuntimeError  # without words

    feeder = DecoderFeeder(lambda: Decoder(on_take=fail))
    batches = [Batch(MIN_GROUP, before=lambda _: until(submitted)) for _ in range(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in batches:
            batch.decoding.start(pool, DecodeThreadPool(0), [feeder])
        go_on.set()
        for batch in batches:
            finisher = threading.Thread(target=batch.decoding.finish, args=(pool,), daemon=True)
            finisher.start()
            finisher.join(_LIMIT)
            assert not finisher.is_alive()
            batch.check([])
    assert feeder.disabled_reason == "RuntimeError"
    feeder.close()


def test_a_failure_in_a_thread_stops_the_batch_and_the_lowest_position_is_told() -> None:
    """Three threads fail at a time."""
    pool = WorkerPool(4)
    together = threading.Barrier(3)
    batch = Batch(90, fails=(87, 88, 89), before=lambda _: together.wait(_LIMIT) and None)
    with pytest.raises(ValueError, match="image 87"):
        batch.run(pool)
    assert not batch.pixels.any()
    assert batch.shared.take() == -1 and take_group(*batch.shared.batch.queue, MIN_GROUP, MAX_GROUP)[1] == 0
    pool.close()


def test_after_a_failure_the_hardware_is_waited_for_and_takes_no_more(pool: WorkerPool) -> None:
    submitted, failed = threading.Event(), threading.Event()

    def hold(number: int) -> None:
        submitted.set()
        until(failed)

    decoder = Decoder(on_done=hold)
    feeder = DecoderFeeder(lambda: decoder)
    count = 4 * MIN_GROUP
    batch = Batch(count + 1, alone=[count], fails=(count,), before=lambda _: until(submitted))
    stop = batch.shared.stop

    def stopped() -> None:
        stop()
        failed.set()

    batch.shared.stop = stopped  # type: ignore[method-assign] - tells when it happens
    with pytest.raises(ValueError, match=f"image {count}"):
        batch.run(pool, feeder)
    assert len(decoder.groups) == 1, "what was in hardware when the batch was stopped"
    feeder.close()


@pytest.mark.parametrize("fails", [False, True])
def test_what_comes_back_when_the_threads_are_through_is_decoded_all_the_same(fails: bool) -> None:
    taken, through = threading.Event(), threading.Event()
    decoder = Decoder({3}, on_take=lambda _: taken.set(), on_done=lambda _: until(through))
    feeder = DecoderFeeder(lambda: decoder)
    pool = WorkerPool(2)
    batch = Batch(5, alone=[4], fails=(3,) if fails else (), before=lambda _: until(taken))
    batch.decoding.start(pool, DecodeThreadPool(0), [feeder])
    loop = batch.decoding._loop
    assert loop is not None
    loop.close(when_over=True)
    assert batch.pixels.tolist() == [1, 1, 1, 0, _THREAD]
    through.set()
    if fails:
        with pytest.raises(ValueError, match="image 3"):
            batch.decoding.finish(pool)
    else:
        batch.check(batch.decoding.finish(pool))
    feeder.close()
    pool.close()


# ------------------------------------------------------------------------------------------------------------ a feeder


def test_where_there_is_no_hardware_the_feeder_says_why_without_a_warning(pool: WorkerPool) -> None:
    feeder = DecoderFeeder(lambda: Unavailable("there is no GPU", "buy one"))
    batch = Batch(50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert batch.run(pool, feeder) == []
    batch.check([])
    assert feeder.disabled_reason == "there is no GPU"
    feeder.close()


def test_a_decoder_that_cannot_be_opened_is_tried_once(pool: WorkerPool) -> None:
    tried: list[int] = []

    def opened() -> HardwareDecoder:
        tried.append(1)
        raise OSError("no library")

    feeder = DecoderFeeder(opened)
    with pytest.warns(RuntimeWarning, match="no library"):
        Batch(50).run(pool, feeder)
    batch = Batch(50)
    batch.check(batch.run(pool, feeder))
    assert tried == [1]
    assert feeder.disabled_reason == "no library"
    feeder.close()


@pytest.mark.parametrize("forgotten", [False, True])
def test_closing_or_forgetting_a_feeder_ends_its_thread_and_closes_the_decoder(
    pool: WorkerPool, forgotten: bool
) -> None:  # fmt: skip
    over = threading.Event()
    decoder = Decoder(on_done=lambda _: over.set())
    feeder = DecoderFeeder(lambda: decoder)
    Batch(MIN_GROUP + 1, alone=[0], before=lambda _: until(over)).run(pool, feeder)
    thread = decoder.thread
    assert thread is not None and thread.is_alive()
    if forgotten:
        del feeder
        gc.collect()
    else:
        feeder.close()
    thread.join(_LIMIT)
    assert not thread.is_alive()
    assert decoder.closed.is_set()


@pytest.mark.parametrize("fails", [False, True])
def test_a_waiting_feeder_keeps_no_batch_alive(pool: WorkerPool, fails: bool) -> None:
    def maybe(_: int) -> None:
        if fails:
            raise RuntimeError("broken")

    decoder = Decoder(on_done=maybe)
    feeder = DecoderFeeder(lambda: decoder)
    batch = Batch(60)
    freed = threading.Event()
    weakref.finalize(batch.pixels, freed.set)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batch.run(pool, feeder)
    del batch
    end = time.monotonic() + _LIMIT
    while not freed.wait(0.05) and time.monotonic() < end:
        gc.collect()  # the tests' own batch refers to itself
    assert freed.is_set()
    feeder.close()
