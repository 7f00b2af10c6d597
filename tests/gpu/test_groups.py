"""Iterations that are computed together: which ones are, and that results, errors and places do not show it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import numpy as np
import pytest
from grouped import RUNS, damage, folder_of_files, pipeline_over, seen, told

from dali_studio import fn, types
from dali_studio.api import engine
from dali_studio.api.default import default_registry
from dali_studio.pipeline import Pipeline
from dali_studio.runtime import groups
from dali_studio.runtime.executor import Executor
from dali_studio.runtime.later import Later
from dali_studio.studio.timing.throughput import Pace, Throughput

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups so small that runs of `RUNS` iterations have some."""
    monkeypatch.setattr(groups, "SAMPLES", 24)
    monkeypatch.setattr(groups, "BEHIND", 7)


@pytest.fixture
def root(tmp_path: Path) -> str:
    return folder_of_files(tmp_path)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets pipelines that are built from then on compute one iteration after the other."""
    return lambda: monkeypatch.setattr(groups, "SAMPLES", 1)


def _training(files: Any) -> Any:
    images = fn.resize(fn.decoders.image_random_crop(files, device="mixed"), size=(24.0, 28.0))
    return fn.crop_mirror_normalize(images, crop=(20.0, 20.0), mirror=fn.random.coin_flip(), mean=(120.0,), std=(60.0,))


def _drawn(files: Any) -> Any:
    """Each kind of drawing."""
    images = fn.random_resized_crop(fn.decoders.image(files, device="mixed"), size=(16, 16))
    chance = fn.random.uniform(range=(0.0, 1.0))
    numbers = fn.random.normal(shape=(3, 2)), fn.random.coin_flip(probability=chance), fn.random.uniform(values=(1.0, 3.0))
    return fn.noise.gaussian(fn.jitter(images), stddev=9.0), *numbers, fn.random.uniform(images, range=(0.0, 2.0)).gpu()


def _decoded(files: Any) -> Any:
    return fn.decoders.image(files, device="mixed")


def _viewed(files: Any) -> Any:
    """Other shapes of the same memory, on both devices."""
    images = fn.resize(_decoded(files), size=(12.0, 14.0))
    number = fn.random.uniform(range=(0.0, 1.0), shape=(1, 2))
    flat = fn.reshape(images, shape=(-1, 7, 3), layout="HWC")
    return fn.expand_dims(flat, axes=0, new_axis_names="F"), fn.squeeze(number, axes=0), fn.reinterpret(number, dtype=types.UINT8)


def _asked(files: Any) -> Any:
    """What only looks at shapes, headers and names, and what is the same for all samples."""
    images = fn.resize(_decoded(files), size=(12.0, 14.0))
    shape = fn.random.uniform(range=(1.0, 5.0), shape=(2,), dtype=types.INT32)
    pair = fn.element_extract(fn.stack(images, images, axis=0, axis_name="F"), element_map=(0, 1))
    names = fn.get_property(files, key="source_info"), fn.get_property(images, key="source_info")
    return *pair, *names, fn.shapes(images), fn.peek_image_shape(files), fn.ones(shape=shape), types.Constant(3, device="gpu")


PROGRAMS = pytest.mark.parametrize("program", [_training, _drawn, _decoded, _viewed, _asked])


def _build(root: str, program: Callable[[Any], Any], size: int, **options: Any) -> Pipeline:
    return pipeline_over(root, program, size, device_id=0, **options)


def _joined(pipeline: Pipeline) -> int:
    """How many iterations are computed together."""
    found = pipeline._built()._queue  # pyright: ignore[reportPrivateUsage]
    return 1 if found is None else found.groups.most


@PROGRAMS
@pytest.mark.parametrize("size", [1, 3, 8])
def test_results_are_those_of_single_iterations(
    root: str, program: Callable[[Any], Any], size: int, alone: Callable[[], None]
) -> None:
    together = _build(root, program, size)
    found = [seen(together.run()) for _ in range(RUNS)]
    assert _joined(together) == groups.SAMPLES // size
    alone()
    single = _build(root, program, size)
    assert [seen(single.run()) for _ in range(RUNS)] == found
    assert _joined(single) == 1


@pytest.mark.parametrize("order", [{"pad_last_batch": True}, {"num_shards": 2}, {"shuffle_after_epoch": True}])
def test_epochs_end_where_they_do_otherwise(root: str, order: dict[str, Any], alone: Callable[[], None]) -> None:
    together = _build(root, _decoded, 4, **order)
    found = [seen(together.run()) for _ in range(RUNS)]
    assert _joined(together) > 1
    alone()
    single = _build(root, _decoded, 4, **order)
    assert [seen(single.run()) for _ in range(RUNS)] == found


def test_a_damaged_file_is_named_in_its_iteration(root: str, alone: Callable[[], None]) -> None:
    damage(root)
    found = told(_build(root, _training, 2))
    assert any("07.jpg" in str(one[0][4]) for one in found if len(one) == 1)
    alone()
    assert told(_build(root, _training, 2)) == found


@pytest.mark.parametrize("before", [2, 5, 30])
def test_a_checkpoint_goes_on_in_the_middle_of_a_group(root: str, before: int) -> None:
    pipeline = _build(root, _training, 2, enable_checkpointing=True)
    for _ in range(before):
        pipeline.run()
    assert _joined(pipeline) > 1
    kept = pipeline.checkpoint()
    wanted = [seen(pipeline.run()) for _ in range(20)]
    again = _build(root, _training, 2, enable_checkpointing=True, checkpoint=kept)
    assert [seen(again.run()) for _ in range(20)] == wanted


def test_iterations_may_be_asked_for_by_hand(root: str) -> None:
    pipeline, other = (_build(root, _training, 2) for _ in range(2))
    assert pipeline.empty()
    for count in (1, 3, 2, 7):
        for _ in range(count):
            pipeline.schedule_run()
        for left in range(count, 0, -1):
            assert not pipeline.empty()
            assert seen(pipeline.share_outputs()) == seen(other.run()), left
            pipeline.release_outputs()
    assert not pipeline.empty()  # the first call has filled the queue
    while not pipeline.empty():
        assert seen(pipeline.share_outputs()) == seen(other.run())


def test_groups_are_computed_ahead_for_iterators_too(root: str) -> None:
    """They ask for iterations by hand."""
    pipeline = _build(root, _training, 2)
    built, least = pipeline._built(), list[int]()  # pyright: ignore[reportPrivateUsage]
    pipeline.schedule_run()
    for _ in range(RUNS):
        pipeline.schedule_run()
        least.append(built.ahead)
        pipeline.share_outputs()
        pipeline.release_outputs()
    assert min(least[8:]) > groups.SAMPLES // 2


def test_release_gives_groups_back(root: str) -> None:
    pipeline = _build(root, _training, 2)
    for _ in range(RUNS):
        pipeline.run()
    built = pipeline._built()  # pyright: ignore[reportPrivateUsage]
    prefetcher = built._prefetcher  # pyright: ignore[reportPrivateUsage]
    while len(prefetcher._results.done) < prefetcher.scheduled:  # pyright: ignore[reportPrivateUsage]
        sleep(0.01)
    assert prefetcher.scheduled
    pipeline.release()
    assert built.executor.device_memory < 24 * 20 * 20 * 3 * 4  # a group; tables of constants may be left


def test_held_results_stay_valid(root: str) -> None:
    pipeline = _build(root, _training, 1)
    held = [pipeline.run() for _ in range(3 * groups.SAMPLES)]
    other = _build(root, _training, 1)
    for one in held:
        assert seen(one) == seen(other.run())


def _skipping(files: Any) -> Any:
    return fn.decoders.image(files, device="mixed", on_error="skip")


def _mixing(files: Any) -> Any:
    return fn.permute_batch(fn.resize(_decoded(files), size=(8.0, 8.0)), indices=fn.batch_permutation())



def _calling(files: Any) -> Any:
    def same(given: Any) -> Any:
        return given

    return _decoded(files), fn.python_function(fn.shapes(_decoded(files)), function=same)


@pytest.mark.parametrize("program", [_skipping, _mixing, _calling])
def test_what_looks_at_iterations_is_computed_one_by_one(root: str, program: Callable[[Any], Any]) -> None:
    assert _joined(_build(root, program, 2)) == 1


def test_what_waits_for_the_program_is_computed_one_by_one(root: str) -> None:
    pipeline = Pipeline(batch_size=2, num_threads=2, device_id=0)
    with pipeline:
        files, _ = fn.readers.file(file_root=root)
        pipeline.set_outputs(_decoded(files), fn.external_source(source=lambda: np.zeros((2, 3), np.float32)))
    assert _joined(pipeline) == 1
    assert _joined(_build(root, _training, 2, exec_pipelined=False, exec_async=False)) == 1


@pytest.mark.parametrize(("program", "later"), [(_training, True), (_decoded, False)])
def test_results_of_chains_exist_for_a_few_iterations(
    root: str, program: Callable[[Any], Any], later: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are handed out, and those behind them."""
    parts, asked = list[tuple[int, int]](), Later.part

    def part(self: Later, begin: int, end: int, sources: Any) -> Any:
        parts.append((begin, end))
        return asked(self, begin, end, sources)

    monkeypatch.setattr(Later, "part", part)
    pipeline = _build(root, program, 2)
    for _ in range(RUNS):
        pipeline.run()
    assert _joined(pipeline) == 12
    assert bool(parts) == later
    assert {end - begin for begin, end in parts} <= {6}
    for number in range(RUNS, 2 * RUNS):
        computed = sum(end - begin for begin, end in parts)
        assert computed <= 2 * number + 12  # those handed out, the rest of these six samples, and the next six
        pipeline.run()


def test_as_many_are_computed_together_as_memory_allows(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_MEMORY", 0)
    pipeline = _build(root, _training, 1)
    for _ in range(RUNS):
        pipeline.run()
    assert _joined(pipeline) == 1


def test_a_user_who_stops_waiting_misses_nothing(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = _build(root, _training, 2)
    wanted = [seen(other.run()) for _ in range(RUNS)]
    pipeline = _build(root, _training, 2)
    found, built = list[Any](), pipeline._built()  # pyright: ignore[reportPrivateUsage]
    wait = built._prefetcher._wait  # pyright: ignore[reportPrivateUsage]
    calls = 0

    def interrupted(told: Any) -> None:
        nonlocal calls
        calls += 1
        if calls % 2:
            raise KeyboardInterrupt
        wait(told)

    monkeypatch.setattr(built._prefetcher, "_wait", interrupted)  # pyright: ignore[reportPrivateUsage]
    while len(found) < RUNS:
        try:
            found.append(seen(pipeline.run()))
        except KeyboardInterrupt:
            continue
    assert calls > 4
    assert found == wanted


def test_an_interrupted_group_is_computed_again(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl+C may come when a result was taken, and before it is known whose it is."""
    other = _build(root, _training, 2)
    wanted = [seen(other.run()) for _ in range(RUNS)]
    pipeline = _build(root, _training, 2)
    built = pipeline._built()  # pyright: ignore[reportPrivateUsage]
    take, calls = built._prefetcher._take, 0  # pyright: ignore[reportPrivateUsage]

    def broken() -> Any:
        nonlocal calls
        calls += 1
        made = take()
        if calls in (2, 5, 6):
            raise KeyboardInterrupt
        return made

    monkeypatch.setattr(built._prefetcher, "_take", broken)  # pyright: ignore[reportPrivateUsage]
    found = list[Any]()
    while len(found) < RUNS:
        try:
            found.append(seen(pipeline.run()))
        except KeyboardInterrupt:
            continue
    assert calls > 6
    assert found == wanted
    assert _joined(pipeline) > 1


def test_a_queue_of_one_iteration_keeps_single_ones(root: str) -> None:
    assert _joined(_build(root, _training, 2, prefetch_queue_depth=1)) == 1


def test_speed_counts_what_is_computed_while_it_is_measured(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Iterations that are only handed out would be hundreds of times too fast."""
    graph = _build(root, _training, 2)._built().graph  # pyright: ignore[reportPrivateUsage]
    computed, pace, told = engine._computed, Pace(), list[int]()  # pyright: ignore[reportPrivateUsage]

    def slowly(executor: Any, request: Any, *more: Any) -> Any:
        sleep(0.01 * request.iterations)
        return (yield from computed(executor, request, *more))

    monkeypatch.setattr(engine, "_computed", slowly)
    Throughput(default_registry(), Event()).measure(graph, 40, pace, lambda: told.append(1), lambda: None)
    assert pace.samples == 4 * groups.SAMPLES
    assert len(pace.steps) == 4
    assert len(told) == 40
    assert pace.speed().median > 5


def test_a_group_that_memory_does_not_hold_is_computed_one_by_one(
    root: str, monkeypatch: pytest.MonkeyPatch, alone: Callable[[], None]
) -> None:
    monkeypatch.setattr(Executor, "device_memory", property(lambda _: 1))  # so that the group is too large
    pipeline = _build(root, _decoded, 1, device_memory_limit=256 << 10)
    found = [seen(pipeline.run()) for _ in range(RUNS)]
    assert _joined(pipeline) == 1
    alone()
    single = _build(root, _decoded, 1)
    assert [seen(single.run()) for _ in range(RUNS)] == found
