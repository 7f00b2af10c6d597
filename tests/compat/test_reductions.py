"""``fn.reductions`` against nvidia.dali, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from images import Array, pictures
from peers import check, check_refused, refused

pytestmark = pytest.mark.usefixtures("nvidia")

INTEGERS = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")
TYPES = (*INTEGERS, "f4")
NAMES = {
    "u1": "UINT8", "i1": "INT8", "u2": "UINT16", "i2": "INT16", "u4": "UINT32", "i4": "INT32", "u8": "UINT64",
    "i8": "INT64", "f4": "FLOAT",
}  # fmt: skip
SHAPES = ((1000,), (37, 45, 20), (5, 1, 70, 3))


def numbers(dtype: str, shape: tuple[int, ...]) -> Array:
    random = np.random.default_rng(len(shape))
    if dtype == "f4":
        return random.normal(0, 1e4, shape).astype(np.float32)
    # nvidia.dali squares uint16 in 32 bits with a sign
    limits = np.iinfo(dtype)
    return random.integers(max(limits.min, -(2**15)), min(limits.max, 2**15), shape).astype(dtype)


def axes_of(shape: tuple[int, ...]) -> tuple[str, ...]:
    ways = {1: ("",), 3: ("axes=0", "axes=1", "axes=-1", "axes=(0, 2)", "axes=(1, 2)"), 4: ("axes=(0, 2)", "axes=(0, 3)")}
    return ("", "keep_dims=True", "axes=()", *ways[len(shape)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_type(shape: tuple[int, ...], dtype: str) -> None:
    data = {"x": ([numbers(dtype, shape)], "")}
    calls = [
        f"fn.reductions.{name}(x, {axes})"
        for axes in axes_of(shape)
        for name in ("sum", "mean", "mean_square", "rms", "min", "max")
    ]
    check(", ".join(calls), data)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_types_of_results(dtype: str) -> None:
    own, long = NAMES[dtype], "UINT64" if dtype[0] == "u" else "INT64"
    narrow = dtype[1] != "8"
    calls = [f"sum(x, axes=1, dtype=types.{one})" for one in ({own, long, "FLOAT"} if narrow else {long})]
    calls += [f"mean(x, axes=1, dtype=types.{one})" for one in {own, "FLOAT"}]
    calls += [f"mean_square(x, axes=1, dtype=types.{one})" for one in (long, "FLOAT")]
    small = numbers(dtype, (37, 45, 20)) % 100  # roots of sums that overflow are not defined
    check(", ".join(f"fn.reductions.{one}" for one in calls), {"x": ([numbers(dtype, (37, 45, 20))], "")})
    check(f"fn.reductions.rms(x, axes=2, dtype=types.{own})", {"x": ([small[:, :, :4] % 5], "")})


@pytest.mark.parametrize("dtype", TYPES)
def test_deviations(dtype: str) -> None:
    check(
        """
        m = fn.reductions.mean(x, axes=(0, 2))
        k = fn.reductions.mean(x, axes=1, keep_dims=True)
        whole = fn.reductions.mean(x)
        return (fn.reductions.std_dev(x, m, axes=(0, 2)), fn.reductions.variance(x, m, axes=(0, 2), ddof=1),
                fn.reductions.std_dev(x, k, axes=1, keep_dims=True), fn.reductions.variance(x, whole),
                fn.reductions.std_dev(x, whole, ddof=3))
        """,
        {"x": ([numbers(dtype, (12, 9, 7))], "HWC")},
    )


def test_letters_and_layouts() -> None:
    check(
        "fn.reductions.mean(x, axis_names='HW'), fn.reductions.sum(x, axis_names='C', keep_dims=True), "
        "fn.reductions.max(x, axis_names='WH'), fn.reductions.min(x, axis_names='')",
        {"x": pictures()},
    )


def test_nothing_and_what_is_no_number() -> None:
    calls = ("sum", "mean", "min", "max", "rms", "mean_square")
    check(", ".join(f"fn.reductions.{one}(x, axes=0)" for one in calls), {"x": ([np.zeros((0, 3), np.float32)], "")})
    special = np.float32([[np.nan, 1, np.inf], [2, -np.inf, np.inf]])
    check("fn.reductions.min(x, axes=1), fn.reductions.max(x, axes=1)", {"x": ([special], "")})
    check("fn.reductions.sum(x), fn.reductions.mean(x)", {"x": ([np.float32(3)], "")})


@pytest.mark.parametrize(
    "arguments",
    ["axes=3", "axes=-4", "axes=(0, 0)", "axis_names='X'", "axis_names='HH'", "axes=0, axis_names='H'", "dtype=types.FLOAT64",
     "dtype=types.INT32"],
)  # fmt: skip
def test_refused_by_both(arguments: str) -> None:
    check_refused(f"fn.reductions.sum(x, {arguments})", {"x": pictures([(4, 5)])}, "DS105")


@pytest.mark.parametrize("dtype", ["?", "f2", "f8"])
def test_types_that_both_refuse(dtype: str) -> None:
    check_refused("fn.reductions.sum(x)", {"x": ([np.ones(3, dtype)], "")}, "DS203")


def test_a_mean_of_another_shape_is_refused() -> None:
    """nvidia.dali reads beyond it."""
    data = {"x": ([np.ones((4, 5), np.float32)], ""), "m": ([np.ones(3, np.float32)], "")}
    assert "(3,)" in refused("fn.reductions.std_dev(x, m, axes=0)", data, "DS203")
