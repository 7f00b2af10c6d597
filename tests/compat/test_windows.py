"""``fn.slice``, ``fn.pad``, ``fn.paste`` and crops of volumes and frames, against nvidia.dali: what cases do not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from images import pictures
from peers import check, check_refused

pytestmark = pytest.mark.usefixtures("nvidia")
Array = np.ndarray[Any, Any]
_RANDOM = np.random.default_rng(3)
COUNT = 1500
NUMBERS = [np.arange(int(length), dtype=np.int32) for length in _RANDOM.integers(5, 3000, COUNT)]
BEGIN, EXTENT = _RANDOM.uniform(0.01, 0.5, (2, COUNT)).round(2).astype(np.float32)


def each(row: Array) -> list[Array]:
    return [np.array([value]) for value in row]


def test_fractions_are_rounded_alike() -> None:
    data = {"x": NUMBERS, "a": each(BEGIN), "b": each(BEGIN + EXTENT), "s": each(EXTENT)}
    check("fn.slice(x, rel_start=a, rel_end=b, axes=0), fn.slice(x, rel_start=a, rel_shape=s, axes=0), fn.slice(x, a, s, axes=0)", data)


@pytest.mark.parametrize("kept", ["normalized_anchor=False", "normalized_shape=False", "normalized_anchor=False, normalized_shape=False"])
def test_positions_in_pixels_are_rounded_alike(kept: str) -> None:
    anchor, shape = (10 * BEGIN if "anchor" in kept else BEGIN), (10 * EXTENT if "_shape" in kept else EXTENT)
    data = {"x": NUMBERS, "a": each(anchor), "s": each(shape)}
    check(f"fn.slice(x, a, s, axes=0, out_of_bounds_policy='pad', {kept})", data)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64, np.float16, np.float32])
def test_fill_values_are_written_alike(dtype: Any) -> None:
    data = {"x": ([np.ones((2, 3), dtype), np.ones((1, 5), dtype)], "HW")}
    for value in (3.7, -3.7, 300.0, 3e9, -3e9, 1e20):
        check(f"fn.slice(x, start=-1, axes=0, out_of_bounds_policy='pad', fill_values={value}), fn.pad(x, fill_value={value})", data)


def videos(layout: str = "FHWC") -> tuple[list[Array], str]:
    whole = [np.stack(pictures([(21, 17)] * frames)) for frames in (6, 4, 9)]
    return [np.ascontiguousarray(one.transpose(["FHWC".index(axis) for axis in layout])) for one in whole], layout


@pytest.mark.parametrize("layout", ["FHWC", "FCHW", "CFHW"])
@pytest.mark.parametrize(
    "window", ["crop=(3, 9, 8)", "crop_d=2, crop_h=9, crop_w=8, crop_pos_z=1.0", "crop=(12, 9, 8), out_of_bounds_policy='pad'"]
)
def test_frames_are_cropped_as_the_depth(window: str, layout: str) -> None:
    data = {"x": videos(layout), "m": [np.array(value, np.int32) for value in (0, 1, 1)]}
    check(f"fn.crop(x, {window})", data)
    for made in ("FHWC", "CFHW"):
        check(f"fn.crop_mirror_normalize(x, {window}, mirror=m, output_layout='{made}')", data)


@pytest.mark.parametrize(
    "program",
    [
        "fn.crop(x, crop=n)", "fn.crop(x, crop=v)", "fn.resize(x, size=v)", "fn.resize(x, size=t)",
        "fn.resize(x, size=(9, 9), roi_start=v, roi_end=v)", "fn.slice(x, start=i, axes=(0, 1))", "fn.pad(x, align=i)",
    ],
)  # fmt: skip
def test_wires_of_other_lengths_are_refused_by_both(program: str) -> None:
    data = {
        "x": pictures([(21, 17), (15, 30)]), "n": [np.array(5.0, np.float32)] * 2, "v": [np.array([5.0], np.float32)] * 2,
        "t": [np.array([5.0, 6.0, 7.0], np.float32)] * 2, "i": [np.array([5], np.int32)] * 2,
    }  # fmt: skip
    check_refused(program, data, "DS105 DS203")


def test_paste_places_in_single_precision() -> None:
    count = 400
    sizes = _RANDOM.integers(1, 60, (count, 2)).tolist()
    ratios, *places = ([np.float32(value) for value in _RANDOM.uniform(low, high, count).round(2)] for low, high in ((1, 3), (0, 1), (0, 1)))
    data = {"x": ([np.full((*size, 3), 9, np.uint8) for size in sizes], "HWC"), "r": [np.array(r) for r in ratios],
            "a": [np.array(p) for p in places[0]], "b": [np.array(p) for p in places[1]]}  # fmt: skip
    check("fn.paste(x, ratio=r, paste_x=a, paste_y=b, fill_value=0)", data)
