"""``fn.cat``, ``fn.stack``, ``fn.shapes``, ``fn.permute_batch`` and ``fn.python_function`` against nvidia.dali."""

from __future__ import annotations

import numpy as np
import pytest
from images import Array, pictures
from peers import check, check_refused, refused

pytestmark = pytest.mark.usefixtures("nvidia")


def ragged(axis: int, dtype: str = "u1", shape: tuple[int, ...] = (4, 5, 3)) -> list[Array]:
    random = np.random.default_rng(axis)
    made: list[Array] = []
    for extent in (2, 0, 7):
        sizes = list(shape)
        sizes[axis] = extent
        made.append(random.integers(0, 100, sizes).astype(dtype))
    return made


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "f2", "f4", "i8"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_cat(axis: int, dtype: str) -> None:
    data = {"a": (ragged(axis, dtype), "HWC"), "b": (ragged(axis, dtype)[::-1], "HWC")}
    check(f"fn.cat(a, b, axis={axis}), fn.cat(a, b, a, axis={axis - 3}), fn.cat(a, b, axis_name={'HWC'[axis]!r})", data)


@pytest.mark.parametrize("arguments", ["", "axis=1", "axis=2", "axis=-1", "axis_name='N'", "axis_name='N', axis=3", "axis=-3"])
def test_stack(arguments: str) -> None:
    check(f"fn.stack(a, a, a, {arguments})", {"a": pictures()})


def test_numbers_are_stacked() -> None:
    data = {"a": ([np.int32(one) for one in range(3)], ""), "b": ([np.int32(one) for one in (7, 8, 9)], "")}
    check("fn.stack(a, b), fn.stack(a, b, axis_name='N'), fn.stack(a), fn.stack(a, b, 5)", data)


@pytest.mark.parametrize("layouts", [("HW", ""), ("", "HW"), ("HW", "WH")])
def test_the_first_layout_is_taken(layouts: tuple[str, str]) -> None:
    x = np.ones((2, 3), np.float32)
    check("fn.cat(a, b), fn.cat(b, a)", {"a": ([x], layouts[0]), "b": ([x], layouts[1])})


@pytest.mark.parametrize(
    ("program", "shapes"),
    [
        ("fn.cat(a, b, axis=2)", ((2, 3), (2, 3))), ("fn.cat(a, b)", ((2, 3), (2, 4))), ("fn.cat(a, b)", ((2, 3), (3,))),
        ("fn.cat(a, b)", ((), ())), ("fn.cat(a, b, axis_name='X')", ((2, 3), (2, 3))), ("fn.cat(a, b, axis_name='HW')", ((2, 3), (2, 3))),
        ("fn.stack(a, b)", ((2, 3), (2, 4))), ("fn.stack(a, b, axis=3)", ((2, 3), (2, 3))), ("fn.stack(a, b, axis=-3)", ((2, 3), (2, 3))), ("fn.stack(a, b, axis_name='XY')", ((2, 3), (2, 3))), ("fn.stack(a, b, axis_name='é')", ((2, 3), (2, 3))),
        ("fn.stack(a, b, axis_name='N')", ((2, 3), (2, 3))), ("fn.cat(a, fn.cast(b, dtype=types.INT32))", ((2, 3), (2, 3))),
    ],
)  # fmt: skip
def test_refused_by_both(program: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    data = {name: ([np.ones(shape, np.float32)], "") for name, shape in zip("ab", shapes, strict=True)}
    check_refused(program, data, "DS105 DS203")


def test_shapes() -> None:
    kinds = ("UINT32", "UINT64", "INT32", "INT64", "FLOAT", "FLOAT64")
    check(", ".join(["fn.shapes(x)", "x.shape()", *(f"fn.shapes(x, dtype=types.{one})" for one in kinds)]), {"x": pictures()})
    check("x.shape(dtype=types.INT32), fn.shapes(x)", {"x": ([np.float32(3)] * 2, "")})
    check_refused("fn.shapes(x, dtype=types.UINT8)", {"x": pictures()}, "DS105")


def test_permute_batch() -> None:
    data = {"x": pictures([(4, 5), (6, 3), (2, 9)]), "i": ([np.int32(one) for one in (2, 2, 0)], "")}
    check("fn.permute_batch(x, indices=i), fn.permute_batch(x, indices=[1, 2, 0])", data)
    for given in ("[0, 1]", "[0, 1, 3]", "[0, -1, 2]", "1"):
        check_refused(f"fn.permute_batch(x, indices={given})", data, "DS105")


@pytest.mark.parametrize(
    "call",
    [
        "fn.python_function(x, function=lambda a: a * 2)",
        "fn.python_function(x, function=lambda a: a.sum(axis=2), output_layouts='HW')",
        "fn.python_function(x, function=lambda a: (a, a.astype(np.float32).mean()), num_outputs=2, output_layouts=['HWC'])",
        "fn.python_function(x, x, function=lambda a, b: a[:1] + b[:1])",
        "fn.python_function(x, function=lambda batch: [a[::2] for a in batch], batch_processing=True)",
        "fn.python_function(x, function=lambda a: (a,))",
        "fn.python_function(x, function=lambda a: (a, a[:1]))",
        "fn.python_function(x, function=lambda batch: (batch, batch), batch_processing=True)",
    ],
)
def test_python_function(call: str) -> None:
    wrapped = call.replace("a.astype(np.float32).mean()", "np.array([a.astype(np.float32).mean()])")
    check(wrapped, {"x": pictures()}, exec_async=False, exec_pipelined=False)


@pytest.mark.parametrize(
    "call",
    [
        "fn.python_function(x, function=lambda a: (a, a, a), num_outputs=2)", "fn.python_function(x, function=lambda a: 1 / 0)",
        "fn.python_function(x, function=lambda a: 'text')",
        "fn.python_function(x, function=lambda batch: batch[:1], batch_processing=True)",
    ],
)  # fmt: skip
def test_functions_that_both_refuse(call: str) -> None:
    program = f"made = {call}\nreturn made[0] if isinstance(made, (list, tuple)) else made"
    check_refused(program, {"x": pictures()}, exec_async=False, exec_pipelined=False)


def test_a_failing_function_is_named_with_its_sample() -> None:
    text = refused("fn.python_function(x, function=lambda a: a[4, 2, 0])", {"x": pictures([(9, 9), (3, 4)])})
    assert "IndexError" in text
