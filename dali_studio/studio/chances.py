"""Cards that stand for several nodes: a node that is applied to some samples only, with its coin, splits and merge.

The browser knows of cards alone: answers are folded here, questions unfolded, as are edits in `graph/chances.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

import msgspec

from dali_studio.graph.chances import Chances, before, cards_of
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.studio import messages, requests
from dali_studio.studio.run_messages import DeviceTime, DeviceTimes, NodeTiming, RunFinished

_Time = TypeVar("_Time", NodeTiming, DeviceTime)


def folded(view: messages.GraphView, graph: Graph, chances: Chances) -> messages.GraphView:
    """The graph of cards: each takes what its splits take, and gives what its merge gives."""
    if not chances:
        return view
    nodes, cards = {node.key: node for node in view.nodes}, cards_of(chances)

    def given(ref: PortRef | None) -> PortRef | None:
        return PortRef(node=cards[ref.node]) if ref is not None and ref.node in cards else ref

    def drawn(node: messages.NodeView) -> messages.NodeView:
        chance = chances.get(node.key)

        def outer(ref: PortRef | None) -> PortRef | None:
            return given(before(graph, ref.node) if chance and ref else ref)

        wired = {name: ref for name, one in node.argument_inputs.items() if (ref := outer(one))}
        made = msgspec.structs.replace(node, inputs=tuple(map(outer, node.inputs)), argument_inputs=wired)
        if not chance:
            return made
        merge, parts = nodes[chance.merge], tuple(nodes[part] for part in chance.parts)
        return msgspec.structs.replace(
            made, pin=merge.pin, pin_batch=merge.pin_batch, facts=merge.facts, in_run=merge.in_run,
            chance=messages.Chance(part=chance.part, nodes=parts),
        )  # fmt: skip

    kept = tuple(drawn(node) for node in view.nodes if node.key not in cards)
    outputs = tuple(given(ref) or ref for ref in view.outputs)
    return msgspec.structs.replace(view, nodes=kept, outputs=outputs)


def asked(message: requests.ClientMessage, chances: Chances) -> requests.ClientMessage:
    """A question about cards as one about nodes; edits are unfolded by those who make them."""

    def given(key: str) -> str:
        return chances[key].merge if key in chances else key

    def port(value: Any) -> Any:
        at_card = isinstance(value, PortRef) and not value.output and value.node in chances
        return PortRef(node=given(value.node)) if at_card else None

    match message:
        case _ if not chances:
            return message
        case requests.ApplyEdits():
            pins = {given(key): held for key, held in message.pins.items()}
            return msgspec.structs.replace(message, pins=pins)
        case requests.Run():
            return msgspec.structs.replace(message, until=given(message.until))
        case requests.RequestDetail(output=0):
            return msgspec.structs.replace(message, key=given(message.key))
        case requests.RequestSheet():
            return msgspec.structs.replace(message, port=port(message.port) or message.port)
        case _:
            return _mapped(message, port)


def told(message: messages.KernelMessage, chances: Chances) -> messages.KernelMessage:
    """An answer as it concerns cards."""
    if not chances:
        return message
    cards = cards_of(chances)

    def own(value: Any) -> Any:
        names = {name: cards.get(getattr(value, name, "") or "") for name in ("node", "key")}
        changed = {name: card for name, card in names.items() if card is not None}
        return msgspec.structs.replace(value, **changed) if changed else None

    match message:
        case messages.Opened():
            return message
        case messages.RevisionChanged():  # whose graph is folded
            return msgspec.structs.replace(message, diagnostics=_mapped(message.diagnostics, own))
        case messages.Previews():
            merges = {chance.merge for chance in chances.values()}
            # a card shows what its merge gives
            shown = [i for i in message.items if i.key in merges or not (i.key in cards or i.key in chances)]
            return _mapped(msgspec.structs.replace(message, items=tuple(shown)), own)
        case RunFinished():
            until = cards.get(message.until, message.until)
            timings = summed(message.timings, chances)
            return msgspec.structs.replace(_mapped(message, own), until=until, timings=timings)
        case DeviceTimes():
            return msgspec.structs.replace(message, times=summed(message.times, chances))
        case messages.Busy():
            return msgspec.structs.replace(message, keys=tuple(cards.get(key, key) for key in message.keys))
        case _:
            return _mapped(message, own)


def summed(times: Iterable[_Time], chances: Chances) -> tuple[_Time, ...]:
    """What was measured of cards."""
    cards = cards_of(chances)
    sums: dict[tuple[str, str], _Time] = {}
    for one in times:
        key = cards.get(one.key, one.key)
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
