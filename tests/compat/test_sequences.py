"""Sequences with an argument for each frame, against nvidia.dali."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from declared import declared
from images import pictures
from peers import check, check_refused

pytestmark = pytest.mark.usefixtures("nvidia")

Array = np.ndarray[Any, Any]
#: Frames, height and width of each sequence.
SHAPES = ((4, 20, 17), (2, 11, 12), (3, 14, 9), (1, 5, 30))
_RANDOM = np.random.default_rng(8)


def videos(planar: bool = False) -> tuple[list[Array], str]:
    made = [np.stack(pictures([(h, w)] * frames)) for frames, h, w in SHAPES]
    return ([np.ascontiguousarray(v.transpose(0, 3, 1, 2)) for v in made], "FCHW") if planar else (made, "FHWC")


def per_frame(draw: Callable[[], Any], counts: Sequence[int] = tuple(frames for frames, _, _ in SHAPES)) -> list[Array]:
    return [np.array([draw() for _ in range(count)], np.float32) for count in counts]


def angle() -> float:
    return float(_RANDOM.uniform(-180, 180))


def matrix() -> Array:
    return np.eye(2, 3) + _RANDOM.uniform(-0.2, 0.2, (2, 3)) * (1, 1, 15)


@pytest.mark.parametrize(
    ("operator", "program", "draw"),
    [
        ("rotate", "fn.rotate(x, angle=fn.per_frame(a), fill_value=0), fn.rotate(x, angle=fn.per_frame(a), keep_size=True)", angle),
        ("warp_affine", "fn.warp_affine(x, matrix=fn.per_frame(a)), fn.warp_affine(x, fn.per_frame(a), fill_value=3.0)", matrix),
        ("hsv", "fn.hsv(x, hue=fn.per_frame(a), saturation=1.2)", angle),
        ("brightness_contrast", "fn.brightness_contrast(x, brightness=fn.per_frame(a))", lambda: abs(angle()) / 90),
        ("gaussian_blur", "fn.gaussian_blur(x, sigma=fn.per_frame(a))", lambda: 0.1 + abs(angle()) / 60),
        ("gaussian_blur", "fn.gaussian_blur(x, sigma=fn.per_frame(a))", lambda: _RANDOM.uniform(0.2, 3, 2)),
    ],
)
def test_a_value_for_each_frame(operator: str, program: str, draw: Callable[[], Any]) -> None:
    values = per_frame(draw)
    check(program, {"x": videos(), "a": (values, "FXY") if values[0].ndim == 3 else values}, declared(operator))


def test_one_value_for_all_frames() -> None:
    data = {"x": videos(), "a": per_frame(angle, [1] * len(SHAPES))}
    check("fn.rotate(x, angle=fn.per_frame(a)), fn.hsv(x, hue=fn.per_frame(a))", data, declared("rotate"))


def test_canvases_of_frames_that_grow_differently() -> None:
    sizes = [(int(f), int(h), int(w)) for f, h, w in _RANDOM.integers((1, 4, 4), (6, 40, 40), (40, 3))]
    data = {"x": ([np.zeros((*size, 1), np.uint8) for size in sizes], "FHWC"), "a": per_frame(angle, [size[0] for size in sizes])}
    check("fn.rotate(x, angle=fn.per_frame(a))", data)


def test_an_image_for_many_matrices_is_a_sequence() -> None:
    data = {"x": pictures([(h, w) for _, h, w in SHAPES]), "a": (per_frame(matrix), "FXY")}
    check("fn.warp_affine(x, fn.per_frame(a), fill_value=3.0)", data, declared("warp_affine"))


@pytest.mark.parametrize("planar", [False, True])
def test_the_layout_of_normalised_sequences_has_frames(planar: bool) -> None:
    options = "crop=(5.0, 9.0), mirror=1, mean=[1.0, 2.0, 3.0], std=9.0, pad_output=True"
    calls = {layout: f"fn.crop_mirror_normalize(x, {options}, output_layout='{layout}')" for layout in ("FCHW", "FHWC", "CHW")}
    data = {"x": videos(planar)}
    check(f"{calls['FCHW']}, {calls['FHWC']}", data, declared("crop_mirror_normalize"))
    check_refused(calls["CHW"], data, "DS203")


def test_another_number_of_values_is_refused() -> None:
    data = {"x": videos(), "a": per_frame(angle, [4, 2, 2, 1])}
    check_refused("fn.rotate(x, angle=fn.per_frame(a))", data, "DS203")


def test_per_frame_of_images_gives_vectors() -> None:
    data = {"x": pictures([(9, 9), (7, 8)]), "a": per_frame(angle, [3, 2])}
    check_refused("fn.rotate(x, angle=fn.per_frame(a))", data, "DS105")


@pytest.mark.parametrize("call", ["hue(x, hue=30.0)", "brightness_contrast(x, contrast=1.5)", "color_twist(x, saturation=0.5)"])
def test_four_axes_without_names_are_frames(call: str) -> None:
    frames = np.random.default_rng(3).integers(0, 256, (2, 9, 7, 3)).astype(np.uint8)
    check(f"fn.{call}", {"x": [frames, frames[:1]]}, declared(call.partition("(")[0]))
