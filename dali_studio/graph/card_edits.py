"""Edits of cards that stand for several nodes, as edits of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import singledispatchmethod
from typing import cast

import msgspec

from dali_studio.graph.apply import apply
from dali_studio.graph.box_chances import with_chance
from dali_studio.graph.cards import COIN, Chance, before, cards_in, coin_around, merge_around, role_of
from dali_studio.graph.draft import Draft
from dali_studio.graph.edits import (
    AddNode,
    CardEdit,
    Connect,
    Disconnect,
    Edit,
    PortRef,
    RemoveNode,
    SetArgument,
    SetBypass,
    SetChance,
    SetDevice,
    SetOutputs,
    SetPipeline,
)
from dali_studio.graph.model import Graph
from dali_studio.graph.ways import PREDICATE, Branches
from dali_studio.schema.model import Device
from dali_studio.schema.registry import Registry


def unfolded(edits: Sequence[CardEdit], graph: Graph, registry: Registry) -> tuple[Edit, ...]:
    """Edits of cards as edits of the graph.

    Raises
    ------
    DaliStudioError
        If one of them cannot be done.
    """
    if all(isinstance(edit, (SetArgument, SetPipeline)) for edit in edits):
        return cast("tuple[Edit, ...]", tuple(edits))
    made = _unfolded(edits, graph, registry)
    return made + _brought(made, graph, registry)


def _brought(edits: Sequence[Edit], graph: Graph, registry: Registry) -> tuple[Edit, ...]:
    """What brings into branches what edits wire to their nodes: it is split there, as a variable that is read."""
    if not Branches(graph, registry).splits:
        return ()
    after, branches = apply(graph, edits, registry)[0], Branches(graph, registry)
    new = Branches(after, registry).mixed(after).keys() - branches.mixed(graph).keys()
    inside = [
        key for key in new
        if (branches.under(graph, PortRef(node=key)) if key in graph else role_of(after, registry, key) in _INPUTS)
    ]  # fmt: skip
    draft = Draft(after, registry)
    return tuple(draft.edits) if inside and draft.join(*inside) else ()


def _unfolded(edits: Sequence[CardEdit], graph: Graph, registry: Registry) -> tuple[Edit, ...]:
    over = put_behind(edits, graph, registry)
    edits = [*_moved_behind(edits, graph, over)] if over else edits
    several = {name for name in registry if registry.schema(name).role in ("split", "merge")}
    chosen = any(isinstance(edit, SetChance) for edit in edits)
    divided = any(isinstance(edit, AddNode) and edit.operator in several for edit in edits)
    if not chosen and not divided and not cards_in(graph, registry).parts:
        return cast("tuple[Edit, ...]", tuple(edits))
    made: list[Edit] = []
    added: dict[str, list[str]] = {}
    for edit in edits:
        if isinstance(edit, AddNode) and edit.operator in several:
            added[edit.key] = [edit.key]
        new = [*_Cards(graph, registry, added).unfold(edit)]
        graph, _ = apply(graph, new, registry)
        made += new
    return tuple(made)


def put_behind(edits: Sequence[CardEdit], graph: Graph, registry: Registry) -> dict[str, str]:
    """Loose nodes that edits put behind one with a probability whose ``if`` has cards, and the merge behind that one.

    They are meant for all samples, as behind a card that stands for the merge as well.
    """
    new = {edit.key for edit in edits if isinstance(edit, AddNode)}
    wires = [edit for edit in edits if isinstance(edit, Connect) and edit.input is not None]
    fed = [
        (edit.target, edit.source.node) for edit in wires if edit.source.node in graph
        and (edit.target in new or not (graph.wires(edit.target) or graph.fed_by(edit.target)))
    ]  # fmt: skip
    found = {key: merge for key, source in fed if (merge := merge_around(graph, registry, source))}
    owned = cards_in(graph, registry).owners if found else {}
    return {key: merge for key, merge in found.items() if merge not in owned}


def is_between(edits: Sequence[CardEdit], key: str, merge: str) -> bool:
    """Whether edits put a node right before a merge."""
    return any(isinstance(edit, Connect) and (edit.source.node, edit.target) == (key, merge) for edit in edits)


def _moved_behind(edits: Sequence[CardEdit], graph: Graph, over: Mapping[str, str]) -> Iterator[CardEdit]:
    """The edits with new nodes behind the merges in place of before them."""
    instead = {
        PortRef(node=edit.target): edit.source for edit in edits
        if isinstance(edit, Connect) and over.get(edit.source.node) == edit.target
    }  # fmt: skip
    for edit in edits:
        if isinstance(edit, Connect) and over.get(edit.source.node) == edit.target:
            for target, at, argument in graph.consumers(PortRef(node=edit.target)):
                yield Connect(source=edit.source, target=target, input=at, argument=argument)
        elif isinstance(edit, Connect) and edit.target in over and edit.source == graph.inputs(over[edit.target])[0]:
            yield msgspec.structs.replace(edit, source=PortRef(node=over[edit.target]))
        elif not isinstance(edit, SetOutputs):
            yield edit
    given = [edit.outputs for edit in edits if isinstance(edit, SetOutputs)]
    yield SetOutputs(outputs=tuple(instead.get(port, port) for port in (given or [graph.outputs])[-1]))


#: How many inputs of a card each of its splits, or merges, has.
_INPUTS = {"split": 1, "merge": 2}


class _Cards:
    """What edits of cards mean for one graph; `added`: the splits and merges that earlier edits of a step add."""

    def __init__(self, graph: Graph, registry: Registry, added: dict[str, list[str]]) -> None:
        self._graph, self._registry, self._added = graph, registry, added
        self._cards = cards_in(graph, registry)
        self._chances, self._choices = self._cards.chances, self._cards.choices
        self._taken: set[str] = set()

    @singledispatchmethod
    def unfold(self, edit: Edit) -> Sequence[Edit]:
        """The edits of the graph."""
        return [edit]

    @unfold.register
    def _(self, edit: Connect) -> Sequence[Edit]:
        source, chance, split = self._real(edit.source), self._chances.get(edit.target), self._split(edit)
        if chance and not split:
            return [*self._divided(chance.condition, source, edit.target, edit.input, edit.argument)]
        if split:
            return [Connect(source=source, target=split, input=0)]
        if edit.argument:
            return [msgspec.structs.replace(edit, source=source, target=key) for key in self._alike(edit.target)]
        condition = self._graph.argument_inputs(edit.target).get(PREDICATE) if edit.target in self._added else None
        target, at = self._place(edit)
        role = self._role(edit.target)
        if condition and at is not None and at >= _INPUTS.get(role, at + 1):
            self._added[edit.target].append(key := self._free(role))
            return [*self._wired(role, condition, source, self._side(edit.target), key, at % _INPUTS[role])]
        return [msgspec.structs.replace(edit, source=source, target=target, input=at)]

    @unfold.register
    def _(self, edit: Disconnect) -> Sequence[Edit]:
        chance, split = self._chances.get(edit.target), self._split(edit)
        if chance and split:
            if any(split in self._chances[one].splits for one in chance.shared):
                return [edit]
            return [Disconnect(target=split, input=0) if split == chance.splits[0] else RemoveNode(key=split)]
        if edit.argument:
            return [msgspec.structs.replace(edit, target=key) for key in self._alike(edit.target)]
        target, at = self._place(edit)
        return [msgspec.structs.replace(edit, target=target, input=at)]

    @unfold.register
    def _(self, edit: RemoveNode) -> Sequence[Edit]:
        return [edit, *self._removed(edit.key)]

    @unfold.register
    def _(self, edit: SetDevice) -> Sequence[Edit]:
        chance = self._chances.get(edit.key)
        others = (*chance.merges, *chance.splits) if chance else self._alike(edit.key)[1:]
        return [edit, *(SetDevice(key=key, device=edit.device) for key in others)]

    @unfold.register
    def _(self, edit: SetBypass) -> Sequence[Edit]:
        return [SetBypass(key=key, bypassed=edit.bypassed) for key in self._alike(edit.key)]

    @unfold.register
    def _(self, edit: SetOutputs) -> Sequence[Edit]:
        return [SetOutputs(outputs=tuple(map(self._real, edit.outputs)))]

    @unfold.register
    def _(self, edit: SetChance) -> Sequence[Edit]:
        if edit.keys:
            return with_chance(self._graph, self._registry, self._cards.nodes(edit.keys), edit.part)
        chance = self._chances.get(edit.key)
        if chance and edit.part >= 1:
            return [*self._always(edit.key, chance)]
        if edit.like and (other := self._chances.get(edit.like)):
            return [*self._sometimes(edit.key, other.part, other.condition)]
        # where its labels take more steps than it does, the `if` that they share has cards of its own
        coin = chance.coin if chance else coin_around(self._graph, self._registry, edit.key)
        if coin:
            return [SetArgument(key=coin, argument="probability", value=edit.part)]
        return [*self._sometimes(edit.key, edit.part)] if edit.part < 1 else []

    def _real(self, port: PortRef) -> PortRef:
        alike = self._added.get(port.node, ())
        at, output = divmod(port.output, 3 - _INPUTS.get(self._role(port.node), 1))
        return PortRef(node=alike[at], output=output) if at < len(alike) else self._cards.real(port)

    def _role(self, key: str) -> str:
        return role_of(self._graph, self._registry, key) if key in self._graph else ""

    def _alike(self, key: str) -> Sequence[str]:
        """The splits or merges of a card, or the node itself."""
        return self._added.get(key) or self._cards.alike(key)

    def _place(self, edit: Connect | Disconnect) -> tuple[str, int | None]:
        """The node and its input at which a wire of a card ends."""
        alike, each, at = self._alike(edit.target), _INPUTS.get(self._role(edit.target), 0), edit.input
        if not each or at is None or at // each >= len(alike):
            return edit.target, at
        return alike[at // each], at % each

    def _split(self, edit: Connect | Disconnect) -> str:
        """The split between a wire that comes to a card with a probability and the node."""
        at = None if edit.argument else edit.input or 0
        wires = self._graph.wires(edit.target) if edit.target in self._chances else ()
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
        yield from self._wired("split", coin, source, self._side(source.node if source else target), key)
        yield Connect(source=PortRef(node=key), target=target, input=at, argument=argument)

    def _wired(
        self, role: str, condition: PortRef, source: PortRef | None, device: Device, key: str, at: int = 0
    ) -> Iterator[Edit]:  # fmt: skip
        """A new split or merge, with one of its inputs."""
        yield AddNode(key=key, operator=self._operator(role), device=device)
        if source:
            yield Connect(source=source, target=key, input=at)
        yield Connect(source=condition, target=key, argument=PREDICATE)

    def _side(self, key: str) -> Device:
        """Where the results of a node are."""
        return "cpu" if key not in self._graph or self._graph.node(key).device == "cpu" else "gpu"

    def _sometimes(self, key: str, part: float, shared: PortRef | None = None) -> Iterator[Edit]:
        graph = self._graph
        coin = shared or PortRef(node=self._free("coin"))
        if not shared:
            toss = next(name for name in self._registry if COIN in name)
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
        for output, merge in enumerate(chance.merges):
            yield from self._instead(merge, PortRef(node=key, output=output))
        yield from self._removed(key)

    def _removed(self, key: str) -> Iterator[Edit]:
        """The parts of a card go, but for what others share with it."""
        chance = self._chances.get(key)
        kept = {part for one in (chance.shared if chance else ()) for part in self._chances[one].nodes}
        parts = chance.nodes if chance else self._cards.parts.get(key, ())
        yield from (RemoveNode(key=part) for part in parts if part not in kept)
