"""What every registered operator promises: types, independence of batch, threads and prefetching, errors, documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from images import pictures
from subjects import (
    DTYPES,
    EXAMPLES,
    PER_SAMPLE,
    PER_SAMPLE_EXAMPLES,
    REGISTRY,
    SIZES,
    arrays,
    assert_same,
    data,
    pipeline,
)
from tolerances import TOLERANCES

from dali_studio import DaliStudioError, Pipeline
from dali_studio.codegen.emit import emit
from dali_studio.graph.document import dumps, loads
from dali_studio.graph.validate import validate
from dali_studio.schema.traits import RandomSource

IMAGE_OPERATORS = [name for name in PER_SAMPLE if REGISTRY.schema(name).inputs[0].kind != "encoded"]


def first(made: Pipeline) -> Any:
    return made.run()[0]


@pytest.mark.parametrize("layout", ["HWC", "CHW"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("name", "number"), [(n, i) for n, i in PER_SAMPLE_EXAMPLES if n in IMAGE_OPERATORS])
def test_declared_types_are_the_real_ones(name: str, number: int, dtype: Any, layout: str) -> None:
    """Either the graph is refused, and the run of undeclared data too, or the result is what inference said."""
    batch = data(name, dtype, layout)
    made = pipeline(name, number, batch, layout)
    found = validate(made.graph, REGISTRY)
    if any(d.severity == "error" for d in found.diagnostics):
        with pytest.raises(DaliStudioError) as caught:
            first(pipeline(name, number, batch, layout, declared=False))
        assert caught.value.diagnostics[0].node == "node"
        assert caught.value.diagnostics[0].code in ("DS203", "DS105")
        return
    meta = found.metas[made.graph.outputs[0]]
    out = first(made)
    assert (out.dtype, out.ndim(), out.layout()) == (meta.dtype, meta.ndim, meta.layout or "")
    assert_same(arrays(out), arrays(first(pipeline(name, number, batch, layout, declared=False))))


@pytest.mark.parametrize(("name", "number"), [(n, i) for n, i in EXAMPLES if n not in IMAGE_OPERATORS])
def test_declared_types_of_other_operators(name: str, number: int) -> None:
    made = pipeline(name, number, data(name))
    meta = validate(made.graph, REGISTRY).metas[made.graph.outputs[0]]
    out = first(made)
    assert (out.dtype, out.ndim(), out.layout()) == (meta.dtype, meta.ndim, meta.layout or "")


@pytest.mark.parametrize(("name", "number"), [(n, i) for n, i in PER_SAMPLE_EXAMPLES if not REGISTRY.has_trait(n, RandomSource)])
def test_a_sample_does_not_depend_on_its_batch(name: str, number: int) -> None:
    batch = data(name)
    assert batch is not None
    together = arrays(first(pipeline(name, number, batch)))
    alone = [arrays(first(pipeline(name, number, [sample])))[0] for sample in batch]
    assert_same(together, alone)


OPTIONS = [{"num_threads": 1}, {"num_threads": 3}, {"exec_async": False, "exec_pipelined": False}, {"prefetch_queue_depth": 1}, {"prefetch_queue_depth": 4}]


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_speed_options_never_change_data(name: str, number: int) -> None:
    runs = []
    for options in OPTIONS:
        made = pipeline(name, number, data(name), **options)
        runs.append([sample for _ in range(3) for sample in arrays(first(made))])
    for other in runs[1:]:
        assert_same(other, runs[0])


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_document_round_trip(name: str, number: int) -> None:
    made = pipeline(name, number, data(name))
    graph, _, _ = loads(dumps(made.graph, None), REGISTRY)
    assert dumps(graph, None) == dumps(made.graph, None)


@pytest.mark.parametrize("dialect", ["dali_studio", pytest.param("nvidia.dali", marks=pytest.mark.peer)])
@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_emitted_programs_give_the_same(name: str, number: int, dialect: str, request: pytest.FixtureRequest) -> None:
    if dialect == "nvidia.dali":
        request.getfixturevalue("nvidia")
    batch = data(name)
    made = pipeline(name, number, batch)
    emitted = emit(made.graph, REGISTRY, dialect)
    assert not [d for d in emitted.diagnostics if d.severity == "error"]
    scope: dict[str, Any] = {"__name__": "emitted"}
    exec(compile(emitted.source, "emitted.py", "exec"), scope)
    again = scope["pipeline"](**({"data_source": lambda: batch} if batch is not None else {}))
    again.build()
    out = again.run()[0]
    if dialect == "dali_studio":
        assert_same(arrays(out), arrays(first(made)))
    else:
        mine = first(made)
        assert (str(out.dtype), out.layout()) == (str(mine.dtype), mine.layout())
        for index, sample in enumerate(arrays(mine)):
            TOLERANCES["warp_nn" if name in ("rotate", "warp_affine") else "program"].check(sample, np.array(out.at(index)), f"{name} sample {index}")


WRONG_RANKS = [np.zeros(7, np.uint8), np.zeros((3, 4), np.uint8), np.zeros((2, 3, 4, 3), np.uint8)]


@pytest.mark.parametrize("sample", WRONG_RANKS, ids=lambda s: f"{s.ndim} axes")
@pytest.mark.parametrize("name", [n for n in IMAGE_OPERATORS if REGISTRY.schema(n).inputs[0].layouts])
def test_wrong_ranks_are_refused_with_the_node(name: str, sample: Any) -> None:
    layout = {1: "X", 2: "HW", 4: "FHWC"}[sample.ndim]
    for declared in (True, False):
        with pytest.raises(DaliStudioError) as caught:
            first(pipeline(name, 0, [sample], layout, declared=declared))
        found = caught.value.diagnostics[0]
        assert (found.code, found.node) == ("DS203", "node")
        assert found.hint


@pytest.mark.parametrize("name", [n for n in REGISTRY if REGISTRY.schema(n).inputs and REGISTRY.schema(n).inputs[0].kind == "encoded"])
def test_broken_samples_are_named(name: str) -> None:
    batch = data(name)
    assert batch is not None
    batch[2] = np.frombuffer(b"no picture", np.uint8)
    with pytest.raises(DaliStudioError) as caught:
        first(pipeline(name, 0, batch))
    found = caught.value.diagnostics[0]
    assert (found.code, found.node, found.sample) == ("DS301", "node", 2)


PER_SAMPLE_ARGUMENTS = [(n, a.name) for n in IMAGE_OPERATORS for a in REGISTRY.schema(n).arguments
                        if a.tensor and a.support == "used" and a.type in ("float", "int")]  # fmt: skip


@pytest.mark.parametrize(("name", "argument"), PER_SAMPLE_ARGUMENTS)
def test_fed_arguments_are_checked_by_sample(name: str, argument: str) -> None:
    """Wrong element type, and a vector where a number is wanted: node, argument and sample are named."""
    from subjects import function

    from dali_studio import fn

    declared = REGISTRY.schema(name).argument(argument)
    assert declared is not None
    right = np.float32 if declared.type == "float" else np.int32
    extra = {"crop_h": {"crop_w": 5.0}, "crop_w": {"crop_h": 5.0}, "contrast_center": {}}.get(argument, {})
    for values, sample in (([np.int16(1)] * 4, None), ([right(1), right(1), np.ones(3, right)[:, None], right(1)], 2)):
        made = Pipeline(batch_size=4, num_threads=2)
        with made:
            image = fn.external_source(source=lambda: pictures(SIZES), layout="HWC")
            fed = fn.external_source(source=_giver([np.asarray(v).reshape(-1) for v in values]), name="fed")
            required = {a.name: 1.0 for a in REGISTRY.schema(name).arguments if a.required and a.type == "float" and a.name != argument}
            made.set_outputs(function(name)(image, name="node", **{argument: fed}, **required, **extra))
        with pytest.raises(DaliStudioError) as caught:
            made.run()
        found = caught.value.diagnostics[0]
        assert (found.node, found.argument, found.sample) == ("node", argument, sample), str(found)


def _giver(values: Any) -> Any:
    return lambda: values
