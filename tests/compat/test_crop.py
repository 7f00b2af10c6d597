"""``fn.crop`` against nvidia.dali: rounding, policies, layouts, element types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from images import pictures
from peers import check, check_refused

pytestmark = pytest.mark.usefixtures("nvidia")

WINDOWS = """
crop=(20, 30)
crop=(21, 30)
crop=(20.9, 30.9)
crop=(0, 20)
crop=(20, 0)
crop_h=20, crop_w=17
crop_h=20.7, crop_w=17.2
crop=(20, 30), crop_pos_x=0.0, crop_pos_y=0.0
crop=(20, 30), crop_pos_x=1.0, crop_pos_y=1.0
crop=(20, 30), crop_pos_x=0.7, crop_pos_y=0.3
crop=(21, 24), crop_pos_x=0.1, crop_pos_y=0.9
crop=(21, 24), crop_pos_x=0.1, crop_pos_y=0.9, rounding="truncate"
crop=(20, 30), rounding="truncate"
crop=(21, 29), rounding="truncate"
crop=(22, 30), rounding="round"
crop=(90, 20), out_of_bounds_policy="pad"
crop=(90, 90), out_of_bounds_policy="pad", fill_values=7
crop=(90, 90), out_of_bounds_policy="pad", fill_values=(7, 8, 9)
crop=(90, 21), out_of_bounds_policy="pad", fill_values=(300,), crop_pos_y=0.1
crop=(90, 21), out_of_bounds_policy="pad", fill_values=(-3.5, 2.5, 3.5), crop_pos_y=0.1, rounding="truncate"
crop=(90, 20), out_of_bounds_policy="trim_to_shape"
crop=(91, 20), out_of_bounds_policy="trim_to_shape", crop_pos_y=0.2
crop=(91, 20), out_of_bounds_policy="trim_to_shape", crop_pos_y=0.2, rounding="truncate"
crop=(20, 20), out_of_bounds_policy="trim_to_shape"
crop=(20, 20), dtype=types.FLOAT
crop=(90, 20), dtype=types.FLOAT, out_of_bounds_policy="pad", fill_values=1.5
crop_pos_x=0.2
""".strip().splitlines()


@pytest.mark.parametrize("arguments", WINDOWS)
def test_windows(arguments: str) -> None:
    check(f"fn.crop(x, {arguments})", {"x": pictures([(57, 43), (40, 61), (33, 32), (32, 32)])})


@pytest.mark.parametrize("rounding", ["round", "truncate"])
def test_corners_in_single_precision(rounding: str) -> None:
    """Positions such as 0.7 * 275 lie just below a half; sizes and positions around them."""
    batch = [np.arange(h * w, dtype=np.int32).reshape(h, w, 1) for h in (300, 301) for w in (281, 282, 290, 305)]
    places = [np.array(p, np.float32) for p in (0.1, 0.3, 0.5, 0.7, 0.9, 0.55, 0.35, 0.25)]
    data = {"x": (batch, "HWC"), "px": places, "py": places[::-1]}
    for window in ("(5, 6)", "(25, 30)", "(100, 101)"):
        check(f"fn.crop(x, crop={window}, crop_pos_x=px, crop_pos_y=py, rounding={rounding!r})", data)


@pytest.mark.parametrize("policy", ["pad", "trim_to_shape"])
@pytest.mark.parametrize("rounding", ["round", "truncate"])
def test_windows_larger_than_the_picture(rounding: str, policy: str) -> None:
    places = [np.array(p, np.float32) for p in (0.0, 0.3, 0.5, 0.7, 1.0, 0.55)]
    data = {"x": pictures([(7, 9), (8, 9), (7, 10), (3, 5), (1, 1), (2, 30)]), "px": places, "py": places[::-1]}
    for window in ("(12, 11)", "(13, 14)", "(5, 20)"):
        check(
            f"fn.crop(x, crop={window}, crop_pos_x=px, crop_pos_y=py, rounding={rounding!r}, out_of_bounds_policy={policy!r})",
            data,
        )


def test_sizes_by_sample() -> None:
    sizes = [np.array(v, np.float32) for v in ((20, 30), (5.9, 6.1), (0, 12))]
    single = [np.array(v, np.float32) for v in (20, 5.9, 7)]
    data = {"x": pictures([(57, 43), (40, 61), (33, 32)]), "s": sizes, "a": single}
    check("fn.crop(x, crop=s), fn.crop(x, crop_h=a, crop_w=9), fn.crop(x, crop_h=a, crop_w=a)", data)


@pytest.mark.parametrize("channels", [1, 3, 4, 5])
@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize(
    "dtype",
    [
        np.uint8,
        np.int8,
        np.uint16,
        np.int16,
        np.uint32,
        np.int32,
        np.uint64,
        np.int64,
        np.float32,
        np.float16,
        np.float64,
    ],
)
def test_types_layouts_channels(dtype: Any, planar: bool, channels: int) -> None:
    data = {"x": (pictures([(41, 53), (30, 61)], channels, dtype, planar), "CHW" if planar else "HWC")}
    check("fn.crop(x, crop=(24, 17)), fn.crop(x, crop=(50, 17), out_of_bounds_policy='pad', fill_values=1)", data)


@pytest.mark.parametrize("target", ["UINT8", "FLOAT", "FLOAT16"])
@pytest.mark.parametrize(
    "dtype", [np.uint8, np.int8, np.int16, np.int32, np.uint64, np.int64, np.float16, np.float32, np.float64]
)
def test_conversions(dtype: Any, target: str) -> None:
    """Saturated and truncated, not rounded."""
    batch = pictures([(31, 23)], dtype=dtype)
    if np.dtype(dtype).kind == "f":
        batch = [item * np.dtype(dtype).type(700) - np.dtype(dtype).type(300) for item in batch]
    check(f"fn.crop(x, crop=(24, 17), dtype=types.{target})", {"x": batch})


@pytest.mark.parametrize("target", ["UINT8", "FLOAT16"])
def test_conversion_of_special_values(target: str) -> None:
    special = [1.5, 2.5, -3.7, 300.2, 0.5, 1e9, np.nan, np.inf, -np.inf, 254.5, 0.49999997, 65504, 65530]
    check(f"fn.crop(x, dtype=types.{target})", {"x": [np.array(special, np.float32).reshape(1, -1, 1)]})


@pytest.mark.parametrize("target", ["INT8", "INT32", "FLOAT64", "BOOL", "UINT16"])
def test_conversions_refused_by_both(target: str) -> None:
    check_refused(f"fn.crop(x, crop=(24, 17), dtype=types.{target})", {"x": pictures([(31, 23)])}, "DS105")


@pytest.mark.parametrize(
    "program",
    [
        "fn.crop(x, crop=(99, 20))",
        "fn.crop(x, crop_h=20)",
        "fn.crop(x, crop_w=20)",
        "fn.crop(x, crop=(20, 20), crop_h=5, crop_w=5)",
        "fn.crop(x, crop=(20, 20), crop_pos_x=1.5)",
        "fn.crop(x, crop=(20, 20), crop_pos_y=-0.5)",
        "fn.crop(x, crop=(20, 20), rounding='up')",
        "fn.crop(x, crop=(20, 20), out_of_bounds_policy='grow')",
        "fn.crop(x, crop=(20, 20, 20, 20))",
        "fn.crop(x, crop=(20, 20), croppy=3)",
    ],
)
def test_refused_by_both(program: str) -> None:
    check_refused(program, {"x": pictures([(41, 53), (30, 61)])}, "DS102 DS103 DS104 DS105")


def test_the_sample_that_does_not_fit_is_named() -> None:
    data = {"x": pictures([(41, 53), (30, 61)])}
    check_refused("fn.crop(x, crop=(35, 20))", data, "DS105")


def test_truth_values_are_refused_by_both() -> None:
    check_refused("fn.crop(x, crop=(5, 5))", {"x": pictures([(41, 53)], dtype=np.bool_)}, "DS203")


@pytest.mark.parametrize("values", ["(7, 8)", "(7, 8, 9, 10)"])
def test_fill_values_must_fit_the_channels(values: str) -> None:
    data = {"x": pictures([(41, 53), (30, 61)])}
    check_refused(f"fn.crop(x, crop=(99, 5), out_of_bounds_policy='pad', fill_values={values})", data, "DS105")


@pytest.mark.parametrize("call", ["crop(x, crop=s)", "crop(x, crop=s, crop_pos_z=1.0)", "crop_mirror_normalize(x, crop=s, output_layout='FHWC')"])
@pytest.mark.parametrize("sizes", [[[2, 5, 6], [1, 4, 7]], [[5, 6], [4, 7]]])
def test_fed_windows_of_sequences_have_as_many_frames_as_they_say(sizes: list[list[int]], call: str) -> None:
    clips = [np.arange(3 * 9 * 8 * 3, dtype=np.uint8).reshape(3, 9, 8, 3)] * 2
    check(f"fn.{call}", {"x": (clips, "FHWC"), "s": ([np.array(size, np.float32) for size in sizes], "")})
