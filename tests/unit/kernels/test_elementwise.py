"""Arithmetic on batches against numpy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dali_studio.core.arithmetic import OPERATIONS
from dali_studio.core.dtypes import from_numpy, promoted, to_numpy
from dali_studio.kernels.cpu.elementwise import Operand, compute

TYPES = [np.dtype(name) for name in ("?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")]
INTEGERS = [dtype for dtype in TYPES if dtype.kind in "ui"]
Array = NDArray[Any]


def numbers(dtype: np.dtype[Any], shape: tuple[int, ...], random: np.random.Generator) -> Array:
    if dtype.kind == "f":
        return random.normal(0, 100, shape).astype(dtype)
    if dtype.kind == "b":
        return random.random(shape) < 0.5
    limits = np.iinfo(dtype)
    made = random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    special = random.choice(np.array([0, 1, 2, limits.max // 2, limits.max, limits.min], dtype), shape)
    return np.where(random.random(shape) < 0.2, special, made)


def computed(name: str, *operands: list[Array]) -> list[Array]:
    """An operation on the samples of a batch."""
    operation = OPERATIONS[name]
    types = [from_numpy(samples[0].dtype) for samples in operands]
    shapes = [np.broadcast_shapes(*(one.shape for one in row)) for row in zip(*operands, strict=True)]
    results = [np.full(shape, 77, to_numpy(operation.result(types))) for shape in shapes]
    given = [Operand.of(samples) for samples in operands]
    compute(
        operation.functor, given[::-1] if operation.swapped else given, Operand.of(results),
        to_numpy(operation.common(types)),
    )  # fmt: skip
    return results


def quotient(a: Array, b: Array) -> Array:
    """Cut towards zero, 0 for 0."""
    safe = np.where(b == 0, 1, b).astype(b.dtype)
    cut = a // safe + ((a % safe != 0) & ((a < 0) != (safe < 0)))
    return np.where(b == 0, 0, cut).astype(a.dtype)


INTEGER_RULES: dict[str, Callable[[Array, Array], Array]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": quotient,
    "mod": lambda a, b: a - quotient(a, b) * b,
    "min": np.minimum,
    "max": np.maximum,
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "bitxor": lambda a, b: a ^ b,
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b, "neq": lambda a, b: a != b, "lt": lambda a, b: a < b, "leq": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "geq": lambda a, b: a >= b,
}  # fmt: skip


@pytest.mark.parametrize("name", INTEGER_RULES)
def test_integers_wrap_around(name: str) -> None:
    random = np.random.default_rng(1)
    for one, other in product(INTEGERS, INTEGERS):
        a, b = numbers(one, (900,), random), numbers(other, (900,), random)
        if name in ("div", "mod"):
            b[b == 0] = 1  # zero is refused
        common = to_numpy(promoted(from_numpy(one), from_numpy(other)))
        with np.errstate(all="ignore"):
            wanted = INTEGER_RULES[name](a.astype(common), b.astype(common))
        np.testing.assert_array_equal(computed(name, [a], [b])[0], wanted, f"{one} {other}")


@pytest.mark.parametrize("name", ["add", "sub", "mul", "fdiv", "div"])
def test_real_numbers(name: str) -> None:
    random = np.random.default_rng(2)
    rules = {**INTEGER_RULES, "fdiv": np.divide, "div": np.divide}
    for one, other in product(TYPES, TYPES):
        if "f" not in (one.kind, other.kind):
            continue
        a, b = numbers(one, (900,), random), numbers(other, (900,), random)
        common = to_numpy(promoted(from_numpy(one), from_numpy(other)))
        with np.errstate(all="ignore"):
            wanted = rules[name](a.astype(common), b.astype(common))
        np.testing.assert_array_equal(computed(name, [a], [b])[0], wanted, f"{one} {other}")


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_of_integers_are_exact(name: str) -> None:
    random = np.random.default_rng(3)
    for one, other in product([np.dtype("?"), *INTEGERS], repeat=2):
        a, b = numbers(one, (60,), random), numbers(other, (60,), random)
        b[:20] = a[:20].astype(other)
        wanted = [COMPARISONS[name](int(x), int(y)) for x, y in zip(a, b, strict=True)]
        np.testing.assert_array_equal(computed(name, [a], [b])[0], wanted, f"{one} {other}")


def test_negative_integers_compare_with_real_numbers_as_numbers() -> None:
    a, b = np.array([-1, -1, -1, 3], np.int32), np.array([-1, -5, 0.5, 3], np.float32)
    np.testing.assert_array_equal(computed("eq", [a], [b])[0], [True, False, False, True])
    np.testing.assert_array_equal(computed("gt", [a], [b])[0], [False, True, False, False])


def test_bools() -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    for name, wanted in {"mul": a & b, "bitand": a & b, "bitor": a | b, "bitxor": a ^ b, "eq": a == b}.items():
        result = computed(name, [a], [b])[0]
        assert result.dtype == bool
        np.testing.assert_array_equal(result.view(np.uint8), wanted)
    np.testing.assert_array_equal(computed("lshift", [a], [b])[0], a)
    np.testing.assert_array_equal(computed("rshift", [a], [b])[0], a & ~b)


def test_powers() -> None:
    a, b = np.array([3, 2, -2, 1, 0, 7], np.int16), np.array([4, 15, 3, -1, 0, 0], np.int16)
    np.testing.assert_array_equal(computed("pow", [a], [b])[0], [81, -32768, -8, 0, 1, 1])
    np.testing.assert_array_equal(computed("pow", [np.uint8([3, 16])], [np.uint8([7, 2])])[0], [3**7 % 256, 0])
    np.testing.assert_array_equal(computed("pow", [np.float32([3, 2])], [np.int32([4, -1])])[0], [81, 0.5])


def test_shifts_are_modulo_the_word() -> None:
    np.testing.assert_array_equal(computed("lshift", [np.int32([3, 3])], [np.int32([33, -1])])[0], [6, -(2**31)])
    np.testing.assert_array_equal(computed("rshift", [np.int8([-100, -100])], [np.int8([3, 35])])[0], [-13, -13])
    np.testing.assert_array_equal(computed("lshift", [np.uint64([3])], [np.uint64([65])])[0], [6])


def test_real_remainders_have_the_sign_of_the_first() -> None:
    a, b = np.float64([7.5, -7.5, 1.5]), np.float64([2, 2, 1])
    np.testing.assert_array_equal(computed("mod", [a], [b])[0], np.fmod(a, b))
    # beyond the 24 bits of a float
    np.testing.assert_array_equal(computed("mod", [np.int32([2**31 - 2])], [np.float32([7])])[0], [0])


@pytest.mark.parametrize(
    "name",
    ["sqrt", "cbrt", "exp", "log", "log2", "log10", "floor", "ceil", "sin", "cos", "tan", "sinh", "cosh", "tanh"],
)  # fmt: skip
def test_functions(name: str) -> None:
    rule: Callable[[Array], Array] = getattr(np, name)
    for dtype in TYPES[1:]:
        x = numbers(dtype, (900,), np.random.default_rng(4))
        real = x if dtype.kind == "f" else x.astype(np.float32)
        with np.errstate(all="ignore"):
            wanted = rule(real)
        np.testing.assert_allclose(computed(name, [x])[0], wanted, rtol=1e-6 if real.dtype == np.float32 else 1e-14)


def test_inverse_functions() -> None:
    x = np.linspace(-0.99, 0.99, 500)
    for name, rule in {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh,
                       "atanh": np.arctanh}.items():  # fmt: skip
        np.testing.assert_allclose(computed(name, [x])[0], rule(x), rtol=1e-14)
    np.testing.assert_allclose(computed("acosh", [x + 2])[0], np.arccosh(x + 2), rtol=1e-14)
    np.testing.assert_allclose(computed("rsqrt", [x + 2])[0], 1 / np.sqrt(x + 2), rtol=1e-15)
    np.testing.assert_allclose(computed("atan2", [x], [x[::-1].copy()])[0], np.arctan2(x, x[::-1]), rtol=1e-14)


def test_clamp_and_signs() -> None:
    x = np.array([-5, 0, 5, 200], np.int16)
    np.testing.assert_array_equal(computed("clamp", [x], [np.full((), -1, np.int16)], [np.full((), 100, np.uint8)])[0], [-1, 0, 5, 100])
    np.testing.assert_array_equal(computed("abs", [np.int8([-128, -5, 5])])[0], np.int8([-128, 5, 5]))
    np.testing.assert_array_equal(computed("minus", [np.uint8([0, 1, 255])])[0], np.uint8([0, 255, 1]))
    np.testing.assert_array_equal(computed("bitnot", [np.uint16([0, 1])])[0], np.uint16([65535, 65534]))
    assert np.isnan(computed("clamp", [np.float32([np.nan])], [np.full((), 0, np.float32)], [np.full((), 1, np.float32)])[0]).all()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((), ()), ((5,), ()), ((), (40, 50, 3)), ((40, 50, 3), (3,)), ((40, 50, 3), (40, 1, 3)), ((40, 1, 3), (50, 1)),
        ((700, 1), (1, 900)), ((2, 1, 3, 1, 5), (4, 1, 5, 1)), ((0, 3), (3,)), ((1, 1), ()), ((2000,), (2000,)),
        ((3, 1000), (1000,)), ((3, 1000), (3, 1)), ((1, 0), (5, 1)),
    ],
)  # fmt: skip
def test_broadcasting(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    random = np.random.default_rng(5)
    for first, second in (("i4", "i4"), ("u1", "f4"), ("i8", "i2")):
        a, b = numbers(np.dtype(first), one, random), numbers(np.dtype(second), other, random)
        common = to_numpy(promoted(from_numpy(a.dtype), from_numpy(b.dtype)))
        np.testing.assert_array_equal(computed("sub", [a], [b])[0], a.astype(common) - b.astype(common))
        np.testing.assert_array_equal(computed("sub", [b], [a])[0], b.astype(common) - a.astype(common))


def test_samples_of_a_batch_may_differ_in_shape() -> None:
    random = np.random.default_rng(6)
    a = [numbers(np.dtype("u1"), (n, 5, 3), random) for n in (1, 0, 30, 200)]
    b = [numbers(np.dtype("f4"), (3,), random) for _ in a]
    for x, y, result in zip(a, b, computed("mul", a, b), strict=True):
        np.testing.assert_array_equal(result, x.astype(np.float32) * y)


def test_a_constant_serves_all_samples() -> None:
    a, two = [np.arange(n, dtype=np.uint8) for n in (3, 1000)], np.array(2, np.int32)
    results = [np.empty(one.shape, np.int32) for one in a]
    compute("Multiply", [Operand.of(a), Operand.constant(two, 2)], Operand.of(results), np.dtype(np.int32))
    for x, result in zip(a, results, strict=True):
        np.testing.assert_array_equal(result, x.astype(np.int32) * 2)


def test_what_does_not_fit_is_refused() -> None:
    a, b, out = np.zeros((2, 3), np.int32), np.zeros(2, np.int32), np.zeros((2, 3), np.int32)
    with pytest.raises(ValueError, match="do not fit"):
        compute("Add", [Operand.of([a]), Operand.of([b])], Operand.of([out]), a.dtype)
    with pytest.raises(ValueError, match="without gaps"):
        Operand.of([a.T])
