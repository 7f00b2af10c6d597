"""Cards that stand for several nodes (`graph/cards.py`), and what is said of them.

The browser knows of cards alone: answers are folded here, questions unfolded, as are edits in `graph/card_edits.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec

from dali_studio.graph.apply import apply
from dali_studio.graph.box_chances import chance_of
from dali_studio.graph.cards import COIN, Cards, before, cards_in
from dali_studio.graph.edits import AddNode, CardEdit, Edit, PortRef, RemoveNode, SetChance
from dali_studio.graph.history import History
from dali_studio.graph.model import Graph
from dali_studio.graph.placement import Repair
from dali_studio.schema.registry import Registry
from dali_studio.studio.protocol import messages, requests
from dali_studio.studio.protocol.run_messages import DeviceTime, DeviceTimes, NodeTiming, RunFinished, RunProgress

_Time = TypeVar("_Time", NodeTiming, DeviceTime)


def folded(view: messages.GraphView, graph: Graph, cards: Cards) -> messages.GraphView:
    """The graph of cards: each takes what its splits take, and gives what its merge or its splits give."""
    if not cards.parts:
        return view
    nodes = {node.key: node for node in view.nodes}

    def outer(ref: PortRef | None, *, split: bool = False) -> PortRef | None:
        source = before(graph, ref.node) if split and ref else ref
        return None if source is None else cards.drawn(source)

    def drawn(node: messages.NodeView) -> messages.NodeView:
        chance, alike = cards.chances.get(node.key), [nodes[key] for key in cards.alike(node.key)]
        inputs = [outer(ref, split=chance is not None) for one in alike for ref in one.inputs]
        wired = {name: outer(ref, split=chance is not None) for name, ref in node.argument_inputs.items()}
        gives = [nodes[key] for key in chance.merges] if chance else alike
        own = len(gives) if chance else len(node.output_kinds)
        return msgspec.structs.replace(
            node, inputs=tuple(inputs), argument_inputs={name: ref for name, ref in wired.items() if ref},
            output_kinds=tuple(kind for one in gives for kind in one.output_kinds) + node.output_kinds[own:],
            output_ranks=tuple(rank for one in gives for rank in one.output_ranks) + node.output_ranks[own:],
            facts=tuple(fact for one in gives for fact in one.facts) + node.facts[own:],
            pin=gives[0].pin, pin_batch=gives[0].pin_batch, pin_old=gives[0].pin_old, in_run=gives[0].in_run,
            chance=chance.part if chance else node.chance, coin=chance.coin if chance else "",
            shared=chance.shared if chance else (),
            parts=tuple(nodes[part] for part in cards.parts.get(node.key, ())),
        )  # fmt: skip

    kept = tuple(drawn(node) for node in view.nodes if node.key not in cards.owners)
    return msgspec.structs.replace(view, nodes=kept, outputs=tuple(map(cards.drawn, view.outputs)))


def coins_in(marks: Mapping[str, messages.Mark], graph: Graph, registry: Registry, cards: Cards) -> dict[str, str]:
    """The coins of subgraphs that are applied with a probability, by the names of their marks."""
    if not any(COIN in node.operator for node in graph.nodes()):
        return {}
    groups = {name: mark for name, mark in marks.items() if isinstance(mark, messages.Group) and mark.subgraph}
    found = {name: chance_of(graph, registry, cards.nodes(group.keys)) for name, group in groups.items()}
    return {name: chance.coin for name, chance in found.items() if chance}


def whole_boxes(history: History, edits: Iterable[CardEdit]) -> list[CardEdit]:
    """Edits in which a probability is that of the whole subgraph: its new coin is not known to who asks."""
    groups = [mark.keys for mark in history.places.values() if isinstance(mark, messages.Group) and mark.subgraph]

    def whole(edit: CardEdit) -> CardEdit:
        if not isinstance(edit, SetChance) or not edit.keys:
            return edit
        around = (keys for keys in groups if {*edit.keys} <= {*keys})
        return msgspec.structs.replace(edit, keys=min(around, key=len, default=edit.keys))

    return [whole(edit) for edit in edits]


def with_coins(
    history: History, asked_for: Iterable[CardEdit], registry: Registry, edits: Sequence[Edit]
) -> dict[str, messages.Group]:
    """Groups around what gets a probability, or loses it, with the cards of what gives it, as places of a step."""
    within = [{*edit.keys} for edit in asked_for if isinstance(edit, SetChance) and edit.keys]
    if not within or not any(isinstance(edit, AddNode | RemoveNode) for edit in edits):
        return {}
    after, _ = apply(history.graph, edits, registry)
    owned = cards_in(after, registry).owners
    added = [edit.key for edit in edits if isinstance(edit, AddNode)]
    return {
        name: msgspec.structs.replace(
            mark, keys=tuple(key for key in (*mark.keys, *added) if key in after and key not in owned)
        )
        for name, mark in history.places.items()
        if isinstance(mark, messages.Group) and any(keys <= {*mark.keys} for keys in within)
    }  # fmt: skip


def boxed(
    room: Mapping[str, messages.Position],
    known: Mapping[str, messages.Position],
    groups: Mapping[str, messages.Group],
    history: History,
) -> dict[str, messages.Position | messages.Group]:
    """Places, with groups that have grown or shrunk.

    They begin where they did, and cards outside of them stay where they are, as there is room within.
    """
    own = {key for group in groups.values() for key in group.keys}
    kept = {key: place for key, place in room.items() if not own or key in own or key not in known}
    for name, group in groups.items():
        was, after = cast(messages.Group, history.places[name]), {**known, **kept}
        inner = {key: after[key] for key in group.keys if key in after}
        stood = [known[key] for key in was.keys if key in known]
        if inner and stood:
            right = min(one.x for one in stood) - min(one.x for one in inner.values())
            down = min(one.y for one in stood) - min(one.y for one in inner.values())
            kept |= {key: messages.Position(x=at.x + right, y=at.y + down) for key, at in inner.items()}
    return {**kept, **groups}


def asked(message: requests.ClientMessage, cards: Cards) -> requests.ClientMessage:
    """A question about cards as one about nodes; edits are unfolded by those who make them."""

    def given(key: str) -> str:
        return cards.real(PortRef(node=key)).node

    def port(value: Any) -> Any:
        return cards.real(value) if isinstance(value, PortRef) else None

    match message:
        case _ if not cards.parts:
            return message
        case requests.ApplyEdits():
            pins = {given(key): held for key, held in message.pins.items()}
            return msgspec.structs.replace(message, pins=pins)
        case requests.Run():
            return msgspec.structs.replace(message, until=given(message.until))
        case requests.RequestSheet():
            return msgspec.structs.replace(message, port=cards.real(message.port))
        case _:
            return _mapped(message, port)


def told(message: messages.KernelMessage, cards: Cards) -> messages.KernelMessage:
    """An answer as it concerns cards."""
    if not cards.parts:
        return message
    owners = cards.owners

    def own(value: Any) -> Any:
        changed: dict[str, Any] = {}
        for name in ("node", "key"):
            key = getattr(value, name, None)
            if isinstance(key, str) and key in owners:
                port = cards.drawn(PortRef(node=key, output=getattr(value, "output", 0)))
                changed |= {name: port.node} | ({"output": port.output} if hasattr(value, "output") else {})
        return msgspec.structs.replace(value, **changed) if changed else None

    def named(repair: Repair) -> Repair:
        return msgspec.structs.replace(repair, node=owners.get(repair.node, repair.node))

    match message:
        case messages.Opened():
            return message
        case messages.RevisionChanged():  # whose graph is folded
            found, repairs = _mapped(message.diagnostics, own), tuple(map(named, message.repairs))
            return msgspec.structs.replace(message, diagnostics=found, repairs=repairs)
        case messages.Previews():
            # a card shows what its merge gives
            merges = {merge for chance in cards.chances.values() for merge in chance.merges}
            inner = {part for key in cards.chances for part in (key, *cards.parts[key])} - merges
            shown = tuple(item for item in message.items if item.key not in inner)
            return _mapped(msgspec.structs.replace(message, items=shown), own)
        case RunFinished():
            until, timings = owners.get(message.until, message.until), summed(message.timings, cards)
            return msgspec.structs.replace(_mapped(message, own), until=until, timings=timings)
        case DeviceTimes():
            return msgspec.structs.replace(message, times=summed(message.times, cards))
        case messages.Busy() | RunProgress():
            return msgspec.structs.replace(message, keys=tuple(owners.get(key, key) for key in message.keys))
        case _:
            return _mapped(message, own)


def summed(times: Iterable[_Time], cards: Cards) -> tuple[_Time, ...]:
    """What was measured of cards."""
    sums: dict[tuple[str, str], _Time] = {}
    for one in times:
        key = cards.owners.get(one.key, one.key)
        name = key, one.device if isinstance(one, DeviceTime) else ""
        old = sums.get(name)
        sums[name] = msgspec.structs.replace(one, key=key) if old is None else _sum(old, one, own=one.key == key)
    return tuple(sums.values())


def _sum(one: _Time, other: _Time, *, own: bool) -> _Time:
    """Two measurements of a card; `own`: the words of the other are those of its node."""
    pairs = {name: (getattr(one, name), getattr(other, name)) for name in one.__struct_fields__}
    sums = {name: a + b for name, (a, b) in pairs.items() if isinstance(a, (int, float))}
    return msgspec.structs.replace(other if own else one, **sums)


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A message with other structs in place of those for which `change` gives one."""
    if isinstance(value, (tuple, list)):
        parts = [_mapped(one, change) for one in cast("list[Any]", value)]
        return type(cast("list[Any]", value))(parts)
    if isinstance(value, dict):
        return {key: _mapped(one, change) for key, one in cast("dict[Any, Any]", value).items()}
    if not isinstance(value, msgspec.Struct):
        return value
    fields = {name: _mapped(getattr(value, name), change) for name in value.__struct_fields__}
    made = msgspec.structs.replace(value, **fields)
    return change(made) or made
