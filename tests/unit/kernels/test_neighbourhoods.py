"""Filters, ranks, warps and displacements of images against numpy and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.core.random import draws_u32
from dali_studio.kernels.cpu import correlate, displace, rank, sample, separable
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.weights import Interp

ndimage = pytest.importorskip("scipy.ndimage")
#: What scipy calls the borders.
BORDERS = {
    Border.CONSTANT: "constant", Border.CLAMP: "nearest", Border.REFLECT_1001: "reflect", Border.REFLECT_101: "mirror",
    Border.WRAP: "wrap",
}  # fmt: skip
RANDOM = np.random.default_rng(5)


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize(("shape", "filter_shape"), [((30, 41), (3, 4)), ((5, 200), (7, 1)), ((3, 9, 8), (2, 3, 5)), ((70,), (6,)), ((2, 3), (7, 9))])
def test_correlations_are_those_of_scipy(border: Border, shape: tuple[int, ...], filter_shape: tuple[int, ...]) -> None:
    """Also where the filter is larger than the data, and in channels of their own."""
    data, weights = RANDOM.random((*shape, 3)), RANDOM.normal(0, 1, filter_shape).astype(np.float32)
    data = data.astype(np.float32)
    anchor = RANDOM.integers(0, filter_shape)
    origin = [int(at) - extent // 2 for at, extent in zip(anchor, filter_shape, strict=True)]
    made = np.empty_like(data)
    correlate.correlate(data, made, 0, weights, anchor, border, np.full(1, 0.25, np.float32))
    for c in range(3):
        expected = ndimage.correlate(data[..., c].astype(np.float64), weights.astype(np.float64), mode=BORDERS[border], cval=0.25, origin=origin)
        assert np.allclose(made[..., c], expected, atol=1e-5)


def test_terms_are_added_with_their_factors() -> None:
    data = RANDOM.random((9, 50)).astype(np.float32)
    down, across = np.array([1, -2, 1], np.float32), np.array([0.5, 1, 2, 1, 0.5], np.float32)
    made = np.empty_like(data)
    separable.convolve(data, made, 0, np.concatenate([down, across]), np.array([[3, 0], [0, 5]]), np.array([0.5, 2], np.float32))
    expected = 0.5 * ndimage.correlate1d(data, down, 0, mode="mirror") + 2 * ndimage.correlate1d(data, across, 1, mode="mirror")
    assert np.allclose(made, expected, atol=1e-5)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "float32"])
@pytest.mark.parametrize("window", [(1, 1), (3, 3), (5, 3), (7, 7), (9, 9), (1, 15), (17, 17)])
def test_medians_are_those_of_scipy(dtype: str, window: tuple[int, int]) -> None:
    data = (RANDOM.normal(0, 1, (23, 70, 2)) * 100).astype(np.int64).astype(dtype)
    made = np.empty_like(data)
    rank.medians(data, made, 0, np.array(window))
    assert np.array_equal(made, ndimage.median_filter(data, (*window, 1), mode="nearest"))


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_extremes_are_those_of_scipy(dtype: str, border: Border) -> None:
    data = RANDOM.integers(0, 250, (23, 70, 3)).astype(dtype)
    for window in ((3, 3), (1, 6), (40, 2)):
        for largest, call, nothing in ((True, ndimage.maximum_filter, 0), (False, ndimage.minimum_filter, 255)):
            made = np.empty_like(data)
            anchor = np.array(window) // 2
            rank.extremes(data, made, 0, np.array(window), anchor, border, largest=largest)
            assert np.array_equal(made, call(data, (*window, 1), mode=BORDERS[border], cval=nothing))


def test_windows_of_an_even_number_of_pixels_have_no_median() -> None:
    data = np.zeros((4, 4, 1), np.uint8)
    with pytest.raises(ValueError, match="do not fit"):
        rank.medians(data, data.copy(), 0, np.array([2, 3]))


@pytest.mark.parametrize(("degree", "channels"), [(1, 3), (2, 1), (5, 3), (8, 4)])
def test_jitter_takes_the_neighbours_that_are_drawn(degree: int, channels: int) -> None:
    """Two words of the stream, from the place of the pixel's first element on."""
    height, width = 21, 70
    data = RANDOM.integers(0, 256, (height, width, channels)).astype(np.uint8)
    made = np.empty_like(data)
    displace.jitter(data, made, key=77, high=2 * 65537 + 5, degree=degree)
    words: Any = draws_u32(77, 5 + 2 * 65537, 1, data.size, 2).reshape(height, width, channels, 2)[:, :, 0]
    steps = (words.astype(np.uint64) * np.uint64(degree) >> np.uint64(32)).astype(int)
    if degree & (degree - 1) == 0:
        steps = (words & np.uint32(degree - 1)).astype(int)
    y, x = np.mgrid[:height, :width] - degree // 2
    expected = data[np.clip(y + steps[..., 1], 0, height - 1), np.clip(x + steps[..., 0], 0, width - 1)]
    assert np.array_equal(made, expected)


@pytest.mark.parametrize("interp", [Interp.NN, Interp.LINEAR, Interp.CUBIC])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
def test_points_that_are_no_numbers_are_outside(interp: Interp, channels: int, dtype: str) -> None:
    data = np.full((5, 6, channels), 100, dtype)
    fill = np.full(4, 7, np.float32)
    points = np.resize(np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, 1e10, -1e10], np.float32), (3, 70))
    made = np.empty((3, 70, channels), dtype)
    sample.mapped(data, made, points, points, interp, 0.5, Border.CONSTANT, fill)
    assert (made == 7).all()
    for border in list(Border)[1:]:
        sample.mapped(data, made, points, points, interp, 0.5, border, fill)
        assert np.allclose(made, 100, rtol=1e-5)


def test_a_homography_that_moves_by_whole_pixels_copies() -> None:
    data = RANDOM.integers(0, 256, (40, 90, 3)).astype(np.uint8)
    made = np.empty_like(data)
    matrix = np.array([[1, 0, 3], [0, 1, -2], [0, 0, 1]], float)
    for interp in (Interp.NN, Interp.LINEAR, Interp.CUBIC):
        sample.homography(data, made, matrix, interp, Border.WRAP, np.zeros(4, np.float32))
        assert np.array_equal(made, np.roll(data, (2, -3), (0, 1)))
