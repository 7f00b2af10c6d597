"""Every finding once, at the right place, and none twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy import photo_graph, port, toy_registry

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import AddNode
from dali_studio.graph.info import describe
from dali_studio.graph.model import Graph, GraphOptions, Node
from dali_studio.graph.objects import MISSING
from dali_studio.graph.validate import validate
from dali_studio.studio.repairs import offered

REGISTRY = toy_registry()


def findings(graph: Graph) -> list[tuple[str, str, str, str]]:
    return [(d.code, d.node, d.argument, d.severity) for d in validate(graph, REGISTRY).diagnostics]


def with_node(key: str, **changes: Any) -> Graph:
    graph = photo_graph()
    graph.replace_node(replace(graph.node(key), **changes))
    return graph


def only(graph: Graph) -> Diagnostic:
    (found,) = validate(graph, REGISTRY).diagnostics
    return found


def test_a_sound_graph_has_no_findings_and_all_types() -> None:
    result = validate(photo_graph(), REGISTRY)
    assert result.diagnostics == ()
    assert result.metas[port("reader")] == TensorMeta(DALIDataType.UINT8, 1, "", "encoded")
    assert result.metas[port("turned")] == TensorMeta(DALIDataType.UINT8, 3, "HWC", "image")
    assert describe(result.metas[port("turned")]) == "H×W×C u8"


@pytest.mark.parametrize(
    ("arguments", "code", "argument", "severity", "words"),
    [
        ({"fill_value": 300.0}, "DS105", "fill_value", "error", "Use 0 to 255."),
        ({"fill_value": "red"}, "DS104", "fill_value", "error", "a number"),
        ({"fil_value": 3.0}, "DS102", "fil_value", "error", "'fill_value'"),
        ({"interp_type": "NEAREST"}, "DS104", "interp_type", "error", "types.DALIInterpType"),
        ({"size": (1.0, 2.0, 3.0)}, "DS105", "size", "error", "2 values"),
    ],
)
def test_arguments(arguments: Any, code: str, argument: str, severity: str, words: str) -> None:
    found = only(with_node("turned", arguments=arguments, origin="program.py:7"))
    assert (found.code, found.node, found.argument, found.severity) == (code, "turned", argument, severity)
    assert words in str(found) and found.source == "program.py:7"


def test_support_of_arguments() -> None:
    values = {"file_root": "x", "lazy_init": True, "shuffle_after_epoch": True, "bytes_per_sample_hint": (0,)}
    assert findings(with_node("reader", arguments=values)) == [
        ("DS106", "reader", "lazy_init", "info"),
        ("DS106", "reader", "shuffle_after_epoch", "error"),
    ]
    assert findings(with_node("reader", arguments={"file_root": "x", "shuffle_after_epoch": False})) == []
    found = only(with_node("images", arguments={"use_fast_idct": False}))
    assert (found.severity, "jpeg_fancy_upsampling" in found.hint) == ("warning", True)


def test_unknown_operator_is_blamed_alone() -> None:
    graph = with_node("images", operator="decoders.imag")
    found = only(graph)
    assert (found.code, found.node) == ("DS101", "images") and "decoders.image" in found.hint
    assert validate(graph, REGISTRY).metas[port("images")] == TensorMeta()


def test_missing_inputs_and_arguments_are_blamed_alone() -> None:
    graph = photo_graph()
    graph.disconnect("images", 0)
    assert findings(graph) == [("DS201", "images", "encoded", "error")]
    graph.disconnect("turned", argument="angle")
    assert findings(graph) == [("DS201", "images", "encoded", "error"), ("DS103", "turned", "angle", "error")]
    graph.connect(port("images"), "images", 3)
    assert ("DS202", "images", "input 4", "error") in findings(graph)


def test_gap_before_a_wired_optional_input() -> None:
    graph = photo_graph()
    graph.add_node(Node(key="cut", operator="slice"))
    graph.connect(port("images"), "cut", 0)
    graph.connect(port("images"), "cut", 2)
    assert findings(graph) == [("DS201", "cut", "anchor", "error")]


def test_what_the_operator_itself_refuses() -> None:
    assert findings(with_node("reader", arguments={})) == [("DS103", "reader", "file_root", "error")]


def test_wires_into_arguments() -> None:
    graph = photo_graph()
    graph.connect(port("reader", 1), "turned", argument="angle")
    found = only(graph)
    assert (found.code, found.argument, found.hint) == ("DS203", "angle", "Insert a cast to FLOAT.")
    graph = photo_graph()
    graph.connect(port("angle"), "turned", argument="keep_size")
    graph.connect(port("angle"), "turned", argument="keep_it")
    graph.connect(port("angle", 4), "turned", argument="size")
    assert sorted(findings(graph)) == [
        ("DS102", "turned", "keep_it", "error"), ("DS107", "turned", "keep_size", "error"),
        ("DS209", "turned", "size", "error"),
    ]  # fmt: skip


def test_wires_into_inputs() -> None:
    graph = photo_graph()
    graph.connect(port("reader"), "turned", 0)
    found = only(graph)
    assert (found.code, found.argument) == ("DS203", "image") and "decoders.image" in found.hint
    graph = photo_graph()
    graph.add_node(Node(key="floats", operator="cast", arguments={"dtype": "FLOAT"}))
    graph.connect(port("reader"), "floats", 0)
    graph.connect(port("floats"), "images", 0)
    found = only(graph)
    assert found.code == "DS203" and "FLOAT" in found.message and found.hint == "Insert a cast to UINT8."


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ("CHW", 'Order the axes as HWC where the data is made, or there by output_layout="HWC".'),
        ("HW", "Feed data of layout HWC or FHWC."),
    ],
)
def test_layouts(layout: str, words: str) -> None:
    graph = with_node("images", operator="external_source", arguments={"dtype": "UINT8", "layout": (layout,)})
    graph.disconnect("images", 0)
    found = only(graph)
    assert (found.code, found.node, found.hint) == ("DS203", "turned", words)


def test_rank_without_layout() -> None:
    graph = photo_graph()
    graph.connect(port("reader", 1), "turned", 0)
    found = only(graph)
    assert found.code == "DS203" and found.message == "reader gives labels here; turned takes images."
    # the button leads back to what was wired
    ((repair, edits),) = offered(graph, REGISTRY, [found])
    assert repair.title == "Wire images instead"
    assert validate(apply(graph, edits(Path), REGISTRY)[0], REGISTRY).diagnostics == ()


def test_an_input_that_is_missing_is_wired_by_a_button() -> None:
    graph = photo_graph()
    before = graph.outputs
    graph.disconnect("turned", 0)
    ((repair, edits),) = offered(graph, REGISTRY, [only(graph)])
    assert repair.title == "Put it after images"
    assert apply(graph, edits(Path), REGISTRY)[0].outputs == before
    # a node that nothing takes is returned in place of what it takes
    graph = apply(photo_graph(), (AddNode(key="loose", operator=graph.node("turned").operator),), REGISTRY)[0]
    found = [d for d in validate(graph, REGISTRY).diagnostics if d.code == "DS201"]
    ((repair, edits),) = offered(graph, REGISTRY, found)
    assert repair.title == "Put it after turned"
    after = apply(graph, edits(Path), REGISTRY)[0]
    assert port("loose") in after.outputs and port("turned") not in after.outputs
    assert not [d for d in validate(after, REGISTRY).diagnostics if d.code == "DS201"]


def test_devices() -> None:
    graph = with_node("images", device="gpu")
    assert findings(graph) == [("DS206", "images", "device", "error"), ("DS207", "images", "encoded", "error"),
                               ("DS207", "turned", "image", "error")]  # fmt: skip
    graph = with_node("images", device="mixed")
    assert findings(graph)[0] == ("DS206", "images", "device", "error")
    graph.options = GraphOptions(device_id=0)
    found = only(graph)
    assert (found.code, found.node) == ("DS207", "turned") and "Place turned on the GPU" in found.hint
    graph.replace_node(replace(graph.node("turned"), device="gpu"))
    result = validate(graph, REGISTRY)
    assert result.diagnostics == () and result.metas[port("turned")].device == "gpu"


def test_copies_cross_devices_and_arguments_stay_on_the_cpu() -> None:
    graph = with_node("turned", device="gpu")
    graph.options = GraphOptions(device_id=0)
    found = only(graph)
    assert found.code == "DS207" and "Copy images to the GPU with .gpu()" in found.hint
    graph.add_node(Node(key="up", operator="copy", device="gpu"))
    graph.connect(port("images"), "up", 0)
    graph.connect(port("up"), "turned", 0)
    assert findings(graph) == []
    graph.add_node(Node(key="angle_up", operator="copy", device="gpu"))
    graph.connect(port("angle"), "angle_up", 0)
    graph.connect(port("angle_up"), "turned", argument="angle")
    assert findings(graph) == [("DS207", "turned", "angle", "error")]


def test_cycles_are_found_and_the_rest_is_still_checked() -> None:
    graph = photo_graph()
    for key in ("one", "two", "three"):
        graph.add_node(Node(key=key, operator="cast", arguments={"dtype": "FLOAT"} if key != "two" else {}))
    graph.connect(port("one"), "two", 0)
    graph.connect(port("two"), "one", 0)
    graph.connect(port("two"), "three", 0)
    result = validate(graph, REGISTRY)
    assert [(d.code, d.node) for d in result.diagnostics] == [("DS204", "one"), ("DS103", "two")]
    assert result.metas[port("turned")].layout == "HWC"
    assert result.metas[port("three")] == TensorMeta()


def test_outputs_of_the_pipeline() -> None:
    graph = photo_graph()
    graph.set_outputs([])
    assert findings(graph) == [("DS205", "", "", "error")]
    graph.set_outputs([port("reader", 2)])
    assert findings(graph) == [("DS209", "reader", "", "error")]


def test_number_of_outputs_follows_arguments() -> None:
    graph = Graph()
    graph.add_node(Node(key="data", operator="external_source", arguments={"num_outputs": 2}))
    graph.set_outputs([port("data", 1)])
    result = validate(graph, REGISTRY)
    assert result.diagnostics == () and set(result.metas) == {port("data"), port("data", 1)}


def test_objects() -> None:
    graph = Graph()
    graph.add_node(Node(key="data", operator="external_source", objects={"source": MISSING, "sauce": print}))
    graph.set_outputs([port("data")])
    assert findings(graph) == [("DS304", "data", "source", "error"), ("DS102", "data", "sauce", "error")]


def test_a_fault_inside_an_operator_becomes_a_finding() -> None:
    graph = photo_graph()
    graph.add_node(Node(key="bad", operator="broken"))
    graph.connect(port("images"), "bad", 0)
    found = only(graph)
    assert (found.code, found.node, found.detail) == ("DS305", "bad", "RuntimeError: a fault")
    graph.connect(port("bad"), "turned", 0)
    assert [d.node for d in validate(graph, REGISTRY).diagnostics] == ["bad"]


@pytest.mark.parametrize(
    ("meta", "text"),
    [
        (TensorMeta(), "–"),
        (TensorMeta(kind="encoded"), "encoded bytes"),
        (TensorMeta(DALIDataType.FLOAT, 0, ""), "scalar f32"),
        (TensorMeta(DALIDataType.FLOAT), "– f32"),
        (TensorMeta(None, 2), "2-D –"),
        (TensorMeta(DALIDataType.INT32, None, "HW"), "H×W i32"),
    ],
)
def test_facts(meta: TensorMeta, text: str) -> None:
    assert describe(meta) == text
