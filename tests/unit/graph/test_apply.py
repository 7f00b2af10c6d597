"""Edits: what they do, what they refuse, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from toy import photo_graph, port, toy_registry

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import edits as e
from dali_studio.graph.apply import AnyEdit, ReplaceNode, apply
from dali_studio.graph.history import LIMIT, History
from dali_studio.graph.model import Graph, Node

REGISTRY = toy_registry()


def done(graph: Graph, *edits: AnyEdit) -> Graph:
    """Apply, and check that the inverse leads back."""
    before = graph.copy()
    after, inverse = apply(graph, edits, REGISTRY)
    assert graph == before, "apply is pure"
    back, forward = apply(after, inverse, REGISTRY, check=False)
    assert back == before and list(back) == list(before)
    assert apply(back, forward, REGISTRY, check=False)[0] == after
    return after


def refused(graph: Graph, *edits: AnyEdit) -> Diagnostic:
    before = graph.copy()
    with pytest.raises(DaliStudioError) as error:
        apply(graph, edits, REGISTRY)
    assert graph == before
    return error.value.diagnostics[0]


def test_add_node_takes_canonical_values_and_the_operator_version() -> None:
    add = e.AddNode(key="cut", operator="rotate", device="gpu", arguments={"angle": 3, "size": None})
    node = done(photo_graph(), add).node("cut")
    assert node == Node(key="cut", operator="rotate", device="gpu", arguments={"angle": 3.0}, version=1)


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (e.AddNode(key="angle", operator="cast"), "DS208"),
        (e.AddNode(key="x", operator="rotat"), "DS101"),
        (e.AddNode(key="2x", operator="cast"), "DS209"),
        (e.AddNode(key="class", operator="cast"), "DS209"),
        (e.AddNode(key="fn", operator="cast"), "DS209"),
        (e.AddNode(key="x", operator="cast", arguments={"dtype": "UINT7"}), "DS104"),
        (e.AddNode(key="x", operator="cast", arguments={"type": "UINT8"}), "DS102"),
        (e.AddNode(key="x", operator="external_source", arguments={"source": "f"}), "DS104"),
        (e.RemoveNode(key="x"), "DS209"),
        (e.Rename(key="x", new_key="y"), "DS209"),
        (e.Rename(key="angle", new_key="turned"), "DS208"),
        (e.Rename(key="angle", new_key="an angle"), "DS209"),
        (e.SetArgument(key="x", argument="angle", value=1.0), "DS209"),
        (e.SetArgument(key="turned", argument="fill_value", value=256), "DS105"),
        (e.SetArgument(key="turned", argument="fill_value", value=float("nan")), "DS105"),
        (e.SetArgument(key="turned", argument="angle", value=float("nan")), "DS105"),
        (e.SetArgument(key="turned", argument="angle", value=None), "DS104"),
        (e.SetDevice(key="x", device="gpu"), "DS209"),
        (e.Disconnect(target="images", input=1), "DS209"),
        (e.SetOutputs(outputs=(port("reader", 2),)), "DS209"),
        (e.SetPipeline(option="batchsize", value=4), "DS102"),
        (e.SetPipeline(option="batch_size", value=0), "DS105"),
        (e.SetPipeline(option="batch_size", value="8"), "DS104"),
        (e.Connect(source=port("x"), target="turned", input=0), "DS209"),
        (e.Connect(source=port("images"), target="x", input=0), "DS209"),
        (e.Connect(source=port("reader", 2), target="turned", input=0), "DS209"),
        (e.Connect(source=port("images"), target="turned", input=1), "DS202"),
        (e.Connect(source=port("images"), target="turned"), "DS209"),
        (e.Connect(source=port("turned"), target="turned", input=0), "DS204"),
        (e.Connect(source=port("angle"), target="turned", argument="keep_size"), "DS107"),
        (e.Connect(source=port("angle"), target="turned", argument="tilt"), "DS102"),
        (e.Connect(source=port("reader", 1), target="turned", argument="angle"), "DS203"),
        (e.Connect(source=port("reader"), target="turned", input=0), "DS203"),
    ],
)
def test_refusals(edit: e.Edit, code: str) -> None:
    found = refused(photo_graph(), e.SetPipeline(option="batch_size", value=3), edit)
    assert found.code == code and found.hint


def test_cycle_is_refused_with_its_path() -> None:
    graph = photo_graph()
    graph.replace_node(replace(graph.node("images"), operator="cast", arguments={"dtype": "UINT8"}))
    found = refused(graph, e.Connect(source=port("turned"), target="images", input=0))
    assert (found.code, "images → turned → images" in found.message) == ("DS204", True)


def test_removal_restores_everything_objects_included() -> None:
    graph = photo_graph()

    def source() -> int:
        return 1

    graph.replace_node(Node(key="images", operator="external_source", objects={"source": source}, extra={"note": 1}))
    graph.disconnect("images", 0)
    graph.set_outputs([port("images"), port("turned"), port("images")])
    after = done(graph, e.RemoveNode(key="images"))
    assert list(after) == ["reader", "angle", "turned"]
    assert after.outputs == (port("turned"),) and after.inputs("turned") == ()
    history = History(graph, REGISTRY)
    history.apply([e.RemoveNode(key="images")])
    assert history.undo().node("images").objects["source"] is source


def test_setting_an_argument_that_held_an_object() -> None:
    graph = Graph()
    graph.add_node(Node(key="turned", operator="rotate", objects={"angle": [1.0]}))
    after = done(graph, e.SetArgument(key="turned", argument="angle", value=5))
    assert (after.node("turned").arguments, after.node("turned").objects) == ({"angle": 5.0}, {})


def test_small_edits() -> None:
    graph = photo_graph()
    after = done(
        graph,
        e.SetArgument(key="turned", argument="fill_value", unset=True),
        e.SetArgument(key="turned", argument="keep_size", value=True),
        e.SetArgument(key="turned", argument="keep_size", value=False),
        e.SetDevice(key="turned", device="gpu"),
        e.SetOutputs(outputs=(port("turned"),)),
        e.SetPipeline(option="batch_size", value=4.0),
        e.SetPipeline(option="seed", value=42),
        e.Disconnect(target="turned", argument="angle"),
    )
    assert after.node("turned").arguments == {"keep_size": False}
    assert (after.options.batch_size, after.options.seed) == (4, 42)
    assert after.argument_inputs("turned") == {} and after.outputs == (port("turned"),)


def test_connect_replaces_and_goes_back() -> None:
    graph = photo_graph()
    graph.add_node(Node(key="other", operator="random.uniform"))
    after = done(graph, e.Connect(source=port("other"), target="turned", argument="angle"))
    assert after.argument_inputs("turned") == {"angle": port("other")}


def test_rename_keeps_order_wires_and_outputs() -> None:
    graph = photo_graph()
    after = done(graph, e.Rename(key="reader", new_key="photos"))
    assert list(after) == ["photos", "images", "angle", "turned"]
    assert after.inputs("images") == (port("photos"),)
    assert after.outputs == (port("turned"), port("photos", 1))
    assert done(graph, e.Rename(key="reader", new_key="reader")) == graph


def test_undo_brings_faulty_states_of_documents_back() -> None:
    graph = photo_graph()
    graph.replace_node(replace(graph.node("turned"), arguments={"fill_value": 999.0, "old_word": 1}))
    graph.add_node(Node(key="not a name", operator="gone"))
    edits: Sequence[e.Edit] = (
        e.SetArgument(key="turned", argument="fill_value", value=9),
        e.SetArgument(key="turned", argument="old_word", unset=True),
        e.Rename(key="not a name", new_key="name"),
    )
    after = done(graph, *edits)
    assert after.node("turned").arguments == {"fill_value": 9.0}


def test_history_steps_and_gestures() -> None:
    history = History(photo_graph(), REGISTRY)
    start = history.graph
    assert (history.can_undo, history.can_redo, history.revision) == (False, False, 0)
    for value in (1.0, 2.0, 3.0):
        history.apply([e.SetArgument(key="turned", argument="fill_value", value=value)], gesture="drag")
    history.apply([e.SetArgument(key="turned", argument="keep_size", value=True)], gesture="drag")
    history.apply([e.SetArgument(key="turned", argument="fill_value", value=9.0)], gesture="another")
    end = history.graph
    assert history.revision == 5
    assert history.undo().node("turned").arguments == {"fill_value": 3.0, "keep_size": True}
    assert history.undo() == start and not history.can_undo
    history.redo()
    assert history.redo() == end and not history.can_redo
    assert history.revision == 9
    with pytest.raises(DaliStudioError, match="DS304"):
        history.redo()


def test_a_new_edit_forgets_what_could_be_redone_and_a_refused_one_does_not() -> None:
    history = History(photo_graph(), REGISTRY)
    history.apply([e.RemoveNode(key="angle")])
    history.undo()
    with pytest.raises(DaliStudioError):
        history.apply([e.RemoveNode(key="nobody")])
    assert history.can_redo
    history.apply([])
    assert history.can_redo
    history.apply([e.RemoveNode(key="turned")])
    assert not history.can_redo


def test_history_is_bounded() -> None:
    history = History(photo_graph(), REGISTRY)
    for value in range(LIMIT + 20):
        history.apply([e.SetPipeline(option="batch_size", value=value + 1)])
    count = 0
    while history.can_undo:
        history.undo()
        count += 1
    assert (count, history.graph.options.batch_size) == (LIMIT, 20)
    assert LIMIT == 200


def test_python_only_edit_gives_objects() -> None:
    graph = Graph()
    graph.add_node(Node(key="data", operator="external_source"))
    after = done(graph, ReplaceNode(Node(key="data", operator="external_source", objects={"source": print})))
    assert after.node("data").objects == {"source": print}
