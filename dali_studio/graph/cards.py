"""Cards that stand for several nodes: one with a probability, and both ends of a condition of several values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.ways import PREDICATE
from dali_studio.schema.registry import Registry

#: What the name of the operator that tosses a coin has.
COIN = "coin"


@dataclass(frozen=True)
class Chance:
    """How a node is applied: to which part of the samples, and which nodes do so besides it.

    Attributes
    ----------
    part
        Of the samples.
    coin, condition
        What is tossed, and what decides: in a branch the tosses for its samples.
    tossed
        The splits between these two.
    merges
        One for each output.
    splits
        One for each wire that comes in.
    shared
        Other nodes that go by the same coin.
    """

    part: float
    coin: str
    condition: PortRef
    merges: tuple[str, ...]
    splits: tuple[str, ...]
    tossed: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """All that apply the node so."""
        return self.coin, *self.tossed, *self.splits, *self.merges


@dataclass(frozen=True)
class Cards:
    """The cards of a graph that stand for several nodes, by the names of the nodes whose they are.

    Attributes
    ----------
    chances
        Nodes that are applied with a probability: a coin decides, with splits and merges. What several share, the first
        one has.
    choices
        Splits of one condition, the first of which has the card: an input for each, and two outputs.
    ends
        Merges of one condition, likewise: two inputs for each, and an output.
    """

    chances: Mapping[str, Chance]
    choices: Mapping[str, tuple[str, ...]]
    ends: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])

    @cached_property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """By the node whose card it is those that have no card of their own."""
        found = {key: alike[1:] for alike_by in (self.choices, self.ends) for key, alike in alike_by.items()}
        seen = set[str]()
        for key, one in self.chances.items():
            found[key] = tuple(part for part in one.nodes if part not in seen)
            seen.update(one.nodes)
        return found

    @cached_property
    def owners(self) -> dict[str, str]:
        """By the names of parts the node whose card they are on."""
        return {part: key for key, parts in self.parts.items() for part in parts}

    def nodes(self, keys: Iterable[str]) -> set[str]:
        """The nodes that some cards stand for."""
        return {node for key in keys for node in (key, *self.parts.get(key, ()))}

    def alike(self, key: str) -> tuple[str, ...]:
        """The splits or merges of a card, or the node itself."""
        return self.choices.get(key) or self.ends.get(key, (key,))

    def drawn(self, port: PortRef) -> PortRef:
        """Where a card has an output of a node."""
        key = self.owners.get(port.node)
        if key is None:
            return port
        if key in self.chances:
            merges = self.chances[key].merges
            return PortRef(node=key, output=merges.index(port.node) if port.node in merges else 0)
        each = 2 if key in self.choices else 1
        return PortRef(node=key, output=each * self.alike(key).index(port.node) + port.output)

    def real(self, port: PortRef) -> PortRef:
        """What an output of a card is of the graph."""
        each = 1 if port.node in self.chances or port.node in self.ends else 2
        alike = self.chances[port.node].merges if port.node in self.chances else self.alike(port.node)
        at = port.output // each
        return PortRef(node=alike[at], output=port.output % each) if 0 <= at < len(alike) else port


#: Where each node has a card of its own.
PLAIN = Cards({}, {})


def cards_in(graph: Graph, registry: Registry) -> Cards:
    """The cards that stand for several nodes, if nothing else uses what makes them so."""
    merges = [key for key in graph if role_of(graph, registry, key) == "merge"]
    if not merges:
        return PLAIN
    chances = dict(_chances(graph, registry, merges))
    served = {part for one in chances.values() for part in (*one.tossed, *one.splits, *one.merges)}
    splits = [key for key in graph if key not in served and role_of(graph, registry, key) == "split"]
    merges = [key for key in merges if key not in served]
    found = Cards(chances, dict(_alike(graph, splits, 1)), dict(_alike(graph, merges, 2)))
    tried = found, Cards(chances, found.choices), Cards(chances, {})
    return next((one for one in tried if not (one.choices or one.ends) or _is_ordered(graph, one.owners)), tried[-1])


def role_of(graph: Graph, registry: Registry, key: str) -> str:
    """The role of a node's operator."""
    operator = graph.node(key).operator
    return registry.schema(operator).role if operator in registry else ""


def coin_around(graph: Graph, registry: Registry, key: str) -> str:
    """The coin of the ``if`` in which a node is alone with what goes with it; empty if there is no such."""
    source = next(iter(graph.inputs(key)), None)
    if source is None or source.output or role_of(graph, registry, source.node) != "split":
        return ""
    coin = graph.argument_inputs(source.node).get(PREDICATE)
    behind = [target for target, _ in graph.fed_by(key)]
    merged = [
        role_of(graph, registry, one) == "merge" and graph.argument_inputs(one).get(PREDICATE) == coin for one in behind
    ]
    tossed = coin is not None and COIN in graph.node(coin.node).operator and not graph.wires(coin.node)
    return coin.node if coin is not None and tossed and merged and all(merged) else ""


def merge_around(graph: Graph, registry: Registry, key: str) -> str:
    """The merge of such an ``if``, where other samples are as they came; empty if there is none."""
    source, behind = next(iter(graph.inputs(key)), None), graph.fed_by(key)
    if source is None or len(behind) != 1 or not coin_around(graph, registry, key):
        return ""
    merge = behind[0][0]
    return merge if graph.inputs(merge) == (PortRef(node=key), PortRef(node=source.node, output=1)) else ""


def part_of(graph: Graph, coin: str) -> float:
    """Of how many samples a coin says yes."""
    part = graph.node(coin).arguments.get("probability", 0.5)
    return float(part) if isinstance(part, (int, float)) else 0.5


def before(graph: Graph, split: str) -> PortRef | None:
    """What a split divides."""
    return next(iter(graph.inputs(split)), None)


def _chances(graph: Graph, registry: Registry, merges: Sequence[str]) -> Iterator[tuple[str, Chance]]:
    """Nodes between splits and merges of one coin that nothing else uses, in the order of computation."""
    fed = {side.node for merge in merges if (side := next(iter(graph.inputs(merge)), None)) is not None}
    alike: dict[PortRef, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for key in graph.order() if fed else ():
        if key in fed and (found := _applied(graph, registry, key)) is not None:
            alike.setdefault(found[0], {})[key] = found[1:]
    outside = {port.node for port in graph.outputs}
    for condition, nodes in alike.items():
        coin, tossed = condition, list[str]()
        while (source := before(graph, coin.node)) is not None and role_of(graph, registry, coin.node) == "split":
            tossed.append(coin.node)
            coin = source
        own = {coin.node, *tossed, *nodes, *(part for parts in nodes.values() for some in parts for part in some)}
        merged = {merge for merges, _ in nodes.values() for merge in merges}
        inner = all(target in own for one in own - merged for target, _ in graph.fed_by(one))
        drawn = COIN in graph.node(coin.node).operator and not graph.wires(coin.node)
        if not inner or not drawn or outside & (own - merged):
            continue
        for key, (joined, splits) in nodes.items():
            others = tuple(one for one in nodes if one != key)
            part = part_of(graph, coin.node)
            yield key, Chance(part, coin.node, condition, joined, splits, tuple(tossed), others)


def _applied(
    graph: Graph, registry: Registry, key: str
) -> tuple[PortRef, tuple[str, ...], tuple[str, ...]] | None:  # fmt: skip
    """The condition, the merges and the splits of a node that works alone where the condition holds."""
    splits = tuple(wire.source.node for wire in graph.wires(key))
    made = [PortRef(node=key, output=at) for at in range(graph.outputs_used(key))]
    behind = [graph.consumers(port) for port in made]
    if not splits or not made or any(len(one) != 1 for one in behind):
        return None
    merges = tuple(one[0][0] for one in behind)
    condition = graph.argument_inputs(splits[0]).get(PREDICATE)
    own = {*splits, *merges}
    decided = all(graph.argument_inputs(one).get(PREDICATE) == condition for one in own)
    right = all(role_of(graph, registry, one) == "split" for one in splits) and len({*splits}) == len(splits)
    taken = all(wire.source.output == 0 for wire in graph.wires(key))
    kept = all(
        role_of(graph, registry, merge) == "merge" and len(sides := graph.inputs(merge)) == 2 and sides[0] == port
        and sides[1] is not None and sides[1].output == 1 and sides[1].node in splits
        for merge, port in zip(merges, made, strict=True)
    )
    passed = [graph.inputs(merge)[1:] for merge in merges]
    first = passed[0] == (PortRef(node=splits[0], output=1),)
    return (condition, merges, splits) if condition and decided and right and taken and kept and first else None


def _alike(graph: Graph, keys: Sequence[str], inputs: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Splits, or merges, of one condition, none of which is behind another."""
    together: dict[tuple[PortRef, str], list[str]] = {}
    for key in keys:
        condition = graph.argument_inputs(key).get(PREDICATE)
        if condition is not None and len(graph.inputs(key)) == inputs:
            together.setdefault((condition, graph.node(key).device), []).append(key)
    for some in together.values():
        behind = {key: graph.descendants(key) for key in some} if len(some) > 1 else {}
        groups = list[list[str]]()
        for key, after in behind.items():
            apart = (g for g in groups if not any(one in after or key in behind[one] for one in g))
            group = next(apart, None)
            if group is None:
                groups.append([key])
            else:
                group.append(key)
        yield from ((group[0], tuple(group)) for group in groups if len(group) > 1)


def _is_ordered(graph: Graph, owners: Mapping[str, str]) -> bool:
    """Whether no card depends on itself."""
    needs: dict[str, set[str]] = {}
    for key in graph:
        card = owners.get(key, key)
        needs.setdefault(card, set()).update({owners.get(one, one) for one in graph.predecessors(key)} - {card})
    while ready := [card for card, before in needs.items() if not before]:
        needs = {card: before.difference(ready) for card, before in needs.items() if before}
    return not needs
