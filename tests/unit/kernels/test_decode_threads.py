"""Threads whose loop is compiled: everything is decoded once, whoever else takes from the queue."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import simplejpeg
from numpy.typing import NDArray

from dali_studio.kernels.jpeg import decode_queue, decode_threads, libjpeg
from dali_studio.kernels.jpeg.decode_threads import DecodeBatch, DecodeThreadPool

_RNG = np.random.default_rng(3)
FILES = [
    np.frombuffer(
        simplejpeg.encode_jpeg(_RNG.integers(0, 255, (8 + k % 40, 90 - k % 30, 3), np.uint8), 80, "RGB", "420"),
        np.uint8,
    )
    for k in range(60)
]
EXPECTED = [simplejpeg.decode_jpeg(file, "RGB", fastupsample=True) for file in FILES]


class Work:
    """A batch of files, and memory for their pixels."""

    def __init__(
        self, shared: int = 0, files: list[NDArray[np.uint8]] = FILES, *, reserved: bool = False, withheld: int = 0
    ) -> None:
        self.pixels = [np.zeros_like(pixels) for pixels in EXPECTED]
        requests = np.zeros((len(files), libjpeg.FIELDS), np.int64)
        for request, file, expected, pixels in zip(requests, files, EXPECTED, self.pixels, strict=True):
            h, w, _ = expected.shape
            request[:] = (
                file.ctypes.data, file.size, h, w, libjpeg.COLOR_SPACES["RGB"], 3, 0, 1, 0, 0, h, w,
                pixels.ctypes.data, w * 3,
            )  # fmt: skip
        self.batch = DecodeBatch(len(files), shared, requests, reserved=reserved, withheld=withheld)

    def check(self, others: set[int] = frozenset()) -> None:  # pyright: ignore[reportArgumentType]
        """What was not taken by others is done, and nothing else was touched."""
        by_threads = np.delete(self.batch.outcomes, sorted(others))
        assert (by_threads == libjpeg.DONE).all()
        for k, (pixels, expected) in enumerate(zip(self.pixels, EXPECTED, strict=True)):
            assert not pixels.any() if k in others else np.array_equal(pixels, expected)


def never() -> bool:
    return False


@pytest.mark.parametrize("threads", [0, 1, 5])
def test_everything_is_decoded_batch_after_batch(threads: int) -> None:
    pool = DecodeThreadPool(threads)
    for _ in range(5):
        work = Work()
        pool.start(work.batch)
        work.batch.finish(never)
        work.batch.close()
        work.check()
        assert work.batch.nanoseconds > 0
    pool.close()


@pytest.mark.parametrize("threads", [0, 3])
def test_more_batches_than_queues_may_be_underway(threads: int) -> None:
    pool = DecodeThreadPool(threads)
    works = [Work() for _ in range(20)]
    for work in works:
        pool.start(work.batch)
    for work in reversed(works):
        work.batch.finish(never)
        work.batch.close()
        work.check()
    pool.close()


def test_what_others_take_is_left_alone() -> None:
    pool = DecodeThreadPool(2)
    for _ in range(30):
        work = Work(shared=50)
        pool.start(work.batch)
        taken: set[int] = set()
        while (group := decode_queue.take_group(*work.batch.queue, 4, 8))[1]:
            taken |= set(range(group[0], group[0] + group[1]))
            time.sleep(0.0005)
        one = work.batch.take()
        taken |= {one} - {-1}
        work.batch.finish(never)
        work.batch.close()
        assert max(taken, default=0) < 60 and not {k for k in taken if 50 <= k != one}
        work.check(taken)
    pool.close()


@pytest.mark.parametrize("threads", [0, 1, 6])
@pytest.mark.parametrize("shared", [0, 50, 60])
def test_what_is_reserved_is_decoded_where_nobody_else_takes_it(shared: int, threads: int) -> None:
    pool = DecodeThreadPool(threads)
    for _ in range(3):
        work = Work(shared, reserved=True)
        pool.start(work.batch)
        work.batch.finish(never)
        work.batch.close()
        work.check()
    pool.close()


@pytest.mark.parametrize("reserved", [False, True])
def test_threads_that_do_not_help_leave_reserved_pictures_to_the_gpu(monkeypatch: pytest.MonkeyPatch, reserved: bool) -> None:
    monkeypatch.setattr(decode_threads, "_HELPERS", 0)
    pool, works = DecodeThreadPool(3), [Work(shared=50, reserved=reserved), Work(shared=0, reserved=reserved)]
    for work in works:
        pool.start(work.batch)
    works[1].batch.finish(never)  # nothing is reserved there, and the other batch holds nobody up
    queues, which = works[0].batch.queue
    while not (works[0].batch.outcomes[0 if not reserved else 50 :] == libjpeg.DONE).all():
        time.sleep(0.001)
    taken: set[int] = set()
    while (group := decode_queue.take_group(queues, which, 4, 8))[1]:
        taken |= set(range(group[0], group[0] + group[1]))
    assert taken == (set(range(50)) if reserved else set())
    for work in works:
        work.batch.finish(never)
        work.batch.close()
    works[0].check(taken)
    works[1].check()
    pool.close()


def test_helpers_take_reserved_pictures_and_so_does_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode_threads, "_HELPERS", 1)
    pool, work = DecodeThreadPool(3), Work(shared=50, reserved=True)
    pool.start(work.batch)
    while not (work.batch.outcomes == libjpeg.DONE).all():  # by the threads alone
        time.sleep(0.001)
    assert decode_queue.take_group(*work.batch.queue, 4, 8)[1] == 0 and work.batch.take() == -1
    work.batch.finish(never)
    work.batch.close()
    work.check()
    pool.close()
    work = Work(shared=60, reserved=True)
    assert {work.batch.take() for _ in range(3)} == {57, 58, 59}
    work.batch.finish(never)
    work.check({57, 58, 59})


def test_what_is_withheld_is_left_even_by_helpers_until_it_is_taken_over() -> None:
    pool, work = DecodeThreadPool(3), Work(shared=50, reserved=True, withheld=50)
    pool.start(work.batch)
    while not (work.batch.outcomes[50:] == libjpeg.DONE).all():
        time.sleep(0.001)
    first, count = decode_queue.take_group(*work.batch.queue, 4, 8)
    time.sleep(0.01)
    assert first == 0 and count and not work.batch.outcomes[:50].any()
    work.batch.take_over()
    work.batch.finish(never)
    work.batch.close()
    work.check(set(range(count)))
    pool.close()


def test_helpers_take_what_is_reserved_and_not_withheld() -> None:
    pool, work = DecodeThreadPool(3), Work(shared=50, reserved=True, withheld=20)
    pool.start(work.batch)
    while not (work.batch.outcomes[20:] == libjpeg.DONE).all():
        time.sleep(0.001)
    time.sleep(0.01)
    assert not work.batch.outcomes[:20].any()
    work.batch.take_over()
    work.batch.finish(never)
    work.batch.close()
    work.check()
    pool.close()


def test_damaged_files_are_not_done_and_the_others_are() -> None:
    files = [file.copy() for file in FILES]
    for k in (3, 30, 59):
        files[k] = files[k][:-30]
    pool, work = DecodeThreadPool(3), Work(files=files)
    pool.start(work.batch)
    work.batch.finish(never)
    work.batch.close()
    assert np.flatnonzero(work.batch.outcomes == libjpeg.FAILED).tolist() == [3, 30, 59]
    pool.close()


def test_a_stop_leaves_the_rest() -> None:
    pool, work = DecodeThreadPool(0), Work()
    pool.start(work.batch)
    work.batch.stop()
    work.batch.finish(never)
    work.batch.close()
    assert not work.batch.outcomes.any()
    pool = DecodeThreadPool(2)
    for _ in range(20):
        work = Work()
        pool.start(work.batch)
        work.batch.finish(lambda: True)
        done = work.batch.outcomes == libjpeg.DONE
        work.batch.close()
        for pixels, expected, there in zip(work.pixels, EXPECTED, done, strict=True):
            assert np.array_equal(pixels, expected) == bool(there)
    pool.close()


def _threads() -> int:
    return sum(thread.name.startswith("dali-studio-decoder") for thread in threading.enumerate())


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted by /proc")  # noqa: PTH112
@pytest.mark.parametrize("how", ["closed", "forgotten"])
def test_threads_and_files_go_with_the_crew(how: str) -> None:
    gc.collect()
    end = time.monotonic() + 10
    while _threads() and time.monotonic() < end:  # of earlier tests
        time.sleep(0.01)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    pool, work = DecodeThreadPool(4), Work()
    pool.start(work.batch)
    work.batch.finish(never)
    work.batch.close()
    work.check()
    assert _threads() == 4
    reference = weakref.ref(pool)
    if how == "closed":
        pool.close()
    del pool
    gc.collect()
    assert reference() is None
    end = time.monotonic() + 10
    while (_threads() or len(os.listdir("/proc/self/fd")) > before) and time.monotonic() < end:  # noqa: PTH208
        time.sleep(0.01)
    assert not _threads()
    assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208 - those of earlier tests may go meanwhile


def test_a_pool_that_is_forgotten_and_then_closed_closes_no_file_of_others() -> None:
    closed: list[DecodeThreadPool] = []

    class Owner:
        def __init__(self, pool: DecodeThreadPool) -> None:
            self.pool, self.itself = pool, self

        def __del__(self) -> None:
            closed.append(self.pool)

    pool, work = DecodeThreadPool(2), Work()
    pool.start(work.batch)
    work.batch.finish(never)
    work.batch.close()
    Owner(pool)
    del pool
    gc.collect()  # a cycle: both destructors have run, and the pool is still there
    begin, end = os.pipe()  # the numbers of the files that have been closed
    closed[0].close()
    assert os.write(end, b"x") == 1 and os.read(begin, 1) == b"x"
    os.close(begin)
    os.close(end)


def test_a_haunted_queue_is_not_used_again() -> None:
    pool = DecodeThreadPool(2)
    queues: set[int] = set()
    for k in range(12):
        work = Work()
        pool.start(work.batch)
        queues.add(work.batch.queue[1])
        abandoned = work.batch.queue if k == 3 else None
        work.batch.finish(never)
        work.batch.close(abandoned=k == 3)
        work.check()
        if abandoned is not None:
            queues.clear()
            lost = abandoned[1]
    assert lost not in queues
    pool.close()


def test_a_closed_crew_still_decodes_where_it_is_finished() -> None:
    pool = DecodeThreadPool(3)
    pool.close()
    work = Work()
    pool.start(work.batch)
    work.batch.finish(never)
    work.batch.close()
    work.check()


@pytest.mark.parametrize("threads", [0, 2])
def test_a_program_may_end_while_pictures_are_decoded(threads: int) -> None:
    """It ends soon and well, though a batch for half a minute waits."""
    program = f"""
import threading, time
import numpy as np, simplejpeg
from dali_studio.kernels.jpeg import libjpeg
from dali_studio.kernels.jpeg import decode_threads
from dali_studio.kernels.jpeg.decode_threads import DecodeThreadPool, DecodeBatch
file = np.frombuffer(simplejpeg.encode_jpeg(np.random.default_rng(1).integers(0, 255, (1500, 2000, 3), np.uint8)), np.uint8)
pixels = np.zeros((1500, 2000, 3), np.uint8)
numbers = file.ctypes.data, file.size, 1500, 2000, 2, 3, 0, 0, 0, 0, 1500, 2000, pixels.ctypes.data, 6000
batch = DecodeBatch(400, 0, np.tile(np.array(numbers, np.int64), (400, 1)))
pool = DecodeThreadPool({threads})
pool.start(batch)
threading.Thread(target=batch.finish, args=(lambda: False,), daemon=True).start()
while not batch.outcomes.any():
    time.sleep(0.01)
print("began", flush=True)
"""
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "began\n", "")
    assert time.monotonic() - begin < 60
