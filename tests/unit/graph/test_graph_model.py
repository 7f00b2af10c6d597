"""The graph as a value: ports, order, reachability, structural keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy import photo_graph, port, toy_registry

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.model import Graph, GraphOptions, Node, structural_keys


def code(error: pytest.ExceptionInfo[DaliStudioError]) -> str:
    return error.value.diagnostics[0].code


def test_ports_and_neighbours() -> None:
    graph = photo_graph()
    assert list(graph) == ["reader", "images", "angle", "turned"]
    assert len(graph) == 4 and "angle" in graph and "angles" not in graph
    assert graph.inputs("turned") == (port("images"),)
    assert graph.argument_inputs("turned") == {"angle": port("angle")}
    assert graph.predecessors("turned") == ["images", "angle"]
    assert graph.consumers(port("angle")) == [("turned", None, "angle")]
    assert graph.consumers(port("reader", 1)) == []
    assert graph.consumers(port("nobody")) == []


def test_one_source_may_feed_several_slots_and_a_new_wire_replaces_the_old() -> None:
    graph = photo_graph()
    graph.connect(port("reader"), "turned", 2)
    graph.connect(port("images"), "turned", 2)
    assert graph.inputs("turned") == (port("images"), None, port("images"))
    assert graph.disconnect("turned", 2) == port("images")
    assert graph.disconnect("turned", 2) is None
    assert graph.inputs("turned") == (port("images"),)


@pytest.mark.parametrize(("number", "argument"), [(None, ""), (0, "angle"), (-1, "")])
def test_a_wire_needs_exactly_one_end(number: int | None, argument: str) -> None:
    with pytest.raises(DaliStudioError) as error:
        photo_graph().connect(port("angle"), "turned", number, argument)
    assert code(error) == "DS209"


def test_unknown_and_duplicate_keys() -> None:
    graph = photo_graph()
    with pytest.raises(DaliStudioError) as error:
        graph.add_node(Node(key="angle", operator="cast"))
    assert code(error) == "DS208"
    for act in (
        lambda: graph.node("x"),
        lambda: graph.connect(port("x"), "angle", 0),
        lambda: graph.set_outputs([port("x")]),
    ):
        with pytest.raises(DaliStudioError) as error:
            act()
        assert code(error) == "DS209"


def test_order_is_topological_and_otherwise_by_insertion() -> None:
    graph = Graph()
    for key in "cabd":
        graph.add_node(Node(key=key, operator="cast"))
    graph.connect(port("d"), "c", 0)
    assert graph.order() == ["a", "b", "d", "c"]
    graph.connect(port("c"), "d", 0)
    assert sorted(graph.find_cycle()) == ["c", "d"]
    with pytest.raises(DaliStudioError) as error:
        graph.order()
    assert code(error) == "DS204"


def test_copies_are_independent_and_compare_by_content() -> None:
    graph = photo_graph()
    other = graph.copy()
    assert other == graph
    other.connect(port("images"), "turned", 1)
    assert other != graph and graph.inputs("turned") == (port("images"),)
    other = graph.copy()
    other.options = GraphOptions(batch_size=3)
    assert other != graph
    other = graph.copy()
    other.replace_node(replace(other.node("angle"), origin="somewhere.py:3"))
    assert other == graph, "where a call stood is no part of the program"
    assert graph != "a text"


def test_reachable_follows_outputs_and_sinks() -> None:
    graph, registry = photo_graph(), toy_registry()
    graph.add_node(Node(key="idle", operator="random.uniform"))
    graph.add_node(Node(key="kept", operator="cast", arguments={"preserve": True}))
    graph.add_node(Node(key="always", operator="broken"))
    graph.connect(port("idle"), "kept", 0)
    in_run = {"reader", "images", "angle", "turned"}
    assert graph.reachable() == in_run
    assert graph.reachable([port("images")]) == {"reader", "images"}
    assert graph.reachable(registry=registry) == in_run | {"idle", "kept", "always"}


def test_networkx_copy() -> None:
    graph = photo_graph()
    copy = graph.to_networkx()
    assert {(a, b, d["output"], d["input"], d["argument"]) for a, b, d in copy.edges(data=True)} == {
        ("reader", "images", 0, 0, ""), ("images", "turned", 0, 0, ""), ("angle", "turned", 0, None, "angle"),
    }  # fmt: skip
    copy.remove_node("reader")
    assert "reader" in graph


def test_structural_keys_change_downstream_only() -> None:
    graph, registry = photo_graph(), toy_registry()
    seeds = {"reader": 11, "angle": 12}
    before = structural_keys(graph, registry, seeds)
    changed = graph.copy()
    changed.replace_node(replace(graph.node("images"), arguments={"output_type": "GRAY"}))
    after = structural_keys(changed, registry, seeds)
    assert {key for key in before if before[key] != after[key]} == {"images", "turned"}
    reseeded = structural_keys(graph, registry, {**seeds, "angle": 13})
    assert {key for key in before if before[key] != reseeded[key]} == {"angle", "turned"}
    assert structural_keys(graph.copy(), registry, seeds) == before


def test_structural_keys_ignore_values_under_wires_and_see_objects() -> None:
    graph, registry = photo_graph(), toy_registry()
    before = structural_keys(graph, registry, {})
    graph.replace_node(replace(graph.node("turned"), arguments={"fill_value": 0.0, "angle": 4.0}))
    assert structural_keys(graph, registry, {}) == before

    def first() -> int:
        return 1

    def second() -> int:
        return 2

    keys: list[str] = []
    for source in (first, second, first):
        holder = Graph()
        holder.add_node(Node(key="data", operator="external_source", objects={"source": source}))
        keys.append(structural_keys(holder, registry, {})["data"])
    assert keys[0] == keys[2] != keys[1]


def test_long_cycles_are_named_in_short() -> None:
    graph = Graph()
    for number in range(3000):
        graph.add_node(Node(key=f"n{number:04}", operator="slice"))
    for number in range(3000):
        graph.connect(port(f"n{number:04}"), f"n{(number + 1) % 3000:04}", 0)
    graph.connect(port("n0000"), "n1500", argument="rel_start")
    assert len(graph.find_cycle()) in (1501, 3000) and graph.computable() == []
    with pytest.raises(DaliStudioError, match=r"DS204 .*: The wires run in a circle: (n\d+ → ){11}\d+ more → n\d+\."):
        graph.order()


def test_outputs_in_use() -> None:
    graph = photo_graph()
    assert [graph.outputs_used(key) for key in graph] == [2, 1, 1, 1]
    graph.set_outputs([])
    assert [graph.outputs_used(key) for key in graph] == [1, 1, 1, 0]
    assert graph.fed_by("angle") == [("turned", None)] and graph.fed_by("images") == [("turned", 0)]
