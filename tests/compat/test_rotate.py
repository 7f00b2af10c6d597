"""``fn.rotate`` against nvidia.dali: canvas, fill, filters, element types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import declared
from images import ODD_SIZES, TINY_SIZES, pictures
from peers import check, check_refused

pytestmark = pytest.mark.usefixtures("nvidia")

ANGLES = (0, 1, 10, 30, 44.9, 45, 89.99, 90, 120.5, 180, 200, 270, 359.5, 360, -10, -45, -90, -200, 720.25, 1e-6)

ARGUMENTS = """
angle=10.0, fill_value=0
angle=10.0
angle=-30.0, keep_size=True, fill_value=128.0
angle=-30.0, keep_size=True
angle=75.0, size=(30, 50)
angle=75.0, size=(30.5, 51.5), fill_value=10
angle=75.0, size=(30.4, 50.6), keep_size=False
angle=200.0, fill_value=0.0, dtype=types.FLOAT
angle=33.0, fill_value=300.7
angle=33.0, fill_value=-5
angle=33.0, fill_value=12.5
angle=33.0, fill_value=12.6, dtype=types.FLOAT
""".strip().splitlines()


@pytest.mark.parametrize("angle", ANGLES)
def test_canvas_at_every_angle(angle: float) -> None:
    check(f"fn.rotate(x, angle={angle}, fill_value=0), fn.rotate(x, angle={angle}, dtype=types.FLOAT)",
          {"x": pictures([*ODD_SIZES, (58, 44), (57, 44)])}, declared("rotate"))  # fmt: skip


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_arguments(arguments: str) -> None:
    check(f"fn.rotate(x, {arguments})", {"x": pictures([(57, 43), (40, 61), (200, 301)])}, declared("rotate"))


@pytest.mark.parametrize("arguments", [*ARGUMENTS[:6], "angle=90", "angle=45"])
def test_nearest(arguments: str) -> None:
    check(
        f"fn.rotate(x, {arguments}, interp_type=types.INTERP_NN)",
        {"x": pictures([(57, 43), (200, 301)])},
        declared("rotate", interp_type="INTERP_NN"),
    )


@pytest.mark.parametrize("arguments", ["angle=45", "angle=90, fill_value=1", "angle=13, keep_size=True, fill_value=9"])
def test_tiny_pictures(arguments: str) -> None:
    check(
        f"fn.rotate(x, {arguments}), fn.rotate(x, {arguments}, dtype=types.FLOAT)",
        {"x": pictures(TINY_SIZES)},
        declared("rotate"),
    )


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32])
def test_types_and_channels(dtype: Any, channels: int) -> None:
    data = {"x": pictures([(41, 53), (5, 3)], channels, dtype)}
    check(
        "fn.rotate(x, angle=20, fill_value=3), fn.rotate(x, angle=20, dtype=types.FLOAT)",
        data,
        declared("rotate"),
    )


def test_arguments_by_sample() -> None:
    angles = [np.array(v, np.float32) for v in (10, -77.5, 200)]
    sizes = [np.array(v, np.float32) for v in ((20, 30), (45.5, 7.2), (64, 64))]
    data = {"x": pictures([(57, 43), (40, 61), (3, 5)]), "a": angles, "s": sizes}
    check("fn.rotate(x, angle=a, fill_value=0), fn.rotate(x, angle=a, size=s), fn.rotate(x, angle=30, size=s, fill_value=1), "
          "fn.rotate(x, angle=a, keep_size=True)", data, declared("rotate"))  # fmt: skip


@pytest.mark.parametrize(
    "program",
    [
        "fn.rotate(x)",
        "fn.rotate(x, angle=5, interp_type=types.INTERP_CUBIC)",
        "fn.rotate(x, angle=5, dtype=types.INT8)",
        "fn.rotate(x, angle=5, size=(3, 4, 5))",
        "fn.rotate(x, angel=5)",
        "fn.rotate(x, angle=i)",
    ],
)
def test_refused_by_both(program: str) -> None:
    data = {"x": pictures([(41, 53), (30, 61)]), "i": [np.array(3, np.int32)] * 2}
    check_refused(program, data, "DS102 DS103 DS104 DS105 DS203")


@pytest.mark.parametrize("dtype", [np.float64, np.bool_, np.int8, np.uint16, np.float16, np.int64])
def test_element_types_refused_by_both(dtype: Any) -> None:
    check_refused("fn.rotate(x, angle=3)", {"x": pictures([(41, 53)], dtype=dtype)}, "DS203")
