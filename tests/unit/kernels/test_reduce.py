"""Reductions of batches against numpy, and against a model of nvidia.dali's order of sums."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.join import join
from dali_studio.kernels.cpu.reduce import reduce_extremes, reduce_sums

INTEGERS = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")
Array = NDArray[Any]


def subsets(ndim: int) -> list[tuple[int, ...]]:
    return [axes for count in range(ndim + 1) for axes in combinations(range(ndim), count)]


def mask(ndim: int, axes: tuple[int, ...]) -> NDArray[np.bool_]:
    return np.isin(np.arange(ndim), axes)


def halved(values: Array) -> np.float32:
    """The sum of floats in nvidia.dali's order."""
    if len(values) > 32:
        return halved(values[: len(values) // 2]) + halved(values[len(values) // 2 :])
    total = np.float32(0)
    for value in values:
        total += value
    return total


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name: str) -> None:
    dtype = np.dtype(name)
    limits = np.iinfo(dtype)
    x = np.random.default_rng(0).integers(limits.min, limits.max, (7, 40, 3, 5), dtype, endpoint=True)
    for axes in subsets(4):
        for out in {dtype, np.dtype(f"{dtype.kind}8")}:
            wanted = x.sum(axis=axes, dtype=out) if axes else x.astype(out)
            got = np.empty_like(wanted)
            reduce_sums(Operand.of([x]), mask(4, axes), Operand.of([got]))
            np.testing.assert_array_equal(got, wanted)
        for largest, rule in ((False, np.min), (True, np.max)):
            extreme = np.asarray(rule(x, axis=axes))
            got = np.empty_like(extreme)
            reduce_extremes(Operand.of([x]), mask(4, axes), Operand.of([got]), largest=largest)
            np.testing.assert_array_equal(got, extreme)


@pytest.mark.parametrize("shape", [(1000,), (33,), (64, 50), (5, 40, 48)])
def test_order_of_sums(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).normal(0, 1e4, shape).astype(np.float32)
    for axis in range(len(shape)):
        rows = np.moveaxis(x, axis, -1).reshape(-1, shape[axis])
        got = np.empty(len(rows), np.float32)
        reduce_sums(Operand.of([x]), mask(x.ndim, (axis,)), Operand.of([got]))
        np.testing.assert_array_equal(got, [halved(row) for row in rows])
    whole = np.empty((), np.float32)
    reduce_sums(Operand.of([x]), mask(x.ndim, tuple(range(x.ndim))), Operand.of([whole]))
    assert whole == halved(x.reshape(-1))


@pytest.mark.parametrize("name", [*INTEGERS, "f4"])
def test_statistics(name: str) -> None:
    x = np.random.default_rng(2).integers(0, 100, (11, 37, 20)).astype(name)
    double = x.astype(np.float64)
    for axes in subsets(3)[1:]:
        out = np.empty(double.mean(axis=axes).shape, np.float32)
        mean = np.asarray(double.mean(axis=axes), np.float32)
        given = Operand.of([x]), mask(3, axes), Operand.of([out])
        reduce_sums(*given, finish="mean")
        np.testing.assert_allclose(out, mean, rtol=1e-6)
        reduce_sums(*given, taken="square", finish="mean")
        np.testing.assert_allclose(out, (double**2).mean(axis=axes), rtol=1e-6)
        reduce_sums(*given, taken="square", finish="root")
        np.testing.assert_allclose(out, np.sqrt((double**2).mean(axis=axes)), rtol=1e-6)
        reduce_sums(*given, taken="deviation", finish="root", means=Operand.of([mean]))
        np.testing.assert_allclose(out, double.std(axis=axes), rtol=1e-5)
        reduce_sums(*given, taken="deviation", finish="mean", means=Operand.of([mean]), ddof=1)
        np.testing.assert_allclose(out, double.var(axis=axes, ddof=1), rtol=1e-5)


def test_the_type_of_the_result_is_that_of_the_sum() -> None:
    x = np.full(300, 2, np.uint8)
    out = np.empty((), np.uint8)
    reduce_sums(Operand.of([x]), mask(1, (0,)), Operand.of([out]), finish="mean")
    assert out == int((600 % 256) * np.float32(1 / 300))


def test_nothing_and_what_is_no_number() -> None:
    nothing, reduced, out = np.empty((0, 3), np.float32), mask(2, (0,)), np.empty(3, np.float32)
    reduce_sums(Operand.of([nothing]), reduced, Operand.of([out]))
    np.testing.assert_array_equal(out, 0)
    reduce_sums(Operand.of([nothing]), reduced, Operand.of([out]), finish="mean")
    np.testing.assert_array_equal(out, np.nan)
    reduce_extremes(Operand.of([nothing]), reduced, Operand.of([out]), largest=False)
    np.testing.assert_array_equal(out, np.finfo(np.float32).max)
    least = np.empty((), np.float32)
    reduce_extremes(Operand.of([np.float32([np.nan, 2, 1])]), mask(1, (0,)), Operand.of([least]), largest=False)
    assert least == 1


def test_samples_of_a_batch_may_differ_in_shape() -> None:
    random = np.random.default_rng(3)
    samples = [random.integers(0, 256, (rows, 6, 3), np.uint8) for rows in (1, 50, 0, 7)]
    out = [np.empty(3, np.uint64) for _ in samples]
    reduce_sums(Operand.of(samples), mask(3, (0, 1)), Operand.of(out))
    np.testing.assert_array_equal(out, [sample.sum(axis=(0, 1)) for sample in samples])


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f8"])
def test_join(axis: int, dtype: str) -> None:
    random = np.random.default_rng(4)

    def sample(extent: int, rows: int) -> Array:
        shape = [rows, 5, 7]
        shape[axis] = extent
        return random.integers(0, 100, shape).astype(dtype)

    batches = [[sample(extent, rows) for rows in (2, 4)] for extent in (3, 0, 1)]
    wanted = [np.concatenate(row, axis) for row in zip(*batches, strict=True)]
    got = [np.empty_like(one) for one in wanted]
    join([Operand.of(batch) for batch in batches], axis, Operand.of(got))
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    alike = [[sample(2, 3) for _ in range(2)] for _ in range(3)]
    stacked = [np.stack(row, axis) for row in zip(*alike, strict=True)]
    got = [np.empty_like(one) for one in stacked]
    join([Operand.of(batch) for batch in alike], axis, Operand.of(got))
    np.testing.assert_array_equal(got, stacked)
