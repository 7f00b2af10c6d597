"""What one click takes away, with the operators that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dali_studio.api.default import default_registry
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph, Node
from dali_studio.graph.validate import validate
from dali_studio.studio.repairs import offered

REGISTRY = default_registry()


def test_a_node_of_the_own_branch_is_wired_first() -> None:
    given = {"dtype": "UINT8", "layout": ("HWC",)}
    nodes = [Node(key=key, operator="external_source", arguments=given) for key in ("own", "other")]
    nodes += [Node(key="planes", operator="crop_mirror_normalize"), Node(key="last", operator="hsv")]
    graph = Graph()
    for node in nodes:
        graph.add_node(node)
    graph.connect(PortRef(node="own"), "planes", 0)
    graph.connect(PortRef(node="planes"), "last", 0)
    graph.set_outputs([PortRef(node="last")])
    found = [d for d in validate(graph, REGISTRY).diagnostics if d.code == "DS203"]
    titles = [repair.title for repair, _ in offered(graph, REGISTRY, found)]
    assert [title for title in titles if title.startswith("Wire")] == ["Wire own instead"]


@pytest.mark.parametrize(
    ("dtypes", "title"),
    [(("UINT8", "INT32"), "Cast false to UINT8"), (("UINT8", "FLOAT"), "Cast true to FLOAT"),
     (("FLOAT", "UINT8"), "Cast false to FLOAT")],
)  # fmt: skip
def test_branches_of_other_types_are_cast_by_a_button(dtypes: tuple[str, str], title: str) -> None:
    graph = Graph()
    for key, dtype in zip(("true", "false"), dtypes, strict=True):
        graph.add_node(Node(key=key, operator="external_source", arguments={"dtype": dtype, "layout": ("HWC",)}))
    graph.add_node(Node(key="draw", operator="random.coin_flip"))
    graph.add_node(Node(key="merge", operator="_conditional.merge"))
    graph.connect(PortRef(node="true"), "merge", 0)
    graph.connect(PortRef(node="false"), "merge", 1)
    graph.connect(PortRef(node="draw"), "merge", argument="predicate")
    graph.set_outputs([PortRef(node="merge")])
    found = [d for d in validate(graph, REGISTRY).diagnostics if d.code == "DS203"]
    ((repair, edits),) = offered(graph, REGISTRY, found)
    assert repair.title == title
    after = apply(graph, edits(Path), REGISTRY)[0]
    assert not [d for d in validate(after, REGISTRY).diagnostics if d.code == "DS203"]
