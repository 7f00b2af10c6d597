"""Wires of a picture of a graph, and the ports at their ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import Protocol, TypeAlias

import numpy as np

from dali_studio.core.meta import Kind
from dali_studio.graph.edits import PortRef
from dali_studio.studio.protocol import messages

#: Height of a card's head and of its rows; how far wires stand out from cards, and how round their corners are.
HEAD, ROW, _OUT, _RADIUS = 28, 20, 18, 9.0
#: How far a label goes, at least, for its wire to run below all cards.
_UNDER = 400
#: The class of what the picture's rules are for: of all of it, and of each part that is used at several places, since
#: of what is around such a part rules know nothing there.
SCOPE = "dali-picture"
#: How far from a port a wire may turn, from the best: several run side by side between two columns.
_TRACKS = (_OUT, _OUT - 6, _OUT + 6)
_Point: TypeAlias = tuple[float, float]
#: An upright or level line of a wire: its place across, its ends along it, and the wire's source.
_Taken: TypeAlias = tuple[float, float, float, PortRef]
_Points: TypeAlias = tuple[_Point, ...]
#: From how many branches on each ends on its own line; how high such a row is, and how far below the last one at most.
_BRANCHES, _CELL, _FAR = 4, 48, 408
#: Cards of a graph with more nodes than this say less.
MANY = 60
#: The corners of each kind's ports, from their middle, where that is no circle: as on the canvas (`Port.tsx`).
_CORNERS: Mapping[Kind, tuple[tuple[float, float], ...]] = {
    "encoded": ((-7.3, 0), (-3.7, -6.6), (3.7, -6.6), (7.3, 0), (3.7, 6.6), (-3.7, 6.6)),
    "boxes": ((-3, -7), (3, -7), (7, -3), (7, 3), (3, 7), (-3, 7), (-7, 3), (-7, -3)),
    "mask": ((0, -8), (8, 0), (0, 8), (-8, 0)),
    "points": ((-6, -7), (8, 0), (-6, 7)),
    "label": ((-6.5, -6), (2.5, -6), (7.5, 0), (2.5, 6), (-6.5, 6)),
    "scalar": ((-6.5, -6.5), (6.5, -6.5), (6.5, 6.5), (-6.5, 6.5)),
}
#: The letter of each kind, in its ports.
_LETTERS: Mapping[Kind, str] = {
    "encoded": "E", "image": "I", "video": "V", "audio": "A", "boxes": "B", "mask": "M", "points": "P", "label": "L",
    "scalar": "S",
}  # fmt: skip
#: The colour of each kind on a light page and on a dark one.
HUES: Mapping[Kind, tuple[str, str]] = {
    "encoded": ("#6c7683", "#87959d"), "image": ("#1676cd", "#2092f9"), "video": ("#1676cd", "#2092f9"),
    "audio": ("#024a38", "#18f6de"), "boxes": ("#7f3403", "#f98d07"), "mask": ("#5621a1", "#dac1fc"),
    "points": ("#7f3403", "#f98d07"), "label": ("#3f7d37", "#afe2a0"), "scalar": ("#7d7806", "#fbda70"),
    "any": ("#6c7683", "#87959d"),
}  # fmt: skip


class Card(Protocol):
    """A node's card, as wires see it."""

    node: messages.NodeView
    at: messages.Position

    @property
    def bottom(self) -> float: ...

    def port(self, output: int) -> tuple[float, float]:
        """Where the wires of an output begin."""
        ...

    def slot(self, end: str | int) -> tuple[float, float]:
        """Where the wire of an argument ends, or that of an input."""
        ...


def _mark(kind: Kind) -> str:
    """A port around the origin: its shape, and its letter."""
    corners = "L".join(f"{x:g} {y:g}" for x, y in _CORNERS.get(kind, ()))
    shape = f'<path d="M{corners}z"/>' if corners else '<circle r="7"/>'
    x, letter = -2 if kind == "points" else 0, _LETTERS.get(kind, "")
    letter = f'<text class="o" x="{x}" y="3.2" text-anchor="middle">{letter}</text>'
    drawn = f'<g class="{kind}" fill="{HUES[kind][0]}">{shape}{letter}</g>'
    return f'<g id="ds-{kind}" class="{SCOPE}">{drawn}</g>'


def output_rows(graph: messages.GraphView, cards: Mapping[str, Card], at: messages.Position) -> list[float]:
    """Where each output's row begins in its card: on the line of its branch if there are many, as on the canvas."""
    sources = [cards[ref.node] if ref.output == 0 and ref.node in cards else None for ref in graph.outputs]
    left = [card for card in sources if card]
    below = all(upper.at.y < lower.at.y for upper, lower in pairwise(left))
    beside = len(left) >= _BRANCHES and below and all(card.port(0)[0] <= at.x for card in left)
    rows: list[float] = []
    following = float(HEAD)
    for card in sources:
        line = card.port(0)[1] - ROW / 2 - at.y if beside and card else following
        # a branch that somebody has moved far away does not stretch the card
        rows.append(max(following, line) if line < following + _FAR else following)
        following = rows[-1] + (_CELL if beside else ROW)
    return rows


def wires_of(
    graph: messages.GraphView, cards: Mapping[str, Card], outputs: messages.Position | None, rows: Sequence[float],
) -> tuple[list[str], list[str]]:  # fmt: skip
    """Wires, and the ports at their ends, which lie over the cards."""
    drawn: list[str] = []
    paths = _Paths(cards.values())
    ports: dict[str, None] = {}
    kinds_of_ports: dict[Kind, None] = {}
    together: dict[Kind, str] = {}

    def wire(source: PortRef, x: float, y: float) -> None:
        begin = cards.get(source.node)
        if begin is None:
            return
        kinds = begin.node.output_kinds
        kind: Kind = kinds[source.output] if source.output < len(kinds) else "any"
        path = paths.path(source, begin.port(source.output), (x, y), passes=kind == "label")
        dash = "" if begin.node.device != "cpu" else ' stroke-dasharray="5 4"'
        if len(cards) > MANY:
            together[kind] = together.get(kind, "") + path
            return
        for at, line in (begin.port(source.output), (x, y)):
            ports[f'<use href="#ds-{kind}" x="{at:g}" y="{line:g}"/>'] = None
        kinds_of_ports[kind] = None
        drawn.append(
            f'<path class="h" d="{path}"/><path class="w {kind}" stroke="{HUES[kind][0]}" d="{path}"{dash}/>'
        )

    for card in cards.values():
        for number, source in enumerate(card.node.inputs):
            if source is not None:
                wire(source, *card.slot(number))
        for name, source in card.node.argument_inputs.items():
            wire(source, *card.slot(name))
    if outputs is not None:
        for row, source in zip(rows, graph.outputs, strict=True):
            wire(source, outputs.x, outputs.y + row + ROW / 2)
    drawn += [f'<path class="w {kind}" stroke="{HUES[kind][0]}" d="{path}"/>' for kind, path in together.items()]
    marks = "".join(map(_mark, kinds_of_ports))
    return drawn, [f"<defs>{marks}</defs>" if marks else "", *ports]


class _Paths:
    """Ways of wires: around cards, and beside those of other sources."""

    def __init__(self, cards: Iterable[Card]) -> None:
        corners = [(card.at.x, card.at.y, card.port(0)[0], card.bottom) for card in cards]
        self._lanes = sorted({y for _, top, _, bottom in corners for y in (top - 12, bottom + 12)})
        # a line within so much of a card's upper or lower edge looks like that edge; at its sides, wires end
        self._cards = np.add(np.array(corners, float).reshape(-1, 4).T, [[2], [-4], [-2], [4]])
        # of hundreds of wires nobody follows one
        many = len(corners) > MANY
        self._rooms = [(_OUT, _OUT, 0)] if many else list(product(_TRACKS, _TRACKS, (0, -5, 5)))
        #: Upright lines of wires, and level ones.
        self._taken: tuple[list[_Taken], list[_Taken]] = ([], [])

    def path(self, source: PortRef, begin: _Point, end: _Point, *, passes: bool = False) -> str:
        """A curve to a neighbour; else lines at right angles, where they cross the fewest cards.

        What `passes` by all that is done to images runs below it, as on the canvas.
        """
        (x, y), (to_x, to_y) = begin, end
        across, down = to_x - x, to_y - y
        near = 0 < across < 80 and not (across > 18 and abs(down) > 110)
        # a straight line is seen to end at a card's port only where it passes no other card
        straight = abs(down) < 4 and across > 0 and not self._crossed(((x, y), (to_x, y)))
        under = passes and across > _UNDER
        if not under and (near or straight):
            pull = max(18.0, across / 2) if near else across / 2
            return f"M{_numbers(x, y)}c{_numbers(pull, 0, across - pull, down, across, down)}"
        points, *others = {self._best(begin, end, *room, under=under): None for room in self._rooms}
        if others:
            points = min([points, *others], key=lambda points: self._price(source, points))
        self._take(source, points)
        return _rounded(*points)

    def _best(self, begin: _Point, end: _Point, out: float, back: float, shift: float, *, under: bool) -> _Points:
        """The shortest way, with so much room at both ends and so far from a lane, that crosses the fewest cards."""
        (x, y), (to_x, to_y) = begin, end
        out, back = x + out, to_x - back
        ways: list[_Points] = []
        lanes = (lane + shift for lane in self._lanes)
        nearest = sorted(lanes, key=lambda lane: abs(lane - y) + abs(lane - to_y))
        if under:
            nearest.insert(0, max(self._lanes[-1], y + 12, to_y + 12) + abs(shift))
        elif out <= back:
            ways += [(begin, (turn, y), (turn, to_y), end) for turn in (out, back)]
        ways += [(begin, (out, y), (out, lane), (back, lane), (back, to_y), end) for lane in nearest]
        best, least = ways[0], math.inf
        for points in ways:
            crossed = self._crossed(points)
            if crossed < least:
                best, least = points, crossed
            if not crossed:
                break
        return best

    def _crossed(self, points: _Points) -> int:
        """How many cards lie in a way."""
        left, top, right, bottom = self._cards
        return sum(
            int(
                np.count_nonzero(
                    (right > min(ax, bx)) & (left < max(ax, bx)) & (bottom > min(ay, by)) & (top < max(ay, by))
                )
            )
            for (ax, ay), (bx, by) in pairwise(points)
        )

    def _price(self, source: PortRef, points: _Points) -> float:
        """Its length, how far it lies on wires of other sources, and the cards that it crosses."""
        shared = 0.0
        for (ax, ay), (bx, by) in pairwise(points):
            taken, at, a, b = (self._taken[0], ax, ay, by) if ax == bx else (self._taken[1], ay, ax, bx)
            low, high = min(a, b), max(a, b)
            # two that meet end to end look like one
            shared += sum(
                max(0.0, min(high, top) - max(low, bottom) + 8)
                for other, bottom, top, of in taken
                if abs(other - at) < 4 and of is not source and of != source
            )
        return math.fsum(math.dist(a, b) for a, b in pairwise(points)) + 4 * shared + 1e4 * self._crossed(points)

    def _take(self, source: PortRef, points: _Points) -> None:
        for (ax, ay), (bx, by) in pairwise(points):
            if ax == bx:
                self._taken[0].append((ax, min(ay, by), max(ay, by), source))
            else:
                self._taken[1].append((ay, min(ax, bx), max(ax, bx), source))


def _rounded(*points: tuple[float, float]) -> str:
    """Lines at right angles with round corners, as on the canvas."""
    at_x, at_y = points[0]
    path = f"M{_numbers(at_x, at_y)}"
    for (ax, ay), (x, y), (bx, by) in zip(points, points[1:], points[2:], strict=False):
        radius = min(_RADIUS, math.dist((ax, ay), (x, y)) / 2, math.dist((x, y), (bx, by)) / 2)
        ux, uy = _sign(x - ax), _sign(y - ay)
        vx, vy = _sign(bx - x), _sign(by - y)
        if not radius or (ux, uy) == (vx, vy):
            continue
        path += f"h{x - ux * radius - at_x:g}" if ux else f"v{y - uy * radius - at_y:g}"
        path += f"q{_numbers(ux * radius, uy * radius, (ux + vx) * radius, (uy + vy) * radius)}"
        at_x, at_y = x + vx * radius, y + vy * radius
    return f"{path}h{points[-1][0] - at_x:g}"


def _numbers(*values: float) -> str:
    """Numbers of a path, in as few bytes as they take: there are hundreds of wires."""
    return " ".join(f"{value:g}" for value in values).replace(" -", "-")


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
