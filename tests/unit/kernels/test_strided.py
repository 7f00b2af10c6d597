"""Copies of arrays whose elements lie at any distances, against numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dali_studio.kernels.cpu.beta import beta
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.one_hot import one_hot
from dali_studio.kernels.cpu.strided import copy_rows, copy_strided, copy_strided_one, steps_of

TYPES = ("u1", "f2", "i4", "f8")


def copied(view: np.ndarray) -> np.ndarray:
    """The elements of a view, by both calls."""
    out, other = np.zeros(view.shape, view.dtype), np.zeros(view.shape, view.dtype)
    places = np.array([view.ctypes.data, out.ctypes.data], np.int64)
    extents, steps = (np.array([row], np.int64).reshape(1, view.ndim) for row in (view.shape, view.strides))
    copy_strided(places[:1], extents, steps, view.itemsize, places[1:])
    base = np.zeros(0, view.dtype) if view.base is None else view.base
    if view.base is not None and base.flags.c_contiguous:
        copy_strided_one(base, view.ctypes.data - base.ctypes.data, extents, steps, 0, other)
        assert np.array_equal(out, other)
    return out


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(), (7,), (5, 70), (3, 40, 37), (2, 1, 3, 33), (4, 0, 2)])
def test_orders_of_axes(shape: tuple[int, ...], dtype: str) -> None:
    data = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    for order in itertools.permutations(range(len(shape))):
        view = data.transpose(order)
        assert np.array_equal(copied(view), view), order


@pytest.mark.parametrize("dtype", TYPES)
def test_steps(dtype: str) -> None:
    data = np.arange(20 * 33 * 4).reshape(20, 33, 4).astype(dtype)
    for view in (data[::-1], data[:, ::3], data[3:17:2, ::-2, 1:], data[:, :, ::-1], data[5], data[:, 7, 2], data[::-3, 5:6, ::2]):
        assert np.array_equal(copied(view), view)


def test_what_repeats() -> None:
    for shape in ((3, 1), (1, 40), (1, 1)):
        view = np.broadcast_to(np.arange(np.prod(shape)).reshape(shape), (3, 40))
        assert np.array_equal(copied(view), view)


def test_tables_that_do_not_fit_are_refused() -> None:
    one, two = np.zeros(1, np.int64), np.zeros((2, 2), np.int64)
    with pytest.raises(ValueError, match="do not fit"):
        copy_strided(one, two, two, 1, one)
    with pytest.raises(ValueError, match="do not fit"):
        copy_strided_one(np.zeros(4, np.uint8), 0, two, two, 2, np.zeros(4, np.uint8))


def test_distances_of_arrays_without_gaps() -> None:
    shapes = np.array([[2, 3, 4], [5, 1, 7]])
    expected = [np.empty(shape, np.int32).strides for shape in shapes.tolist()]
    assert steps_of(shapes, 4).tolist() == [list(one) for one in expected]
    assert steps_of(np.zeros((3, 0), np.int64), 4).shape == (3, 0)


def test_rows() -> None:
    data, order = np.arange(24, dtype=np.int16).reshape(4, 3, 2), np.array([3, 0, 0])
    out = np.empty((3, 3, 2), np.int16)
    copy_rows(data, order, out)
    assert np.array_equal(out, data[order])


@pytest.mark.parametrize("dtype", ["u1", "i8", "u8", "f4", "f8"])
def test_one_hot(dtype: str) -> None:
    numbers = np.array([[0, 2, 5], [1, 250, 3]]).astype(dtype)
    for axis in range(3):
        out = np.empty(np.insert(numbers.shape, axis, 4), np.int16)
        one_hot(Operand.of([numbers]), axis, 4, np.array([-1, 9], np.int16), Operand.of([out]))
        expected = np.where(np.expand_dims(numbers, axis) == np.arange(4).reshape([4 if k == axis else 1 for k in range(3)]), 9, -1)
        assert np.array_equal(out, expected)


@pytest.mark.parametrize(("alpha", "beta_"), [(1, 1), (2, 5), (0.3, 0.6), (0.5, 3)])
def test_means_and_deviations_of_beta(alpha: float, beta_: float) -> None:
    total = alpha + beta_
    for dtype in (np.float32, np.float64):
        drawn = np.empty((4, 20_000), dtype)
        beta(drawn, 5, np.arange(4, dtype=np.uint64), *np.array([[alpha] * 4, [beta_] * 4], np.float32))
        assert ((drawn >= 0) & (drawn <= 1)).all()
        assert drawn.mean() == pytest.approx(alpha / total, abs=0.01)
        assert drawn.var() == pytest.approx(alpha * beta_ / (total**2 * (total + 1)), abs=0.005)
