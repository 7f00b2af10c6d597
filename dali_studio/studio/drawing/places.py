"""Where the cards of a saved picture stand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Protocol

from msgspec.structs import replace

from dali_studio.studio.drawing.stills import ROOM
from dali_studio.studio.protocol import messages
from dali_studio.studio.view import OUTPUTS

_WIDTH = ROOM[0]
#: The most columns in one row where nobody has placed the cards, and in each of several rows; and the most branches
#: beside each other that are broken into rows.
_IN_ONE, _IN_SEVERAL, _LANES = 6, 5, 2
#: What is free below a card at least.
_GAP = 20


class Card(Protocol):
    """A node's card, as its place depends on it."""

    at: messages.Position
    width: int
    height: int

    @property
    def bottom(self) -> float: ...


def columns(graph: messages.GraphView, cards: Mapping[str, Card]) -> dict[str, messages.Position]:
    """Places by the longest way from a source, in rows that are read on a narrow page too.

    What feeds arguments alone stands left of what it feeds, below the others.
    """
    column: dict[str, int] = {}
    fed: dict[str, list[str]] = {}
    inputs = {ref.node for node in graph.nodes for ref in node.inputs if ref is not None}
    for node in graph.nodes:  # in an order in which most sources come first
        sources = [ref.node for ref in (*node.inputs, *node.argument_inputs.values()) if ref is not None]
        column[node.key] = 1 + max((column.get(key, -1) for key in sources), default=-1)
        for ref in node.argument_inputs.values():
            fed.setdefault(ref.node, []).append(node.key)
    if graph.outputs:
        column[OUTPUTS] = 1 + max((column.get(ref.node, 0) for ref in graph.outputs), default=0)
    small = {node.key for node in graph.nodes if column[node.key] == 0 and node.key in fed} - inputs
    lanes = Counter(column[key] for key in column if key not in small)
    wide = 1 + max(column.values(), default=0)
    broken = wide > _IN_ONE and max(lanes.values(), default=0) <= _LANES
    length = math.ceil(wide / math.ceil(wide / _IN_SEVERAL)) if broken else wide
    filled: Counter[tuple[int, int]] = Counter()
    across: dict[tuple[int, int], int] = {}
    tall: dict[tuple[int, int], float] = {}
    places: dict[str, tuple[int, int, int]] = {}
    for key in [*(k for k in column if k not in small), *(k for k in column if k in small)]:
        band, at = divmod(min(column[k] for k in fed[key]) if key in small else column[key], length)
        at = max(0, at - 1) if key in small else at
        places[key] = band, at, (row := filled[band, at])
        filled[band, at] += 1
        card = cards.get(key)
        tall[band, row] = max(tall.get((band, row), 140 if key in small else 204), card.height + 32 if card else 0)
        across[band, at] = max(across.get((band, at), _WIDTH), card.width if card else 0)
    return {
        key: messages.Position(
            x=20.0 + sum(across.get((band, before), _WIDTH) + 36 for before in range(at)),
            y=14 + sum(height for place, height in tall.items() if place < (band, row)),
        )
        for key, (band, at, row) in places.items()
    }


def put_apart(cards: Iterable[Card]) -> None:
    """Lower cards that others would cover, which here may be higher than where they were placed, and all below them.

    So those that are on one line stay on one.
    """
    placed: list[Card] = []

    def free(card: Card) -> float:
        """How far it has to be lowered for what stands above it."""
        above = (one.bottom for one in placed if one.at.x < card.at.x + card.width and card.at.x < one.at.x + one.width)
        return max(above, default=-math.inf) + _GAP - card.at.y

    down = 0.0
    for _, line in groupby(sorted(cards, key=lambda card: (card.at.y, card.at.x)), key=lambda card: card.at.y):
        row = list(line)
        down = max(down, *map(free, row))
        for card in row:
            card.at = replace(card.at, y=card.at.y + max(down, free(card)))
            placed.append(card)
