"""Nodes that are left out for the time being: what they feed takes what feeds them."""

from __future__ import annotations

from functools import partial

from dali_studio.graph.edits import PortRef
from dali_studio.graph.fit import kinds_fit
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Wire
from dali_studio.schema.registry import Registry


def rerouted(graph: Graph) -> Graph:
    """The graph that runs: wires go around the nodes that are left out, which stay where they are.

    Of such a node the first output is its first input. One without inputs feeds no arguments, whose own values then
    hold; further outputs, and what nothing can stand in for, are used all the same.
    """
    if not any(node.bypassed for node in graph.nodes()):
        return graph

    before = partial(stand_in, graph)
    wires: list[Wire] = []
    for wire in graph.wires():
        source = before(wire.source)
        if source is not None:
            wires.append(wire._replace(source=source))
        elif wire.input is not None:
            wires.append(wire)
    result = graph.copy()
    result.rebuild(graph.nodes(), wires, [before(port) or port for port in graph.outputs])
    return result


def stand_in(graph: Graph, port: PortRef) -> PortRef | None:
    """What is taken in place of an output: itself, unless its node is left out; ``None`` where nothing feeds that."""
    passed: set[str] = set()
    while not port.output and port.node not in passed and graph.node(port.node).bypassed:
        passed.add(port.node)
        source = next((p for p in graph.inputs(port.node)[:1]), None)
        if source is None:
            return None
        port = source
    return port


def needed(graph: Graph, registry: Registry, key: str) -> str:
    """Why a node cannot be left out, as a sentence; empty if it can."""
    node = graph.node(key)
    schema = registry.schema(node.operator) if node.operator in registry else None
    if schema is None or not schema.outputs:
        return ""
    if schema.role in ("split", "merge"):
        return f"{key} divides samples, or brings them together, which what follows needs."
    if not any(graph.inputs(key)):
        feeds = [target for target, number in graph.fed_by(key) if number is not None]
        feeds += ["the pipeline's outputs"] if any(port.node == key for port in graph.outputs) else []
        return f"{feeds[0]} cannot do without {key}, which nothing feeds." if feeds else ""
    given, made = schema.inputs[0].kind, schema.outputs[0].kind
    if given != made and not (kinds_fit(given, made) and "encoded" not in (given, made)):
        return f"{key} makes {made} data of {given} data, and what follows needs those."
    return ""
