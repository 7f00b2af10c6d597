"""From one graph to another: the edits between them, and which of their nodes are the same."""

from __future__ import annotations

from difflib import SequenceMatcher

import msgspec

from dali_studio.graph.edits import (
    AddNode,
    Connect,
    Disconnect,
    Edit,
    PortRef,
    RemoveNode,
    SetArgument,
    SetDevice,
    SetOutputs,
    SetPipeline,
)
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node, slot
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry


def edits_between(before: Graph, after: Graph) -> tuple[Edit, ...]:
    """The edits that make `after` of `before`; nodes of the same key and operator stay, with their objects."""
    kept = {node.key for node in after.nodes() if node.key in before and _same_operator(before, after, node.key)}
    edits: list[Edit] = []
    wires = {(wire.target, slot(wire.input, wire.argument)): wire for wire in after.wires()}
    there = {(wire.target, slot(wire.input, wire.argument)): wire for wire in before.wires()}
    for at, wire in there.items():
        stays = at in wires and wires[at].source == wire.source and wire.source.node in kept
        if wire.target in kept and not stays:
            edits.append(Disconnect(target=wire.target, input=wire.input, argument=wire.argument))
    edits += [RemoveNode(key=key) for key in before if key not in kept]
    for node in after.nodes():
        if node.key in kept:
            edits += _changed(before.node(node.key), node)
        else:
            made = dict(node.arguments)
            edits.append(AddNode(key=node.key, operator=node.operator, device=node.device, arguments=made))
    for at, wire in wires.items():
        old = there.get(at)
        if not (old and old.source == wire.source and wire.target in kept and wire.source.node in kept):
            edits.append(Connect(source=wire.source, target=wire.target, input=wire.input, argument=wire.argument))
    if before.outputs != after.outputs or any(port.node not in kept for port in before.outputs):
        edits.append(SetOutputs(outputs=after.outputs))
    old_options, options = (msgspec.structs.asdict(graph.options) for graph in (before, after))
    edits += [SetPipeline(option=name, value=value) for name, value in options.items() if old_options[name] != value]
    return tuple(edits)


def _same_operator(before: Graph, after: Graph, key: str) -> bool:
    return before.node(key).operator == after.node(key).operator


def _changed(old: Node, new: Node) -> list[Edit]:
    edits: list[Edit] = [] if old.device == new.device else [SetDevice(key=new.key, device=new.device)]
    for name in dict.fromkeys([*old.arguments, *new.arguments]):
        if name not in new.arguments:
            edits.append(SetArgument(key=new.key, argument=name, unset=True))
        elif name not in old.arguments or _tidy(old.arguments[name]) != _tidy(new.arguments[name]):
            edits.append(SetArgument(key=new.key, argument=name, value=new.arguments[name]))
    return edits


def matched(before: Graph, after: Graph) -> dict[str, str]:
    """Which node of `before` a node of `after` is likely to have come from.

    Nodes that say the same are matched in their order, and between them those of the same operator.
    """
    old, new = before.nodes(), after.nodes()
    looks = [[(node.operator, repr(sorted(node.arguments.items()))) for node in nodes] for nodes in (old, new)]
    found: dict[str, str] = {}
    for _, i1, i2, j1, j2 in SequenceMatcher(None, *looks, autojunk=False).get_opcodes():
        left = old[i1:i2]
        for node in new[j1:j2]:
            same = next((one for one in left if one.operator == node.operator), None)
            if same is not None:
                found[node.key] = same.key
                left.remove(same)
    return found


def pairs(one: Graph, other: Graph, registry: Registry) -> dict[str, str] | None:
    """Which node of `other` each node of `one` is, if both graphs are the same but for their nodes' names."""
    left, right = _ends(one), _ends(other)
    if len(one) != len(other) or len(one.outputs) != len(other.outputs) or len(left) != len(right):
        return None
    found: dict[str, str] = {}
    waiting = list(zip(left, right, strict=True))
    while waiting:
        a, b = waiting.pop()
        if a.output != b.output or found.get(a.node, b.node) != b.node:
            return None
        if a.node in found:
            continue
        found[a.node] = b.node
        if _says(one, a.node, registry) != _says(other, b.node, registry):
            return None
        for source, target in zip(_sources(one, a.node), _sources(other, b.node), strict=True):
            if (source is None) != (target is None):
                return None
            if source is not None and target is not None:
                waiting.append((source, target))
    return found if len(set(found.values())) == len(found) == len(one) else None


def _ends(graph: Graph) -> list[PortRef]:
    """What the pipeline returns, and the nodes that nothing reads."""
    returned = {port.node for port in graph.outputs}
    hanging = [PortRef(node=key) for key in graph if key not in returned and not graph.fed_by(key)]
    return [*graph.outputs, *hanging]


def _sources(graph: Graph, key: str) -> list[PortRef | None]:
    return [*graph.inputs(key), *graph.argument_inputs(key).values()]


def _says(graph: Graph, key: str, registry: Registry) -> tuple[object, ...]:
    """All of a node but its name and what it reads."""
    node = graph.node(key)
    return node.operator, node.device, _values(node, registry), len(graph.inputs(key)), list(graph.argument_inputs(key))


def _values(node: Node, registry: Registry) -> dict[str, Value]:
    """What arguments say, defaults or not."""
    if node.operator not in registry:
        return {name: _tidy(value) for name, value in node.arguments.items()}
    declared = {one.name: one.default for one in registry.schema(node.operator).arguments}
    return {
        name: _tidy(value) for name, value in node.arguments.items()
        if value is not None and (name not in declared or declared[name] != value)
    }  # fmt: skip


def _tidy(value: Value) -> Value:
    """A number as programs have it, without the noise of binary fractions: 57.12 for 57.120000000000005."""
    if isinstance(value, tuple):
        return tuple(float(f"{item:.15g}") if isinstance(item, float) else item for item in value)
    return float(f"{value:.15g}") if isinstance(value, float) else value
