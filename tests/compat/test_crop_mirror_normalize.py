"""``fn.crop_mirror_normalize`` against nvidia.dali: layouts, element types, padding, arguments by sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import declared
from images import ODD_SIZES, pictures
from peers import check, check_refused

pytestmark = pytest.mark.usefixtures("nvidia")
TOLERANCE = declared("crop_mirror_normalize")
MEAN = "mean=[123.7, 116.3, 103.5], std=[58.4, 57.1, 57.4]"

ROWS = f"""
mirror=1
crop=(24, 31), {MEAN}, mirror=1
crop=(24, 31), {MEAN}
crop=(24, 31), mean=128, std=64
crop=(24, 31), mean=[128], std=[64, 32, 16]
{MEAN}, output_layout="HWC"
{MEAN}, output_layout="HWC", mirror=1
{MEAN}, scale=2.0, shift=3.5
crop=(20, 20), dtype=types.UINT8, scale=2.0, shift=3.0, output_layout="HWC"
crop=(20, 20), dtype=types.UINT8, mean=100, std=0.5
crop=(20, 20), dtype=types.UINT8, scale=0.5
crop=(20, 20), dtype=types.INT8, mean=128, mirror=1
crop=(22, 20), dtype=types.FLOAT16, mirror=1, {MEAN}
crop=(22, 20), dtype=types.FLOAT16, scale=1e4
crop=(90, 20), out_of_bounds_policy="pad"
crop=(90, 90), out_of_bounds_policy="pad", fill_values=(1, 2, 3), {MEAN}
crop=(90, 90), out_of_bounds_policy="pad", fill_values=5, {MEAN}, mirror=1, output_layout="HWC"
crop=(90, 20), out_of_bounds_policy="trim_to_shape", {MEAN}
crop=(20, 20), pad_output=True
crop=(20, 20), pad_output=True, fill_values=(1, 2, 3, 4), {MEAN}
crop=(20, 20), pad_output=True, fill_values=9, output_layout="HWC", mirror=1, {MEAN}
crop=(90, 20), pad_output=True, fill_values=(1, 2, 3, 4), out_of_bounds_policy="pad", {MEAN}
crop=(90, 20), pad_output=True, dtype=types.UINT8, mean=[1, 2, 3], fill_values=(1, 2, 300, 4.5), out_of_bounds_policy="pad", output_layout="HWC"
crop=(20, 20), pad_output=True, dtype=types.FLOAT16, {MEAN}
crop_h=20, crop_w=13, crop_pos_x=0.9, crop_pos_y=0.1
crop_h=20, crop_w=13, crop_pos_x=0.9, crop_pos_y=0.1, rounding="truncate", mirror=1
crop=(21, 14), crop_pos_x=0.25, crop_pos_y=0.75, mean=0.5, std=0.25
""".strip().splitlines()


@pytest.mark.parametrize("arguments", ROWS)
def test_arguments(arguments: str) -> None:
    check(f"fn.crop_mirror_normalize(x, {arguments})", {"x": pictures([(57, 43), (33, 61), (32, 32)])}, TOLERANCE)


@pytest.mark.parametrize("arguments", ["mirror=1", "mean=5, std=2", "pad_output=True, output_layout='HWC'"])
def test_whole_pictures_of_odd_sizes(arguments: str) -> None:
    check(f"fn.crop_mirror_normalize(x, {arguments})", {"x": pictures([*ODD_SIZES, (1, 1)])}, TOLERANCE)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("target", ["FLOAT", "FLOAT16", "UINT8", "INT8"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16, np.int32, np.float32, np.float16])
def test_types_layouts_channels(dtype: Any, target: str, planar: bool, channels: int) -> None:
    batch = pictures([(21, 33), (30, 17)], channels, dtype, planar)
    scale = 100 if np.dtype(dtype).kind == "f" else 1
    program = ", ".join(
        f"fn.crop_mirror_normalize(x, crop=(18, 15), mirror=1, mean=0.7, std=0.9, scale={scale}, dtype=types.{target}, output_layout={out!r})"
        for out in ("CHW", "HWC")
    )
    check(program, {"x": (batch, "CHW" if planar else "HWC")}, TOLERANCE)


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
def test_padding_of_channels(channels: int, planar: bool) -> None:
    data = {"x": (pictures([(21, 33)], channels, planar=planar), "CHW" if planar else "HWC")}
    check("fn.crop_mirror_normalize(x, pad_output=True, fill_values=3), "
          "fn.crop_mirror_normalize(x, pad_output=True, output_layout='HWC', dtype=types.UINT8)", data, TOLERANCE)  # fmt: skip


def test_arguments_by_sample() -> None:
    flags = [np.array(v, np.int32) for v in (1, 0, 1)]
    means = [np.array(v, np.float32) for v in ((1, 2, 3), (100, 90, 80), (0, 0, 0.5))]
    deviations = [np.array(v, np.float32) for v in ((1, 2, 3), (50, 60, 70), (0.1, 0.2, 0.5))]
    windows = [np.array(v, np.float32) for v in ((10, 12), (20.7, 5), (11, 11))]
    places = [np.array(v, np.float32) for v in (0.1, 0.95, 0.5)]
    data = {
        "x": pictures([(57, 43), (33, 61), (32, 32)]),
        "m": flags,
        "u": means,
        "s": deviations,
        "w": windows,
        "p": places,
    }
    check("fn.crop_mirror_normalize(x, mirror=m, mean=u, std=s), fn.crop_mirror_normalize(x, crop=w, crop_pos_x=p, mirror=m), "
          "fn.crop_mirror_normalize(x, crop=w, mean=u, std=2.5), fn.crop_mirror_normalize(x, mean=p, std=p)", data, TOLERANCE)  # fmt: skip


@pytest.mark.parametrize(
    "program",
    [
        "fn.crop_mirror_normalize(x, crop=(99, 20))",
        "fn.crop_mirror_normalize(x, mean=[1, 2])",
        "fn.crop_mirror_normalize(x, std=[1, 2, 3, 4])",
        "fn.crop_mirror_normalize(x, output_layout='HCW2')",
        "fn.crop_mirror_normalize(x, dtype=types.INT32)",
        "fn.crop_mirror_normalize(x, dtype=types.FLOAT64)",
        "fn.crop_mirror_normalize(x, crop_h=5)",
        "fn.crop_mirror_normalize(x, crop=(99, 5), out_of_bounds_policy='pad', fill_values=(1, 2))",
        "fn.crop_mirror_normalize(x, crop=(99, 5), out_of_bounds_policy='pad', fill_values=(1, 2, 3), pad_output=True)",
        "fn.crop_mirror_normalize(x, crop=(20, 20), crop_pos_x=1.5)",
    ],
)
def test_refused_by_both(program: str) -> None:
    check_refused(program, {"x": pictures([(41, 53), (30, 61)])})


@pytest.mark.parametrize("dtype", [np.float64, np.bool_, np.uint32, np.int64, np.int8])
def test_element_types_refused_by_both(dtype: Any) -> None:
    check_refused("fn.crop_mirror_normalize(x)", {"x": pictures([(41, 53)], dtype=dtype)}, "DS203")
