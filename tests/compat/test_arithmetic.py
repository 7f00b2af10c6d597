"""Operators and ``math`` functions between results, against nvidia.dali: every pair of element types."""

from __future__ import annotations

import numpy as np
import pytest
from images import Array, pictures
from peers import OURS, check, check_refused, run

from dali_studio import DaliStudioError
from dali_studio.schema.tolerance import Tolerance

pytestmark = pytest.mark.usefixtures("nvidia")

TYPES = ("?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")
BINARY = ("+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^", "<<", ">>")
#: Of nvidia.dali's own functions, of the system's library on both sides, all but this one are equal to the last bit:
#: it takes an approximation of the processor with one step of Newton's method.
RECIPROCAL_ROOT = Tolerance(relative=3e-7, reason="an approximation with a step of Newton's method")
FUNCTIONS = (
    "sqrt", "cbrt", "exp", "log", "log2", "log10", "abs", "fabs", "floor", "ceil", "sin", "cos", "tan", "asin", "acos",
    "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
)  # fmt: skip


def values(name: str, *, divisor: bool = False) -> Array:
    """Limits, neighbours of 0, and what is no number; as divisor without what stops nvidia.dali's process."""
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return np.array([True, True] if divisor else [False, True])
    if dtype.kind in "ui":
        limits = np.iinfo(dtype)
        wanted = [0, 1, 2, 3, 7, 8, 100, limits.max // 2, limits.max - 1, limits.max]
        wanted += [] if dtype.kind == "u" else [-1, -2, -3, -8, -100, limits.min + 1, limits.min]
        if divisor:  # the least number by -1, too, which u8 may become
            wanted = [one for one in wanted if one not in (0, -1) and one != 2**64 - 1]
        return np.array(wanted, dtype)
    return np.array([0, -0.0, 0.5, 1, 1.5, 2.5, 3, 7, -1, -0.5, -2.5, 3.7, 1e10, -3e10, np.inf, -np.inf, np.nan], dtype)


@pytest.mark.parametrize("sign", BINARY)
@pytest.mark.parametrize("one", TYPES)
def test_every_pair_of_types(one: str, sign: str) -> None:
    for other in TYPES:
        kinds = {np.dtype(one).kind, np.dtype(other).kind}
        bits = sign in ("&", "|", "^", "<<", ">>")
        if (bits and "f" in kinds) or (kinds == {"b"} and sign in ("+", "-", "/", "//", "%", "**")):
            continue
        a, b = values(one), values(other, divisor=sign in ("//", "%"))
        if kinds == {"i", "f"} and sign in ("==", "!=", "<", "<=", ">", ">="):
            a, b = a[a > 0], b[b > 0]  # nvidia.dali takes a negative integer for less than any real number
        a, b = (part.copy() for part in np.broadcast_arrays(a[:, None], b[None]))
        check(f"a {sign} b", {"a": ([a], ""), "b": ([b], "")})


@pytest.mark.parametrize("name", ["min", "max", "fpow", "atan2"])
def test_functions_of_two(name: str) -> None:
    for one in TYPES:
        for other in TYPES:
            if one != "?" or other != "?":
                a, b = np.broadcast_arrays(values(one)[:, None], values(other)[None])
                check(f"math.{name}(a, b)", {"a": ([a.copy()], ""), "b": ([b.copy()], "")})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    for one in TYPES[1:]:
        check(f"math.{name}(a)", {"a": ([values(one)], "")})


def test_reciprocal_root() -> None:
    for one in TYPES[1:]:
        x = values(one)
        check("math.rsqrt(a)", {"a": ([x[(x > 0) & np.isfinite(x)]], "")}, RECIPROCAL_ROOT)


@pytest.mark.parametrize("one", TYPES)
def test_signs(one: str) -> None:
    data = {"a": ([values(one)], "")}
    if one != "?":
        check("-a, +a, abs(a), math.clamp(a, 1, 3), math.clamp(a, 1.5, 2)", data)
    if "f" not in one:
        check("~a", data)


@pytest.mark.parametrize(
    "program",
    [
        "a * 2 + b", "2 - a, 2 / a, 7 // (a | 1), 2 ** a, 7 % (a | 1), 2 << (a & 7)", "a * True, a == 3, 3 < a, a >= 2.5",
        "a + types.Constant(5, dtype=types.UINT8), a * types.Constant(2.5, dtype=types.FLOAT64)",
        "a + types.Constant(2**40, dtype=types.INT64), a - types.Constant(3, dtype=types.INT16)",
        "a + np.uint8(7), a + np.array([1, 2, 3])", "a + [1, 2, 3]", "math.clamp(a, b, 200), math.clamp(100, a, b)",
        "math.min(a, 3), math.max(2.5, a)", "a + a, (a > 3) & (b > 2)",
    ],
)  # fmt: skip
def test_constants(program: str) -> None:
    a = [np.arange(n, n + 12, dtype=np.uint8).reshape(4, 3) for n in (0, 9, 244)]
    check(program, {"a": (a, "HW"), "b": ([np.float32(one) for one in (1, 200.5, -3)], "")})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((), (4, 5)), ((4, 5), (5,)), ((4, 5), (4, 1)), ((4, 1), (1, 5)), ((2, 3, 1, 5), (3, 4, 1)), ((3, 4, 5), (4, 5)),
        ((7,), (1,)), ((60, 70, 3), (3,)),
    ],
)  # fmt: skip
def test_broadcasting(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    random = np.random.default_rng(0)
    a = [random.integers(0, 256, one, np.uint8) for _ in range(3)]
    b = [random.normal(0, 10, other).astype(np.float32) for _ in range(3)]
    check("a - b, b * a, a > b", {"a": (a, ""), "b": (b, "")})


@pytest.mark.parametrize("layouts", [("HW", "HW"), ("HW", "W"), ("HW", ""), ("", "HW"), ("", "W")])
def test_layouts(layouts: tuple[str, str]) -> None:
    a, b = np.ones((4, 5), np.float32), np.ones((5,) if layouts[1] == "W" else (4, 5), np.float32)
    check("a + b, b + a, -a, a * 2", {"a": ([a], layouts[0]), "b": ([b], layouts[1])})


def test_pictures() -> None:
    check("x * 0.5, x + 1, 255 - x, x > 128, x * x", {"x": pictures()})


def test_no_elements() -> None:
    check("a + a, a + b, a * 2, -a", {"a": ([np.zeros((0, 3), np.float32)], ""), "b": ([np.float32(2)], "")})


@pytest.mark.parametrize(
    ("program", "types", "layouts"),
    [
        ("a + b", "??", ("", "")), ("-a", "??", ("", "")), ("a + b", ("f2", "f4"), ("", "")), ("a & b", "fi", ("", "")),
        ("a << 1.5", "ii", ("", "")), ("~a", "fi", ("", "")), ("math.sqrt(a)", "??", ("", "")),
        ("a + b", "ff", ("HW", "WH")), ("a + b", "ff", ("HW", "CD")), ("a + 2**40", "ii", ("", "")), ("a + 'x'", "ii", ("", "")),
        ("a + None", "ii", ("", "")), ("math.clamp(a, b, 'z')", "ii", ("", "")), ("a + [[1, 2, 3]]", "ii", ("", "")),
    ],
)  # fmt: skip
def test_refused_by_both(program: str, types: str, layouts: tuple[str, str]) -> None:
    a, b = (np.ones((3, 3), one) for one in types)
    check_refused(program, {"a": ([a], layouts[0]), "b": ([b], layouts[1])})


@pytest.mark.parametrize("sign", ["//", "%"])
@pytest.mark.parametrize("types", ["iB", "hH", "bl", "QQ"])
def test_division_of_whole_numbers_by_zero_is_refused_by_both(sign: str, types: str) -> None:
    """Not that of floating-point numbers, nor that of no elements. The sample is named."""
    rows, divisors = ([np.arange(1, 1601, dtype=types[0])] * 2, [np.ones(1600, types[1]) for _ in range(2)])
    data = {"a": (rows, ""), "b": (divisors, "")}
    check(f"a {sign} b, a[0:0] {sign} 0, a {sign} 0.0", data)
    divisors[1][1234] = 0
    check_refused(f"a {sign} b", data, "DS105")
    check_refused(f"a {sign} 0", data, "DS105")
    with pytest.raises(DaliStudioError, match=r"sample 1.*divided by zero"):
        run(OURS, f"a {sign} b", data, 1)


def test_shapes_that_do_not_fit_are_refused_by_both() -> None:
    check_refused("a + b", {"a": ([np.ones((2, 3))], ""), "b": ([np.ones(2)], "")}, "DS203")
