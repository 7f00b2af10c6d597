"""Ways from sources to ports, and the branches of conditions on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Wire
from dali_studio.schema.registry import Registry

#: The argument of nodes that split or merge.
PREDICATE = "predicate"
#: With more conditions than so many, each is taken to fail alone, and not in all combinations.
_COMBINED = 6


def way_to(
    graph: Graph, port: PortRef, taken: Mapping[str, int] | None = None, registry: Registry | None = None
) -> list[PortRef]:
    """The ports from the source to `port`, along first inputs, or those that are taken of nodes.

    With a registry, labels that an operator takes beside a picture are followed, and not the picture.
    """
    way, entered = [port], {port.node}
    while (before := _before(graph, way[-1], taken or {}, registry)) is not None and before.node not in entered:
        entered.add(before.node)
        way.append(before)
    return way[::-1]


def _before(graph: Graph, port: PortRef, taken: Mapping[str, int], registry: Registry | None) -> PortRef | None:
    inputs, operator = graph.inputs(port.node), graph.node(port.node).operator
    at = taken.get(port.node, 0)
    schema = registry.schema(operator) if registry is not None and operator in registry else None
    if schema is not None and port.output < len(schema.outputs):
        kind = schema.outputs[port.output].kind
        alike = [i for i, one in enumerate(schema.inputs) if kind in ("boxes", "points", "label") and one.kind == kind]
        at = alike[0] if alike else at
    return inputs[at] if at < len(inputs) else None


def undivided(graph: Graph, registry: Registry, port: PortRef) -> PortRef:
    """What was split to give what a port gives."""
    operator, source = graph.node(port.node).operator, next(iter(graph.inputs(port.node)), None)
    split = source is not None and operator in registry and registry.schema(operator).role == "split"
    return undivided(graph, registry, source) if source is not None and split else port


class Branches:
    """The conditions of a graph.

    Attributes
    ----------
    splits, merges : dict
        The condition of each node that splits or merges; of one by ``not c``, it is ``c``.
    """

    def __init__(self, graph: Graph, registry: Registry) -> None:
        self.splits: dict[str, PortRef] = {}
        self.merges: dict[str, PortRef] = {}
        self._turned: set[str] = set()  # nodes whose outputs, or inputs, are the other way round
        roles = {one.key: registry.schema(one.operator).role for one in graph.nodes() if one.operator in registry}
        for key, role in roles.items():
            if role not in ("split", "merge"):
                continue
            condition = graph.argument_inputs(key).get(PREDICATE, PortRef(node=key))
            seen: set[str] = set()
            while roles.get(condition.node) == "not" and condition.node not in seen:
                seen.add(condition.node)
                condition = next((one for one in graph.inputs(condition.node) if one), condition)
                self._turned ^= {key}
            (self.splits if role == "split" else self.merges)[key] = condition

    def side(self, key: str, outcome: int) -> int:
        """The output of a split, or the input of a merge, for an outcome of its condition; and the other way round."""
        return 1 - outcome if key in self._turned else outcome

    def taken(self) -> list[dict[str, int]]:
        """Which inputs merging nodes take, for what their conditions may say together."""
        conditions = list(dict.fromkeys(self.merges.values()))
        if len(conditions) > _COMBINED:
            outcomes = [{}, *({condition: 1} for condition in conditions)]
        else:
            outcomes = [dict(zip(conditions, said, strict=True)) for said in product((0, 1), repeat=len(conditions))]
        return [
            {key: self.side(key, said.get(condition, 0)) for key, condition in self.merges.items()} for said in outcomes
        ]

    def of(self, way: Sequence[PortRef], at: int) -> dict[PortRef, int]:
        """The conditions under which a port of a way is computed, and their outcome: 0 if they hold, else 1."""
        branch: dict[PortRef, int] = {}
        for port in way[:at]:
            if port.node in self.splits:
                branch[self.splits[port.node]] = self.side(port.node, port.output)
            elif port.node in self.merges:
                branch.pop(self.merges[port.node], None)
        return branch

    def behind(self, way: Sequence[PortRef], at: int) -> dict[PortRef, int]:
        """The conditions under which there is something at a port of a way: of a split, also its own."""
        return self.of([*way[: at + 1], way[at]], at + 1)

    def under(self, graph: Graph, port: PortRef) -> dict[PortRef, int]:
        """The same of any port."""
        way = way_to(graph, port)
        return self.behind(way, len(way) - 1)

    def mixed(self, graph: Graph) -> dict[str, list[tuple[Wire, dict[PortRef, int]]]]:
        """Nodes whose inputs, and arguments, are not all about the same samples: such as a branch's, and all.

        With their wires and the conditions under which these bring something; a side of a merge without its own.
        """
        found: dict[str, list[tuple[Wire, dict[PortRef, int]]]] = {}
        made: dict[str, dict[PortRef, int]] = {}
        for key in graph.computable() if self.splits else ():
            about: list[tuple[Wire, dict[PortRef, int]]] = []
            for wire in graph.wires(key):
                source, at = wire.source, wire.input
                split = source.node in self.splits
                own = {self.splits[source.node]: self.side(source.node, source.output)} if split else {}
                under = made.get(source.node, {}) | own
                if key in self.merges and at is not None:  # a side, which it ends
                    end = {self.merges[key]: self.side(key, at)}
                    under = {one: side for one, side in (under | end).items() if under.get(one) != end.get(one)}
                about.append((wire, under))
            made[key] = about[0][1] if about else {}
            if any(under != made[key] for _, under in about):
                found[key] = about
        return found
