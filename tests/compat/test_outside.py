"""Operators that are called outside of pipeline definitions, which use their results."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS

pytestmark = pytest.mark.usefixtures("nvidia")

HEAD = """
import numpy as np
from PREFIX import fn, math, ops, pipeline_def, types
from PREFIX.pipeline import Pipeline
OPTIONS = dict(batch_size=3, num_threads=2, device_id=None, seed=11)
"""

PROGRAMS = {
    "before `with`": """
drawn = fn.random.uniform(range=(0.0, 2.0))
flags = fn.random.coin_flip(probability=0.3)
pipe = Pipeline(**OPTIONS)
with pipe:
    image = fn.random.uniform(range=(0, 255), shape=(4, 5, 3))
    pipe.set_outputs(fn.brightness(image, brightness=drawn), image * flags, flags, drawn)
""",
    "in the constructor": """
class Made(Pipeline):
    def __init__(self):
        super().__init__(**OPTIONS)
        self.half = types.Constant(np.array([2, 3, 1]), dtype=types.INT64) // 2
        self.drawn = ops.random.Uniform(range=(1.0, 5.0))()
    def define_graph(self):
        return self.half * fn.random.coin_flip(), self.drawn, self.half + self.drawn
pipe = Made()
""",
    "without `with`": """
pipe = Pipeline(**OPTIONS)
a = fn.random.normal(shape=(2, 2))
b, c = fn.cast(a, dtype=types.INT32), math.abs(a)
pipe.set_outputs(a, b, c, 7)
""",
    "in the module": """
KERNEL = types.Constant(np.ones((3, 3), np.float32)) / 9.0
SCALE = fn.random.uniform(range=(0.5, 1.5))
def made():
    @pipeline_def(**OPTIONS)
    def p():
        image = fn.reinterpret(fn.random.uniform(range=(0, 255), shape=(6, 6, 3)), layout="HWC")
        return fn.filter(image, KERNEL) * SCALE, SCALE
    return p()
made().build()
pipe = made()
""",
    "a source": """
numbers = fn.external_source(lambda i: [np.float32(10 * i + k) for k in range(3)])
sums = numbers + 1
pipe = Pipeline(**OPTIONS)
with pipe:
    pipe.set_outputs(sums, numbers, fn.cat(fn.stack(numbers), fn.stack(sums)))
""",
}


BRANCHES = """
@pipeline_def(enable_conditionals=True, **OPTIONS)
def p():
    x = fn.random.normal()
    if chosen:
        x = x + shared
    else:
        x = shared - 5.0
        if shared < 0.5 and not chosen:
            x = x * shared
    return x, shared, chosen
"""
SHARED = "shared = fn.random.uniform(range=(0.0, 1.0))\nchosen = fn.random.coin_flip(dtype=types.BOOL)\n"


def results(program: str, prefix: str, folder: Path) -> list[list[Any]]:
    file = folder / f"{prefix.replace('.', '_')}.py"
    file.write_text(HEAD.replace("PREFIX", prefix) + program, "utf-8")
    pipe = runpy.run_path(str(file))["pipe"]
    pipe.build()
    return [[[np.array(out.at(k)) for k in range(len(out))] for out in pipe.run()] for _ in range(3)]


@pytest.mark.parametrize("where", PROGRAMS)
def test_what_is_called_outside_of_definitions(where: str, tmp_path: Path) -> None:
    ours, theirs = (results(PROGRAMS[where], prefix, tmp_path) for prefix in (OURS, THEIRS))
    for mine, reference in zip(ours, theirs, strict=True):
        for one, other in zip(mine, reference, strict=True):
            for a, b in zip(one, other, strict=True):
                assert (a.dtype, a.shape) == (b.dtype, b.shape)
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_conditions_and_branches_take_them_as_well(tmp_path: Path) -> None:
    """nvidia.dali refuses them there: they give what they do inside of the definition."""
    outside = results(f"{SHARED}{BRANCHES}pipe = p()", OURS, tmp_path)
    lines = "".join(f"    {line}\n" for line in SHARED.splitlines())
    inside = BRANCHES.replace("def p():\n", f"def p():\n{lines}")
    assert outside == results(f"{inside}pipe = p()", OURS, tmp_path)
