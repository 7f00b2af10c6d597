"""Operators on colours against nvidia.dali."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import declared
from images import ODD_SIZES, TINY_SIZES, pictures
from peers import check, check_refused, refused

from dali_studio.schema.tolerance import EXACT

pytestmark = pytest.mark.usefixtures("nvidia")

BRIGHTNESS = """
brightness=1.2, contrast=0.8
brightness=1.2
contrast=1.7
contrast=0
brightness=0
brightness_shift=0.1, contrast=1.7, contrast_center=100.0
brightness_shift=-0.3, brightness=0.5
brightness_shift=0.25
brightness=-1.5, contrast=-0.5, contrast_center=0
""".strip().splitlines()

HSV = """
hue=60.0, saturation=1.3, value=0.9
saturation=0.0
hue=-120.0
hue=720.5, saturation=-1.5
value=2.5
value=0
""".strip().splitlines()


@pytest.mark.parametrize("arguments", ["", *BRIGHTNESS])
def test_brightness_contrast(arguments: str) -> None:
    check(f"fn.brightness_contrast(x, {arguments})", {"x": pictures([*ODD_SIZES, *TINY_SIZES])})


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("target", ["", "UINT8", "INT16", "INT32", "FLOAT"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32])
def test_brightness_contrast_types(dtype: Any, target: str, channels: int) -> None:
    more = f", dtype=types.{target}" if target else ""
    program = ", ".join(f"fn.brightness_contrast(x, {arguments}{more})" for arguments in BRIGHTNESS[:6])
    check(program, {"x": pictures([(41, 53), (5, 3)], channels, dtype)}, EXACT)


def test_brightness_contrast_by_sample() -> None:
    b, c, s, m = (
        [np.array(v, np.float32) for v in row] for row in ((0.5, 1.5, 2), (1, 0.2, 3), (0, -0.2, 0.4), (128, 3, 250))
    )
    data = {"x": pictures(ODD_SIZES[:3]), "b": b, "c": c, "s": s, "m": m}
    check("fn.brightness_contrast(x, brightness=b), fn.brightness_contrast(x, contrast=c, contrast_center=m), "
          "fn.brightness_contrast(x, brightness=b, contrast=c, brightness_shift=s)", data)  # fmt: skip


@pytest.mark.parametrize("arguments", ["hue=0", *HSV])
def test_hsv(arguments: str) -> None:
    check(f"fn.hsv(x, {arguments})", {"x": pictures(ODD_SIZES[:2])}, declared("hsv"))
    check(f"fn.hsv(x, {arguments}, dtype=types.FLOAT)", {"x": pictures([*ODD_SIZES, *TINY_SIZES])}, declared("hsv"))


@pytest.mark.parametrize("target", ["UINT8", "INT16", "INT32", "FLOAT"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32, np.float16])
def test_hsv_types(dtype: Any, target: str) -> None:
    program = ", ".join(f"fn.hsv(x, {arguments}, dtype=types.{target})" for arguments in HSV[:4])
    check(
        program,
        {"x": pictures([(41, 53), (5, 3)], 3, dtype)},
        declared("hsv"),
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float16])
def test_hsv_to_half_floats(dtype: Any) -> None:
    program = ", ".join(f"fn.hsv(x, {arguments}, dtype=types.FLOAT16)" for arguments in HSV[:4])
    check(program, {"x": pictures([(41, 53), (5, 3)], 3, dtype)}, declared("hsv"))


def test_hsv_by_sample() -> None:
    h, s, v = ([np.array(v, np.float32) for v in row] for row in ((0, 90, -45), (1, 0.2, 3), (1, 0.5, 1.4)))
    data = {"x": pictures(ODD_SIZES[:3]), "h": h, "s": s, "v": v}
    check(
        "fn.hsv(x, hue=h), fn.hsv(x, saturation=s, value=v), fn.hsv(x, hue=h, saturation=s, value=v)",
        data,
        declared("hsv"),
    )


@pytest.mark.parametrize("operator", ["brightness_contrast", "hsv"])
@pytest.mark.parametrize("dtype", [np.float64, np.bool_, np.int8, np.uint16, np.int64])
def test_element_types_refused_by_both(operator: str, dtype: Any) -> None:
    check_refused(f"fn.{operator}(x)", {"x": pictures([(41, 53)], dtype=dtype)}, "DS203")


@pytest.mark.parametrize(
    "program",
    ["fn.brightness_contrast(x, dtype=types.INT8)", "fn.hsv(x, dtype=types.INT8)", "fn.hsv(x, dtype=types.FLOAT64)"],
)
def test_output_types_refused_by_both(program: str) -> None:
    check_refused(program, {"x": pictures([(41, 53)])}, "DS105")


@pytest.mark.parametrize("channels", [1, 4])
def test_hsv_needs_three_channels(channels: int) -> None:
    """nvidia.dali crashes here."""
    refused("fn.hsv(x, hue=3)", {"x": pictures([(41, 53)], channels)}, "DS203")


COLORS = """
fn.brightness(x, brightness=a, brightness_shift=b)
fn.contrast(x, contrast=a, contrast_center=c)
fn.hue(x, hue=c)
fn.saturation(x, saturation=a)
fn.color_twist(x, hue=c, saturation=a, contrast=a, brightness=d)
fn.color_twist(x, contrast=0.3, brightness=d, dtype=types.INT16)
""".strip().splitlines()


def fed(count: int) -> dict[str, list[np.ndarray[Any, Any]]]:
    rows = ((0.5, 1.5, 2.2, 0), (0.1, -0.2, 0.4, 0), (128, 3, -250, 700), (1.3, 0.4, -1, 1))
    return {name: [np.array(v, np.float32) for v in row[:count]] for name, row in zip("abcd", rows, strict=True)}


@pytest.mark.parametrize("program", COLORS)
def test_colors_by_sample(program: str) -> None:
    tolerance = declared("color_twist") if "fn.brightness" not in program and "fn.contrast(" not in program else EXACT
    check(program, {"x": pictures(ODD_SIZES[:3]), **fed(3)}, tolerance)
    volumes = [np.stack([one, one[::-1], 255 - one]) for one in pictures(ODD_SIZES[:2])]
    for layout in ("FHWC", "DHWC"):
        check(program, {"x": (volumes, layout), **fed(2)}, tolerance)
    numbers = [[np.array([v, v + 1, v / 2], np.float32) for v in values] for values in ((20, 40), (0.5, 1.5))]
    frames = {"x": (volumes, "FHWC"), "h": (numbers[0], "F"), "s": (numbers[1], "F")}
    check("fn.color_twist(x, hue=h, saturation=s)", frames, declared("color_twist"))


@pytest.mark.parametrize("operator", ["brightness", "contrast", "hue", "saturation", "color_twist", "hsv"])
def test_layouts_refused_by_both(operator: str) -> None:
    check_refused(f"fn.{operator}(x)", {"x": (pictures([(41, 53)]), "CHW")}, "DS203")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_former_names() -> None:
    check("fn.experimental.equalize(x)", {"x": pictures(ODD_SIZES)})
    mosaics = [np.ascontiguousarray(one[: len(one) // 2 * 2, :52, 0]) for one in pictures([(41, 53), (20, 60)])]
    check("fn.experimental.debayer(x, blue_position=[1, 0])", {"x": (mosaics, "HW")})
