"""Wires of a picture of a graph, and the ports at their ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

from dali_studio.core.meta import Kind
from dali_studio.graph.edits import PortRef
from dali_studio.studio import messages

#: Height of a card's head and of its rows; how far wires stand out from cards, and how round their corners are.
HEAD, ROW, _OUT, _RADIUS = 28, 20, 18, 9.0
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

    def slot(self, argument: str) -> tuple[float, float]:
        """Where the wire of an argument ends, or that of an input if it is empty."""
        ...


def _mark(kind: Kind, x: float, y: float) -> str:
    """The shape of a port."""
    if kind not in _CORNERS:
        return f'<circle cx="{x:g}" cy="{y:g}" r="7"/>'
    corners = "L".join(f"{x + dx:g} {y + dy:g}" for dx, dy in _CORNERS[kind])
    return f'<path d="M{corners}z"/>'


def wires_of(
    graph: messages.GraphView, cards: Mapping[str, Card], outputs: messages.Position | None, below: float
) -> tuple[list[str], list[str]]:
    """Wires, and the ports at their ends, which lie over the cards."""
    drawn: list[str] = []
    ports: list[str] = []
    together: dict[Kind, str] = {}

    def wire(source: PortRef, x: float, y: float) -> None:
        begin = cards.get(source.node)
        if begin is None:
            return
        kinds = begin.node.output_kinds
        kind: Kind = kinds[source.output] if source.output < len(kinds) else "any"
        row = max(card.bottom for card in cards.values() if card.at.y == begin.at.y)
        path = _path(*begin.port(source.output), x, y, below if kind == "label" else row + 12)
        dash = "" if begin.node.device != "cpu" else ' stroke-dasharray="5 4"'
        if len(cards) > MANY:
            together[kind] = together.get(kind, "") + path
            return
        letter, aside = _LETTERS.get(kind, ""), 2 if kind == "points" else 0
        dots = "".join(
            _mark(kind, at, line)
            + (letter and f'<text class="o" x="{at - aside:g}" y="{line + 3.2:g}" text-anchor="middle">{letter}</text>')
            for at, line in (begin.port(source.output), (x, y))
        )
        hue, _ = HUES[kind]
        drawn.append(f'<path class="h" d="{path}"/><path class="w {kind}" stroke="{hue}" d="{path}"{dash}/>')
        ports.append(f'<g class="{kind}" fill="{hue}">{dots}</g>')

    for card in cards.values():
        for number, source in enumerate(card.node.inputs):
            if source is not None:
                x, y = card.slot("")
                wire(source, x, y + 12 * min(number, 4))
        for name, source in card.node.argument_inputs.items():
            wire(source, *card.slot(name))
    if outputs is not None:
        for number, source in enumerate(graph.outputs):
            wire(source, outputs.x, outputs.y + HEAD + ROW * number + ROW / 2)
    drawn += [f'<path class="w {kind}" stroke="{HUES[kind][0]}" d="{path}"/>' for kind, path in together.items()]
    return drawn, ports


def _path(x: float, y: float, to_x: float, to_y: float, lane: float) -> str:
    """A curve to a neighbour, right angles where it stands far above or below; else along a lane."""
    out, back = x + _OUT, to_x - _OUT
    if 18 < to_x - x < 80 and abs(to_y - y) > 110:
        return _rounded((x, y), (out, y), (out, to_y), (to_x, to_y))
    if 0 < to_x - x < 80 or (to_x > x and abs(to_y - y) < 4 and to_x - x < 230):
        pull = max(18.0, (to_x - x) / 2)
        return f"M{x:g} {y:g}C{x + pull:g} {y:g} {to_x - pull:g} {to_y:g} {to_x:g} {to_y:g}"
    return _rounded((x, y), (out, y), (out, lane), (back, lane), (back, to_y), (to_x, to_y))


def _rounded(*points: tuple[float, float]) -> str:
    """Lines at right angles with round corners, as on the canvas."""
    path = f"M{points[0][0]:g} {points[0][1]:g}"
    for (ax, ay), (x, y), (bx, by) in zip(points, points[1:], points[2:], strict=False):
        radius = min(_RADIUS, math.dist((ax, ay), (x, y)) / 2, math.dist((x, y), (bx, by)) / 2)
        ux, uy = _sign(x - ax), _sign(y - ay)
        vx, vy = _sign(bx - x), _sign(by - y)
        if not radius or (ux, uy) == (vx, vy):
            continue
        line = f"H{x - ux * radius:g}" if ux else f"V{y - uy * radius:g}"
        sweep = int(ux * vy - uy * vx > 0)
        path += f"{line}A{radius:g} {radius:g} 0 0 {sweep} {x + vx * radius:g} {y + vy * radius:g}"
    return f"{path}H{points[-1][0]:g}"


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
