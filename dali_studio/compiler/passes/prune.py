"""Take away what no output depends on."""

from __future__ import annotations

from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry


def prune(graph: Graph, registry: Registry) -> Graph:
    """Remove nodes from which no output can be reached, except those that ask to be kept (exact)."""
    needed = graph.reachable(registry=registry)
    return graph if len(needed) == len(graph) else graph.subgraph(needed)
