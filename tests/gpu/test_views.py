"""What looks into memory of another batch, or reads where another operator has written, next to kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gpu_programs import run
from images import pictures

from dali_studio import fn, types

pytestmark = pytest.mark.gpu

ALIKE, RAGGED = ((21, 33), (21, 33), (21, 33)), ((21, 33), (5, 1), (40, 30))


def assert_same_on_both(define: Callable[[Any], Any], batch: Any, layout: str) -> None:
    results = [run(define, batch, layout, on_gpu=on_gpu) for on_gpu in (True, False)]
    hosts = ([one.as_cpu() for one in outputs] for outputs in results)
    for ours, reference in zip(*hosts, strict=True):
        assert (ours.layout(), ours.dtype) == (reference.layout(), reference.dtype)
        for i in range(len(batch)):
            np.testing.assert_array_equal(ours.at(i), reference.at(i))


@pytest.mark.parametrize("shapes", [ALIKE, RAGGED])
def test_elements_of_sequences_are_views_that_kernels_read(shapes: Any) -> None:
    batch = [np.stack([one, 255 - one, one // 2]) for one in pictures(shapes)]

    def define(frames: Any) -> Any:
        first, last = fn.element_extract(frames, element_map=[0, 2])
        row = fn.reshape(last, shape=[-1])
        return fn.flip(last), fn.cast(row, dtype=types.FLOAT), fn.reinterpret(first, dtype=types.INT8), fn.copy(row)

    assert_same_on_both(define, batch, "FHWC")


@pytest.mark.parametrize("shapes", [ALIKE, RAGGED])
def test_tables_fuse_with_what_is_around_them(shapes: Any) -> None:
    def define(images: Any) -> Any:
        small = fn.resize(images, resize_x=17, resize_y=19)
        table = fn.lookup_table(small, keys=[0, 90, 200, 255], values=[7, 3, 255, 9], default_value=40, dtype=types.UINT8)
        return fn.crop_mirror_normalize(table, crop=(11, 13), mean=[1.0], std=[2.0]), fn.lookup_table(images, keys=[5], values=[0.5])

    assert_same_on_both(define, pictures(shapes), "HWC")


@pytest.mark.parametrize("where", ["cpu", "gpu"])
def test_windows_are_read_where_their_corners_lie(where: str) -> None:
    def define(images: Any) -> Any:
        corner = fn.random.uniform(range=(0.0, 0.5), shape=(2,), seed=3)
        size = fn.random.uniform(range=(0.1, 0.5), shape=(2,), seed=4)
        if where == "gpu" and images.device == "gpu":
            corner, size = corner.gpu(), size.gpu()
        whole = fn.cast(fn.random.uniform(range=(1, 4), shape=(2,), seed=5), dtype=types.INT32)
        return fn.slice(images, corner, size), images[:, ::-2], fn.slice(images, whole, whole, axes=(0, 2), out_of_bounds_policy="pad")

    assert_same_on_both(define, pictures(ALIKE), "HWC")
