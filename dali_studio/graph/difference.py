"""From one graph to another: what differs, the edits between them, and which of their nodes are the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Any, cast

import msgspec

from dali_studio.core.wording import shortened
from dali_studio.graph.apply import AnyEdit, RestoreNode
from dali_studio.graph.checks import output_schemas
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
from dali_studio.graph.node import GraphOptions, Node, slot
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry

#: Of what a node or the pipeline has: an argument or an option, a wire, or one of the node's own properties.
_NOTHING = ""
#: What stands for outputs where there are none.
_NONE = "none"
#: Node and argument of a change of what the pipeline returns.
_RETURNED = ("", "outputs")
#: Characters of numbers that are written.
_LONG = 60


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a node, or of the pipeline where `node` is empty.

    `what` is the argument, the input ("input 1"), the option or "outputs"; `before` and `after` are as a program has
    them, or as `difference` is told to write them, and empty where there was nothing or is nothing.
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

    def lines(self, arrow: str = "->") -> list[str]:
        """One line a difference, as of a patch: ``+ rotate``, ``- flip``, ``~ resize.size: 224 -> 256``."""
        return self._told(self.changes, "+ {}", "- {}", "~ {} is called {}", f"~ {{}}: {{}} {arrow} {{}}")

    def words(self) -> list[str]:
        """The same as a person says it: ``rotate added``, ``resize.size 224 → 256``, ``rotate not returned``."""
        returned = [change for change in self.changes if (change.node, change.what) == _RETURNED]
        rest = [change for change in self.changes if change not in returned]
        made = self._told(rest, "{} added", "{} removed", "{} called {}", "{} {} → {}")
        for change in returned:
            old, new = ([one for one in text.split(", ") if one != _NONE] for text in (change.before, change.after))
            words = [f"{one} not returned" for one in old if one not in new]
            words += [f"{one} returned" for one in new if one not in old]
            made += words or ["outputs in another order"]
        return made

    def _told(
        self, changes: Iterable[Change], added: str, removed: str, renamed: str, changed: str
    ) -> list[str]:  # fmt: skip
        made = [added.format(key) for key in self.added] + [removed.format(key) for key in self.removed]
        made += [renamed.format(old, new) for old, new in self.renamed]
        for change in changes:
            name = f"{change.node}.{change.what}" if change.node else change.what
            made.append(changed.format(name, change.before or "default", change.after or "default"))
        return made


def difference(before: Graph, after: Graph, registry: Registry | None = None) -> Difference:
    """How `before` became `after`.

    Nodes are the same if they have the same name; one that was renamed and left as it was is found by what it does.
    With a registry, it is written for people: outputs by their names, ``reader.labels``, numbers with their units.
    """
    removed = [key for key in before if key not in after]
    added = [key for key in after if key not in before]
    renamed = _renamed(before, after, removed, added)
    names = {key: key for key in before} | renamed
    changes = [*_of_pipeline(before, after, names, registry)]
    for old in before:
        new = names[old]
        if new in after:
            changes += _of_node(before, after, old, new, names, registry)
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


def _of_pipeline(
    before: Graph, after: Graph, names: dict[str, str], registry: Registry | None
) -> Iterator[Change]:  # fmt: skip
    for option, old, new in _options(before, after):
        yield Change(node="", what=option, before=shortened(old), after=shortened(new))
    returned = [
        ", ".join(_port(graph, port, table, registry) for port in graph.outputs)
        for graph, table in ((before, names), (after, {}))
    ]  # fmt: skip
    if returned[0] != returned[1]:
        yield Change(node=_RETURNED[0], what=_RETURNED[1], before=returned[0] or _NONE, after=returned[1] or _NONE)


def _of_node(
    before: Graph, after: Graph, old: str, new: str, names: dict[str, str], registry: Registry | None
) -> Iterator[Change]:  # fmt: skip
    a, b = before.node(old), after.node(new)
    for what in ("operator", "device", "bypassed"):
        one, two = getattr(a, what), getattr(b, what)
        if one != two:
            yield Change(node=new, what=what, before=shortened(one), after=shortened(two))
    one, two = _slots(before, a, names, registry), _slots(after, b, {}, registry)
    for what in dict.fromkeys((*one, *two)):
        if one.get(what) != two.get(what):
            yield Change(node=new, what=what, before=one.get(what, _NOTHING), after=two.get(what, _NOTHING))


def _slots(graph: Graph, node: Node, names: dict[str, str], registry: Registry | None) -> dict[str, str]:
    """What stands at each argument and input; a wire stands above the value that sleeps under it."""
    schema = registry.schema(node.operator) if registry and node.operator in registry else None
    units = {argument.name: argument.unit for argument in schema.arguments} if schema else {}
    made = {name: _value(value, units.get(name)) for name, value in node.arguments.items()}
    made |= {name: f"<{type(value).__name__}>" for name, value in node.objects.items()}
    for wire in graph.wires(node.key):
        place = wire.argument if wire.input is None else f"input {wire.input + 1}"
        made[place] = f"from {_port(graph, wire.source, names, registry)}"
    return made


def _value(value: Value, unit: str | None) -> str:
    """A value as a program has it, or with its unit, if one is told."""
    several = isinstance(value, tuple)
    if unit is None or not all(type(one) in (int, float) for one in (value if several else (value,))):
        return shortened(value)
    numbers = [
        f"{one:.10g}" if isinstance(one, float) else str(one)
        for one in cast("tuple[float, ...]", value if several else (value,))
    ]  # fmt: skip
    text = (f"({', '.join(numbers)})" if several else numbers[0]).replace("-", "−")
    text = text if len(text) <= _LONG else f"{text[: _LONG - 3]}..."
    return f"{text}°" if unit == "deg" else f"{text} {unit}".rstrip()


def _port(graph: Graph, port: PortRef, names: dict[str, str], registry: Registry | None) -> str:
    """An output by its node's name in `names`; with a registry by its own name, too."""
    key = names.get(port.node, port.node)
    if not port.output:
        return key
    outputs = output_schemas(graph, port.node, registry) if registry else None
    return f"{key}.{outputs[port.output].name}" if outputs and port.output < len(outputs) else f"{key}[{port.output}]"


def edits_to(before: Graph, after: Graph) -> tuple[AnyEdit, ...]:
    """Edits that make `after` of `before`, faulty or not; none if they are equal."""
    if before == after:
        return ()
    edits: list[AnyEdit] = [RemoveNode(key=key) for key in before]
    nodes = after.nodes()
    edits += [RestoreNode(node, number, (), ()) for number, node in enumerate(nodes[:-1])]
    if nodes:
        edits.append(RestoreNode(nodes[-1], len(nodes) - 1, tuple(after.wires()), after.outputs))
    return (*edits, *(SetPipeline(option=name, value=new) for name, _, new in _options(before, after)))


def _options(before: Graph, after: Graph) -> Iterator[tuple[str, Any, Any]]:
    """Name, old and new value of the pipeline's options that differ."""
    for name in GraphOptions.__struct_fields__:
        old, new = getattr(before.options, name), getattr(after.options, name)
        if old != new:
            yield name, old, new


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
            edits += _changed(before.node(node.key), node, after.argument_inputs(node.key))
        else:
            made = dict(node.arguments)
            edits.append(AddNode(key=node.key, operator=node.operator, device=node.device, arguments=made))
    for at, wire in wires.items():
        old = there.get(at)
        if not (old and old.source == wire.source and wire.target in kept and wire.source.node in kept):
            edits.append(Connect(source=wire.source, target=wire.target, input=wire.input, argument=wire.argument))
    if before.outputs != after.outputs or any(port.node not in kept for port in before.outputs):
        edits.append(SetOutputs(outputs=after.outputs))
    return (*edits, *(SetPipeline(option=name, value=new) for name, _, new in _options(before, after)))


def _same_operator(before: Graph, after: Graph, key: str) -> bool:
    return before.node(key).operator == after.node(key).operator


def _changed(old: Node, new: Node, wired: Collection[str]) -> list[Edit]:
    edits: list[Edit] = [] if old.device == new.device else [SetDevice(key=new.key, device=new.device)]
    for name in dict.fromkeys([*old.arguments, *new.arguments]):
        if name not in new.arguments:  # under a wire, no program says it
            edits += [] if name in wired else [SetArgument(key=new.key, argument=name, unset=True)]
        elif name not in old.arguments or _tidy(old.arguments[name]) != _tidy(new.arguments[name]):
            edits.append(SetArgument(key=new.key, argument=name, value=new.arguments[name]))
    return edits


def matched(before: Graph, after: Graph) -> dict[str, str]:
    """Which node of `before` a node of `after` is likely to have come from.

    Nodes that say the same are matched in their order, and between them those of the same operator.
    """
    old, new = before.nodes(), after.nodes()
    looks = [[(node.operator, repr(sorted(node.arguments.items()))) for node in nodes] for nodes in (old, new)]
    # what is the same at both ends takes no search, whose time is quadratic
    first = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*looks, strict=False)))
    ends = (reversed(one[first:]) for one in looks)
    last = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*ends, strict=False)))
    old_end, new_end = len(old) - last, len(new) - last
    alike = [*zip(old[:first], new[:first], strict=True), *zip(old[old_end:], new[new_end:], strict=True)]
    found = {node.key: same.key for same, node in alike}
    between = looks[0][first:old_end], looks[1][first:new_end]
    for _, i1, i2, j1, j2 in SequenceMatcher(None, *between, autojunk=False).get_opcodes():
        left = old[first + i1 : first + i2]
        for node in new[first + j1 : first + j2]:
            same = next((one for one in left if one.operator == node.operator), None)
            if same is not None:
                found[node.key] = same.key
                left.remove(same)
    return found


def pairs(one: Graph, other: Graph, registry: Registry) -> dict[str, str] | None:
    """Which node of `other` each node of `one` is, if both graphs are the same but for their nodes' names."""
    left, right = _ends(one, registry), _ends(other, registry)
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


def _ends(graph: Graph, registry: Registry) -> list[PortRef]:
    """What the pipeline returns, and the nodes that nothing reads, in an order that follows from what these do."""
    returned = {port.node for port in graph.outputs}
    hanging = [key for key in graph if key not in returned and not graph.fed_by(key)]
    if len(hanging) > 1:
        looks: dict[str, int] = {}
        for key in graph.computable():
            operator, device, values, inputs, arguments = _says(graph, key, registry)
            sources = tuple(port and (looks[port.node], port.output) for port in _sources(graph, key))
            said = operator, device, frozenset(values.items()), inputs, arguments
            looks[key] = hash((said, sources))
        hanging.sort(key=lambda key: looks.get(key, 0))
    return [*graph.outputs, *(PortRef(node=key) for key in hanging)]


def _sources(graph: Graph, key: str) -> list[PortRef | None]:
    return [*graph.inputs(key), *graph.argument_inputs(key).values()]


def _says(graph: Graph, key: str, registry: Registry) -> tuple[str, str, dict[str, Value], int, tuple[str, ...]]:
    """All of a node but its name and what it reads."""
    node = graph.node(key)
    wired = tuple(graph.argument_inputs(key))
    values = {name: value for name, value in _values(node, registry).items() if name not in wired}
    return node.operator, node.device, values, len(graph.inputs(key)), wired


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
