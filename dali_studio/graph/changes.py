"""What one graph has that another one has not: nodes, arguments, wires, outputs and options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from dali_studio.core.wording import shortened
from dali_studio.graph.apply import AnyEdit, RestoreNode
from dali_studio.graph.edits import PortRef, RemoveNode, SetPipeline
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions, Node

#: Of what a node or the pipeline has: an argument or an option, a wire, or one of the node's own properties.
_NOTHING = ""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a node, or of the pipeline where `node` is empty.

    `what` is the argument, the input ("input 1"), the option or "outputs"; `before` and `after` are as a program has
    them, and empty where there was nothing or is nothing.
    """

    node: str
    what: str
    before: str
    after: str


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """How a graph became another one.

    `added`, `removed` are names of nodes, `renamed` pairs of an old and a new name of a node that is otherwise equal.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    changes: tuple[Change, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.renamed or self.changes)

    def lines(self) -> list[str]:
        """One line a difference, as of a patch: ``+ rotate``, ``- flip``, ``~ resize.size: 224 -> 256``."""
        made = [f"+ {key}" for key in self.added] + [f"- {key}" for key in self.removed]
        made += [f"~ {old} is called {new}" for old, new in self.renamed]
        for change in self.changes:
            name = f"{change.node}.{change.what}" if change.node else change.what
            made.append(f"~ {name}: {change.before or 'default'} -> {change.after or 'default'}")
        return made


def difference(before: Graph, after: Graph) -> Difference:
    """How `before` became `after`.

    Nodes are the same if they have the same name; one that was renamed and left as it was is found by what it does.
    """
    removed = [key for key in before if key not in after]
    added = [key for key in after if key not in before]
    renamed = _renamed(before, after, removed, added)
    names = {key: key for key in before} | renamed
    changes = [*_of_pipeline(before, after, names)]
    for old in before:
        new = names[old]
        if new in after:
            changes += _of_node(before, after, old, new, names)
    return Difference(
        added=tuple(key for key in added if key not in renamed.values()),
        removed=tuple(key for key in removed if key not in renamed),
        renamed=tuple(renamed.items()),
        changes=tuple(changes),
    )


def _renamed(before: Graph, after: Graph, removed: list[str], added: list[str]) -> dict[str, str]:
    """Old names to new ones of nodes that do the same with the same inputs."""
    found: dict[str, str] = {}
    for old in removed:
        for new in added:
            if new not in found.values() and _does(before, old, found) == _does(after, new, {}):
                found[old] = new
                break
    return found


def _does(graph: Graph, key: str, names: dict[str, str]) -> tuple[Any, ...]:
    node = graph.node(key)
    wires = [(w.input, w.argument, names.get(w.source.node, w.source.node), w.source.output) for w in graph.wires(key)]
    return node.operator, node.device, dict(node.arguments), dict(node.objects), wires


def _of_pipeline(before: Graph, after: Graph, names: dict[str, str]) -> Iterator[Change]:
    for option in GraphOptions.__struct_fields__:
        old, new = getattr(before.options, option), getattr(after.options, option)
        if old != new:
            yield Change(node="", what=option, before=shortened(old), after=shortened(new))
    returned = [", ".join(map(_port, _named(graph.outputs, table))) for graph, table in ((before, names), (after, {}))]
    if returned[0] != returned[1]:
        yield Change(node="", what="outputs", before=returned[0] or "none", after=returned[1] or "none")


def _of_node(before: Graph, after: Graph, old: str, new: str, names: dict[str, str]) -> Iterator[Change]:
    a, b = before.node(old), after.node(new)
    for what in ("operator", "device", "bypassed"):
        one, two = getattr(a, what), getattr(b, what)
        if one != two:
            yield Change(node=new, what=what, before=shortened(one), after=shortened(two))
    one, two = _slots(before, a, names), _slots(after, b, {})
    for what in dict.fromkeys((*one, *two)):
        if one.get(what) != two.get(what):
            yield Change(node=new, what=what, before=one.get(what, _NOTHING), after=two.get(what, _NOTHING))


def _slots(graph: Graph, node: Node, names: dict[str, str]) -> dict[str, str]:
    """What stands at each argument and input; a wire stands above the value that sleeps under it."""
    made = {name: shortened(value) for name, value in node.arguments.items()}
    made |= {name: f"<{type(value).__name__}>" for name, value in node.objects.items()}
    for wire in graph.wires(node.key):
        (source,) = _named([wire.source], names)
        made[wire.argument or f"input {wire.input}"] = f"from {_port(source)}"
    return made


def _named(ports: Iterable[PortRef], names: dict[str, str]) -> list[PortRef]:
    return [PortRef(node=names.get(port.node, port.node), output=port.output) for port in ports]


def _port(port: PortRef) -> str:
    return f"{port.node}[{port.output}]" if port.output else port.node


def edits_to(before: Graph, after: Graph) -> tuple[AnyEdit, ...]:
    """Edits that make `after` of `before`, faulty or not; none if they are equal."""
    if before == after:
        return ()
    edits: list[AnyEdit] = [RemoveNode(key=key) for key in before]
    nodes = after.nodes()
    edits += [RestoreNode(node, number, (), ()) for number, node in enumerate(nodes[:-1])]
    if nodes:
        edits.append(RestoreNode(nodes[-1], len(nodes) - 1, tuple(after.wires()), after.outputs))
    edits += [
        SetPipeline(option=name, value=getattr(after.options, name))
        for name in GraphOptions.__struct_fields__
        if getattr(before.options, name) != getattr(after.options, name)
    ]
    return tuple(edits)
