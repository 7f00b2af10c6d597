"""Iterations on the CPU that are computed together: results, errors and places do not show it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grouped import RUNS, damage, folder_of_files, pipeline_over, seen, told

from dali_studio import fn
from dali_studio.pipeline import Pipeline
from dali_studio.runtime import groups
from dali_studio.runtime.workers import Cancelled


@pytest.fixture(autouse=True)
def large_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever time they take."""
    monkeypatch.setattr(groups, "SAMPLES", 12)
    monkeypatch.setattr(groups, "_SHORT", 1e9)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets pipelines that are built from then on compute one iteration after the other."""
    return lambda: monkeypatch.setattr(groups, "SAMPLES", 1)


@pytest.fixture
def root(tmp_path: Path) -> str:
    return folder_of_files(tmp_path)


def _training(files: Any) -> Any:
    images = fn.resize(fn.decoders.image_random_crop(files), size=(24.0, 28.0))
    return fn.crop_mirror_normalize(images, crop=(20.0, 20.0), mirror=fn.random.coin_flip(), mean=(120.0,), std=(60.0,))


def _ragged(files: Any) -> Any:
    images = fn.decoders.image(files)
    return images, fn.get_property(files, key="source_info"), fn.shapes(images), fn.random.uniform(images, range=(0.0, 2.0))


def _packed(files: Any) -> Any:
    """What lies in one piece of memory, and frames."""
    images = fn.resize(fn.decoders.image(files), size=(9.0, 7.0))
    return fn.reshape(images, shape=(-1, 7, 3)), fn.rotate(fn.stack(images, images, axis_name="F"), angle=20.0), fn.ones(shape=(2, 3))


def _now(pipeline: Pipeline) -> int:
    """How many iterations are computed together."""
    return pipeline._built().together  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("program", [_training, _ragged, _packed])
@pytest.mark.parametrize("size", [1, 3])
def test_results_are_those_of_single_iterations(
    root: str, program: Callable[[Any], Any], size: int, alone: Callable[[], None]
) -> None:
    together = pipeline_over(root, program, size)
    found = [seen(together.run()) for _ in range(RUNS)]
    assert _now(together) == 12 // size
    alone()
    single = pipeline_over(root, program, size)
    assert [seen(single.run()) for _ in range(RUNS)] == found
    assert _now(single) == 1


@pytest.mark.parametrize("order", [{"pad_last_batch": True}, {"num_shards": 2}, {"shuffle_after_epoch": True}])
def test_epochs_end_where_they_do_otherwise(root: str, order: dict[str, Any], alone: Callable[[], None]) -> None:
    found = told(pipeline_over(root, _ragged, 4, **order))
    alone()
    assert told(pipeline_over(root, _ragged, 4, **order)) == found


def test_a_damaged_file_is_named_in_its_iteration(root: str, alone: Callable[[], None]) -> None:
    damage(root)
    found = told(pipeline_over(root, _training, 2))
    assert any("07.jpg" in str(one[0][4]) for one in found if len(one) == 1)
    alone()
    assert told(pipeline_over(root, _training, 2)) == found


@pytest.mark.parametrize("before", [2, 5, 30])
def test_a_checkpoint_goes_on_in_the_middle_of_a_group(root: str, before: int) -> None:
    pipeline = pipeline_over(root, _training, 2, enable_checkpointing=True)
    for _ in range(before):
        pipeline.run()
    kept = pipeline.checkpoint()
    wanted = [seen(pipeline.run()) for _ in range(20)]
    again = pipeline_over(root, _training, 2, enable_checkpointing=True, checkpoint=kept)
    assert [seen(again.run()) for _ in range(20)] == wanted


def test_held_results_stay_valid(root: str) -> None:
    pipeline, other = (pipeline_over(root, _ragged, 1) for _ in range(2))
    held = [pipeline.run() for _ in range(RUNS)]
    for one in held:
        assert seen(one) == seen(other.run())


def test_cancelling_ends_a_group(root: str) -> None:
    pipeline = pipeline_over(root, _training, 1)
    for _ in range(RUNS):
        pipeline.run()
    pipeline._built().cancel()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(Cancelled):
        told(pipeline)


def _skipping(files: Any) -> Any:
    return fn.decoders.image(files, on_error="skip")


def _mixing(files: Any) -> Any:
    return fn.permute_batch(fn.resize(fn.decoders.image(files), size=(8.0, 8.0)), indices=fn.batch_permutation())


def _calling(files: Any) -> Any:
    return fn.python_function(fn.shapes(fn.decoders.image(files)), function=np.sort)


def _given(files: Any) -> Any:
    return files, fn.external_source(source=lambda: np.zeros((2, 3), np.float32))


@pytest.mark.parametrize("program", [_skipping, _mixing, _calling, _given])
def test_what_looks_at_iterations_is_computed_one_by_one(root: str, program: Callable[[Any], Any]) -> None:
    pipeline = pipeline_over(root, program, 2)
    for _ in range(RUNS):
        pipeline.run()
    assert _now(pipeline) == 1


@pytest.mark.parametrize("options", [{"exec_pipelined": False, "exec_async": False}, {"prefetch_queue_depth": 1}])
def test_what_does_not_run_ahead_is_computed_one_by_one(root: str, options: dict[str, Any]) -> None:
    pipeline = pipeline_over(root, _training, 2, **options)
    for _ in range(RUNS):
        pipeline.run()
    assert _now(pipeline) == 1
