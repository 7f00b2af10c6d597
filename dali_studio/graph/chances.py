"""Nodes that are applied to some samples only: a coin decides, one split for each wire that comes in, and a merge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatchmethod

import msgspec

from dali_studio.graph.apply import apply
from dali_studio.graph.edits import (
    AddNode,
    CardEdit,
    Connect,
    Disconnect,
    Edit,
    PortRef,
    RemoveNode,
    SetArgument,
    SetChance,
    SetDevice,
    SetOutputs,
)
from dali_studio.graph.model import Graph
from dali_studio.graph.ways import PREDICATE
from dali_studio.schema.model import Device
from dali_studio.schema.registry import Registry

#: What the name of the operator that decides has.
_COIN = "coin"


@dataclass(frozen=True)
class Chance:
    """How a node is applied: to which part of the samples, and which nodes do so besides it."""

    part: float
    coin: str
    merge: str
    splits: tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The nodes that have no card of their own."""
        return (self.coin, *self.splits, self.merge)


Chances = Mapping[str, Chance]


def chances_in(graph: Graph, registry: Registry) -> dict[str, Chance]:
    """The nodes that are applied with a probability, by their names, if nothing else uses what makes them so."""
    found = (_chance(graph, registry, key) for key in graph if _role(graph, registry, key) == "merge")
    return {key: chance for pair in found if pair for key, chance in [pair]}


def cards_of(chances: Chances) -> dict[str, str]:
    """By the names of parts the node whose card they are on."""
    return {part: key for key, chance in chances.items() for part in chance.parts}


def before(graph: Graph, split: str) -> PortRef | None:
    """What a split divides."""
    return next(iter(graph.inputs(split)), None)


def unfolded(edits: Sequence[CardEdit], graph: Graph, registry: Registry) -> tuple[Edit, ...]:
    """Edits of cards as edits of the graph.

    Raises
    ------
    DaliStudioError
        If one of them cannot be done.
    """
    made: list[Edit] = []
    for edit in edits if chances_in(graph, registry) or any(isinstance(one, SetChance) for one in edits) else ():
        new = [*_Cards(graph, registry).unfold(edit)]
        graph, _ = apply(graph, new, registry)
        made += new
    return tuple(made) or tuple(one for one in edits if not isinstance(one, SetChance))


def _role(graph: Graph, registry: Registry, key: str) -> str:
    operator = graph.node(key).operator
    return registry.schema(operator).role if operator in registry else ""


def _chance(graph: Graph, registry: Registry, merge: str) -> tuple[str, Chance] | None:
    sides, coin = graph.inputs(merge), graph.argument_inputs(merge).get(PREDICATE)
    if len(sides) != 2 or sides[0] is None or sides[1] is None or coin is None:
        return None
    key, wires = sides[0].node, graph.wires(sides[0].node)
    splits = [wire.source.node for wire in wires]
    own = {merge, *splits}
    outside = {port.node for port in graph.outputs}
    tossed = _COIN in graph.node(coin.node).operator and not graph.wires(coin.node)
    decided = all(graph.argument_inputs(one).get(PREDICATE) == coin for one in own)
    right = len(own) == 1 + len(wires) and all(_role(graph, registry, one) == "split" for one in splits)
    kept = not outside & {key, coin.node, *splits} and [(merge, 0)] == graph.fed_by(key)
    inner = all(target in own or target == key for one in (coin.node, *splits) for target, _ in graph.fed_by(one))
    if not (splits and sides[1].node == splits[0] and tossed and decided and right and kept and inner):
        return None
    part = graph.node(coin.node).arguments.get("probability", 0.5)
    number = float(part) if isinstance(part, (int, float)) else 0.5
    return key, Chance(number, coin.node, merge, tuple(splits))


class _Cards:
    """What edits of cards mean for one graph."""

    def __init__(self, graph: Graph, registry: Registry) -> None:
        self._graph, self._registry = graph, registry
        self._chances = chances_in(graph, registry)
        self._taken: set[str] = set()

    @singledispatchmethod
    def unfold(self, edit: Edit) -> Sequence[Edit]:
        """The edits of the graph."""
        return [edit]

    @unfold.register
    def _(self, edit: Connect) -> Sequence[Edit]:
        source, chance, split = self._given(edit.source), self._chances.get(edit.target), self._split(edit)
        if split:
            return [Connect(source=source, target=split, input=0)]
        if not chance:
            return [msgspec.structs.replace(edit, source=source)]
        return [*self._divided(PortRef(node=chance.coin), source, edit.target, edit.input, edit.argument)]

    @unfold.register
    def _(self, edit: Disconnect) -> Sequence[Edit]:
        chance, split = self._chances.get(edit.target), self._split(edit)
        if not chance or not split:
            return [edit]
        return [Disconnect(target=split, input=0) if split == chance.splits[0] else RemoveNode(key=split)]

    @unfold.register
    def _(self, edit: RemoveNode) -> Sequence[Edit]:
        chance = self._chances.get(edit.key)
        return [edit, *(RemoveNode(key=key) for key in (chance.parts if chance else ()))]

    @unfold.register
    def _(self, edit: SetDevice) -> Sequence[Edit]:
        chance = self._chances.get(edit.key)
        others = (chance.merge, *chance.splits) if chance else ()
        return [edit, *(SetDevice(key=key, device=edit.device) for key in others)]

    @unfold.register
    def _(self, edit: SetOutputs) -> Sequence[Edit]:
        return [SetOutputs(outputs=tuple(map(self._given, edit.outputs)))]

    @unfold.register
    def _(self, edit: SetChance) -> Sequence[Edit]:
        chance = self._chances.get(edit.key)
        if chance and edit.part >= 1:
            return [*self._always(edit.key, chance)]
        if chance:
            return [SetArgument(key=chance.coin, argument="probability", value=edit.part)]
        return [*self._sometimes(edit.key, edit.part)] if edit.part < 1 else []

    def _given(self, port: PortRef) -> PortRef:
        chance = None if port.output else self._chances.get(port.node)
        return PortRef(node=chance.merge) if chance else port

    def _split(self, edit: Connect | Disconnect) -> str:
        """The split between a wire that comes to a card and the node."""
        wires = self._graph.wires(edit.target) if edit.target in self._chances else ()
        at = None if edit.argument else edit.input or 0
        return next((w.source.node for w in wires if (w.input, w.argument) == (at, edit.argument)), "")

    def _free(self, name: str) -> str:
        """A name for a new node."""
        key, number = name, 2
        while key in self._graph or key in self._taken:
            key, number = f"{name}_{number}", number + 1
        self._taken.add(key)
        return key

    def _operator(self, role: str) -> str:
        return next(name for name in self._registry if self._registry.schema(name).role == role)

    def _divided(
        self, coin: PortRef, source: PortRef | None, target: str, at: int | None, argument: str
    ) -> Iterator[Edit]:  # fmt: skip
        """A split before a place where a wire ends, or would."""
        key = self._free("split")
        yield AddNode(key=key, operator=self._operator("split"), device=self._side(source.node if source else target))
        if source:
            yield Connect(source=source, target=key, input=0)
        yield Connect(source=coin, target=key, argument=PREDICATE)
        yield Connect(source=PortRef(node=key), target=target, input=at, argument=argument)

    def _side(self, key: str) -> Device:
        """Where the results of a node are."""
        return "cpu" if key not in self._graph or self._graph.node(key).device == "cpu" else "gpu"

    def _sometimes(self, key: str, part: float) -> Iterator[Edit]:
        graph = self._graph
        coin = PortRef(node=self._free("coin"))
        toss = next(name for name in self._registry if _COIN in name)
        yield AddNode(key=coin.node, operator=toss, arguments={"probability": part, "dtype": "BOOL"})
        wires = graph.wires(key)
        places = [(w.source, w.input, w.argument) for w in wires]
        if not any(w.input == 0 for w in wires):
            places = [(None, 0, ""), *places]
        first = ""
        for place in places:
            for edit in self._divided(coin, place[0], key, *place[1:]):
                first = first or (edit.key if isinstance(edit, AddNode) else "")
                yield edit
        merge = PortRef(node=self._free("merge"))
        yield AddNode(key=merge.node, operator=self._operator("merge"), device=self._side(key))
        yield Connect(source=PortRef(node=key), target=merge.node, input=0)
        yield Connect(source=PortRef(node=first, output=1), target=merge.node, input=1)
        yield Connect(source=coin, target=merge.node, argument=PREDICATE)
        yield from self._instead(key, merge)

    def _instead(self, key: str, port: PortRef) -> Iterator[Edit]:
        """What was fed by a node is fed by another output."""
        for target, at, argument in self._graph.consumers(PortRef(node=key)):
            yield Connect(source=port, target=target, input=at, argument=argument)
        outputs = tuple(port if one.node == key else one for one in self._graph.outputs)
        if outputs != self._graph.outputs:
            yield SetOutputs(outputs=outputs)

    def _always(self, key: str, chance: Chance) -> Iterator[Edit]:
        for wire in self._graph.wires(key):
            source = before(self._graph, wire.source.node)
            if source:
                yield Connect(source=source, target=key, input=wire.input, argument=wire.argument)
            else:
                yield Disconnect(target=key, input=wire.input, argument=wire.argument)
        yield from self._instead(chance.merge, PortRef(node=key))
        yield from (RemoveNode(key=part) for part in chance.parts)

