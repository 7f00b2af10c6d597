"""Repairs of placements, and whole placements."""

from __future__ import annotations

from dataclasses import replace

from dali_studio import Pipeline, fn, types
from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import errors
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph, Node
from dali_studio.graph.placement import on_cpu, on_gpu, repairs
from dali_studio.graph.validate import validate
from dali_studio.schema.model import Device

REGISTRY = default_registry()


def photos(device_id: int | None = 0) -> Graph:
    made = Pipeline(batch_size=2, num_threads=1, device_id=device_id)
    with made:
        files, labels = fn.readers.file(files=["a.jpg"], name="reader")
        image = fn.decoders.image(files, name="decode")
        small = fn.resize(image, size=(30, 40), name="small")
        turned = fn.rotate(small, angle=fn.random.uniform(name="angle"), name="turned")
        made.set_outputs(fn.flip(turned, name="flipped"), small, labels)
    return made.graph


def placed(graph: Graph, **devices: Device) -> Graph:
    for key, device in devices.items():
        graph.replace_node(replace(graph.node(key), device=device))
    return graph


def repaired(graph: Graph) -> tuple[Graph, list[str]]:
    """The graph after the first repair again and again, and what the buttons said."""
    titles: list[str] = []
    while found := repairs(graph, REGISTRY, validate(graph, REGISTRY).diagnostics):
        repair, edits = found[0]
        titles.append(repair.title)
        graph = apply(graph, edits, REGISTRY)[0]
    return graph, titles


def devices(graph: Graph) -> dict[str, str]:
    return {key: graph.node(key).device for key in graph}


def test_a_gpu_operator_behind_the_cpu_gets_a_copy_and_what_follows_moves_along() -> None:
    graph, titles = repaired(placed(photos(), small="gpu"))
    assert titles == ["Copy decode to the GPU", "Place turned, flipped on the GPU"]
    assert errors(validate(graph, REGISTRY).diagnostics) == ()
    assert devices(graph) == {"reader": "cpu", "decode": "cpu", "small": "gpu", "angle": "cpu", "turned": "gpu",
                              "flipped": "gpu", "to_gpu": "mixed"}  # fmt: skip


def test_a_mixed_decoder_moves_all_that_follows() -> None:
    graph, titles = repaired(placed(photos(), decode="mixed"))
    assert titles == ["Place small, turned, flipped on the GPU"]
    assert errors(validate(graph, REGISTRY).diagnostics) == ()


def test_arguments_return_to_the_cpu() -> None:
    graph, titles = repaired(placed(photos(), decode="mixed", small="gpu", turned="gpu", flipped="gpu", angle="gpu"))
    assert titles == ["Place angle on the CPU"]
    assert devices(graph)["angle"] == "cpu" and errors(validate(graph, REGISTRY).diagnostics) == ()


def test_what_cannot_move_gets_a_copy_back() -> None:
    made = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with made:
        rows = fn.external_source(source=list, device="gpu", name="rows", ndim=1)
        like = fn.external_source(source=list, device="gpu", name="like")
        numbers = fn.random.uniform(like, device="gpu", name="numbers")
        image = fn.external_source(source=list, layout="HWC", name="image")
        made.set_outputs(fn.random.choice(rows, name="chosen"), fn.rotate(image, angle=numbers, name="turned"))
    graph, titles = repaired(made.graph)
    assert sorted(titles) == ["Copy numbers to the CPU", "Place rows on the CPU"]
    assert errors(validate(graph, REGISTRY).diagnostics) == ()
    (argument,) = graph.argument_inputs("turned").values()
    assert graph.node(argument.node).operator == "to_cpu" and graph.inputs(argument.node)[0] == PortRef(node="numbers")
def test_an_argument_that_is_computed_on_the_gpu_is_copied_to_the_cpu() -> None:
    made = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with made:
        data = fn.external_source(source=list, layout="HWC", name="data").gpu()
        number = fn.cast(data, dtype=types.FLOAT, name="number")
        made.set_outputs(fn.rotate(data, angle=number, name="turned"))
    graph, titles = repaired(made.graph)
    assert titles == ["Copy number to the CPU"]
    assert errors(validate(graph, REGISTRY).diagnostics) == ()
    assert graph.argument_inputs("turned")["angle"].node == "to_cpu"
    assert "to_cpu" not in on_cpu(graph, REGISTRY)


def test_a_pipeline_without_a_gpu_is_given_one() -> None:
    graph, titles = repaired(placed(photos(None), decode="mixed"))
    assert titles[0] == "Use GPU 0" and graph.options.device_id == 0
    assert errors(validate(graph, REGISTRY).diagnostics) == ()


def test_where_there_is_no_gpu_a_node_goes_back_to_the_cpu() -> None:
    graph = placed(photos(None), decode="mixed")
    found = errors(validate(graph, REGISTRY).diagnostics)
    ((repair, edits),) = [one for one in repairs(graph, REGISTRY, found, gpu=False) if one[0].code == "DS206"]
    assert repair.title == "Place decode on the CPU"
    assert apply(graph, edits, REGISTRY)[0] == photos(None)


def test_other_findings_have_no_repair() -> None:
    graph = photos()
    graph.disconnect("turned", 0)
    assert repaired(graph)[1] == []


def test_whole_placements_are_valid_and_lead_back_to_one_graph() -> None:
    graph = photos()
    everything = on_gpu(graph, REGISTRY)
    assert errors(validate(everything, REGISTRY).diagnostics) == ()
    assert devices(everything) == {"reader": "cpu", "decode": "mixed", "small": "gpu", "angle": "cpu", "turned": "gpu",
                                   "flipped": "gpu"}  # fmt: skip
    assert on_cpu(everything, REGISTRY) == on_cpu(graph, REGISTRY) == graph
    assert errors(validate(on_gpu(photos(None), REGISTRY), REGISTRY).diagnostics) == ()
    with_copy, _ = repaired(placed(photos(), small="gpu"))
    assert on_cpu(with_copy, REGISTRY) == graph


def test_one_copy_serves_all_that_read_a_source_and_what_feeds_the_cpu_stays_there() -> None:
    made = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with made:
        data = fn.external_source(source=list, layout="HWC", name="data")
        number = fn.resize(data, size=(1, 1), name="number")
        made.set_outputs(fn.flip(data, name="a"), fn.flip(data, name="b"), fn.rotate(data, angle=number, name="c"))
    everything = on_gpu(made.graph, REGISTRY)
    assert devices(everything) == {"data": "cpu", "number": "cpu", "a": "gpu", "b": "gpu", "c": "gpu", "to_gpu": "mixed"}


def test_wires_to_inputs_that_no_operator_has_stop_no_placement() -> None:
    graph = Graph()
    for key in ("a", "b"):
        graph.add_node(Node(key=key, operator="external_source"))
    graph.add_node(Node(key="x", operator="cast", arguments={"dtype": "FLOAT"}))
    graph.connect(PortRef(node="a"), "x", 0)
    graph.connect(PortRef(node="b"), "x", 7)
    graph.set_outputs([PortRef(node="x")])
    assert on_gpu(graph, REGISTRY).node("x").device == "gpu"
