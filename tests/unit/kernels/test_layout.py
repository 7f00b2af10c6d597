"""Crop, mirror, normalise, pad and flip: against numpy and against nvidia.dali."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import declared
from oracle import dali_type, image, nvidia_dali, run

from dali_studio.kernels.cpu.layout import crop_mirror_normalize, crop_pad, flip, normalize_coefficients
from dali_studio.schema.tolerance import EXACT

Array = np.ndarray[Any, Any]


CROPS = [
    ((33, 41), (20, 35), 3),
    ((9, 10), (9, 10), 3),
    ((1, 1), (1, 1), 1),
    ((30, 21), (35, 40), 3),
    ((20, 50), (11, 17), 4),
]


def test_normalises_a_window() -> None:
    src = image(20, 30, 3)
    mean, inv_std = np.array([1, 2, 3], np.float32), np.array([0.5, 0.25, 2], np.float32)
    out = np.zeros((3, 7, 19), np.float32)
    crop_mirror_normalize(src, out, (4, 5), (7, 19), True, mean, inv_std)
    expected = (src[4:11, 5:24].astype(np.float32) - mean) * inv_std
    np.testing.assert_array_equal(out, expected[:, ::-1].transpose(2, 0, 1))


def test_outside_and_padding_channels_take_the_fill_as_it_is() -> None:
    src = image(4, 5, 3)
    out = np.zeros((6, 7, 4), np.float32)
    crop_mirror_normalize(src, out, (-1, -1), mean=np.ones(3, np.float32), out_layout="HWC", fill_values=[7, 8, 9])
    np.testing.assert_array_equal(out[1:5, 1:6, :3], src.astype(np.float32) - 1)
    assert (out[0] == [7, 8, 9, 0]).all()
    assert (out[..., 3] == 0).all()


def test_a_window_wholly_outside_is_all_fill() -> None:
    out = np.zeros((3, 4, 4), np.float32)
    crop_mirror_normalize(image(5, 5, 3), out, (10, 0), fill_values=3)
    assert (out == 3).all()
    small = np.zeros((4, 4, 3), np.uint8)
    crop_pad(image(5, 5, 3), small, (0, -9), 4)
    assert (small == 4).all()


def test_errors_name_the_problem() -> None:
    src = image(5, 5, 3)
    with pytest.raises(ValueError, match="only 1"):
        crop_mirror_normalize(src, np.zeros((1, 5, 5), np.float32))
    with pytest.raises(ValueError, match="one a channel"):
        crop_mirror_normalize(src, np.zeros((3, 5, 5), np.float32), mean=np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="layout"):
        crop_mirror_normalize(src, np.zeros((3, 5, 5), np.float32), out_layout="WHC")
    with pytest.raises(ValueError, match="differ"):
        crop_mirror_normalize(src, np.zeros((3, 5, 5), np.float32), crop=(4, 4))


@pytest.mark.parametrize("src_layout", ["HWC", "CHW"])
@pytest.mark.parametrize("out_layout", ["HWC", "CHW"])
@pytest.mark.parametrize("out_type", [np.float32, np.uint8, np.int8, np.float16])
@pytest.mark.parametrize("src_type", [np.uint8, np.float32, np.int16])
def test_normalize_equals_nvidia_dali(src_layout: str, out_layout: str, out_type: Any, src_type: Any) -> None:
    fn = nvidia_dali().fn
    cases = [
        ((33, 41), (20, 35), 3),
        ((9, 10), (9, 10), 3),
        ((1, 1), (1, 1), 1),
        ((30, 21), (35, 40), 3),
        ((20, 50), (11, 17), 4),
    ]
    for number, (size, crop, channels) in enumerate(cases):
        mirror, pad_output, pad = number % 2, number in (1, 3), crop[0] > size[0]
        mean, std = [20.0 + 7 * c for c in range(channels)], [3.0 + c for c in range(channels)]
        scale, shift = (1.0, 0.0) if number < 2 else (1.7, -0.3)
        src = image(*size, channels, src_type)
        src = src if src_layout == "HWC" else np.ascontiguousarray(src.transpose(2, 0, 1))
        arguments: dict[str, Any] = {
            "crop": [float(n) for n in crop],
            "crop_pos_x": 1.0,
            "crop_pos_y": 0.0,
            "mean": mean,
            "std": std,
            "mirror": mirror,
            "scale": scale,
            "shift": shift,
            "pad_output": pad_output,
            "output_layout": out_layout,
            "dtype": dali_type(out_type),
        }
        if pad:
            arguments |= {"out_of_bounds_policy": "pad", "fill_values": [5.9]}
        expected = run(fn.crop_mirror_normalize, src, layout=src_layout, **arguments)
        anchor = (0, size[1] - crop[1])
        out = np.full_like(expected, 99)
        coefficients = normalize_coefficients(mean, std, scale, shift)
        crop_mirror_normalize(
            src,
            out,
            anchor,
            crop,
            bool(mirror),
            *coefficients,
            out_layout=out_layout,
            fill_values=5.9 if pad else 0.0,
            src_layout=src_layout,
        )
        declared("crop_mirror_normalize").check(out, expected, (size, crop, channels))
        if out_type == np.float32:
            np.testing.assert_array_equal(out, expected)  # bit for bit, more than the tolerance asks


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "int64"])
@pytest.mark.parametrize("layout", ["HWC", "CHW"])
def test_crop_with_padding_equals_nvidia_dali(dtype: str, layout: str) -> None:
    fn = nvidia_dali().fn
    src = image(9, 12, 3, dtype)
    src = src if layout == "HWC" else np.ascontiguousarray(src.transpose(2, 0, 1))
    for crop in ((4, 5), (15, 5), (13, 20)):
        expected = run(
            fn.crop,
            src,
            layout=layout,
            crop=[float(n) for n in crop],
            crop_pos_x=0.0,
            crop_pos_y=1.0,
            out_of_bounds_policy="pad",
            fill_values=[7.0, 8.0, 9.0],
        )
        out = np.zeros_like(expected)
        crop_pad(src, out, (9 - crop[0], 0), [7.0, 8.0, 9.0], layout)
        EXACT.check(out, expected, crop)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "uint64"])
@pytest.mark.parametrize("shape", [(7, 9, 3), (33, 41, 3), (20, 16, 3), (5, 50, 1), (1, 1, 3), (20, 33, 4)])
def test_flip_reverses_axes(dtype: str, shape: tuple[int, ...]) -> None:
    src = image(*shape, dtype)
    for axes, letters in (((1,), {}), ((0,), {"horizontal": False, "vertical": True}), ((0, 1), {"vertical": True})):
        out = np.zeros_like(src)
        flip(src, out, **letters)
        np.testing.assert_array_equal(out, np.flip(src, axes))


@pytest.mark.parametrize("layout", ["HWC", "CHW", "DHWC", "CDHW"])
def test_flip_equals_nvidia_dali(layout: str) -> None:
    fn = nvidia_dali().fn
    src = np.random.default_rng(0).integers(0, 256, (3, 5, 7, 4)[: len(layout)]).astype(np.uint8)
    for flags in range(8):
        chosen = {"horizontal": flags & 1, "vertical": flags >> 1 & 1} | (
            {"depthwise": flags >> 2} if "D" in layout else {}
        )
        expected = run(fn.flip, src, layout=layout, **chosen)
        out = np.zeros_like(src)
        flip(src, out, **{name: bool(value) for name, value in chosen.items()}, layout=layout)
        EXACT.check(out, expected, (layout, chosen))


def test_a_flip_needs_an_output_like_its_input() -> None:
    src = image(5, 6, 3)
    with pytest.raises(ValueError, match="same type and shape"):
        flip(src, np.zeros((6, 6, 3), np.uint8))
    with pytest.raises(ValueError, match="same type and shape"):
        flip(src, np.zeros((5, 6, 3), np.int16))
