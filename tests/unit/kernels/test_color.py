"""Linear colour transforms, brightness and contrast."""

from __future__ import annotations

import numpy as np
import pytest
from declared import declared
from oracle import dali_type, image, nvidia_dali, run

from dali_studio.kernels.cpu.color import (
    brightness_contrast,
    brightness_contrast_coefficients,
    hsv_matrix,
    linear_color,
)
from dali_studio.kernels.cpu.pixels import apply
from dali_studio.schema.tolerance import EXACT

TYPES = ["uint8", "int16", "int32", "float32"]
SHAPES = [(21, 33, 3), (1, 1, 3), (3, 5, 3), (16, 16, 3)]


def ranged(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """A picture over a good part of the type's range."""
    picture = image(*shape, np.float32)
    return (picture * {"uint8": 1, "int16": 100, "int32": 1e6, "float16": 1, "float32": 1 / 255}[dtype]).astype(dtype)


def test_a_matrix_with_offset() -> None:
    src = image(11, 19, 3)
    matrix = np.array([[0.5, 0.25, 0, 3], [0, 1, 0, -20], [1, 1, 1, 0.5]])
    out = np.zeros_like(src)
    linear_color(src, out, matrix)
    expected = src.astype(np.float64) @ matrix[:, :3].T + matrix[:, 3]
    np.testing.assert_array_equal(out, np.clip(np.floor(expected + 0.5), 0, 255).astype(np.uint8))


def test_the_number_of_fields() -> None:
    src = image(3, 4, 3)
    with pytest.raises(ValueError, match="Scale has 2 fields, which are floats; 3 are given"):
        apply("Scale", src, src, np.zeros(3, np.float32))


def test_in_place_and_strided() -> None:
    src, frame = image(13, 17, 3), image(40, 40, 3)
    expected = np.zeros_like(src)
    matrix = hsv_matrix(40.0, 1.3, 0.8)
    linear_color(src, expected, matrix)
    frame[3:16, 5:22] = src
    before = frame.copy()
    linear_color(frame[3:16, 5:22], frame[3:16, 5:22], matrix)
    np.testing.assert_array_equal(frame[3:16, 5:22], expected)
    before[3:16, 5:22] = expected
    np.testing.assert_array_equal(frame, before)
    brightness_contrast(src, expected, 1.5, -9)
    brightness_contrast(src, src, 1.5, -9)
    np.testing.assert_array_equal(src, expected)


def test_coefficients_and_matrices_are_vectorised() -> None:
    assert hsv_matrix([0, 10, 20], 1.0, [1, 2, 3]).shape == (3, 3, 3)
    np.testing.assert_allclose(hsv_matrix(0.0, 1.0, 1.0), np.eye(3), atol=1e-6)
    np.testing.assert_allclose(hsv_matrix(90.0, 1.0, 1.0) @ hsv_matrix(270.0, 1.0, 1.0), np.eye(3), atol=1e-5)
    mult, offset = brightness_contrast_coefficients([1, 2], 0.5, 3, None, np.uint8, np.uint8)
    np.testing.assert_array_equal(mult, [3, 6])
    np.testing.assert_array_equal(offset, [1 * (128 - 3 * 128) + 127.5, 2 * (128 - 3 * 128) + 127.5])


def test_errors_name_the_problem() -> None:
    with pytest.raises(ValueError, match="3 channels"):
        linear_color(image(3, 3, 1), np.zeros((3, 3, 1), np.uint8), np.eye(3))
    with pytest.raises(ValueError, match="same shape"):
        brightness_contrast(image(3, 3, 1), np.zeros((3, 4, 1), np.uint8), 1, 0)


@pytest.mark.parametrize("src_type", [*TYPES, "float16"])
@pytest.mark.parametrize("out_type", TYPES)
def test_hsv_equals_nvidia_dali(src_type: str, out_type: str) -> None:
    fn = nvidia_dali().fn
    for number, (hue, saturation, value) in enumerate([(30, 1.2, 0.9), (-170, 0.0, 1.0), (400, 2.0, 1.5), (0, 1, 1)]):
        src = ranged(SHAPES[number], src_type)
        arguments = {"hue": float(hue), "saturation": float(saturation), "value": float(value)}
        expected = run(fn.hsv, src, dtype=dali_type(out_type), **arguments)
        out = np.zeros_like(expected)
        linear_color(src, out, hsv_matrix(hue, saturation, value))
        if out_type.startswith("int") and src_type == "int16":
            declared("hsv").check(out, expected, (src_type, out_type, arguments))
        elif out_type == "int32" and src_type == "int32":  # float32 holds 24 bits of such numbers
            np.testing.assert_allclose(out, expected, rtol=1e-5, atol=64)
        else:
            declared("hsv").check(out, expected, (src_type, out_type, arguments))


@pytest.mark.parametrize("src_type", TYPES)
@pytest.mark.parametrize("out_type", TYPES)
def test_brightness_contrast_equals_nvidia_dali(src_type: str, out_type: str) -> None:
    fn = nvidia_dali().fn
    cases = [(1.3, 0.1, 0.7, None), (0.5, -0.2, 1.9, 0.3), (2.0, 0.0, 1.0, 100.0), (1.0, 0.4, 0.0, None)]
    for number, (brightness, shift, contrast, center) in enumerate(cases):
        src = ranged(SHAPES[number], src_type)
        extra = {} if center is None else {"contrast_center": center}
        arguments = {"brightness": brightness, "brightness_shift": shift, "contrast": contrast, **extra}
        expected = run(fn.brightness_contrast, src, dtype=dali_type(out_type), **arguments)
        out = np.zeros_like(expected)
        factors = brightness_contrast_coefficients(brightness, shift, contrast, center, src_type, out_type)
        brightness_contrast(src, out, float(factors[0]), float(factors[1]))
        EXACT.check(out, expected, (src_type, out_type, arguments))


def test_every_uint8_level_equals_nvidia_dali() -> None:
    fn = nvidia_dali().fn
    src = np.arange(256, dtype=np.uint8).reshape(16, 16, 1)
    generator = np.random.default_rng(3)
    for brightness, shift, contrast in (
        generator.uniform([0, -0.5, 0], [2, 0.5, 2], (20, 3)).astype(np.float32).tolist()
    ):
        expected = run(fn.brightness_contrast, src, brightness=brightness, brightness_shift=shift, contrast=contrast)
        out = np.zeros_like(src)
        factors = brightness_contrast_coefficients(brightness, shift, contrast, None, np.uint8, np.uint8)
        brightness_contrast(src, out, float(factors[0]), float(factors[1]))
        EXACT.check(out, expected, (brightness, shift, contrast))
