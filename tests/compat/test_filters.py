"""Filters and warps against nvidia.dali, where their declared cases do not reach."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from declared import declared
from images import pictures
from peers import check

pytestmark = pytest.mark.usefixtures("nvidia")

Array = np.ndarray[Any, Any]
_RANDOM = np.random.default_rng(8)
#: Frames, height and width of each sequence.
SHAPES = ((4, 20, 17), (2, 11, 12), (1, 5, 30))


def videos() -> tuple[list[Array], str]:
    return [np.stack(pictures([(h, w)] * frames)) for frames, h, w in SHAPES], "FHWC"


def filters(*shape: int) -> list[Array]:
    return [_RANDOM.normal(0, 0.3, shape).astype(np.float32) for _ in SHAPES]


@pytest.mark.parametrize("border", ["reflect_101", "constant"])
def test_one_filter_for_all_frames(border: str) -> None:
    data = {"x": videos(), "k": filters(3, 4)}
    check(f"fn.filter(x, k, border='{border}', dtype=types.FLOAT)", data, declared("filter"))


def test_filters_and_anchors_for_each_frame() -> None:
    anchors = [_RANDOM.integers(0, 3, (frames, 2)).astype(np.int32) for frames, _, _ in SHAPES]
    data = {"x": videos(), "k": ([_RANDOM.normal(0, 0.3, (frames, 3, 3)).astype(np.float32) for frames, _, _ in SHAPES], "FXY"), "a": anchors}
    check("fn.filter(x, k, anchor=fn.per_frame(a))", data, declared("filter"))


@pytest.mark.parametrize("operator", ["water", "sphere"])
def test_a_constant_mask_has_no_effect(operator: str) -> None:
    check(f"fn.{operator}(x, mask=0), fn.{operator}(x, mask=1)", {"x": pictures([(20, 17), (9, 31)])}, declared(operator))


def test_waves_are_long_enough_for_images_that_grow() -> None:
    """Those of earlier, smaller images are kept."""
    batches = [pictures([(20, width), (height, 7)]) for width, height in ((200, 30), (220, 90), (263, 100), (400, 31))]

    def results(prefix: str) -> list[Array]:
        module = importlib.import_module(prefix)
        made = module.Pipeline(batch_size=2, num_threads=2, device_id=None)
        with made:
            left = iter(batches * 2)
            made.set_outputs(module.fn.water(module.fn.external_source(source=lambda: next(left), layout="HWC")))
        made.build()
        return [np.array(out.at(i)) for _ in batches for out in made.run() for i in range(2)]

    for result, expected in zip(results("dali_studio"), results("nvidia.dali"), strict=True):
        assert np.array_equal(result, expected)


def test_laplacians_of_frames_with_values_for_each() -> None:
    scales = [_RANDOM.uniform(0.1, 2, (frames, 2)).astype(np.float32) for frames, _, _ in SHAPES]
    sizes = [_RANDOM.choice([3, 5, 7], frames).astype(np.int32) for frames, _, _ in SHAPES]
    data = {"x": videos(), "s": scales, "n": sizes}
    check("fn.laplacian(x, scale=fn.per_frame(s), smoothing_size=fn.per_frame(n), dtype=types.FLOAT)", data, declared("laplacian"))


@pytest.mark.parametrize("inverse", [True, False])
def test_perspectives_of_frames(inverse: bool) -> None:
    views = [np.eye(3) + _RANDOM.uniform(-0.1, 0.1, (frames, 3, 3)) * [[1, 1, 15], [1, 1, 15], [0.02, 0.02, 0]] for frames, _, _ in SHAPES]
    data = {"x": videos(), "m": ([one.astype(np.float32) for one in views], "FXY")}
    program = f"fn.experimental.warp_perspective(x, matrix=fn.per_frame(m), inverse_map={inverse}, fill_value=[9, 8, 7])"
    check(program, data, declared("experimental.warp_perspective"))


def test_colours_of_all_sorts_are_equalised_alike() -> None:
    """Every conversion between colours and lightness, of half a million colours."""
    images = [_RANDOM.integers(0, 256, (512, 512, 3), np.uint8) for _ in range(2)]
    check("fn.clahe(x, tiles_x=1, tiles_y=1, clip_limit=0.0), fn.clahe(x, tiles_x=7, tiles_y=5, clip_limit=2.5)", {"x": images}, declared("clahe"))
