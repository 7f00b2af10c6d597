"""Take away what no output depends on."""

from __future__ import annotations

from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry


def prune(graph: Graph, registry: Registry) -> Graph:
    """Remove nodes from which no output can be reached, except those that ask to be kept (exact)."""
    needed = graph.reachable(registry=registry)
    if len(needed) == len(graph):
        return graph
    kept = graph.copy()
    nodes = [graph.node(key) for key in graph if key in needed]
    kept.rebuild(nodes, [wire for wire in graph.wires() if wire.target in needed], graph.outputs)
    return kept
