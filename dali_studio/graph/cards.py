"""Cards that stand for several nodes: one with a probability, and a condition of several inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.ways import PREDICATE
from dali_studio.schema.registry import Registry

#: What the name of the operator that tosses a coin has.
COIN = "coin"


@dataclass(frozen=True)
class Chance:
    """How a node is applied: to which part of the samples, and which nodes do so besides it."""

    part: float
    coin: str
    merge: str
    splits: tuple[str, ...]


@dataclass(frozen=True)
class Cards:
    """The cards of a graph that stand for several nodes, by the names of the nodes whose they are.

    Attributes
    ----------
    chances
        Nodes that are applied with a probability: a coin decides, with one split for each wire that comes in, and a
        merge.
    choices
        Splits of one condition, the first of which has the card: an input for each, and two outputs.
    """

    chances: Mapping[str, Chance]
    choices: Mapping[str, tuple[str, ...]]

    @cached_property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """By the node whose card it is those that have no card of their own."""
        chosen = {key: splits[1:] for key, splits in self.choices.items()}
        return chosen | {key: (one.coin, *one.splits, one.merge) for key, one in self.chances.items()}

    @cached_property
    def owners(self) -> dict[str, str]:
        """By the names of parts the node whose card they are on."""
        return {part: key for key, parts in self.parts.items() for part in parts}

    def drawn(self, port: PortRef) -> PortRef:
        """Where a card has an output of a node."""
        key = self.owners.get(port.node)
        if key is None:
            return port
        splits = self.choices.get(key, ())
        return PortRef(node=key, output=2 * splits.index(port.node) + port.output) if splits else PortRef(node=key)

    def real(self, port: PortRef) -> PortRef:
        """What an output of a card is of the graph."""
        splits = self.choices.get(port.node, ())
        if 0 <= port.output < 2 * len(splits):
            return PortRef(node=splits[port.output // 2], output=port.output % 2)
        return PortRef(node=self.chances[port.node].merge) if port.node in self.chances and not port.output else port


#: Where each node has a card of its own.
PLAIN = Cards({}, {})


def cards_in(graph: Graph, registry: Registry) -> Cards:
    """The cards that stand for several nodes, if nothing else uses what makes them so."""
    merges = (_chance(graph, registry, key) for key in graph if role_of(graph, registry, key) == "merge")
    chances = dict(pair for pair in merges if pair)
    served = {split for chance in chances.values() for split in chance.splits}
    splits = [key for key in graph if key not in served and role_of(graph, registry, key) == "split"]
    found = Cards(chances, dict(_choices(graph, splits)) if len(splits) > 1 else {})
    return found if not found.choices or _is_ordered(graph, found.owners) else Cards(chances, {})


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


def _chance(graph: Graph, registry: Registry, merge: str) -> tuple[str, Chance] | None:
    sides, coin = graph.inputs(merge), graph.argument_inputs(merge).get(PREDICATE)
    if len(sides) != 2 or sides[0] is None or sides[1] is None or coin is None:
        return None
    key, wires = sides[0].node, graph.wires(sides[0].node)
    splits = [wire.source.node for wire in wires]
    own = {merge, *splits}
    outside = {port.node for port in graph.outputs}
    tossed = COIN in graph.node(coin.node).operator and not graph.wires(coin.node)
    decided = all(graph.argument_inputs(one).get(PREDICATE) == coin for one in own)
    right = len(own) == 1 + len(wires) and all(role_of(graph, registry, one) == "split" for one in splits)
    kept = not outside & {key, coin.node, *splits} and [(merge, 0)] == graph.fed_by(key)
    inner = all(target in own or target == key for one in (coin.node, *splits) for target, _ in graph.fed_by(one))
    if not (splits and sides[1].node == splits[0] and tossed and decided and right and kept and inner):
        return None
    return key, Chance(part_of(graph, coin.node), coin.node, merge, tuple(splits))


def _choices(graph: Graph, splits: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Splits of one condition, none of which is behind another."""
    alike: dict[tuple[PortRef, str], list[list[str]]] = {}
    for key in splits:
        condition = graph.argument_inputs(key).get(PREDICATE)
        if condition is None or len(graph.inputs(key)) != 1:
            continue
        behind = graph.descendants(key)
        groups = alike.setdefault((condition, graph.node(key).device), [])
        for group in groups:
            if not any(one in behind or key in graph.descendants(one) for one in group):
                group.append(key)
                break
        else:
            groups.append([key])
    yield from ((group[0], tuple(group)) for groups in alike.values() for group in groups if len(group) > 1)


def _is_ordered(graph: Graph, owners: Mapping[str, str]) -> bool:
    """Whether no card depends on itself."""
    needs: dict[str, set[str]] = {}
    for key in graph:
        card = owners.get(key, key)
        needs.setdefault(card, set()).update(owners.get(one, one) for one in graph.predecessors(key))
    while ready := [card for card, before in needs.items() if not before]:
        needs = {card: before.difference(ready) for card, before in needs.items() if before}
    return not needs
