"""Relatives of ``fn.resize`` against nvidia.dali: random windows, axes of tensors, deprecated names."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from declared import declared
from images import pictures
from peers import OURS, check, run

from dali_studio.schema.tolerance import Tolerance

pytestmark = pytest.mark.usefixtures("nvidia")
FLOATS = Tolerance(relative=1e-5, reason="single precision: positions, and sums in another order")
SIZES = ((57, 43), (200, 301), (7, 9), (33, 240))


@pytest.mark.parametrize("arguments", ["", "random_area=(0.1, 0.3)", "random_area=(0.3, 1.6)", "random_area=(0, 0.5)", "random_aspect_ratio=(2.0, 3.0), num_attempts=3", "seed=77"])
def test_random_windows_over_iterations(arguments: str) -> None:
    """The windows are those of ``random_crop_generator``: the same places, and as many numbers drawn."""
    data = {"x": pictures(SIZES, dtype=np.float32)}
    check(f"fn.random_resized_crop(x, size=(24, 31), {arguments})", data, FLOATS, 4)


def test_frames_share_a_window() -> None:
    data = {"x": ([np.stack([one] * 3) for one in pictures(SIZES, dtype=np.float32)], "FHWC")}
    for output in run(OURS, "fn.random_resized_crop(x, size=(24, 31))", data)[0]:
        assert all((frames == frames[0]).all() for frames in output.samples)
    check("fn.random_resized_crop(x, size=(24, 31))", data, FLOATS, 2)


@pytest.mark.parametrize("places", [(0.0, 1.0), (0.3, 0.7), (0.5, 0.5)])
def test_windows_of_resized_pictures(places: tuple[float, float]) -> None:
    options = f"crop=(20, 17), crop_pos_x={places[0]}, crop_pos_y={places[1]}"
    data = {"x": pictures(SIZES, dtype=np.float32)}
    for size in ("resize_shorter=33", "size=(40.5, 60.3)", "resize_longer=25.7, max_size=24", "resize_x=-45"):
        check(f"fn.resize_crop_mirror(x, {size}, {options}, mirror=3)", data, FLOATS)


@pytest.mark.parametrize("alignment", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("rounding", ["round", "truncate", "ceil"])
def test_alignment_of_rounded_extents(alignment: float, rounding: str) -> None:
    data = {"x": pictures(SIZES, dtype=np.float32)}
    for size in ("scales=(0.46, 0.7)", "sizes=(17.3, 20.6)", "scales=(1.37, 2.21)", "sizes=(0.3, 20.6)"):
        program = f"fn.tensor_resize(x, {size}, axes=(0, 1), alignment={alignment}, size_rounding={rounding!r})"
        check(program, data, FLOATS)


@pytest.mark.parametrize("size", ["sizes=(20, 0)", "sizes=(0, 20), alignment=0.2", "sizes=(20, 0), mode='not_larger'"])
def test_windows_whose_begin_is_beyond_their_end(size: str) -> None:
    window = "roi_start=(0.9, 0.8), roi_end=(0.2, 0.1), roi_relative=True"
    check(f"fn.tensor_resize(x, {size}, axes=(0, 1), {window})", {"x": pictures(SIZES, dtype=np.float32)}, FLOATS)


@pytest.mark.parametrize("arguments", [
    "scales=0.97, axes=[0]", "scales=0.97, axes=[1]", "scales=(0.97, 1.02, 1), alignment=0.2", "scales=(0.5, 0.97, 1)", "scales=(1, 0.97, 0.6)",
    "sizes=(9, 0, 0), roi_start=(0.3, -0.4, 0.2), roi_end=(9.1, 8.4, 7)",
])  # fmt: skip
@pytest.mark.parametrize("shapes", [[(9, 8, 7)], [(10, 8, 7), (9, 8, 7)], [(9, 1, 1)]])
def test_axes_that_hardly_change(arguments: str, shapes: list[tuple[int, ...]]) -> None:
    """Where a size is rounded to what is there, it depends on the other axes, and on the batch, whether that is resized."""
    data = [np.random.default_rng(0).random(shape, np.float32) * 99 for shape in shapes]
    check(f"fn.tensor_resize(x, {arguments})", {"x": (data, "")}, FLOATS)


@pytest.mark.parametrize(("old", "new", "arguments"), [
    ("fast_resize_crop_mirror", "resize_crop_mirror", "resize_shorter=20, crop=(9, 8)"),
    ("experimental.tensor_resize", "tensor_resize", "sizes=(9, 8), axes=(0, 1)"),
])  # fmt: skip
def test_deprecated_names_warn(old: str, new: str, arguments: str) -> None:
    data: dict[str, Any] = {"x": pictures(SIZES)}
    with pytest.warns(DeprecationWarning, match=rf"fn\.{old} is deprecated. Use fn\.{new} instead"):
        run(OURS, f"fn.{old}(x, {arguments})", data)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        run(OURS, f"fn.{new}(x, {arguments})", data)


def test_attributes_of_frames_are_those_of_the_sample() -> None:
    data = {"x": ([np.stack([one] * 3) for one in pictures(SIZES)], "FHWC"), "s": [np.array(9.0, np.float32)] * 4}
    check("fn.resize(x, resize_shorter=s, save_attrs=True)", data, declared("resize"))
