"""``fn.random.uniform`` and ``fn.random.coin_flip`` against nvidia.dali: equal draws for equal seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from images import pictures
from peers import check, check_refused, refused

pytestmark = pytest.mark.usefixtures("nvidia")

UNIFORM = """

range=(-30, 30)
range=(0.0, 1e-3)
range=[5, 6], shape=(3, 2)
shape=5
shape=[1]
shape=(2, 3, 4)
range=(0, 5), dtype=types.INT32, shape=400
range=(0, 255), dtype=types.UINT8, shape=(20, 20)
range=(-5.5, 5.5), dtype=types.INT8, shape=100
range=(-700, 700), dtype=types.INT16, shape=100
range=(0, 700), dtype=types.UINT16, shape=100
range=(0, 1e9), dtype=types.UINT32, shape=50
range=(-1e9, 1e9), dtype=types.INT64, shape=50
range=(0, 1e9), dtype=types.UINT64, shape=50
dtype=types.FLOAT64, shape=50
values=[1, 2, 4]
values=[1.5, 2.5, -3], shape=40
values=[1, 2, 4], dtype=types.INT32, shape=40
values=[7], shape=3
values=[1.4, 2.6, 300], dtype=types.UINT8, shape=60
seed=11
seed=-5, shape=3
seed=2**40 + 3, shape=3
""".split("\n")[1:-1]

FLIPS = """

probability=0.25
probability=0.9, dtype=types.BOOL, shape=40
probability=0.3, dtype=types.UINT8, shape=(5, 7)
probability=0
probability=1
seed=3, shape=70
""".split("\n")[1:-1]


@pytest.mark.parametrize("arguments", UNIFORM)
def test_uniform(arguments: str) -> None:
    check(f"fn.random.uniform({arguments})", iterations=4, batch_size=5)


@pytest.mark.parametrize("arguments", FLIPS)
def test_coin_flip(arguments: str) -> None:
    check(f"fn.random.coin_flip({arguments})", iterations=4, batch_size=5)


@pytest.mark.parametrize("seed", [0, 1, 42, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40 + 17, 2**62 + 1, 2**63 - 1])
def test_seeds_of_the_pipeline(seed: int) -> None:
    check("fn.random.uniform(shape=3), fn.random.coin_flip(shape=9)", iterations=3, seed=seed)


@pytest.mark.parametrize("batch_size", [1, 2, 7, 64])
@pytest.mark.parametrize(
    "options", [{}, {"num_threads": 1}, {"exec_async": False, "exec_pipelined": False}, {"prefetch_queue_depth": 4}]
)
def test_options_do_not_change_draws(batch_size: int, options: dict[str, Any]) -> None:
    check("fn.random.uniform(), fn.random.coin_flip()", iterations=5, batch_size=batch_size, **options)


GRAPHS = """
a = fn.random.uniform(); b = fn.random.uniform(); return a, b
a = fn.random.uniform(); b = fn.random.uniform(); return b, a
a = fn.random.uniform(); b = fn.random.uniform(); return b
a = fn.random.uniform(); b = fn.random.uniform(); return b, b
a = fn.random.uniform(); b = fn.random.uniform(); return a, b, a
a = fn.random.uniform(); b = fn.random.uniform(seed=5); c = fn.random.uniform(); return c, b, a
a = fn.random.uniform(); b = fn.random.uniform(seed=-1); c = fn.random.uniform(); return c, a
a = fn.random.uniform(); b = fn.random.uniform(preserve=True); c = fn.random.uniform(); return c
a = fn.random.coin_flip(); b = fn.random.uniform(shape=fn.random.uniform(shape=1, range=[1, 4], dtype=types.INT32)); return b, a
a = fn.random.uniform(); b = fn.random.uniform(a); c = fn.random.coin_flip(probability=fn.random.uniform(range=[0, 1])); return c, b
a = fn.random.uniform(range=(0, 90)); y = fn.rotate(x, angle=a, fill_value=0, size=[8, 8]); b = fn.random.uniform(range=(0, 2)); return fn.hsv(y, saturation=b, hue=a), a, b
a, b = fn.random.uniform(range=(0, 2)), fn.random.uniform(range=(1, 2)); return fn.brightness_contrast(x, contrast=a, brightness=b), fn.random.uniform()
a, b = fn.random.uniform(range=(0, 2)), fn.random.uniform(range=(1, 2)); return fn.brightness_contrast(x, brightness=b, contrast=a), fn.random.uniform(), a, b
a = [fn.random.uniform() for _ in range(12)]; return (*a[::-1], fn.random.coin_flip())
m = fn.random.coin_flip(); p, q = fn.random.uniform(range=(0, 1)), fn.random.uniform(range=(0, 1)); return fn.crop_mirror_normalize(x, crop=(3, 3), mirror=m, crop_pos_x=p, crop_pos_y=q), p, q, m
""".strip().splitlines()


@pytest.mark.parametrize("program", GRAPHS)
def test_shapes_of_graphs(program: str) -> None:
    """Which seed each node takes depends on the whole graph."""
    from declared import declared

    data = (
        {"x": pictures([(7, 9), (12, 10), (8, 8)])}
        if "x" in program.replace("fill_value", "").replace("crop_pos_x", "")
        else None
    )
    check("\n".join(part.strip() for part in program.split(";")), data, declared("rotate"), iterations=3)


def test_arguments_by_sample() -> None:
    limits = [np.array(v, np.float32) for v in ((0, 1), (-5, 5), (100, 101))]
    chances = [np.array(v, np.float32) for v in (0.1, 0.9, 0.5)]
    data = {"r": limits, "p": chances}
    check("fn.random.uniform(range=r), fn.random.uniform(range=r, shape=20), fn.random.coin_flip(probability=p), "
          "fn.random.coin_flip(probability=p, shape=33)", data, iterations=3)  # fmt: skip


def test_shapes_by_sample_and_like_an_input() -> None:
    shapes = [np.array(v, np.int32) for v in ((2, 3), (1, 1), (5, 4))]
    lists = [np.array(v, np.float32) for v in ((2, 3), (7,), (5, 4, 1, 0))]
    data = {"s": shapes, "x": pictures([(4, 5), (1, 3), (2, 2)]), "v": lists}
    check("fn.random.uniform(shape=s), fn.random.coin_flip(shape=s), fn.random.uniform(x), fn.random.coin_flip(x, dtype=types.UINT8), "
          "fn.random.uniform(values=v), fn.random.uniform(values=v, shape=30)", data, iterations=3)  # fmt: skip


@pytest.mark.parametrize("sizes", [(3, 1, 2), (1, 1, 3), (2, 3, 1)])
def test_batches_of_varying_size(sizes: tuple[int, ...]) -> None:
    """A stream begins where the batches before it ended, whatever their size."""
    batches = [[np.zeros((2, 2), np.float32)] * size for size in sizes]
    program = "x = fn.external_source(source=iter(batches))\nreturn fn.random.uniform(x), fn.random.uniform(), fn.random.coin_flip(shape=5)"
    check(program, names={"batches": batches}, iterations=3, batch_size=3)


@pytest.mark.parametrize(
    "program",
    [
        "fn.random.uniform(range=(1, 2, 3))",
        "fn.random.uniform(range=(1, 0))",
        "fn.random.uniform(range=types.Constant([1.0, 1.0]))",
        "fn.random.uniform(dtype=types.FLOAT16)",
        "fn.random.coin_flip(dtype=types.FLOAT)",
        "fn.random.uniform(dtype=types.STRING)",
        "fn.random.uniform(bogus=3)",
        "fn.random.uniform(range=fn.random.coin_flip(shape=2))",
        "fn.random.uniform(fn.random.uniform(shape=3), shape=4)",
        "fn.random.uniform(shape=[-1])",
    ],
)
def test_refused_by_both(program: str) -> None:
    check_refused(program)


@pytest.mark.parametrize(
    "program",
    [
        "fn.random.uniform(range=(0, 1), values=[1])",
        "fn.random.coin_flip(probability=1.5)",
        "fn.random.coin_flip(probability=-0.1)",
    ],
)
def test_senseless_arguments_that_only_ours_refuses(program: str) -> None:
    refused(program, codes="DS105")
