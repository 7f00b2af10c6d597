"""Convolutions, noise and warped volumes against numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dali_studio.core import random
from dali_studio.kernels.cpu import noise, separable, warp_volume
from dali_studio.kernels.cpu.weights import Interp


@pytest.mark.parametrize(("sigma", "radius"), [(0.5, 2), (1.0, 3), (7.3, 22), (0.01, 1)])
def test_windows_are_gaussians(sigma: float, radius: int) -> None:
    made = separable.gaussian_windows(np.array([sigma], np.float32), np.array([radius]))
    expected = np.array([math.exp(-(x**2) / (2 * sigma**2)) for x in range(-radius, radius + 1)])
    assert np.allclose(made, expected / expected.sum(), rtol=1e-5, atol=1e-30)
    assert np.array_equal(made, made[::-1])


@pytest.mark.parametrize("shape", [(5, 9, 3), (1, 1, 1), (2, 70, 4), (40, 3, 200)])
def test_axes_are_mirrored_at_their_ends(shape: tuple[int, ...]) -> None:
    """Also where the window is longer than the axis."""
    data = np.random.default_rng(1).random(shape).astype(np.float32)
    windows = [np.array([0.1, 0.2, 0.4, 0.2, 0.1], np.float32), np.array([0.25, 0.5, 0.25], np.float32)]
    expected = data.astype(np.float64)
    for axis, window in enumerate(windows):
        radius = len(window) // 2
        pads = [(radius, radius) if other == axis else (0, 0) for other in range(3)]
        padded = np.pad(expected, pads, "reflect" if shape[axis] > 1 else "edge")
        expected = np.apply_along_axis(np.convolve, axis, padded, window, "valid")
    made = np.empty_like(data)
    separable.convolve(data, made, 0, np.concatenate(windows), np.array([5, 3]))
    assert np.allclose(made, expected, atol=1e-6)


def test_windows_of_even_length_are_refused() -> None:
    data = np.zeros((4, 4), np.float32)
    with pytest.raises(ValueError, match="odd length"):
        separable.convolve(data, data.copy(), 0, np.ones(4, np.float32), np.array([4]))


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_numbers_are_those_of_the_stream(dtype: str) -> None:
    """Logarithm and cosine of the common header are good enough for nearly all of 300,000 numbers to be equal."""
    count, start = 300_000, 12345
    made = np.zeros(count, dtype)
    noise.gaussian(made, made, 77, start, 10.0, 1e6)
    expected = random.normal(77, start, 1, count, 10.0, 1e6, dtype)[0]
    assert np.mean(made != expected) < 1e-5
    assert np.allclose(made, expected, rtol=3e-7, atol=1)


def test_rotations_by_right_angles_move_voxels() -> None:
    volume = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4, 1)
    size = np.array([[2, 3, 4]])
    for axis, axes in (((0.0, 0.0, 1.0), (1, 2)), ((1.0, 0.0, 0.0), (0, 1)), ((0.0, 1.0, 0.0), (2, 0))):
        turns = warp_volume.rotations(np.array([90.0]), np.array([axis]))
        canvas = warp_volume.rotated_size(turns, size)
        matrix = warp_volume.rotate_matrix(turns, size, canvas)[0]
        made = np.empty((*canvas[0], 1), np.float32)
        warp_volume.warp_volume(volume, made, matrix, Interp.NN)
        assert np.array_equal(made, np.rot90(volume, -1, axes)), axis
    opposite = warp_volume.inverse_affine(matrix[None])[0]
    assert np.allclose(opposite[:, :3] @ matrix[:, :3], np.eye(3), atol=1e-6)
