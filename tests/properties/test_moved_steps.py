"""Steps of random programs go elsewhere: their lines go along, with all comments, and the others stay."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from dali_studio.api.default import default_registry
from dali_studio.api.reading.changes import changed
from dali_studio.api.reading.text import ProgramText
from dali_studio.graph.apply import apply
from dali_studio.graph.card_edits import unfolded
from dali_studio.graph.difference import pairs
from dali_studio.graph.edits import (
    AddNode,
    Connect,
    Disconnect,
    Edit,
    PortRef,
    RemoveNode,
    SetArgument,
    SetChance,
    SetOutputs,
)
from dali_studio.graph.model import Graph

REGISTRY = default_registry()
CALLS = (
    "fn.resize({}, size=(200,  200))", "fn.gaussian_blur({}, sigma=2.0)", "fn.rotate({}, angle={angle})",
    "fn.flip({},\n            horizontal=1)", "fn.hsv(\n        {},  # its hue\n        hue={angle})",
)  # fmt: skip
UNARY = {"resize", "gaussian_blur", "rotate", "flip", "hsv"}


@st.composite
def programs(draw: st.DrawFn, *, again: bool) -> str:
    """A reader, a decoder, and steps that read any variable; `again`: which may be assigned once more."""
    lines = ["files, labels = fn.readers.file(file_root='/photos')", "images = fn.decoders.image(files)"]
    variables = ["images"]
    for number in range(draw(st.integers(2, 7))):
        call, source = draw(st.sampled_from(CALLS)), draw(st.sampled_from(variables[-2:]))
        angle = draw(st.sampled_from(["7.5", "fn.random.uniform(range=(-10,  10))", "angle"]))
        if "angle" in call and angle == "angle":
            angle = f"angle{number}"
            lines.append(f"{angle} = fn.random.uniform(range=[-3.0,  3])")
        if draw(st.integers(0, 3)) == 0:
            call = call.replace("{}", "fn.flip({}, vertical=1)")
        target = draw(st.sampled_from(variables)) if again and draw(st.booleans()) else f"step{number}"
        lines.append(f"{target} = {call.format(source, angle=angle)}")
        variables = [*(one for one in variables if one != target), target]
    made: list[str] = []
    for number, line in enumerate(lines):
        above = draw(st.integers(0, 2))
        made += [""] if draw(st.integers(0, 4)) == 0 else []
        made += [f"    # above {number}.{i}" for i in range(above)]
        made.append(f"    {line}" + (f"  # behind {number}" if draw(st.booleans()) else ""))
    returned = [variables[-1], draw(st.sampled_from(variables)), "labels"]
    body = "\n".join(made)
    return (
        "# a program\nfrom nvidia.dali import fn, pipeline_def\n\n\n@pipeline_def(batch_size=4, num_threads=2,"
        f" device_id=None)\ndef program():\n{body}\n    # the end\n    return {', '.join(returned)}\n"
    )


def move_into(graph: Graph, key: str, at: PortRef, targets: Sequence[tuple[str, int | None, str]]) -> list[Edit]:
    """The edits that put a step behind an output: before all these targets, and before the pipeline's end."""
    own = PortRef(node=key)
    edits: list[Edit] = [Connect(source=at, target=key, input=0)]
    edits += [Connect(source=own, target=to, input=number, argument=argument) for to, number, argument in targets]
    return [*edits, SetOutputs(outputs=tuple(own if port == at else port for port in graph.outputs))]


def moved(graph: Graph, draw: st.DataObject) -> tuple[Graph, set[str]]:
    """The graph after a step has gone into other wires, and the nodes whose wires are other ones."""
    key = draw.draw(st.sampled_from(wired(graph)))
    own, source = PortRef(node=key), graph.inputs(key)[0]
    assert source is not None
    ports = [PortRef(node=node.key) for node in graph.nodes() if node.operator in {*UNARY, "decoders.image"}]
    at = draw.draw(st.sampled_from([port for port in ports if port not in (own, source)] or [source]))
    readers = graph.consumers(own)
    out: list[Edit] = [
        Connect(source=source, target=to, input=number, argument=argument) for to, number, argument in readers
    ]
    out.append(SetOutputs(outputs=tuple(source if port == own else port for port in graph.outputs)))
    apart = apply(graph, out, REGISTRY)[0]
    targets = [one for one in apart.consumers(at) if one[1] == 0 and one[0] != key]
    made = apply(apart, move_into(apart, key, at, targets), REGISTRY)[0]
    return made, {key, *(one[0] for one in (*readers, *targets))}


def comments(text: str) -> list[str]:
    return sorted(re.findall("#.*", text))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_the_lines_of_a_step_that_moves_go_along(data: st.DataObject) -> None:
    text = data.draw(programs(again=False))
    source = ProgramText(text)
    graph, touched = moved(source.graph, data)
    made, same = changed(source, graph)
    assert set(same.values()) == set(graph) and pairs(made.graph, graph, REGISTRY) is not None
    assert comments(made.text) == comments(text)
    old, new = text.splitlines(), made.text.splitlines()
    spans = source.lines()
    own = {number for key in touched for number in spans[key]}
    others = [line for number, line in enumerate(old, 1) if number not in own and "return " not in line]
    assert all(new.count(line) >= others.count(line) for line in others)


def wired(graph: Graph) -> list[str]:
    """The steps of which no input is open."""
    return [node.key for node in graph.nodes() if node.operator in UNARY and graph.inputs(node.key)]


def edited(graph: Graph, draw: st.DataObject) -> Graph:
    """The graph after a step is moved, put into a wire, taken away, or wired otherwise."""
    kind = draw.draw(st.sampled_from(["move", "insert", "remove", "wire", "output", "angle", "cut", "delete"]))
    if kind == "move" and wired(graph):
        return moved(graph, draw)[0]
    images = [node.key for node in graph.nodes() if node.operator in {*UNARY, "decoders.image"}]
    at = PortRef(node=draw.draw(st.sampled_from(images)))
    consumers = [one for one in graph.consumers(at) if one[1] == 0]
    edits: list[Edit] = []
    if kind == "insert":
        key = graph.free_key("saturation")
        edits = [AddNode(key=key, operator="saturation"), *move_into(graph, key, at, consumers)]
    elif kind == "cut":
        edits = [Disconnect(target=at.node, input=0)] if graph.inputs(at.node) else []
    elif kind == "delete":
        edits = [RemoveNode(key=at.node)]
    elif kind == "remove" and at.node in wired(graph):
        source = graph.inputs(at.node)[0]
        assert source is not None
        edits = [Connect(source=source, target=to, input=number, argument=argument)
                 for to, number, argument in graph.consumers(at)]  # fmt: skip
        edits += [SetOutputs(outputs=tuple(source if port == at else port for port in graph.outputs)), RemoveNode(key=at.node)]
    elif kind == "wire":
        others = [key for key in images if key not in graph.descendants(at.node) and key != at.node]
        if others and graph.node(at.node).operator in UNARY:
            edits = [Connect(source=PortRef(node=draw.draw(st.sampled_from(others))), target=at.node, input=0)]
    elif kind == "output":
        edits = [SetOutputs(outputs=(at, *graph.outputs[1:]))]
    elif kind == "angle" and graph.node(at.node).operator == "rotate":
        is_wired = "angle" in graph.argument_inputs(at.node)
        edits = [Disconnect(target=at.node, argument="angle")] if is_wired else []
        edits.append(SetArgument(key=at.node, argument="angle", value=3.0))
    return apply(graph, edits, REGISTRY)[0]


def with_chances(graph: Graph, draw: st.DataObject) -> Graph:
    """The graph with some steps that are applied with a probability."""
    steps = [key for key in wired(graph) if graph.outputs_used(key)]
    for key in draw.draw(st.sets(st.sampled_from(steps), max_size=2)) if steps else ():
        graph = apply(graph, unfolded([SetChance(key=key, part=0.25)], graph, REGISTRY), REGISTRY)[0]
    return graph


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_comments_stay_whatever_is_done_to_steps(data: st.DataObject) -> None:
    text = data.draw(programs(again=True))
    source = ProgramText(text)
    graph = source.graph
    for last in [*data.draw(st.lists(st.just(False), min_size=1, max_size=3)), True]:
        graph = with_chances(graph, data) if last else edited(graph, data)
        made, same = changed(source, graph)
        assert set(same.values()) == set(graph)
        gone = {number for key in source.graph if key not in graph for number in source.lines()[key]}
        lines = text.splitlines()
        for number in sorted(gone):  # with a step goes what stands right above it
            gone |= {at for at in range(1, number) if all(line.strip().startswith("#") for line in lines[at - 1 : number - 1])}
        lost = Counter(comments(text)) - Counter(comments(made.text))
        assert set(lost) <= {comment for number in gone for comment in comments(lines[number - 1])}
