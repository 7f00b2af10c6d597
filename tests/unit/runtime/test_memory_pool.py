"""Recycled slabs and scratch memory."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.wording import byte_count
from dali_studio.runtime import memory
from dali_studio.runtime.extents import check_sizes, no_room
from dali_studio.runtime.memory import Scratch, SlabPool, clear
from dali_studio.studio.outputs.images import byte_count as figures

U8 = np.dtype(np.uint8)


def batch(pool: SlabPool, *shapes: tuple[int, ...], dtype: np.dtype[np.generic] = U8) -> list[np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    return pool.samples(np.array(shapes, np.int64).reshape(len(shapes), -1), dtype)


def test_samples_lie_side_by_side_with_their_shapes() -> None:
    made = batch(SlabPool(), (2, 3), (4, 5), (1, 1), dtype=np.dtype(np.float32))
    assert [item.shape for item in made] == [(2, 3), (4, 5), (1, 1)]
    assert made[1].ctypes.data - made[0].ctypes.data == 2 * 3 * 4
    for number, item in enumerate(made):
        item[...] = number
    assert [float(item.mean()) for item in made] == [0, 1, 2]


def test_a_slab_is_used_again_once_nobody_holds_it() -> None:
    pool = SlabPool()
    made = batch(pool, (100, 100))
    place = made[0].ctypes.data
    del made
    assert batch(pool, (100, 100))[0].ctypes.data == place


@pytest.mark.parametrize("keep", ["sample", "slice", "reshape", "memoryview", "dlpack"])
def test_a_held_slab_is_not_used_again(keep: str) -> None:
    pool = SlabPool()
    made = batch(pool, (100, 100), (100, 100))
    made[1][...] = 7
    held = {
        "sample": lambda a: a, "slice": lambda a: a[::2, 1:], "reshape": lambda a: a.reshape(-1), "memoryview": memoryview,
        "dlpack": lambda a: np.from_dlpack(a),
    }[keep](made[1])  # fmt: skip
    del made
    for _ in range(40):  # more than the pool keeps
        other = batch(pool, (100, 100), (100, 100))
        other[0][...] = 1
        other[1][...] = 1
        del other
    assert (np.asarray(held) == 7).all()


def test_small_batches_do_not_take_huge_slabs() -> None:
    pool = SlabPool()
    huge = batch(pool, (4000, 1000))
    place = huge[0].ctypes.data
    del huge
    small = batch(pool, (300, 300))
    assert small[0].ctypes.data != place


def test_the_pool_keeps_a_limited_number() -> None:
    pool = SlabPool(limit=3)
    for size in range(1, 40):
        batch(pool, (size * 100_000,))
    assert len(pool._slabs) <= 3
    pool.clear()
    assert not pool._slabs


def test_no_elements_and_no_axes() -> None:
    pool = SlabPool()
    assert [item.shape for item in batch(pool, (0, 3), (2, 3))] == [(0, 3), (2, 3)]
    assert [item.shape for item in pool.samples(np.empty((2, 0), np.int64), np.dtype(np.int32))] == [(), ()]


def test_threads_never_share_a_slab() -> None:
    pool = SlabPool()
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(300):
            (mine,) = batch(pool, (64, 64))
            mine[...] = number
            if not (mine == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_scratch_grows_and_belongs_to_its_thread() -> None:
    scratch = Scratch()
    first = scratch.array("a", (10, 10), U8)
    assert scratch.array("a", (5, 5), U8).ctypes.data == first.ctypes.data
    assert scratch.array("b", (5, 5), U8).ctypes.data != first.ctypes.data
    assert scratch.array("a", (100, 100), np.dtype(np.float64)).shape == (100, 100)
    places: list[int] = []
    thread = threading.Thread(target=lambda: places.append(scratch.array("b", (5, 5), U8).ctypes.data))
    thread.start()
    thread.join()
    assert places[0] != scratch.array("b", (5, 5), U8).ctypes.data


def test_more_than_the_machine_has_is_not_asked_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert memory.memory_size() > 1 << 24
    monkeypatch.setattr(memory, "memory_size", lambda: 1000)
    with pytest.raises(MemoryError, match="allocate"):
        SlabPool().take(1001)
    with pytest.raises(MemoryError, match="allocate"):
        Scratch().array("key", (251,), np.dtype(np.int32))
    assert SlabPool().take(1000).size >= 1000


@pytest.mark.parametrize("shape", [(0,), (3, 5), (700, 700, 3)])
def test_clearing_leaves_nothing(shape: tuple[int, ...]) -> None:
    array = np.full(shape, 7, np.float32)
    clear(array)
    assert not array.any()


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux which pages have memory")
def test_clearing_what_was_never_written_takes_no_memory() -> None:
    def resident() -> int:
        status = Path("/proc/self/status").read_text("ascii")
        return int(next(line for line in status.splitlines() if line.startswith("RssAnon")).split()[1])

    fresh = np.empty(256 << 20, np.uint8)
    before = resident()
    clear(fresh)
    assert resident() - before < 32 << 10
    assert not fresh.any()


def test_sizes_that_overflow_are_refused_with_their_sample() -> None:
    shapes = np.array([(10, 10, 3), (2**31 - 1, 2**31 - 1, 3), (2**62, 1, 1)], np.int64)
    with pytest.raises(ArgumentError, match="2147483647×2147483647×3 of float32") as caught:
        check_sizes(shapes[:2], np.dtype(np.float32))
    assert caught.value.sample == 1
    with pytest.raises(ArgumentError) as caught:
        check_sizes(shapes[[0, 2]], U8)
    assert caught.value.sample == 1
    check_sizes(np.array([(2**40, 1, 1), (1, 1, 3)], np.int64), U8)
    check_sizes(np.empty((0, 3), np.int64), U8)


def test_the_largest_sample_is_named_where_memory_runs_out() -> None:
    index, error = no_room(np.array([(1024, 1024, 1), (1024, 1024, 2048)], np.int64), U8)
    assert index == 1
    assert "1024×1024×2048" in str(error)
    assert "2.1 GB, 2.1 GB with the other 1 of the batch" in str(error)
    assert "of 150×100000000×3 does" in str(no_room(np.array([(150, 10**8, 3)], np.int64), U8)[1])
    assert "batch" not in str(no_room(np.array([(5, 5)], np.int64), U8)[1])
    assert "4.3 PB" in str(no_room(np.array([(1 << 32, 10**6)], np.int64), U8)[1])


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (999, "999 bytes"), (1000, "1.0 kB"), (112_840, "113 kB"), (999_600, "1.0 MB"),
        (55_340_232_169_600_000_000, "55.3 EB"), (10**22, "10000.0 EB"),
    ],
)
def test_sizes_have_units_in_which_they_are_believed(size: int, words: str) -> None:
    assert byte_count(size) == words
    assert figures(size) == words.replace("bytes", "B")


def test_slabs_are_aligned_and_kept_by_their_views() -> None:
    pool = SlabPool()
    held = [pool.take(size)[8:24].reshape(4, 4)[1:] for size in (100, 1000, 100_000)]
    again = [pool.take(size) for size in (100, 1000, 100_000)]
    for view, slab in zip(held, again, strict=True):
        assert slab.ctypes.data % 64 == 0 and slab.flags.writeable
        assert not np.shares_memory(view, slab)
