"""Reading a batch in advance changes nothing but when files are read."""

from __future__ import annotations

import gc
import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import dataset
from numpy.typing import NDArray

from dali_studio import fn
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.kernels.cpu.reader_order import ReaderOrder, discover_files
from dali_studio.operators.readers import ahead
from dali_studio.operators.readers.ahead import ReaderRun
from dali_studio.operators.readers.files import Files, FilesRead
from dali_studio.pipeline import Pipeline
from dali_studio.runtime import closing
from dali_studio.runtime.memory import SlabPool
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.arguments import RunContext

_LIMIT = 10
ORDERS: list[dict[str, Any]] = [
    {},
    {"pad_last_batch": True},
    {"random_shuffle": True, "initial_fill": 5, "seed": 3},
    {"random_shuffle": True, "seed": 8},
    {"random_shuffle": True, "initial_fill": 4, "num_shards": 3, "shard_id": 1},
    {"random_shuffle": True, "initial_fill": 3, "num_shards": 3, "shard_id": 2, "stick_to_shard": True},
    {"num_shards": 5, "shard_id": 4, "pad_last_batch": True},
    {"shuffle_after_epoch": True},
    {"shuffle_after_epoch": True, "shuffle_after_epoch_seed": 7, "num_shards": 2, "pad_last_batch": True},
]
SIZES = [4, 4, 4, 1, 5, 5, 2, 2, 2, 13, 13, 1, 1, 30, 3, 3, 3, 3, 3, 7]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Fourteen files of three classes, the last one without a byte; the others say where they are."""
    for number in range(13):
        folder = tmp_path / f"class_{number % 3}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number:02}.jpg").write_bytes(f"{number} ".encode() * (number + 1))
    (tmp_path / "class_2" / "99.jpg").write_bytes(b"")
    return tmp_path


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(3)
    yield made
    made.close()


class Run:
    """A reader, and what its batches must be."""

    def __init__(self, root: Path, depth: int = 1, **options: Any) -> None:
        self.list = discover_files(str(root))
        files = Files(self.list.paths, str(root))
        self.reader = ReaderRun(files, ReaderOrder(len(files), **options), depth)
        self._expected = ReaderOrder(len(self.list.paths), **options)
        self._contents = [Path(path).read_bytes() for path in self.list.paths]
        self.memory = SlabPool()

    def context(self, size: int, ahead: bool, indices: list[int] | None = None, **options: Any) -> RunContext:
        chosen = np.arange(size) if indices is None else np.array(indices)
        return RunContext(size, chosen, memory=self.memory.take, ahead=ahead, **options)

    def next(self, size: int, ahead: bool, indices: list[int] | None = None, **options: Any) -> list[int]:
        """The numbers of the next files, whose contents are checked."""
        read = self.reader.next(size, self.context(size, ahead, indices, **options))
        picked = self._expected.next_batch(size)
        picked = picked if indices is None else [picked[i] for i in indices]
        assert list(read.paths) == [self.list.paths[i] for i in picked]
        assert read.picked == picked
        assert [array.tobytes() for array in read.data] == [self._contents[i] for i in picked]
        assert not read.failures
        return picked

    def skip(self, size: int) -> None:
        assert self.reader.seek(size, 7, 8) == 8
        self._expected.next_batch(size)

    def read_in_advance(self) -> FilesRead:
        """The next batch, which is read in advance, once all that is are there."""
        read = [waiting.read.result(_LIMIT) for waiting in self.reader._ahead]
        return read[0]


@pytest.mark.parametrize("options", ORDERS)
@pytest.mark.parametrize("ahead", ["never", "always", "now and then"])
def test_order_and_data_when_batch_sizes_change(root: Path, pool: WorkerPool, options: Any, ahead: str) -> None:
    run = Run(root, **options)
    told = itertools.cycle({"never": [False], "always": [True], "now and then": [True, True, False]}[ahead])
    for size in SIZES:
        run.next(size, next(told), map=pool.map)


@pytest.mark.parametrize("options", ORDERS)
@pytest.mark.parametrize("quick", [60.0, -1.0])
def test_what_is_read_quickly_is_read_when_it_is_needed(
    root: Path, options: Any, quick: float, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    run = Run(root, **options)
    for _ in range(40):
        run.next(4, ahead=True)
        if len(run.reader._ahead) == 2:
            run.read_in_advance()
        monkeypatch.setattr(ahead, "_QUICK", quick)
    assert len(run.reader._ahead) == (0 if quick > 0 else 2)
    run.next(3, ahead=True)
    run.next(3, ahead=False)
    run.skip(5)
    monkeypatch.setattr(ahead, "_QUICK", -1.0)  # from now on it takes long, which the next one shows
    run.next(4, ahead=True)
    run.next(4, ahead=True)
    assert len(run.reader._ahead) == 2


def test_what_is_to_be_read_in_advance_is(root: Path) -> None:
    run = Run(root, depth=3)
    for _ in range(40):
        run.next(4, ahead=True)
        assert len(run.reader._ahead) == 3


def test_a_data_set_says_how_much_is_read_in_advance(root: Path) -> None:
    """As much as it says at the time, at least what was asked for, and however quickly it is read."""
    run, more = Run(root), 5
    run.reader = ReaderRun(run.reader.data, run.reader.order, more=lambda: more)
    for _ in range(40):
        run.next(4, ahead=True)
        assert len(run.reader._ahead) == 5
        run.read_in_advance()
    more = 1
    for _ in range(4):
        run.next(4, ahead=True)
    assert len(run.reader._ahead) == 2


@pytest.mark.parametrize("options", ORDERS)
def test_batches_that_are_skipped_in_between(root: Path, options: Any) -> None:
    run = Run(root, **options)
    run.skip(4)
    for number, size in enumerate(SIZES):
        run.next(size, ahead=True)
        for _ in range(number % 3):
            run.skip(size)
    run.skip(3)
    run.next(3, ahead=False)


@pytest.mark.parametrize("options", ORDERS)
def test_a_part_of_a_batch_in_between(root: Path, options: Any) -> None:
    """As previews ask for it; they never read ahead."""
    run = Run(root, **options)
    for size in SIZES:
        run.next(size, ahead=True)
        run.next(size, ahead=False, indices=[size - 1, 0])


def test_the_next_two_batches_are_read_before_they_are_asked_for(root: Path) -> None:
    run = Run(root)
    run.next(4, ahead=True)
    run.read_in_advance()
    for path in run.list.paths:
        Path(path).unlink()
    run.next(4, ahead=True)  # checks the contents
    run.next(4, ahead=True)
    assert sorted(run.read_in_advance().failures) == [0, 1, 2, 3]


def test_nothing_is_read_before_it_is_asked_for_unless_the_next_batch_will_be_like_this_one(root: Path) -> None:
    run = Run(root)
    run.next(4, ahead=False)
    assert not run.reader._ahead and run.reader._threads is None
    run.skip(4)
    assert not run.reader._ahead


def test_what_was_read_for_another_size_is_not_used(root: Path) -> None:
    run = Run(root)
    run.next(4, ahead=True)
    run.read_in_advance()
    for path in run.list.paths:
        Path(path).write_bytes(b"changed")
    run._contents = [b"changed"] * len(run.list.paths)
    run.next(3, ahead=True)


def test_files_that_cannot_be_read_are_told_with_the_batch_they_belong_to(root: Path) -> None:
    run = Run(root)
    Path(run.list.paths[6]).unlink()
    Path(run.list.paths[9]).unlink()
    Path(run.list.paths[9]).mkdir()
    found = [run.reader.next(4, run.context(4, ahead=True)) for _ in range(3)]
    assert [sorted(read.failures) for read in found] == [[], [2], [1]]
    assert isinstance(found[1].failures[2], FileNotFoundError) and isinstance(found[2].failures[1], IsADirectoryError)
    assert [len(read.data) for read in found] == [4, 4, 4]
    assert not len(found[1].data[2]) and found[1].data[3].tobytes() == Path(run.list.paths[7]).read_bytes()


def test_an_error_in_advance_is_raised_with_the_batch_it_belongs_to_and_the_reader_goes_on(root: Path) -> None:
    run = Run(root)
    Path(run.list.paths[8]).write_bytes(bytes(500))  # no other batch is as large
    third = sum(Path(path).stat().st_size for path in run.list.paths[8:12])

    def memory(size: int) -> NDArray[np.uint8]:
        if size == third:
            raise MemoryError("no room")
        return np.empty(size, np.uint8)

    context = run.context(4, ahead=True)
    context.memory = memory
    for first in (0, 4):
        assert list(run.reader.next(4, context).paths) == list(run.list.paths[first : first + 4])
    with pytest.raises(MemoryError, match="no room"):
        run.reader.next(4, context)
    assert list(run.reader.next(4, context).paths) == [*run.list.paths[12:], *run.list.paths[:2]]


@pytest.mark.parametrize(("asked", "depth", "at_the_same_time"), [(1, 2, 2), (2, 2, 2), (5, 5, 5), (32, 32, 16)])
def test_so_many_batches_are_read_at_the_same_time_by_threads_that_end_with_the_reader(
    root: Path, asked: int, depth: int, at_the_same_time: int
) -> None:
    before = set(threading.enumerate())
    run = Run(root, depth=asked)
    at_once = threading.Barrier(at_the_same_time)

    def memory(size: int) -> NDArray[np.uint8]:
        if threading.current_thread().name.startswith("dali-studio-reader"):
            at_once.wait(_LIMIT)
        return np.empty(size, np.uint8)

    context = run.context(4, ahead=True)
    context.memory = memory
    run.reader.next(4, context)
    run.read_in_advance()
    threads = set(threading.enumerate()) - before
    assert (len(threads), len(run.reader._ahead)) == (at_the_same_time, depth)
    del run
    gc.collect()
    for thread in threads:
        thread.join(_LIMIT)
        assert not thread.is_alive()


# ----------------------------------------------------------------------------------------------------------- pipelines

#: Iterations computed ahead: none, on threads of their own, and more of them.
QUEUES: list[dict[str, Any]] = [
    {"exec_async": False, "exec_pipelined": False, "prefetch_queue_depth": 1},
    {"prefetch_queue_depth": 1},
    {"prefetch_queue_depth": 4},
]


def reading(root: Path, queue: dict[str, Any], size: int = 3, decode: bool = False, **options: Any) -> Pipeline:
    pipeline = Pipeline(batch_size=size, num_threads=2, device_id=None, seed=9, **queue)
    with pipeline:
        files, labels = fn.readers.file(file_root=str(root), name="reader", **options)
        pipeline.set_outputs(fn.decoders.image(files, name="decode") if decode else files, labels)
    return pipeline


def names(batch: Any) -> list[str]:
    return [Path(one.source_info()).name for one in batch]


@pytest.mark.parametrize("options", [ORDERS[k] for k in (0, 1, 2, 6, 8)])
@pytest.mark.parametrize("size", [3, 14, 20])
def test_pipelines_deliver_the_same_however_far_they_run_ahead(root: Path, options: Any, size: int) -> None:
    runs: list[Any] = []
    for queue in QUEUES:
        pipeline = reading(root, queue, size, **options)
        results = [pipeline.run() for _ in range(12)]
        runs.append([
            ([bytes(files.at(i)) for i in range(size)], names(files), labels.as_array().tolist()) for files, labels in results
        ])  # fmt: skip
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize("queue", QUEUES)
def test_an_error_is_raised_by_the_iteration_it_belongs_to(root: Path, queue: Any) -> None:
    pipeline = reading(root, queue)
    pipeline.build()
    paths = discover_files(str(root)).paths
    Path(paths[7]).unlink()
    assert [names(pipeline.run()[0]) for _ in range(2)] == [[Path(p).name for p in paths[k : k + 3]] for k in (0, 3)]
    with pytest.raises(DaliStudioError, match=Path(paths[7]).name) as raised:
        pipeline.run()
    (finding,) = raised.value.diagnostics
    assert (finding.code, finding.node, finding.sample) == ("DS302", "reader", 1)
    assert names(pipeline.run()[0]) == [Path(path).name for path in paths[9:12]]


@pytest.mark.parametrize("queue", QUEUES)
def test_files_that_vanish_become_folders_or_are_no_pictures_are_skipped_in_their_iterations(
    tmp_path: Path, queue: Any
) -> None:  # fmt: skip
    root = dataset(tmp_path)
    paths = discover_files(str(root)).paths
    assert len(paths) == 12
    pipeline = Pipeline(batch_size=4, num_threads=2, device_id=None, seed=9, **queue)
    with pipeline:
        files, labels = fn.readers.file(file_root=str(root), name="reader", on_error="skip")
        pipeline.set_outputs(fn.decoders.image(files, name="decode", on_error="skip"), labels)
    pipeline.build()
    Path(paths[1]).unlink()
    Path(paths[6]).unlink()
    Path(paths[6]).mkdir()
    Path(paths[7]).write_bytes(b"no picture")
    jpeg = Path(paths[11]).read_bytes()
    Path(paths[11]).write_bytes(jpeg.replace(b"\xff\xc0", b"\xff\xc5", 1))  # a coding that nobody decodes
    results = [pipeline.run() for _ in range(6)]
    left = [[0, 2, 3], [4, 5], [8, 9, 10]] * 2
    assert [names(images) for images, _ in results] == [[Path(paths[i]).name for i in one] for one in left]
    assert [labels.as_array().ravel().tolist() for _, labels in results] == [[i // 4 for i in one] for one in left]
    failed = {(one.iteration, one.sample, one.node) for one in pipeline.failed_samples() if one.iteration < 6}
    assert failed == {
        (iteration, sample, node) for first in (0, 3)
        for iteration, sample, node in [(first, 1, "reader"), (first + 1, 2, "reader"), (first + 1, 3, "decode"),
                                        (first + 2, 3, "decode")]
    }  # fmt: skip


@pytest.mark.parametrize("queue", QUEUES)
def test_placeholders_stand_in_the_iterations_of_their_files(tmp_path: Path, queue: Any) -> None:
    root = dataset(tmp_path)
    paths = discover_files(str(root)).paths
    pipeline = reading(root, queue, 4, decode=True, on_error="placeholder")
    pipeline.build()
    Path(paths[5]).unlink()
    results = [pipeline.run() for _ in range(6)]
    black = [[not np.asarray(image).any() for image in images] for images, _ in results]
    assert black == [[False] * 4, [False, True, False, False], [False] * 4] * 2


@pytest.mark.parametrize("queue", QUEUES)
def test_a_coding_that_nobody_decodes_is_an_error_of_its_sample(tmp_path: Path, queue: Any) -> None:
    root = dataset(tmp_path)
    path = Path(discover_files(str(root)).paths[6])
    path.write_bytes(path.read_bytes().replace(b"\xff\xc0", b"\xff\xc5", 1))
    pipeline = reading(root, queue, 4, decode=True)
    pipeline.run()
    with pytest.raises(DaliStudioError, match="hierarchical") as raised:
        pipeline.run()
    (finding,) = raised.value.diagnostics
    assert (finding.node, finding.sample) == ("decode", 2)
    assert path.name in finding.source
    pipeline.run()


def test_closing_an_engine_ends_the_threads_of_its_readers(root: Path) -> None:
    """Also while something still refers to it, such as the traceback of what a run failed with."""
    gc.collect()  # pipelines of other tests
    closing.prepare()
    before = set(threading.enumerate())
    pipe = Pipeline(batch_size=2, num_threads=2, device_id=None, seed=1)
    with pipe:
        pipe.set_outputs(*fn.readers.file(file_root=str(root), prefetch_queue_depth=6))
    pipe.build()
    pipe.run()
    begun = set(threading.enumerate()) - before
    assert any(thread.name.startswith("dali-studio-reader") for thread in begun)
    assert pipe._engine is not None
    pipe._engine.close()
    for thread in begun:
        thread.join(_LIMIT)
        assert not thread.is_alive(), thread.name


def test_a_pipeline_that_is_forgotten_takes_no_lock(root: Path) -> None:
    """Memory may be collected inside of what holds its locks: asking its reader's threads, or its workers."""
    others = [one for one in gc.get_objects() if isinstance(one, ReaderRun)]
    pipe = Pipeline(batch_size=2, num_threads=2, device_id=None, seed=1)
    with pipe:
        pipe.set_outputs(*fn.readers.file(file_root=str(root), prefetch_queue_depth=6, name="reader"))
    pipe.build()
    pipe.run()
    engine = pipe._engine
    assert engine is not None
    found = [one for one in gc.get_objects() if isinstance(one, ReaderRun) and one not in others]
    (reader,) = found
    threads, workers = reader._threads, engine.workers
    assert threads is not None
    del reader, engine, found
    holders = [pipe]
    del pipe

    def forget() -> None:
        holders.clear()
        gc.collect()

    with threads._shutdown_lock, workers._lock:
        forgetting = threading.Thread(target=forget, daemon=True)
        forgetting.start()
        forgetting.join(_LIMIT)
        assert not forgetting.is_alive()
    closed = threading.Event()
    closing.close_later(closed.set)  # behind the pipeline's
    assert closed.wait(_LIMIT)
    assert threads._shutdown and workers._closed
