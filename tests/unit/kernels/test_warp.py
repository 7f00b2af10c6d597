"""Affine warps and the geometry of rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import declared
from oracle import image, interp_type, nvidia_dali, run

from dali_studio.kernels.cpu.warp import inverse_affine, rotate_matrix, rotated_size, warp_affine
from dali_studio.kernels.cpu.weights import Interp

Array = np.ndarray[Any, Any]
TOLERANCE, NEAREST = declared("rotate"), declared("rotate", interp_type="INTERP_NN")


def bilinear_model(src: Array, matrix: Array, size: tuple[int, int], fill: float | None) -> Array:
    """The same rule in float64, all pixels at once."""
    y, x = np.mgrid[0 : size[0], 0 : size[1]] + 0.5
    sx, sy = (matrix[k, 0] * x + matrix[k, 1] * y + matrix[k, 2] - 0.5 for k in (0, 1))
    x0, y0 = np.floor(sx).astype(int), np.floor(sy).astype(int)
    total = np.zeros((*size, src.shape[2]))
    for dy in (0, 1):
        for dx in (0, 1):
            weight = (1 - abs(sx - x0 - dx)) * (1 - abs(sy - y0 - dy))
            column, row = x0 + dx, y0 + dy
            outside = (column < 0) | (row < 0) | (column >= src.shape[1]) | (row >= src.shape[0])
            tap = src[np.clip(row, 0, src.shape[0] - 1), np.clip(column, 0, src.shape[1] - 1)].astype(np.float64)
            if fill is not None:
                tap[outside] = fill
            total += weight[..., None] * tap
    return total


@pytest.mark.parametrize("fill", [None, 30.0])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [(30, 41), (1, 1), (2, 7), (300, 290)])
def test_linear_equals_the_model(fill: float | None, channels: int, size: tuple[int, int]) -> None:
    src = image(*size, channels, np.float32)
    matrix = np.array([[0.8, -0.35, 4.5], [0.3, 0.9, -3.25]], np.float32)
    out = np.zeros((size[0] + 5, size[1] + 6, channels), np.float32)
    warp_affine(src, out, matrix, fill=fill)
    np.testing.assert_allclose(
        out, bilinear_model(src, matrix, out.shape[:2], fill), rtol=0, atol=0.05 if max(size) < 256 else 0.5
    )


def test_identity_and_strides() -> None:
    frame = image(50, 60, 3)
    frame.flags.writeable = False
    window = frame[5:38, 9:50]
    canvas = np.zeros((40, 50, 3), np.uint8)
    for interp in (Interp.NN, Interp.LINEAR):
        warp_affine(window, canvas[2:35, 3:44], np.eye(3)[:2], interp)
        np.testing.assert_array_equal(canvas[2:35, 3:44], window)
    assert not canvas[:, 44:].any()
    assert not canvas[35:].any()


def test_other_filters_are_refused() -> None:
    with pytest.raises(ValueError, match="not CUBIC"):
        warp_affine(image(4, 4, 3), np.zeros((4, 4, 3), np.uint8), np.eye(3)[:2], Interp.CUBIC)


def test_an_image_without_pixels_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one pixel"):
        warp_affine(np.zeros((0, 4, 3), np.uint8), np.zeros((4, 4, 3), np.uint8), np.eye(3)[:2])


def test_geometry_is_vectorised() -> None:
    sizes = rotated_size([10, 30, 1], 480, 640)
    np.testing.assert_array_equal(sizes, [[584, 714], [736, 796], [492, 650]])
    np.testing.assert_array_equal(
        rotated_size([75, 45, 90], [101, 5, 480], [100, 5, 640]), [[124, 125], [9, 9], [640, 480]]
    )
    assert rotate_matrix([1, 2], 4, 5, 6, 7).shape == (2, 2, 3)
    centre = rotate_matrix(33.0, 10, 20, 30, 40) @ [20, 15, 1]
    np.testing.assert_allclose(centre, [10, 5], atol=1e-5)


def test_canvas_equals_nvidia_dali() -> None:
    fn = nvidia_dali().fn
    generator = np.random.default_rng(5)
    for height, width in generator.integers(1, 300, (40, 2)).tolist():
        angle = float(
            np.float32(generator.choice([generator.uniform(-360, 360), generator.choice(np.arange(-360, 361, 15))]))
        )
        expected = run(fn.rotate, np.zeros((height, width, 1), np.uint8), angle=angle).shape[:2]
        assert tuple(rotated_size(angle, height, width)) == expected, (height, width, angle)


@pytest.mark.parametrize("fill", [None, 50.0])
@pytest.mark.parametrize("interp", [Interp.LINEAR, Interp.NN])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_rotate_equals_nvidia_dali(fill: float | None, interp: Interp, dtype: Any) -> None:
    fn = nvidia_dali().fn
    for number, angle in enumerate([10.0, 37.5, 90.0, -180.0, 1.0, 135.0]):
        src = image(*[(201, 300), (120, 333), (64, 64)][number % 3], (3, 1, 4)[number % 3], dtype)
        extra = {} if fill is None else {"fill_value": fill}
        expected = run(fn.rotate, src, angle=angle, interp_type=interp_type(interp), **extra)
        out = np.zeros_like(expected)
        warp_affine(src, out, rotate_matrix(angle, *src.shape[:2], *out.shape[:2]), interp, fill)
        (TOLERANCE if interp == Interp.LINEAR else NEAREST).check(out, expected, angle)


@pytest.mark.parametrize("fill", [None, 10.0])
@pytest.mark.parametrize(
    ("src_type", "out_type"),
    [("uint8", "uint8"), ("uint8", "float32"), ("float32", "uint8"), ("int16", "int16"), ("int32", "int32")],
)
def test_warp_equals_nvidia_dali(fill: float | None, src_type: str, out_type: str) -> None:
    dali = nvidia_dali()
    for number, matrix in enumerate(
        [[0.7, 0.2, 5.0, -0.1, 1.3, -8.0], [2.5, 0.0, -40.0, 0.0, 2.5, -30.0], [0.1, 0.0, 3.0, 0.0, 0.1, 2.0]]
    ):
        src = image(60, 75, (3, 4, 1)[number], src_type)
        extra: dict[str, Any] = {} if fill is None else {"fill_value": fill}
        if src_type != out_type:
            extra["dtype"] = dali.types.FLOAT if out_type == "float32" else dali.types.UINT8
        expected = run(dali.fn.warp_affine, src, matrix=matrix, size=[70.0, 301.0], **extra)
        out = np.zeros_like(expected)
        warp_affine(src, out, np.reshape(matrix, (2, 3)), Interp.LINEAR, fill)
        declared("warp_affine").check(out, expected, (matrix, src_type, out_type))


def test_inverse_of_an_affine_map() -> None:
    matrices = np.array([[[1, 0.4, -8], [-0.2, 1, 5]], [[0, 2, 3], [-0.5, 0, 1]]], np.float32)
    points = np.array([[0, 0, 1], [10, -3, 1], [7.5, 80, 1]], np.float32)
    there = np.einsum("nij,pj->npi", matrices, points)
    back = np.einsum("nij,npj->npi", inverse_affine(matrices), np.concatenate([there, np.ones((2, 3, 1))], axis=2))
    assert np.abs(back - points[:, :2]).max() < 1e-4
    assert not np.isfinite(inverse_affine([[1, 2, 3], [2, 4, 5]])).any()


@pytest.mark.parametrize("interp", [Interp.LINEAR, Interp.NN])
@pytest.mark.parametrize("channels", [1, 3, 4, 5])
def test_a_warp_into_a_window_writes_and_reads_nothing_else(channels: int, interp: Interp) -> None:
    around = np.full((9, 12, channels), 255, np.uint8)
    around[2:7, 3:9] = image(5, 6, channels)
    alone, frame = np.zeros((7, 300, channels), np.uint8), np.full((9, 302, channels), 7, np.uint8)
    matrix = [[0.03, 0.2, -1.5], [-0.01, 0.7, 0.6]]
    warp_affine(around[2:7, 3:9].copy(), alone, matrix, interp)
    warp_affine(around[2:7, 3:9], frame[1:8, 1:301], matrix, interp)
    np.testing.assert_array_equal(frame[1:8, 1:301], alone)
    frame[1:8, 1:301] = 7
    assert (frame == 7).all()
