"""``fn.random.choice`` and ``fn.random.normal`` against nvidia.dali: equal choices, and normal numbers to the last bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import declared
from images import pictures
from peers import check, check_refused, run

pytestmark = pytest.mark.usefixtures("nvidia")

CHOICES = """
5
5, shape=7
1, shape=3
[1, 2, 3], shape=20
(1, 2.5, -3), shape=20
[True, False], shape=9
np.array([1.5, 2, 3], np.float32), shape=(4, 5)
np.array([[1.5, 2], [3, 4]], np.float32), shape=4
types.Constant(5), shape=4
types.Constant([7, 8, 9], dtype=types.UINT8), shape=(2, 3)
types.Constant(5, dtype=types.INT64), shape=[]
5, shape=[0]
5, shape=1
1000003, shape=30000
3, p=[0.2, 0.5, 0.3], shape=500
3, p=(0, 0, 1), shape=8
1, p=1.0
3, p=[0.2, 0.5, 0.30009], shape=500
3, p=types.Constant([0.2, 0.5, 0.3]), shape=50
[5.5, 6.5], p=[0.25, 0.75], shape=50
5, seed=11
5, seed=-5, shape=30
""".strip().splitlines()

NORMALS = """

mean=3, stddev=2
stddev=-2, shape=5
stddev=0
shape=(3, 4, 5)
dtype=types.FLOAT64, shape=(20, 3), mean=1e3
seed=2**40 + 3, shape=30
""".split("\n")[1:-1]
WHOLE = ("UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "UINT64", "INT64")


@pytest.mark.parametrize("arguments", CHOICES)
def test_choice(arguments: str) -> None:
    check(f"fn.random.choice({arguments})", iterations=3, batch_size=5)


@pytest.mark.parametrize("limit", [2**31 + 5, 3_000_000_000, 2**32 - 1, 2**32, 2**32 + 1, 2**40 + 12345, 2**62, 2**63 - 1])
def test_large_limits(limit: int) -> None:
    check("fn.random.choice(a, shape=300)", {"a": [np.array(limit, np.int64)] * 3}, iterations=2)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "uint64"])
def test_types_of_limits_and_elements(dtype: str) -> None:
    data = {"n": [np.array(k, dtype) for k in (3, 100, 7)], "a": [np.arange(k).astype(dtype) for k in (3, 100, 7)]}
    check("fn.random.choice(n), fn.random.choice(n, shape=20), fn.random.choice(a), fn.random.choice(a, shape=20)", data)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bool"])
def test_types_of_elements(dtype: str) -> None:
    check("fn.random.choice(a, shape=20)", {"a": [np.arange(k).astype(dtype) for k in (3, 100, 7)]})


def test_elements_shapes_and_chances_by_sample() -> None:
    data = {
        "a": [np.array(v, np.int32) for v in ((3, 1), (4, 2, 9), (5,))],
        "p": [np.array(v, np.float32) for v in ((0.1, 0.9), (0.5, 0, 0.5), (1,))],
        "s": [np.array(v, np.int32) for v in ((2, 3), (1, 1), (5, 4))],
        "x": pictures([(4, 5), (1, 3), (2, 2)]),
    }
    check(
        "fn.random.choice(a), fn.random.choice(a, p=p, shape=30), fn.random.choice(a, shape=s), fn.random.choice(a, x), "
        "fn.random.choice(4, x), fn.random.choice(a, x, p=p)", data, iterations=3,
    )  # fmt: skip


@pytest.mark.parametrize("layout", ["HWC", "FHW", ""])
@pytest.mark.parametrize("shape", ["", ", shape=2", ", shape=[1]", ", shape=(2, 2)"])
def test_layouts_of_elements(layout: str, shape: str) -> None:
    batch = [np.arange(24 + 12 * k).reshape(4, 2 + k, 3).astype(np.uint8) for k in range(3)]
    check(f"fn.random.choice(x{shape})", {"x": (batch, layout)}, iterations=2)


@pytest.mark.parametrize("arguments", ["", "p=p", "shape=(40, 3), p=p", "shape=5000", "y"])
def test_elements_that_are_arrays(arguments: str) -> None:
    """One draws after the other, which shows where draws are refused."""
    rows = 3_000_000
    batch = [np.broadcast_to(np.arange(rows)[:, None], (rows, 2)).astype(np.int32)] * 2 if "p=" not in arguments else [
        np.arange(12).reshape(4, 3) + 100 * k for k in range(2)
    ]  # fmt: skip
    data = {"x": batch, "p": [np.array(v, np.float32) for v in ((0.1, 0.9, 0, 0), (0.25, 0.25, 0.2, 0.3))],
            "y": pictures([(14, 15), (11, 3)])}  # fmt: skip
    check(f"fn.random.choice(x, {arguments})" if arguments != "" else "fn.random.choice(x)", data, iterations=2)


@pytest.mark.parametrize("arguments", NORMALS)
def test_normal(arguments: str) -> None:
    check(f"fn.random.normal({arguments})", None, declared("random.normal"), iterations=4, batch_size=5)


@pytest.mark.parametrize("dtype", WHOLE)
def test_normal_whole_numbers(dtype: str) -> None:
    """Rounded numbers are equal, unless the last bit decides."""
    program = f"fn.random.normal(dtype=types.{dtype}, mean=40, stddev=50, shape=5000)"
    check(program, None, declared("random.normal"), batch_size=2)


def test_normal_arguments_by_sample_and_shapes_like_an_input() -> None:
    data = {
        "m": [np.float32(v) for v in (1, -50, 1e4)], "d": [np.float32(v) for v in (0.1, 2, 0)],
        "s": [np.array(v, np.int32) for v in ((2, 3), (1, 1), (5, 4))], "x": pictures([(4, 5), (1, 3), (2, 2)]),
    }  # fmt: skip
    data = {name: [np.asarray(v) for v in batch] for name, batch in data.items()}
    check("fn.random.normal(mean=m), fn.random.normal(mean=m, stddev=d, shape=20), fn.random.normal(shape=s), "
          "fn.random.normal(x, stddev=d)", data, declared("random.normal"), iterations=3)  # fmt: skip


def test_normal_numbers_in_numbers() -> None:
    """How often and how far they differ."""
    ours, theirs = (run(prefix, "fn.random.normal(shape=100000)", batch_size=2)[0][0] for prefix in ("dali_studio", "nvidia.dali"))
    pairs = list(zip(ours.samples, theirs.samples, strict=True))
    assert max(float(np.abs(a - b).max()) for a, b in pairs) <= 3e-7
    assert max(float((a != b).mean()) for a, b in pairs) <= 0.02


def test_seeds_are_counted_as_those_of_other_random_operators() -> None:
    check("a, b, c = fn.random.choice(9), fn.random.uniform(), fn.random.normal(shape=2)\nreturn c, b, a, fn.random.coin_flip()",
          None, declared("random.normal"), iterations=3)  # fmt: skip


@pytest.mark.parametrize("sizes", [(3, 1, 2), (1, 1, 3)])
def test_batches_of_varying_size(sizes: tuple[int, ...]) -> None:
    batches = [[np.arange(5, dtype=np.int32)] * size for size in sizes]
    program = "x = fn.external_source(source=iter(batches))\nreturn fn.random.choice(x, shape=9), fn.random.choice(7)"
    check(program, names={"batches": batches}, iterations=3, batch_size=3)


REFUSED: dict[str, str] = {
    "fn.random.choice()": "DS201",
    "fn.random.choice(5.0)": "DS203",
    "fn.random.choice(True)": "DS203",
    "fn.random.choice(0)": "DS105",
    "fn.random.choice(-1)": "DS105",
    "fn.random.choice([])": "DS105",
    "fn.random.choice(3, p=[0.2, 0.5])": "DS105",
    "fn.random.choice(3, p=[0.2, 0.5, 0.4])": "DS105",
    "fn.random.choice(3, p=[0.2, 0.5, 0.3002])": "DS105",
    "fn.random.choice(3, p=[0.2, -0.5, 1.3])": "DS105",
    "fn.random.choice(3, p=[0.2, float('nan'), 0.8])": "DS105",
    "fn.random.choice(3, p=[0, 0, 0])": "DS105",
    "fn.random.choice(5, p=fn.random.uniform(shape=2))": "DS105",
    "fn.random.choice(5, fn.random.uniform(shape=2), shape=3)": "DS105",
    "fn.random.choice(5, shape=[-1])": "DS105",
    "fn.random.choice(5, dtype=types.INT64)": "DS102",
    "fn.random.choice(a=5)": "DS102",
    "fn.random.choice(fn.random.uniform())": "DS203",
    "fn.random.normal(dtype=types.FLOAT16)": "DS105",
    "fn.random.normal(dtype=types.BOOL)": "DS105",
    "fn.random.normal(mean=[1, 2])": "DS104",
    "fn.random.normal(mean=fn.random.coin_flip())": "DS203",
    "fn.random.normal(fn.random.normal(shape=2), shape=3)": "DS105",
}


@pytest.mark.parametrize("program", REFUSED)
def test_refused_by_both(program: str) -> None:
    check_refused(program, codes=REFUSED[program])


def test_a_bad_sample_is_named() -> None:
    from peers import refused

    data: dict[str, Any] = {"n": [np.array(v, np.int32) for v in (4, 0, 3)]}
    assert "sample 1" in refused("fn.random.choice(n)", data, "DS105")
