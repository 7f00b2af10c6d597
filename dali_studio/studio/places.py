"""Where the cards of nodes go that edits add: into the wires that are theirs now, and beside what is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from dali_studio.graph.apply import AnyEdit, apply
from dali_studio.graph.cards import before, cards_in, role_of
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, RemoveNode, Rename, SetOutputs
from dali_studio.graph.history import History
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry
from dali_studio.studio.protocol.messages import Fixed, Group, Position
from dali_studio.studio.view import ORIGIN, OUTPUTS, positions_in, renamed_places

#: Width of a card and the gap behind it, in canvas pixels.
COLUMN = 184
#: Height of a usual card and the gap below it.
ROW = 204


def with_cards(graph: Graph, registry: Registry, edits: Sequence[AnyEdit]) -> list[AnyEdit]:
    """The edits of nodes that have a card of their own after them; wires end at the cards of the others."""
    after, _ = apply(graph, edits, registry)
    cards, found = cards_in(after, registry), list[AnyEdit]()
    for edit in edits:
        if isinstance(edit, Connect):
            source, target = edit.source, cards.owners.get(edit.target, edit.target)
            if cards.owners.get(source.node) in cards.chances and role_of(after, registry, source.node) == "split":
                source = before(after, source.node) or source
            source = cards.drawn(source)
            found += [msgspec.structs.replace(edit, source=source, target=target)] if target != source.node else []
        elif getattr(edit, "key", "") not in cards.owners:
            found.append(edit)
    return found


def make_room(
    positions: Mapping[str, Position], edits: Iterable[AnyEdit], boxes: Iterable[Group] = ()
) -> dict[str, Position]:  # fmt: skip
    """New places where edits put nodes before others, or beside what is returned.

    A card before another one takes its place, and what stands right of it moves on by a column. One that is fed only
    stands in the column behind what feeds it, in the row of the lowest of these or the next that is free, one that
    nothing feeds under what it feeds, and what the pipeline returns of them right of them. Added nodes of a box take
    the room of its card.
    """
    written, places, boxes = list(edits), dict(positions), tuple(boxes)
    stood = {box.keys[0]: {key: positions[key] for key in box.keys if key in positions} for box in boxes}
    for first, inner in stood.items():  # a box that is there stands at their upper left corner
        places = {key: place for key, place in places.items() if key not in inner}
        if inner:
            places[first] = Position(x=min(p.x for p in inner.values()), y=min(p.y for p in inner.values()))
    corners = {first: places[first] for first, inner in stood.items() if inner}
    edits, wide = _contracted(written, _single(boxes)), {box.keys[0] for box in boxes}
    added = [edit.key for edit in edits if isinstance(edit, AddNode)]
    feeding = {key: [e.source.node for e in edits if isinstance(e, Connect) and e.target == key] for key in added}
    for edit in edits:
        at = places.get(edit.target) if isinstance(edit, Connect) and edit.source.node in added else None
        if isinstance(edit, Connect) and at is not None and edit.source.node not in places:
            room = _width(edit.source.node in wide)
            moved = {key: Position(x=p.x + room, y=p.y) for key, p in places.items() if p.x >= at.x}
            places.update(moved)
            places[edit.source.node] = at
    waiting = [key for key in added if key not in places]
    while waiting:
        key = next((one for one in waiting if not any(other in waiting for other in feeding[one])), waiting[0])
        waiting.remove(key)
        feeders = {one: places[one] for one in feeding[key] if one in places}
        targets = [edit.target for edit in edits if isinstance(edit, Connect) and edit.source.node == key]
        fed = [places[one] for one in targets if one in places]
        if feeders or fed:
            x = max((p.x + _width(one in wide) for one, p in feeders.items()), default=0)
            x = x if feeders else min(p.x for p in fed)
            y = max(p.y for p in feeders.values()) if feeders else max(p.y for p in fed) + ROW
            room = _width(key in wide)
            while any(20 - COLUMN < p.x - x < room - 20 and abs(p.y - y) < ROW - 20 for p in places.values()):
                y += ROW / 4
            places[key] = Position(x=x, y=y)
    returned = {port.node for edit in edits if isinstance(edit, SetOutputs) for port in edit.outputs}
    right = max((places[key].x + _width(key in wide) for key in added if key in returned & {*places}), default=0)
    if OUTPUTS in places and places[OUTPUTS].x < right:
        places[OUTPUTS] = Position(x=right, y=places[OUTPUTS].y)
    for keys in [box.keys for box in boxes]:
        inner = [edit for edit in written if isinstance(edit, AddNode) and edit.key in keys]
        wires = [edit for edit in written if isinstance(edit, Connect) and edit.target in keys]
        if (was := corners.get(keys[0])) is not None:
            now = places[keys[0]]
            places |= {key: Position(x=p.x + now.x - was.x, y=p.y + now.y - was.y) for key, p in stood[keys[0]].items()}
        elif keys[0] in places:
            places |= in_columns([*inner, *wires], places[keys[0]], ())
    return {key: place for key, place in places.items() if positions.get(key) != place}


def _width(is_box: bool) -> int:
    """The room of a card; a box has its nodes beside its picture."""
    return 2 * COLUMN if is_box else COLUMN


def _single(boxes: Iterable[Group]) -> dict[str, str]:
    """The first node of a box by each of them."""
    return {key: box.keys[0] for box in boxes for key in box.keys}


def _contracted(edits: Iterable[AnyEdit], single: Mapping[str, str]) -> list[AnyEdit]:
    """Edits of which several nodes are one: by `single`, the first of them."""

    def port(one: PortRef) -> PortRef:
        return msgspec.structs.replace(one, node=single.get(one.node, one.node))

    found: list[AnyEdit] = []
    for edit in edits:
        if isinstance(edit, Connect):
            source, target = port(edit.source), single.get(edit.target, edit.target)
            found += [msgspec.structs.replace(edit, source=source, target=target)] if source.node != target else []
        elif isinstance(edit, SetOutputs):
            found.append(msgspec.structs.replace(edit, outputs=tuple(map(port, edit.outputs))))
        elif not isinstance(edit, AddNode) or single.get(edit.key, edit.key) == edit.key:
            found.append(edit)
    return found


def written_places(
    history: History, edits: Sequence[Edit], revision: int, laid: bool = False, boxes: Sequence[Group] = ()
) -> dict[str, object]:  # fmt: skip
    """New places after edits of the text: cards stay, but none does of a program over which another was pasted.

    Nor where a new wire would run back to a card before its source, nor where there are other nodes or wires and
    nobody has moved a card (`laid`).
    """
    renamed = renamed_places(history, edits)
    gone = {edit.key for edit in edits if isinstance(edit, RemoveNode | Rename)}
    known = {**positions_in(history), **renamed}
    cards = {key: place for key, place in known.items() if isinstance(place, Position) and key not in gone}
    drawn = _contracted(edits, _single(boxes))
    added = sum(isinstance(edit, AddNode) for edit in drawn)
    kept = len(history.graph) - sum(isinstance(edit, RemoveNode) for edit in edits)
    fixed = {mark.node for mark in {**history.places, **renamed}.values() if isinstance(mark, Fixed)}
    places = {**renamed, **{key: place for key, place in make_room(cards, edits, boxes).items() if key not in fixed}}
    pasted = added > 2 * kept
    rewired = any(isinstance(edit, AddNode | RemoveNode | Connect) for edit in edits)
    if not pasted and not (laid and rewired) and not _runs_back({**cards, **places}, drawn):
        return places
    anew = [key for key, place in known.items() if isinstance(place, Position) and key not in fixed]
    return {**renamed, **dict.fromkeys(anew), **({ORIGIN: revision} if pasted else {})}


def _runs_back(places: Mapping[str, object], edits: Iterable[AnyEdit]) -> bool:
    """Whether a new wire ends at a card that stands before its source: left of it, and in no later row."""
    wires = [edit for edit in edits if isinstance(edit, Connect) and edit.input is not None]
    ends = [(places.get(wire.source.node), places.get(wire.target)) for wire in wires]
    return any(
        isinstance(a, Position) and isinstance(b, Position) and b.x < a.x + COLUMN / 2 and b.y < a.y + ROW / 2
        for a, b in ends
    )


def in_columns(edits: Iterable[Edit], at: Position, taken: Iterable[Position]) -> dict[str, Position]:
    """Places of the nodes that edits add: each in the column behind what feeds it, all of them below what is there."""
    columns: dict[str, int] = {}
    for edit in edits:
        if isinstance(edit, AddNode):
            columns[edit.key] = 0
        elif isinstance(edit, Connect) and edit.source.node in columns and edit.target in columns:
            columns[edit.target] = max(columns[edit.target], columns[edit.source.node] + 1)
    rows: dict[int, int] = {}
    places: dict[str, Position] = {}
    for key, column in columns.items():
        row = rows[column] = rows.get(column, -1) + 1
        places[key] = Position(x=at.x + column * COLUMN, y=at.y + row * ROW)
    there = list(taken)
    while any(abs(p.x - t.x) < COLUMN - 20 and abs(p.y - t.y) < ROW - 20 for p in places.values() for t in there):
        places = {key: Position(x=p.x, y=p.y + 20) for key, p in places.items()}
    return places
