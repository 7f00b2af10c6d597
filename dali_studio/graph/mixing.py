"""What brings samples of a branch together with others, put right: all of it in the branch, or behind it."""

from __future__ import annotations

from dali_studio.graph.draft import Draft
from dali_studio.graph.edits import Connect, Edit, PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.ways import Branches
from dali_studio.schema.registry import Registry


def unmixed(graph: Graph, registry: Registry, key: str) -> tuple[str, tuple[Edit, ...]] | None:
    """What a button says, and edits after which a node and those behind it mix nothing; ``None`` if nothing helps."""
    near = {key, *graph.descendants(key)}
    draft = Draft(graph, registry)
    joined = draft.join(*near)
    returned = [port for port in draft.graph.outputs if port.node in near]
    if joined and not any(Branches(draft.graph, registry).under(draft.graph, port) for port in returned):
        return "Take all of it into the branch", tuple(draft.edits)
    branches = Branches(graph, registry)
    for wire, _ in branches.mixed(graph).get(key, ()):
        fed = (to for to, at, _ in graph.consumers(wire.source) if at is not None)
        for merge in (to for to in fed if to in branches.merges and to not in near):
            draft = Draft(graph, registry)
            draft.do(Connect(source=PortRef(node=merge), target=key, input=wire.input, argument=wire.argument))
            if not near & Branches(draft.graph, registry).mixed(draft.graph).keys():
                return f"Take what {merge} gives", tuple(draft.edits)
    return None
