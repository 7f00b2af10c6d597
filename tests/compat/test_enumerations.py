"""Members of enumerations as data, against nvidia.dali: where they come from, what moves them, what they feed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conditionals import World, outputs, pipe
from declared import declared
from images import pictures
from peers import OURS, THEIRS, assert_equal, check, check_refused

from dali_studio import Pipeline, fn, types
from dali_studio.api.default import default_registry
from dali_studio.codegen.emit import emit
from dali_studio.graph.validate import validate

pytestmark = pytest.mark.usefixtures("nvidia")
NUMBERS = [np.array(number, np.int32) for number in (0, 1, 5, 3)]
DATA = {"x": pictures([(41, 53), (7, 9), (30, 20), (9, 40)]), "n": NUMBERS}

SOURCES = """
types.Constant(types.INTERP_CUBIC)
types.Constant(types.INTERP_CUBIC, device="cpu")
types.Constant([types.INTERP_NN, types.INTERP_CUBIC])
types.Constant((types.RGB, types.GRAY))
types.Constant([types.FLOAT])
types.Constant([types.INTERP_CUBIC] * 4, shape=[2, 2])
types.Constant(types.INTERP_CUBIC, shape=[2])
types.Constant([0, 2], dtype=types.INTERP_TYPE)
types.Constant(-3, dtype=types.INTERP_TYPE)
types.Constant(types.INTERP_CUBIC, dtype=types.INT32)
types.INTERP_CUBIC
fn.copy(types.INTERP_CUBIC)
fn.cast(n, dtype=types.INTERP_TYPE)
fn.reinterpret(n, dtype=types.INTERP_TYPE)
fn.cast_like(n, types.Constant(types.INTERP_NN))
fn.permute_batch(fn.cast(n, dtype=types.INTERP_TYPE), indices=[3, 2, 1, 0])
fn.reshape(fn.cast(n, dtype=types.INTERP_TYPE), shape=[1])
types.Constant([types.INTERP_NN, types.INTERP_CUBIC])[1]
types.Constant([types.INTERP_NN, types.INTERP_CUBIC])[1:]
fn.random.choice([types.INTERP_NN, types.INTERP_CUBIC, types.INTERP_GAUSSIAN])
fn.random.choice([types.INTERP_NN, types.INTERP_CUBIC], p=[0.3, 0.7], shape=[5])
""".strip().splitlines()


@pytest.mark.parametrize("program", SOURCES)
def test_sources(program: str) -> None:
    check(f"return {program}, n", {"n": NUMBERS})


REFUSED = """
fn.resize(x, size=9, interp_type=n)
fn.resize(x, size=9, interp_type=types.Constant([types.INTERP_NN, types.INTERP_CUBIC]))
fn.resize(x, size=9, interp_type=fn.cast(n + 1, dtype=types.INTERP_TYPE))
fn.cast(types.Constant(types.INTERP_NN), dtype=types.FLOAT)
fn.cast(fn.cast(n, dtype=types.FLOAT), dtype=types.INTERP_TYPE)
n + types.Constant(types.INTERP_NN)
n + fn.cast(n, dtype=types.INTERP_TYPE)
fn.stack(fn.cast(n, dtype=types.INTERP_TYPE), fn.cast(n, dtype=types.INTERP_TYPE))
fn.reductions.sum(types.Constant([types.INTERP_NN, types.INTERP_CUBIC]))
fn.random.choice(types.Constant(types.INTERP_CUBIC, device="cpu"))
fn.external_source(source=lambda: [np.zeros((), np.uint32)] * 4, dtype=types.INTERP_TYPE)
""".strip().splitlines()


@pytest.mark.parametrize("program", REFUSED)
def test_what_nvidia_dali_refuses_is_refused(program: str) -> None:
    check_refused(f"return {program}, x", DATA)


FEEDS = """
fn.resize(x, size=(20, 30), interp_type=f)
fn.resize(x, size=(20, 30), min_filter=f)
fn.resize(x, size=(20, 30), interp_type=f, mag_filter=types.INTERP_LINEAR)
fn.resize(x, size=(20, 30), interp_type=fn.random.choice([types.INTERP_CUBIC, types.INTERP_LANCZOS3]))
fn.resize_crop_mirror(x, size=(20, 30), crop=(9, 8), mag_filter=f)
fn.tensor_resize(x, sizes=(20, 30), axes=(0, 1), interp_type=f)
fn.random_resized_crop(x, size=(20, 30), interp_type=f)
""".strip().splitlines()


@pytest.mark.parametrize("program", FEEDS)
def test_filters_by_sample(program: str) -> None:
    check(f"f = fn.cast(n, dtype=types.INTERP_TYPE)\nreturn {program}", DATA, declared("resize"), iterations=2)


def chosen(w: World) -> Any:
    if w.condition():  # noqa: SIM108 - the statement is tried
        kind = w.types.INTERP_NN
    else:
        kind = w.types.INTERP_CUBIC
    pictures = w.fn.constant(idata=list(range(48)), shape=[4, 4, 3], dtype=w.types.UINT8, layout="HWC")
    return w.fn.resize(pictures, size=(5, 3), interp_type=kind)


def test_branches_choose() -> None:
    ours = pipe(OURS, chosen)
    for mine, theirs in zip(outputs(ours), outputs(pipe(THEIRS, chosen)), strict=True):
        assert_equal(mine, theirs, declared("resize"))
    for dialect in (OURS, THEIRS):
        source = emit(ours.graph, default_registry(), dialect).source
        assert "types.Constant(types.INTERP_NN" in source and "types.Constant(types.INTERP_CUBIC" in source


def test_there_are_none_on_the_gpu() -> None:
    trace = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with trace:
        trace.set_outputs(fn.constant(idata=[1], dtype=types.INTERP_TYPE, device="gpu"))
    found = validate(trace.graph, default_registry()).diagnostics
    assert [(one.code, one.severity) for one in found] == [("DS207", "error")]
