"""Groups of nodes as functions of programs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dali_studio import Pipeline, fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.api.reading.program import read
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.codegen.functions import Function
from dali_studio.codegen.parameters import module_parameters
from dali_studio.graph.model import Graph, structural_keys
from dali_studio.graph.seeds import operator_indices

REGISTRY = default_registry()


@pipeline_def(batch_size=3, num_threads=1, device_id=None, seed=5)
def photos() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    small = fn.resize(fn.decoders.image(files), resize_x=40, resize_y=30, name="small")
    turned = fn.rotate(small, angle=fn.random.uniform(range=(-30.0, 30.0), name="angle"), keep_size=True, name="turned")
    return fn.flip(turned, horizontal=1, name="flipped"), turned, labels


GRAPH = photos().graph
EXPOSED = (("turned", "keep_size"), ("turned", "fill_value"), ("small", "resize_x"))
AUGMENT = Function("photos", frozenset(["small", "turned", "angle"]), EXPOSED)


def function_of(emitted: Emitted) -> list[str]:
    return emitted.source.split("\n@pipeline_def")[0].split("\n\n\n")[1].strip().splitlines()


def test_a_group_is_a_function_with_its_exposed_arguments() -> None:
    emitted = emit(GRAPH, REGISTRY, "nvidia.dali", functions=[AUGMENT])
    first, *_, last = function_of(emitted)
    assert first == "def photos_2(decode, keep_size, resize_x):"  # the pipeline is called photos; fill_value has no value
    assert last == "    return turned"
    call = "turned = photos_2(decode, keep_size=True, resize_x=40)"
    assert call in emitted.source and emitted.diagnostics == ()
    lines = emitted.source.splitlines()
    marked = {key: [lines[n - 1] for n in numbers] for key, numbers in emitted.lines.items()}
    assert "".join(marked["turned"]).count("fn.rotate(") == 1 and not any(call in line for line in marked["turned"])
    assert "decode = " in marked["decode"][0]  # a parameter of the function has its name, too


def outputs(program: str) -> list[np.ndarray]:
    space: dict[str, Any] = {"__name__": "program"}
    exec(compile(program, "program", "exec"), space)
    pipe: Any = space["photos"]()
    pipe.build()
    return [np.asarray(out.at(i)) for out in pipe.run() for i in range(3)]


@pytest.mark.parametrize("dialect", ["dali_studio", "nvidia.dali"])
def test_functions_change_no_number(dialect: str) -> None:
    pytest.importorskip(dialect)
    plain = outputs(emit(GRAPH, REGISTRY, dialect).source)
    grouped = outputs(emit(GRAPH, REGISTRY, dialect, functions=[AUGMENT]).source)
    assert all(np.array_equal(a, b) for a, b in zip(plain, grouped, strict=True))


TURN = Function("turn", frozenset(["turned", "angle"]), (("turned", "keep_size"), ("angle", "range")))
RANDOM = Function("draw", frozenset(["angle"]))
OUTER = Function("augment", AUGMENT.keys, (("turned", "keep_size"), ("small", "resize_x")))


@pytest.mark.parametrize("functions", [[OUTER, TURN, RANDOM], [RANDOM, TURN, OUTER]])
def test_functions_within_functions_pass_their_exposed_arguments_on(functions: list[Function]) -> None:
    emitted = emit(GRAPH, REGISTRY, "dali_studio", functions=functions)
    parts = emitted.source.split("\n@pipeline_def")[0].split("\n\n\n")[1:]
    draw, turn, augment = (part.strip().splitlines() for part in parts)
    assert draw[0] == "def draw(range):" and draw[-1] == "    return angle"
    assert turn[0] == "def turn(small, keep_size, range):" and "    angle = draw(range=range)" in turn
    assert augment[0] == "def augment(decode, keep_size, resize_x):"
    assert "    turned = turn(small, keep_size=keep_size, range=[-30, 30])" in augment
    assert "    turned = augment(decode, keep_size=True, resize_x=40)" in emitted.source
    assert emitted.diagnostics == ()
    lines = emitted.source.splitlines()
    assert next(lines[n - 1].split(" = ")[0].strip() for n in emitted.lines["angle"]) == "angle"
    plain = outputs(emit(GRAPH, REGISTRY, "dali_studio").source)
    assert all(np.array_equal(a, b) for a, b in zip(plain, outputs(emitted.source), strict=True))
    again = read(emitted.source, found=[])
    assert [(n.key, n.arguments) for n in again.nodes()] == [(n.key, n.arguments) for n in read(
        emit(GRAPH, REGISTRY, "dali_studio").source, found=[]).nodes()]  # fmt: skip


def test_functions_that_overlap_share_no_node() -> None:
    other = Function("other", frozenset(["turned", "flipped"]))
    source = emit(GRAPH, REGISTRY, "nvidia.dali", functions=[AUGMENT, other]).source
    assert "def other(turned):" in source and source.count("fn.rotate(") == 1


def test_programs_with_functions_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(emit(GRAPH, REGISTRY, "nvidia.dali", functions=[AUGMENT]).source)
    assert sorted(read(str(path))) == sorted(GRAPH)


def test_what_has_other_nodes_between_its_nodes_is_no_function() -> None:
    around = Function("around", frozenset(["decode", "turned"]))
    both = [Function("one", frozenset(["decode", "angle"])), Function("two", frozenset(["small", "turned"]))]
    emitted = emit(GRAPH, REGISTRY, "nvidia.dali", functions=[around])
    assert emitted.source == emit(GRAPH, REGISTRY, "nvidia.dali").source
    assert [(d.code, d.severity, d.node) for d in emitted.diagnostics] == [("DS501", "info", "decode")]
    assert emit(GRAPH, REGISTRY, "nvidia.dali", functions=both).source.count("\ndef ") == 3


def test_functions_without_nodes_of_the_run_and_of_graphs_with_a_cycle_are_left_out() -> None:
    gone = Function("gone", frozenset(["elsewhere"]))
    assert emit(GRAPH, REGISTRY, "nvidia.dali", functions=[gone]) == emit(GRAPH, REGISTRY, "nvidia.dali")
    circle: Graph = GRAPH.copy()
    circle.connect(circle.outputs[0], "small", 0)
    assert emit(circle, REGISTRY, "nvidia.dali", functions=[AUGMENT]) == emit(circle, REGISTRY, "nvidia.dali")


def test_a_function_that_returns_nothing_is_called_all_the_same() -> None:
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        shown = fn.random.uniform(name="shown")
        fn.random.uniform(name="kept", preserve=True)
        pipe.set_outputs(shown)
    source = emit(pipe.graph, REGISTRY, "nvidia.dali", functions=[Function("side", frozenset(["kept"]))]).source
    assert "    side()\n" in source


BRANCHES = """
@pipeline_def(batch_size=2, enable_conditionals=True)
def p():
    images = fn.decoders.image(fn.readers.file(file_root="/photos", name="reader")[0])
    if fn.random.coin_flip(dtype=types.BOOL):
        images = fn.flip(images)
    return fn.rotate(images, angle=3)
"""


def computed(graph: Graph) -> list[str]:
    """Names for what a pipeline returns: equal ones mean equal data."""
    keys = structural_keys(graph, REGISTRY, operator_indices(graph, REGISTRY))
    return [f"{keys[port.node]} {port.output}" for port in graph.outputs]


def test_a_function_has_all_of_a_condition() -> None:
    graph = read("from nvidia.dali import fn, pipeline_def, types\n" + BRANCHES, found=[])
    (turned,) = (port.node for port in graph.outputs)
    ends = {graph.node(key).operator.rpartition(".")[2]: key for key in graph}
    some = [Function("some", frozenset([ends["flip"], ends["split"], ends["merge"], ends["coin_flip"]]))]
    emitted = emit(graph, REGISTRY, "nvidia.dali", functions=some)
    assert """
def some(decode):
    coin_flip = fn.random.coin_flip(dtype=types.BOOL)
    if coin_flip:
        flip = fn.flip(decode)
    else:
        flip = decode
    return flip
""" in emitted.source
    assert "    flip = some(decode)\n    rotate = fn.rotate(flip, angle=3)\n" in emitted.source
    lines = emitted.source.splitlines()
    assert any("fn.flip" in lines[number - 1] for number in emitted.lines[ends["flip"]])
    again = read(emitted.source, found=[])
    assert computed(again) == computed(graph)
    # what is behind the condition, or all of it and that
    for more in ([turned], [turned, *some[0].keys], [turned, ends["merge"], ends["split"], ends["flip"]]):
        made = emit(graph, REGISTRY, "nvidia.dali", functions=[Function("f", frozenset(more))])
        again = read(made.source, found=[])
        assert "= f(" in made.source and not [d for d in made.diagnostics if d.code == "DS501"]
        assert computed(again) == computed(graph)


def test_a_part_of_a_condition_is_no_function() -> None:
    graph = read("from nvidia.dali import fn, pipeline_def, types\n" + BRANCHES, found=[])
    flip = next(key for key in graph if graph.node(key).operator == "flip")
    functions = [Function("turn", frozenset([flip])), Function("gone", frozenset(["elsewhere"]))]
    emitted, plain = (emit(graph, REGISTRY, "nvidia.dali", functions=one) for one in (functions, ()))
    assert (emitted.source, emitted.lines) == (plain.source, plain.lines) and "    if " in plain.source
    (found,) = set(emitted.diagnostics) - set(plain.diagnostics)
    assert (found.code, found.severity, found.node) == ("DS501", "info", flip)
    assert found.message == "turn is no function of the program: a condition is partly outside of it."


@pytest.mark.parametrize("branches", [
    "if c:\n        x = fn.flip(images)\n    else:\n        x = fn.rotate(images, angle=fn.random.uniform())",
    "x = fn.flip(images)\n    if c:\n        if d:\n            x = fn.rotate(images, angle=5)\n        else:\n            x = images",
    "x = images\n    if c:\n        x = fn.flip(x)\n    if d:\n        x = fn.hsv(x, hue=3)",
])  # fmt: skip
def test_any_box_of_a_program_with_conditions_computes_the_same(branches: str) -> None:
    text = f"""
from nvidia.dali import fn, pipeline_def, types
@pipeline_def(batch_size=2, enable_conditionals=True)
def p():
    images = fn.decoders.image(fn.readers.file(file_root="/photos", name="reader")[0])
    c, d = fn.random.coin_flip(dtype=types.BOOL), fn.random.coin_flip(dtype=types.BOOL, seed=3)
    {branches}
    return fn.brightness(x, brightness=2), images
"""
    graph = read(text, found=[])
    keys, draw, made = list(graph), random.Random(7), 0
    for _ in range(60):
        boxes = [Function(name, frozenset(draw.sample(keys, draw.randint(1, len(keys))))) for name in ("f", "g")]
        emitted = emit(graph, REGISTRY, "nvidia.dali", functions=boxes)
        assert computed(read(emitted.source, found=[])) == computed(graph), emitted.source
        made += emitted.source.count("\ndef ")
    assert made > 60


def test_parameters_of_the_module_keep_their_names() -> None:
    source = Function("source", frozenset(["reader", "decode"]), (("reader", "file_root"), ("reader", "shard_id")))
    emitted = emit(GRAPH, REGISTRY, "nvidia.dali", module_parameters(GRAPH, REGISTRY, {}), [source])
    assert "def source(num_shards, file_root, shard_id_2):" in emitted.source
    assert "source(num_shards, file_root=reader_file_root, shard_id_2=shard_id)" in emitted.source
    node = read(emitted.source, arguments={"shard_id": 2, "num_shards": 4}, found=[]).node("reader")
    assert (node.arguments["shard_id"], node.arguments["num_shards"]) == (2, 4)
