"""Random graphs and random edits: everything can be undone, stored and written."""

from __future__ import annotations

import ast

import black
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import photo_graph, port, toy_registry

from dali_studio.codegen.dialects import DIALECTS
from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import edits as e
from dali_studio.graph.apply import apply
from dali_studio.graph.document import dumps, loads
from dali_studio.graph.history import History
from dali_studio.graph.model import Graph, Node, structural_keys
from dali_studio.graph.seeds import operator_indices
from dali_studio.graph.validate import validate

REGISTRY = toy_registry()
KEYS = st.sampled_from(["reader", "images", "angle", "turned", "a", "b", "c", "d"])
PORTS = st.builds(e.PortRef, node=KEYS, output=st.integers(0, 1))
ARGUMENTS = st.sampled_from(
    ["angle", "fill_value", "range", "size", "dtype", "rel_start", "preserve", "seed", "keep_size"]
)
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 300), st.floats(allow_nan=False), st.sampled_from(["FLOAT", "RGB", ""]),
    st.lists(st.floats(-5, 5), max_size=3).map(tuple),
)  # fmt: skip
ENDS = st.one_of(st.fixed_dictionaries({"input": st.integers(0, 2)}), st.fixed_dictionaries({"argument": ARGUMENTS}))
EDITS = st.one_of(
    st.builds(e.AddNode, key=KEYS, operator=st.sampled_from(sorted(REGISTRY)), device=st.sampled_from(["cpu", "gpu"])),
    st.builds(e.RemoveNode, key=KEYS),
    st.builds(e.SetArgument, key=KEYS, argument=ARGUMENTS, value=VALUES, unset=st.booleans()),
    st.builds(lambda source, target, ends: e.Connect(source=source, target=target, **ends), PORTS, KEYS, ENDS),
    st.builds(lambda target, ends: e.Disconnect(target=target, **ends), KEYS, ENDS),
    st.builds(e.Rename, key=KEYS, new_key=KEYS),
    st.builds(e.SetDevice, key=KEYS, device=st.sampled_from(["cpu", "gpu", "mixed"])),
    st.builds(e.SetOutputs, outputs=st.lists(PORTS, max_size=3).map(tuple)),
    st.builds(e.SetPipeline, option=st.sampled_from(["batch_size", "seed", "name"]), value=VALUES),
)
BURSTS = st.lists(st.tuples(st.lists(EDITS, min_size=1, max_size=3), st.sampled_from(["", "drag"])), max_size=25)


def edited(bursts: list[tuple[list[e.Edit], str]]) -> History:
    history = History(photo_graph(), REGISTRY)
    for edits, gesture in bursts:
        before = history.graph
        try:
            history.apply(edits, gesture)
        except DaliStudioError:
            assert history.graph is before
    return history


@settings(max_examples=120, deadline=None)
@given(BURSTS)
def test_undo_all_is_the_start_and_redo_all_is_the_end(bursts: list[tuple[list[e.Edit], str]]) -> None:
    history = edited(bursts)
    end = dumps(history.graph)
    while history.can_undo:
        history.undo()
    assert dumps(history.graph) == dumps(photo_graph())
    assert history.graph == photo_graph()
    while history.can_redo:
        history.redo()
    assert dumps(history.graph) == end


def _tried(graph: Graph, *edits: e.Edit) -> Graph | tuple[Diagnostic, ...]:
    try:
        return apply(graph, edits, REGISTRY)[0]
    except DaliStudioError as refused:
        return refused.diagnostics


@settings(max_examples=120, deadline=None)
@given(st.lists(EDITS, max_size=40))
def test_edits_at_once_are_edits_one_by_one(edits: list[e.Edit]) -> None:
    start = photo_graph()
    graph, accepted = start, list[e.Edit]()
    for edit in edits:  # each on its own knows nothing of the types that those before it found
        alone, together = _tried(graph, edit), _tried(start, *accepted, edit)
        if isinstance(alone, Graph) and isinstance(together, Graph):
            graph = alone
            accepted.append(edit)
        else:
            assert alone == together
    assert dumps(apply(start, accepted, REGISTRY)[0]) == dumps(graph)


@settings(max_examples=120, deadline=None)
@given(BURSTS)
def test_documents_lead_back_and_any_graph_can_be_checked(bursts: list[tuple[list[e.Edit], str]]) -> None:
    graph = edited(bursts).graph
    again, _, found = loads(dumps(graph))
    assert again == graph and list(again) == list(graph) and found == ()
    assert dumps(again) == dumps(graph)
    assert validate(again, REGISTRY).diagnostics == validate(graph, REGISTRY).diagnostics
    indices = operator_indices(graph, REGISTRY)
    assert sorted(indices.values()) == list(range(len(indices)))
    assert structural_keys(graph, REGISTRY, indices) == structural_keys(again, REGISTRY, indices)


@settings(max_examples=60, deadline=None)
@given(BURSTS, st.sampled_from(sorted(DIALECTS)))
def test_programs_compile_and_are_stable(bursts: list[tuple[list[e.Edit], str]], dialect: str) -> None:
    graph = edited(bursts).graph
    emitted = emit(graph, REGISTRY, dialect)
    ast.parse(emitted.source)
    assert black.format_str(emitted.source, mode=black.Mode()) == emitted.source
    assert emit(graph.copy(), REGISTRY, dialect) == emitted
    # what returns nothing yet has all its lines
    assert set(emitted.lines) == (graph.reachable(registry=REGISTRY) if graph.outputs else set(graph))
    count = emitted.source.count("\n")
    assert all(lines and lines[0] >= 1 and lines[-1] <= count for lines in emitted.lines.values())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(KEYS, KEYS, st.integers(0, 1)), max_size=10))
def test_wires_in_circles_stop_nothing(wires: list[tuple[str, str, int]]) -> None:
    graph = Graph()
    for key in ("reader", "images", "angle", "turned", "a", "b", "c", "d"):
        graph.add_node(Node(key=key, operator="slice"))
    for source, target, number in wires:
        graph.connect(port(source), target, number)
    graph.set_outputs([port("d"), port("a")])
    circular = bool(graph.find_cycle())
    assert any(d.code == "DS204" for d in validate(graph, REGISTRY).diagnostics) == circular
    ast.parse(emit(graph, REGISTRY, "dali_studio").source)
