"""The order in which random operators take seeds, as measured on nvidia.dali."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from toy import photo_graph, port, toy_registry

from dali_studio.graph.model import Graph, Node
from dali_studio.graph.seeds import operator_indices
from dali_studio.schema.model import Value

REGISTRY = toy_registry()


def randoms(*keys: str, **arguments: dict[str, Value]) -> Graph:
    graph = Graph()
    for key in keys:
        graph.add_node(Node(key=key, operator="random.uniform", arguments=arguments.get(key, {})))
    return graph


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ("ab", {"a": 0, "b": 1, "c": 2}),
        ("ba", {"b": 0, "a": 1, "c": 2}),
        ("c", {"c": 0, "a": 1, "b": 2}),
        ("bb", {"b": 0, "a": 1, "c": 2}),
    ],
)
def test_outputs_decide_and_the_rest_follows_as_inserted(outputs: str, expected: dict[str, int]) -> None:
    graph = randoms("a", "b", "c")
    graph.set_outputs([port(key) for key in outputs])
    assert operator_indices(graph, REGISTRY) == expected


@pytest.mark.parametrize("seed", [5, 0, -1])
def test_any_seed_of_its_own_takes_no_index(seed: int) -> None:
    graph = randoms("a", "b", a={"seed": seed})
    graph.set_outputs([port("a"), port("b")])
    assert operator_indices(graph, REGISTRY) == {"b": 0}


def test_preserved_nodes_come_after_the_outputs() -> None:
    graph = randoms("kept", "a", kept={"preserve": True})
    graph.set_outputs([port("a")])
    assert operator_indices(graph, REGISTRY) == {"a": 0, "kept": 1}


def test_positional_inputs_before_arguments_and_arguments_by_name() -> None:
    graph = randoms("a", "b", "c")
    graph.add_node(Node(key="cut", operator="slice"))
    graph.connect(port("a"), "cut", argument="rel_start")
    graph.connect(port("b"), "cut", argument="rel_end")
    graph.connect(port("c"), "cut", 0)
    graph.set_outputs([port("cut")])
    assert operator_indices(graph, REGISTRY) == {"c": 0, "b": 1, "a": 2}


def test_readers_count_once() -> None:
    graph = photo_graph()
    assert operator_indices(graph, REGISTRY) == {"reader": 0, "angle": 1}
    graph.set_outputs([port("angle"), port("reader", 1), port("reader")])
    assert operator_indices(graph, REGISTRY) == {"angle": 0, "reader": 1}


def test_a_diamond_counts_in_post_order() -> None:
    graph = randoms("top", "left", "right")
    graph.add_node(Node(key="join", operator="slice"))
    graph.connect(port("top"), "left", argument="range")
    graph.connect(port("top"), "right", argument="range")
    graph.connect(port("right"), "join", 0)
    graph.connect(port("left"), "join", 1)
    graph.set_outputs([port("join")])
    assert operator_indices(graph, REGISTRY) == {"top": 0, "right": 1, "left": 2}


def test_deep_graphs_need_no_recursion() -> None:
    keys: Sequence[str] = [f"n{i}" for i in range(3000)]
    graph = randoms(*keys)
    for before, after in pairwise(keys):
        graph.connect(port(before), after, argument="range")
    graph.set_outputs([port(keys[-1])])
    assert operator_indices(graph, REGISTRY)[keys[-1]] == 2999
