"""Numbers from which memory, threads or time follow: refused by the API, in documents and in the designer alike."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dali_studio import DaliStudioError, Pipeline, fn, types
from dali_studio.api.default import default_registry
from dali_studio.core import limits
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.apply import apply
from dali_studio.graph.document import loads
from dali_studio.graph.edits import AddNode, Connect, PortRef, SetArgument, SetPipeline
from dali_studio.graph.model import Graph, Node
from dali_studio.graph.validate import validate
from dali_studio.schema.model import Value

REGISTRY = default_registry()
OPTIONS: list[tuple[str, Any, str]] = [
    ("prefetch_queue_depth", 2**31, "DS105"), ("prefetch_queue_depth", 1500, "DS105"),
    ("prefetch_queue_depth", 0, "DS105"), ("num_threads", limits.MAX_THREADS + 1, "DS105"),
    ("num_threads", 0, "DS105"), ("num_threads", -2, "DS105"), ("batch_size", limits.MAX_SAMPLES + 1, "DS105"),
    ("batch_size", 0, "DS105"), ("batch_size", 1.5, "DS104"), ("batch_size", True, "DS104"), ("seed", "x", "DS104"),
    ("seed", 2**63, "DS105"), ("seed", 10**400, "DS105"), ("device_id", "gpu", "DS104"),
    ("device_id", -5, "DS105"),
]  # fmt: skip
ARGUMENTS: list[tuple[str, str, Any]] = [
    ("external_source", "num_outputs", 10**6), ("external_source", "num_outputs", 0),
    ("external_source", "ndim", 10**9), ("decoders.image_random_crop", "num_attempts", 10**9),
    ("readers.file", "prefetch_queue_depth", 1500), ("readers.file", "seed", 10**400),
    ("rotate", "angle", 10**400), ("readers.file", "seed", -(2**63) - 1),
]  # fmt: skip


def only(error: pytest.ExceptionInfo[DaliStudioError]) -> Diagnostic:
    (found,) = error.value.diagnostics
    assert found.message and found.hint and len(found.message) < 200
    return found


@pytest.mark.parametrize(("option", "value", "code"), OPTIONS)
def test_options_of_pipelines(option: str, value: Any, code: str) -> None:
    with pytest.raises(DaliStudioError) as error:
        Pipeline(**{"batch_size": 1, option: value})
    assert (only(error).code, only(error).argument) == (code, option)
    with pytest.raises(DaliStudioError) as error:
        apply(Graph(), [SetPipeline(option=option, value=value)], REGISTRY)
    if not (isinstance(value, float)):
        assert (only(error).code, only(error).argument) == (code, option)


def test_options_at_their_bounds() -> None:
    made = Pipeline(limits.MAX_SAMPLES, limits.MAX_THREADS, types.CPU_ONLY_DEVICE_ID, 2**63 - 1,
                    prefetch_queue_depth={"cpu_size": 3, "gpu_size": limits.MAX_AHEAD})  # fmt: skip
    assert (made.max_batch_size, made.device_id, made.prefetch_queue_depth) == (2**20, None, limits.MAX_AHEAD)
    assert Pipeline(1, seed=-7).graph.options.seed is None


@pytest.mark.parametrize(("operator", "argument", "value"), ARGUMENTS)
def test_arguments(operator: str, argument: str, value: Any) -> None:
    function: Any = fn
    for part in operator.split("."):
        function = getattr(function, part)
    made = Pipeline(1)
    with pytest.raises(DaliStudioError) as error, made:
        function(*[[1]] * len(REGISTRY.schema(operator).inputs), **{argument: value})
    assert (only(error).code, only(error).argument) == ("DS105", argument)
    edits = [AddNode(key="x", operator=operator), SetArgument(key="x", argument=argument, value=value)]
    with pytest.raises(DaliStudioError) as error:
        apply(Graph(), edits, REGISTRY)
    assert (only(error).code, only(error).argument) == ("DS105", argument)
    assert ("DS105", argument) in findings({"key": "x", "operator": operator, "arguments": {argument: value}})


def findings(*nodes: dict[str, Any]) -> list[tuple[str, str]]:
    pipeline = {"nodes": nodes, "outputs": [["x", 0]]}
    graph, _, _ = loads(json.dumps({"format": "dali-studio", "version": 1, "pipeline": pipeline}), REGISTRY)
    return [(d.code, d.argument) for d in validate(graph, REGISTRY).diagnostics]


@pytest.mark.parametrize("shape", [(10**6, 10**6), (2**62, 4), (1,) * 33, (-1,)])
def test_shapes(shape: tuple[int, ...]) -> None:
    for operator, values in (("random.uniform", {}), ("constant", {"fdata": (1.0,)})):
        arguments: dict[str, Value] = {**values, "shape": shape}
        assert findings({"key": "x", "operator": operator, "arguments": arguments}) == [("DS105", "shape")]


def test_values_for_objects_are_refused() -> None:
    assert findings({"key": "x", "operator": "external_source", "arguments": {"source": "os.system"}}) == [
        ("DS104", "source")
    ]


def test_wires_from_outputs_that_no_operator_has() -> None:
    graph = Graph()
    graph.add_node(Node(key="alien", operator="of.the.future"))
    graph.add_node(Node(key="x", operator="random.choice"))
    with pytest.raises(DaliStudioError) as error:
        apply(graph, [Connect(source=PortRef(node="alien", output=10**9), target="x", input=0)], REGISTRY)
    assert only(error).code == "DS209"


def test_numbers_that_python_does_not_write() -> None:
    with pytest.raises(DaliStudioError, match="thousands of digits"):
        Pipeline(1, seed=10**5000)
