"""Which index each random operator takes among the seeds that a pipeline hands out."""

from __future__ import annotations

from collections.abc import Iterable

from dali_studio.graph.model import Graph, Node
from dali_studio.schema.registry import Registry


def operator_indices(graph: Graph, registry: Registry) -> dict[str, int]:
    """Seed index of every seeded node without a ``seed`` of its own.

    The numbers are nvidia.dali's (measured on random graphs): nodes count in post-order of a depth-first traversal that
    starts at the outputs in their order, then at preserved nodes in the order of their definition, and enters a
    node's positional inputs before its argument inputs, these by name. Any given ``seed``, -1 included, takes no index.
    Nodes outside the run, which only previews compute, take the indices after these, as inserted.

    Raises
    ------
    DaliStudioError
        DS204 if there is a cycle.
    """
    order = graph.order()
    sinks = set(graph.sinks(registry))
    in_run = traversal(graph, [*(port.node for port in graph.outputs), *(key for key in order if key in sinks)])
    entered = set(in_run)
    rest = [key for key in graph if key not in entered]
    counted = [key for key in [*in_run, *rest] if takes_index(graph.node(key), registry)]
    return {key: index for index, key in enumerate(counted)}


def takes_index(node: Node, registry: Registry) -> bool:
    """Whether the node draws its seed from the pipeline's."""
    seeded = node.operator in registry and registry.schema(node.operator).seeded
    return seeded and node.arguments.get("seed") is None


def traversal(graph: Graph, roots: Iterable[str]) -> list[str]:
    """The roots and what they depend on, in depth-first post-order (without recursion: graphs may be deep)."""
    done: dict[str, None] = {}
    entered: set[str] = set()
    for root in roots:
        if root not in graph:
            continue
        stack = [(root, iter(graph.predecessors(root)))] if root not in entered else []
        entered.add(root)
        while stack:
            key, pending = stack[-1]
            following = next((source for source in pending if source not in entered), None)
            if following is None:
                done[key] = None
                stack.pop()
            else:
                entered.add(following)
                stack.append((following, iter(graph.predecessors(following))))
    return list(done)
