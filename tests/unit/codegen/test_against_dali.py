"""Emitted programs run in nvidia.dali, and draw the numbers that the graph's seeds promise."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from toy import port, toy_registry

from dali_studio.codegen.emit import emit
from dali_studio.core.random import operator_seeds, uniform
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph, GraphOptions, Node
from dali_studio.graph.seeds import operator_indices
from dali_studio.schema.model import Value

pytestmark = pytest.mark.peer
pytest.importorskip("nvidia.dali", reason="the comparison needs nvidia-dali, which is not installed")

REGISTRY = toy_registry()
SEED, BATCH = 7, 4


def run(graph: Graph, **objects: Any) -> list[list[np.ndarray[Any, Any]]]:
    """Execute the emitted text and give the first batch of every output."""
    emitted = emit(graph, REGISTRY, "nvidia.dali")
    assert [d for d in emitted.diagnostics if d.severity == "error"] == []
    scope: dict[str, Any] = {"__name__": "emitted"}
    exec(compile(emitted.source, "<emitted>", "exec"), scope)
    pipe = scope["pipeline"](**objects)
    pipe.build()
    return [[np.array(sample) for sample in batch] for batch in pipe.run()]


def random_graph(rng: random.Random) -> Graph:
    """Random numbers that depend on random numbers, without changing their range [0, 1)."""
    graph = Graph(GraphOptions(batch_size=BATCH, num_threads=1, seed=SEED))
    graph.add_node(Node(key="span", operator="constant", arguments={"fdata": (0.0, 1.0)}))
    keys: list[str] = []
    for number in range(rng.randint(2, 7)):
        key = f"r{number}"
        arguments: dict[str, Value] = {"preserve": True} if rng.random() < 0.2 else {}
        if rng.random() < 0.15:
            arguments["seed"] = 1000 + number
        graph.add_node(Node(key=key, operator="random.uniform", arguments=arguments))
        graph.connect(_span(graph, key, rng.sample(keys, min(len(keys), rng.randint(0, 2)))), key, argument="range")
        keys.append(key)
    graph.set_outputs([port(key) for key in rng.sample(keys, rng.randint(1, len(keys)))])
    return graph


def _span(graph: Graph, key: str, sources: list[str]) -> PortRef:
    """A port that holds [0, 1] and depends on `sources`."""
    current = port("span")
    for index, source in enumerate(sources):
        graph.add_node(Node(key=f"{key}_{index}", operator="cast_like"))
        graph.connect(current, f"{key}_{index}", 0)
        graph.connect(port(source), f"{key}_{index}", 1)
        current = port(f"{key}_{index}")
    return current


def expected(graph: Graph, key: str, indices: dict[str, int]) -> np.ndarray[Any, Any]:
    own = graph.node(key).arguments.get("seed")
    seed = int(own) if isinstance(own, int) else int(operator_seeds(SEED, 64)[indices[key]])
    return uniform(seed, 0, BATCH, 1, 0.0, 1.0).reshape(BATCH)


@pytest.mark.parametrize("trial", range(25))
def test_random_graphs_draw_the_numbers_of_their_seeds(trial: int) -> None:
    graph = random_graph(random.Random(trial))
    indices = operator_indices(graph, REGISTRY)
    for returned, batch in zip(graph.outputs, run(graph), strict=True):
        np.testing.assert_array_equal(
            np.array(batch).reshape(BATCH), expected(graph, returned.node, indices), strict=True
        )


def test_constants_arrive() -> None:
    graph = Graph(GraphOptions(batch_size=1))
    graph.add_node(Node(key="row", operator="constant", arguments={"fdata": (1.5, 2.5)}))
    graph.add_node(Node(key="one", operator="constant", arguments={"idata": (3,), "shape": ()}))
    graph.add_node(Node(key="full", operator="constant", arguments={"idata": (3,), "shape": (2, 1), "dtype": "UINT8"}))
    graph.add_node(Node(key="cast", operator="cast", arguments={"dtype": "FLOAT16"}))
    graph.connect(port("one"), "cast", 0)
    graph.set_outputs([port(key) for key in graph])
    row, one, full, cast = (batch[0] for batch in run(graph))
    np.testing.assert_array_equal(row, np.array([1.5, 2.5], np.float32), strict=True)
    np.testing.assert_array_equal(one, np.array(3, np.int32), strict=True)
    np.testing.assert_array_equal(full, np.full((2, 1), 3, np.uint8), strict=True)
    np.testing.assert_array_equal(cast, np.array(3, np.float16), strict=True)


def test_python_objects_are_passed_in() -> None:
    graph = Graph(GraphOptions(batch_size=2))
    node = Node(
        key="data",
        operator="external_source",
        objects={"source": print},
        arguments={"num_outputs": 1, "layout": ("HWC",)},
    )
    graph.add_node(node)
    graph.add_node(Node(key="turned", operator="rotate", arguments={"angle": 0.0, "interp_type": "INTERP_NN"}))
    graph.connect(port("data"), "turned", 0)
    graph.set_outputs([port("turned")])
    image = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    (batch,) = run(graph, data_source=lambda: ([image, image + 1],))
    np.testing.assert_array_equal(batch, [image, image + 1])
