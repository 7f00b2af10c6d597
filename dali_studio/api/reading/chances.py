"""Steps that are applied with a probability, as their program has them: a statement within an ``if``."""

from __future__ import annotations

from dataclasses import dataclass

from dali_studio.graph.cards import cards_in
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry


@dataclass(frozen=True, slots=True)
class Choice:
    """The ``if`` around a step: what decides, and what each of its outputs is where it is not applied."""

    condition: PortRef
    passed: tuple[PortRef, ...]

    @property
    def reads(self) -> set[PortRef]:
        """What it reads."""
        return {self.condition, *self.passed}


def without_new_chances(before: Graph, after: Graph, registry: Registry) -> tuple[Graph, dict[str, Choice]]:
    """`after` as if the steps were always applied that are so in `before`, and how they are applied."""
    found: dict[str, Choice] = {}
    same: dict[PortRef, PortRef] = {}  # what splits and merges give, as what it would be without them
    for key, chance in cards_in(after, registry).chances.items():
        if chance.tossed or any(one in before for one in (*chance.merges, *chance.splits)):
            continue
        divided = {one: source for one in chance.splits if (source := [*after.inputs(one), None][0]) is not None}
        sides = [[*after.inputs(one), None, None][1] for one in chance.merges]
        if len(divided) < len(chance.splits) or None in sides:
            continue
        found[key] = Choice(chance.condition, tuple(divided[side.node] for side in sides if side))
        same |= {PortRef(node=one): source for one, source in divided.items()}
        same |= {PortRef(node=one): PortRef(node=key, output=at) for at, one in enumerate(chance.merges)}
    if not found:
        return after, {}
    gone = {port.node for port in same}

    def real(port: PortRef) -> PortRef:
        while port in same:
            port = same[port]
        return port

    made, nodes = after.copy(), [node for node in after.nodes() if node.key not in gone]
    wires = [wire._replace(source=real(wire.source)) for wire in after.wires() if wire.target not in gone]
    made.rebuild(nodes, wires, [real(port) for port in after.outputs])
    choices = {key: Choice(one.condition, tuple(map(real, one.passed))) for key, one in found.items()}
    return made, choices
