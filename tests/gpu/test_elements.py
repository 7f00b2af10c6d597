"""Arithmetic, reductions and joins on a GPU against the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dali_studio import Pipeline, fn, math, types
from dali_studio.core.diagnostics import DaliStudioError

pytestmark = pytest.mark.gpu

Array = np.ndarray[Any, Any]


def giver(batch: list[Array]) -> Callable[[], list[Array]]:
    return lambda: batch


def both(program: Any, *batches: list[Array], layout: str = "") -> list[tuple[list[Array], list[Array]]]:
    """The outputs of a program with its inputs on the CPU, and with them on the GPU."""
    results: list[list[list[Array]]] = []
    for on_gpu in (False, True):
        pipe = Pipeline(len(batches[0]), 2, 0)
        with pipe:
            sources = [fn.external_source(source=giver(batch), layout=layout) for batch in batches]
            made = program(*(one.gpu() if on_gpu else one for one in sources))
            pipe.set_outputs(*made)
        pipe.build()
        results.append([[np.asarray(one.as_cpu().at(i)) for i in range(len(one))] for one in pipe.run()])
    return list(zip(*results, strict=True))


def equal(pairs: list[tuple[list[Array], list[Array]]], rtol: float = 0) -> None:
    for cpu, gpu in pairs:
        for one, other in zip(cpu, gpu, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(other, one, rtol=rtol, atol=0)


RANDOM = np.random.default_rng(0)
BYTES = [RANDOM.integers(0, 256, (h, 7, 3), np.uint8) for h in (5, 0, 40)]
FLOATS = [RANDOM.normal(0, 9, 3).astype(np.float32) for _ in BYTES]
LONGS = [RANDOM.integers(-(2**60), 2**60, (h, 1, 3)) for h in (5, 0, 40)]


def test_arithmetic() -> None:
    equal(both(lambda a, b, c: [a * 2 + b, a - c, a // 7, c % 1000, (a > 100) & (c > 0), ~a, -c, b / a, a << 3, a == c],
               BYTES, FLOATS, LONGS))  # fmt: skip


def test_functions() -> None:
    equal(both(lambda a, b: [math.sqrt(a), math.clamp(a, 20, 200.5), math.min(a, b), math.abs(b), math.floor(b)],
               BYTES, FLOATS))  # fmt: skip
    equal(both(lambda b: [math.exp(b), math.sin(b), math.atan2(b, b * 2), math.fpow(math.abs(b), 0.3), math.cbrt(b)],
               FLOATS), 1e-5)  # fmt: skip


def test_types_of_constants() -> None:
    equal(both(lambda a: [a + types.Constant(5, dtype=types.UINT8), a * types.Constant(0.5, dtype=types.FLOAT64)], BYTES))


@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 1], [0, 2], [0, 1, 2]])
def test_reductions(axes: list[int]) -> None:
    r = fn.reductions
    images = [RANDOM.integers(0, 256, (h, 61, 3), np.uint8) for h in (50, 1, 200)]
    equal(both(lambda a: [r.sum(a, axes=axes), r.min(a, axes=axes), r.max(a, axes=axes, keep_dims=True)], images))
    equal(both(lambda a: [r.mean(a, axes=axes), r.rms(a, axes=axes), r.mean_square(a, axes=axes),
                          r.std_dev(a, r.mean(a, axes=axes), axes=axes)], images), 3e-6)  # fmt: skip


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_joins(axis: int) -> None:
    for dtype in (np.uint8, np.float32, np.int64):
        batch = [one.astype(dtype) for one in BYTES]
        equal(both(lambda a: [fn.cat(a, a, axis=axis), fn.stack(a, a, a, axis=axis)], batch))


def test_order_and_shapes() -> None:
    equal(both(lambda a: [fn.permute_batch(a, indices=[2, 2, 0]), fn.shapes(a), a.shape()], BYTES))


def test_python_function() -> None:
    cupy = pytest.importorskip("cupy")
    if not hasattr(cupy, "asarray"):
        pytest.skip("CuPy is emulated, without functions for users")
    equal(both(lambda a: [fn.python_function(a, function=lambda x: x[::2] + 1)], BYTES))


def test_arguments_of_a_wrong_type_say_whose_they_are() -> None:
    pipe = Pipeline(2, 1, 0)
    with pipe:
        images = fn.external_source(source=giver([np.zeros((4, 5), np.float32)] * 2), name="images")
        order = fn.external_source(source=giver([np.float32(1)] * 2), name="order")
        pipe.set_outputs(fn.permute_batch(images.gpu(), indices=order, name="mixed"))
    with pytest.raises(DaliStudioError, match=r"DS203 mixed\.indices: the values are FLOAT.*order"):
        pipe.run()
