"""Objects in masks against scipy, and draws that stay among what is wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import objects

Array = np.ndarray[Any, Any]


def mask_of(shape: tuple[int, ...], values: int, density: float, dtype: str = "i4", seed: int = 0) -> Array:
    random = np.random.default_rng([seed, *shape])
    return (random.integers(1, values + 1, shape) * (random.uniform(0, 1, shape) < density)).astype(dtype)


@pytest.mark.parametrize("shape", [(1,), (90,), (40, 50), (1, 60), (60, 1), (12, 13, 14), (3, 4, 5, 6), (2, 3, 2, 3, 2, 3)])
@pytest.mark.parametrize("density", [0.0, 0.4, 0.7, 1.0])
def test_blobs_are_those_of_scipy(shape: tuple[int, ...], density: float) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    mask = mask_of(shape, 3, density)
    found, values = objects.blobs(mask, 0)
    expected = set()
    for value in range(1, 4):
        labels, _ = ndimage.label(mask == value)
        for place in ndimage.find_objects(labels):
            expected.add((value, *(axis.start for axis in place), *(axis.stop for axis in place)))
    told = [(int(value), *row) for value, row in zip(values, found.tolist(), strict=True)]
    assert set(told) == expected and len(told) == sum(ndimage.label(mask == value)[1] for value in range(1, 4))


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u2", "i2", "u4", "i4"])
def test_blobs_of_all_types(dtype: str) -> None:
    mask = mask_of((30, 40), 1, 0.5, dtype)
    reference = objects.blobs(mask.astype(np.int32), 0)
    assert all(np.array_equal(a, b) for a, b in zip(objects.blobs(mask, 0), reference, strict=True))


def test_more_runs_than_there_is_room_for_at_first() -> None:
    mask = np.indices((100, 100)).sum(axis=0).astype(np.uint8) % 2
    found, values = objects.blobs(mask, 0)
    assert len(found) == 5000 and (values == 1).all()


def test_other_backgrounds_and_empty_masks() -> None:
    assert len(objects.blobs(np.zeros((4, 5), np.uint8), 7)[0]) == 1
    assert len(objects.blobs(np.zeros((4, 0), np.uint8), 7)[0]) == 0
    assert len(objects.blobs(np.zeros((0, 4), np.uint8), 7)[0]) == 0


def test_objects_are_large_enough_and_of_a_class_that_counts() -> None:
    mask = mask_of((60, 60), 3, 0.6, seed=4)
    found, values = objects.blobs(mask, 0)
    least = np.array([2, 3], np.int32)
    for place in range(200):
        chosen = objects.pick_object(
            found, values, np.array([1, 3, 9], np.int32), np.array([1, 2, 5], np.float32), least, 4, 1.0, 3, place * 65537
        )
        assert chosen >= 0 and values[chosen] in (1, 3)
        assert (found[chosen, 2:] - found[chosen, :2] >= least).all()
        sizes = (found[:, 2:] - found[:, :2]).prod(axis=1)
        able = (values == values[chosen]) & (found[:, 2:] - found[:, :2] >= least).all(axis=1)
        assert (sizes[able] > sizes[chosen]).sum() < 4
    assert objects.pick_object(found, values, np.array([9], np.int32), np.ones(1, np.float32), least, 0, 1.0, 3, 0) == -1


def drawn_pixels(mask: Any, kind: int, count: int, threshold: float = 0, value: int = 0) -> Any:
    """(count, axes) places that samples with the same mask draw, in two calls."""
    made = np.empty((count, mask.ndim), np.int64)
    compute = objects.random_pixels(
        Batch.of([mask] * count), Batch.of_array(made), kind, np.ones(count, np.int32),
        np.full(count, threshold, np.float32), np.full(count, value, np.int32), 11, np.arange(count, dtype=np.int64),
    )  # fmt: skip
    compute(0, count // 3)
    compute(count // 3, count)
    return made


@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4"])
def test_every_pixel_of_the_foreground_is_drawn(dtype: str) -> None:
    mask = mask_of((5, 7), 1, 0.3, dtype, seed=2)
    seen = np.zeros(mask.shape, np.bool_)
    seen[tuple(drawn_pixels(mask, objects.ABOVE, 600, threshold=0.5).T)] = True
    assert np.array_equal(seen, mask > 0)


def test_a_pixel_is_found_behind_many() -> None:
    mask = np.zeros(5000, np.uint8)
    mask[[17, 1024, 4999]] = 9
    assert set(drawn_pixels(mask, objects.EQUAL, 60, value=9)[:, 0].tolist()) == {17, 1024, 4999}
