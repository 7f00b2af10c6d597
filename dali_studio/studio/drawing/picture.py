"""A picture of the graph as it stands: one SVG, photos inside, for where no kernel runs."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

import dali_studio
from dali_studio.graph.document import MIME
from dali_studio.graph.edits import PortRef
from dali_studio.graph.files import replace_file
from dali_studio.runtime import thumbnails
from dali_studio.schema.model import OperatorSchema
from dali_studio.studio.drawing import icons
from dali_studio.studio.drawing.picture_wires import HEAD, HUES, MANY, ROW, SCOPE, output_rows, wires_of
from dali_studio.studio.drawing.places import columns, put_apart
from dali_studio.studio.drawing.stills import ROOM, WIDE, Box, Still, contained, drawn, labels, pieces
from dali_studio.studio.drawing.words import DIGIT, cut, drawn_number, fitted, time_of, united, value_of, width_of
from dali_studio.studio.outputs import images
from dali_studio.studio.protocol import bodies, messages, run_messages
from dali_studio.studio.view import OUTPUTS

#: Photos get smaller until all of them take no more bytes than this, and a whole picture no more characters; how many
#: the frame around the graph has at most, and what shows a photo.
_PHOTOS, _MAX_BYTES, _AROUND, _SHOWS = 70_000, 150_000, 4_200, 100
#: Cards of a graph with more nodes than this take one column: as on the canvas (`isMany`).
_DENSE = 35
_WIDTHS = (222, 148, 111, 74, 60, 48, 40, 32, 24, 16, 8)
(_WIDTH, _PHOTO), _FOOT = ROOM, 22
#: Where the graph begins below the head line, and what is left free around it.
_TOP, _MARGIN, _BELOW = 44, 34, 36
#: The frame of what is computed on the CPU.
_DASH = ' stroke-dasharray="3 2"'
#: A card of a large graph without what is on it.
_BLANK = (
    f'<rect class="k" width="{_WIDTH}" height="{HEAD + _PHOTO}" rx="8"/>'
    f'<path class="p" d="M0 {HEAD}h{_WIDTH}v{_PHOTO}H0z" fill="#e9ebee"/>'
)
#: From which share of the time on a step is so hot: its colour and that of words on it, and both on dark pages.
_HEAT = (
    (0.65, "#9c3508", "#fff", "#ffd98a", "#201300"), (0.35, "#d9731c", "#1a0e00", "#dc942b", "#201300"),
    (0.15, "#f2b452", "#3b2a10", "#94600f", "#fff"), (0.05, "#f8dfa6", "#3b2a10", "#5e4420", "#fff0d6"),
    (0.0, "#f1eee7", "#4a4338", "#3a352e", "#f3e7d2"),
)  # fmt: skip


def _here(rules: str) -> str:
    """The rules for pictures of graphs alone: what a page holds has the same short names, such as its code."""

    def one(rule: re.Match[str]) -> str:
        return ",".join(f".{SCOPE} {selector}" for selector in rule[1].split(",")) + rule[2]

    return re.sub(r"([^{}]+)(\{[^{}]*\})", one, rules)


_LIGHT = _here(
    "text{font:11px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1f2328}"
    ".b{font-weight:600;font-size:12px}.m{fill:#5f6368}.c,.l{font:10px ui-monospace,'DejaVu Sans Mono',monospace}"
    ".l{font-size:9px}.n{font-size:10px;fill:#fff}.o{font:600 9px system-ui,sans-serif;fill:#fff}"
    ".k{fill:#fff;stroke:#bdc1c6}.w{fill:none;stroke-width:2}.h{fill:none;stroke:#f6f7f8;stroke-width:5}"
)
#: Pages are dark where their readers want it; a picture that is made for a file or a program is light.
_DARK = _here(
    "text{fill:#e6e8eb}.m{fill:#a9aeb6}.s{fill:#212326;stroke:#3a3d41}"
    ".v{fill:#17181a}.k{fill:#26282b;stroke:#55595f}.p{fill:#121314}.h{stroke:#17181a}.o{fill:#17181a}"
    + "".join(f".y.{hue}{{fill:{dark}}}.i.{hue}{{stroke:{dark}}}" for hue, (_, dark) in icons.TILES.items())
    + "".join(f".w.{kind}{{stroke:{dark}}}g.{kind}{{fill:{dark}}}" for kind, (_, dark) in HUES.items())
    + "".join(f".t{i}{{fill:{dark}}}.u{i}{{fill:{ink}!important}}" for i, (*_, dark, ink) in enumerate(_HEAT))
)
_STYLE = f"{_LIGHT}@media(prefers-color-scheme:dark){{{_DARK}}}"


#: As in the designer's bar.
_MARK = (
    '<g transform="translate(14 12)"><path class="w image" d="M7 5c4 0 2 5 6 5M7 15c4 0 2-5 6-5" stroke="#1676cd"/>'
    '<g class="image" fill="#1676cd"><circle cx="4.5" cy="5" r="3"/><circle cx="4.5" cy="15" r="3"/>'
    '<circle cx="15.5" cy="10" r="3"/></g></g>'
)
#: What a picture in a notebook says, and one of its own.
CELL, FILE = "Run this cell in JupyterLab to edit it.", "Made with DALI Studio."


@dataclass(frozen=True)
class Picture:
    """A picture of a pipeline; the last line of a cell shows it.

    Attributes
    ----------
    svg : str
        The whole file; it refers to nothing outside of it.
    words : str
        What stands in its place where there are no pictures.
    document : str
        The pipeline itself, which JupyterLab opens in the designer; empty if it has values that no document can hold.
    """

    svg: str
    words: str
    document: str = ""

    def save(self, path: str | Path) -> None:
        """Write the SVG."""
        replace_file(path, self.svg)

    def bundle(self) -> dict[str, Any]:
        """The picture and the pipeline by MIME type."""
        graph = {MIME: json.loads(self.document)} if self.document else {}
        return {**graph, "image/svg+xml": self.svg, "text/plain": self.words}

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return self.bundle()

    def __repr__(self) -> str:
        return self.words


def draw(
    graph: messages.GraphView, places: Mapping[str, messages.Position], stills: Mapping[str, Still],
    finished: run_messages.RunFinished | None, timings: Iterable[run_messages.NodeTiming], words: str, note: str = CELL,
    names: Mapping[str, Sequence[str]] = MappingProxyType({}),
    schemas: Mapping[str, OperatorSchema] = MappingProxyType({}), hues: Mapping[str, str] = MappingProxyType({}),
) -> Picture:  # fmt: skip
    """Draw the graph with its cards where they stand; without places, in columns from left to right.

    `timings` are those of cards; `names` are those of the outputs of nodes with several; `schemas` those of operators;
    `hues` colours that were given to nodes.
    """
    few = len(graph.nodes) <= MANY
    cards = [
        _Card(
            node, stills, names.get(node.key, ()), schemas.get(node.operator), rows=2 if few else 0,
            wide=len(graph.nodes) <= _DENSE and node.wide,
        )
        for node in graph.nodes
    ]  # fmt: skip
    placed = all(n.key in places for n in graph.nodes)
    by_key = {card.node.key: card for card in cards}
    at = dict(places) if placed else columns(graph, by_key)
    for card in cards:
        card.at = at[card.node.key]
        card.hue = hues.get(card.node.key, "")
    put_apart(cards)
    if OUTPUTS in at:
        to = at[OUTPUTS].y
        lower = max((one.at.y - at[key].y for key, one in by_key.items() if at[key].y <= to), default=0.0)
        at[OUTPUTS] = replace(at[OUTPUTS], y=to + lower)
    at.update({card.node.key: card.at for card in cards})
    free = messages.Position(x=max((card.at.x + card.width for card in cards), default=-36.0) + 36, y=14)
    if graph.outputs:
        at.setdefault(OUTPUTS, free)
    rows = output_rows(graph, by_key, at[OUTPUTS]) if OUTPUTS in at else []
    height_of_outputs = max([HEAD - ROW, *rows]) + ROW + _FOOT
    if OUTPUTS in at:
        box = Box(at[OUTPUTS].x, at[OUTPUTS].y, _WIDTH, height_of_outputs)
        if any(box.meets(card.box) for card in cards):
            at[OUTPUTS] = replace(at[OUTPUTS], x=free.x)
    left = min((p.x for p in at.values()), default=0.0) - _MARGIN
    top = min((p.y for p in at.values()), default=0.0) - 22
    rights = [card.at.x + card.width for card in cards] + [at[OUTPUTS].x + _WIDTH if OUTPUTS in at else 0]
    right = max(rights, default=548.0) + _MARGIN
    bottom = max([card.bottom for card in cards] + [at[OUTPUTS].y + height_of_outputs if OUTPUTS in at else 0]) + 24
    width, height = max(right - left, 480.0), bottom - top
    times = {one.key: (one.milliseconds, one.share) for one in timings}
    wires, ports = wires_of(graph, by_key, at.get(OUTPUTS), rows)
    blank = "" if few else _BLANK
    tiles = {c.tile: f'<g id="{c.tile_id}" class="{SCOPE}">{blank}{_tile(*c.tile)}</g>' for c in cards}

    def body() -> str:
        shown = [card.draw(times.get(card.node.key)) for card in cards]
        if OUTPUTS in at and graph.outputs:
            shown.append(_outputs(graph, at[OUTPUTS], rows, height_of_outputs, names, stills))
        return "".join((*wires, f"<defs>{''.join(tiles.values())}</defs>", *shown, *ports))

    sheet = _sheet(cards, _MAX_BYTES - _AROUND - len(body()))
    speed = ""
    if finished and finished.batches:
        ahead = finished.pipelined.samples_per_second
        many = f"{ahead or finished.samples_per_second:,.0f}".replace(",", " ")
        speed = f"{many} samples/s {'in the pipeline' if ahead else 'one batch at a time'}"
        speed = f'<text x="{width - 14:g}" y="27" text-anchor="end">{speed}</text>'
    count = f"{_many(len(graph.nodes), 'operator')}, {_many(len(graph.outputs), 'output')}"
    now = f"{datetime.now().astimezone():%d %B %Y, %H:%M}".lstrip("0")
    whole = _TOP + height + _BELOW
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{whole:g}" '
        f'viewBox="0 0 {width:g} {whole:g}" style="max-width:100%;height:auto" class="{SCOPE}" role="img" '
        f'aria-label="{escape(words)}"><style>{_STYLE}</style>'
        f'<rect class="s" x=".5" y=".5" width="{width - 1:g}" height="{whole - 1:g}" rx="8" fill="#fff" '
        'stroke="#e0e3e7"/>'
        f'{_MARK}<text x="42" y="27" class="b">{escape(graph.name)}'
        f'<tspan dx="10" class="m" font-weight="400">{count}</tspan></text>{speed}'
        f'<rect x="1" y="{_TOP}" width="{width - 2:g}" height="{height:g}" class="v" fill="#f6f7f8"/>'
        f'<g transform="translate({-left:g} {_TOP - top:g})">{sheet}{body()}</g>'
        f'<text x="14" y="{whole - 13:g}" class="m">Picture of {now}. {note}</text>'
        f'<text x="{width - 14:g}" y="{whole - 13:g}" class="m" text-anchor="end">'
        f"dali-studio {dali_studio.__version__}</text></svg>",
        words,
    )


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


class _Card:
    """A node's card."""

    def __init__(
        self, node: messages.NodeView, stills: Mapping[str, Still], names: Sequence[str],
        schema: OperatorSchema | None, rows: int, *, wide: bool,
    ) -> None:  # fmt: skip
        self.node, self.names, self.schema = node, names, schema
        self.at, self.hue = messages.Position(x=0.0, y=0.0), ""
        units = {one.name: one.unit for one in schema.arguments} if schema else {}
        # each wire ends at a row of its own
        told = _told(node, schema)[: max(rows, len(node.argument_inputs)) if rows else 0]
        self.still = still = stills.get(node.key)
        self.image = ""
        # as does that of each input but the first, whose line is the name's
        further = [i for i, ref in enumerate(node.inputs) if i and ref is not None] if rows else []
        self.ends: list[str | int] = [*further, *told]
        self.rows = [(_input_name(schema, i), "") for i in further]
        self.rows += [
            (name, drawn_number(stills.get(node.argument_inputs[name].node), units.get(name, "")))
            if name in node.argument_inputs
            else (name, united(value_of(node.arguments[name]), units.get(name, "")))
            for name in told
        ]
        kind = node.output_kinds[0] if node.output_kinds else "any"
        plain = still is None or (still.picture is None and not isinstance(still.body, bodies.StatisticsBody))
        self.low = plain and kind in ("scalar", "label")
        self.room = WIDE if wide else (_WIDTH, 34) if self.low else ROOM
        self.width, self.body = self.room
        self.pieces = pieces(still, self.room) if still else []
        more = len(self.rows) + max(len(node.output_kinds) - 1, 0) if rows else 0
        self.height = HEAD + self.body + ROW * more + (_FOOT if rows else 0)
        self.facts = rows > 0
        hue = icons.hue_of(schema.category) if schema else "slate"
        self.tile = hue, icons.icon_of(schema) if schema else ""
        # pages may have several pictures, and names are the page's
        self.tile_id = f"ds{zlib.crc32(repr((self.tile, rows)).encode()):x}"

    @property
    def bottom(self) -> float:
        return self.at.y + self.height

    @property
    def box(self) -> Box:
        return Box(self.at.x, self.at.y, self.width, self.height)

    def port(self, output: int) -> tuple[float, float]:
        """Where the wires of an output begin."""
        if output == 0:
            return self.at.x + self.width, self.at.y + 14
        row = HEAD + self.body + ROW * (len(self.rows) + output - 1) + ROW / 2
        return self.at.x + self.width, self.at.y + row

    def slot(self, end: str | int) -> tuple[float, float]:
        """Where the wire of an argument ends, or that of an input."""
        row = HEAD + self.body + ROW * self.ends.index(end) + ROW / 2 if end in self.ends else 14.0
        return self.at.x, self.at.y + row

    def _stripe(self) -> str:
        """The colour that the node was given, along the upper edge."""
        if not self.hue:
            return ""
        hue = self.hue if self.hue in icons.TILES else "slate"
        path = f"M1 4A8 8 0 0 1 8 0h{self.width - 16}a8 8 0 0 1 7 4z"
        return f'<path class="y {hue}" d="{path}" fill="{icons.TILES[hue][0]}"/>'

    def draw(self, measured: tuple[float, float] | None) -> str:
        node, still, chance = self.node, self.still, self.node.chance
        dash = _DASH if node.device == "cpu" else ""
        y = HEAD + self.body
        hue, _ = self.tile
        # clear of the port, and of how likely it is
        room = self.width - 32 - (20 + 6 * len(f"p {chance:g}") if chance else 10)
        name = f'<text class="b" x="32" y="18">{escape(fitted(node.key, room, 12, bold=True))}</text>'
        if chance:
            said = f"p {chance:g}"
            wide = 6 * len(said) + 8
            name += (
                f'<rect class="p" x="{self.width - 12 - wide}" y="6" width="{wide}" height="16" rx="8" fill="#e9ebee"/>'
                f'<text class="m" x="{self.width - 12 - wide / 2:g}" y="18" text-anchor="middle">{said}</text>'
            )
        name += self._stripe()
        place = f'<g transform="translate({self.at.x:g} {self.at.y:g})">'
        if not self.facts:
            return f'{place}<use href="#{self.tile_id}"/>{name}{self.image}</g>'
        over = drawn(still, self.room, hue) if still else ""
        parts = [
            f'{place}<rect class="k" width="{self.width}" height="{self.height}" rx="8"{dash}/>',
            f'<use href="#{self.tile_id}"/>{name}',
            f'<rect y="{HEAD}" width="{self.width}" height="{self.body}" class="p" fill="#e9ebee"/>{self.image}',
            f'<g transform="translate(0 {HEAD})">{over}</g>' if over else "",
        ]
        text, share = (time_of(measured[0]), measured[1]) if measured else ("", 0.0)
        step = next(step for step, (least, *_) in enumerate(_HEAT) if share >= least)
        heat = f'class="t{step}" fill="{_HEAT[step][1]}"'
        if measured and not self.low:
            parts.append(f'<rect y="{y - 3}" width="{self.width * min(share, 1.0):g}" height="3" {heat}/>')
        wide = 7 * len(text) + 6
        # above a picture with axes, or a histogram: their numbers are below
        body = still.body if still else None
        axes = isinstance(body, bodies.StatisticsBody) or (isinstance(body, bodies.ImageBody) and body.axes)
        chip = Box(self.width - wide - 5, 1 if axes else self.body - 21, wide, 16)
        if text and not self.low and not any(chip.meets(box) for _, box in (labels(still, self.room) if still else ())):
            parts.append(
                f'<rect x="{chip.x}" y="{HEAD + chip.y}" width="{wide}" height="16" rx="5" {heat}/>'
                f'<text class="u{step}" x="{chip.x + wide / 2:g}" y="{HEAD + chip.y + 12}" text-anchor="middle" '
                f'style="fill:{_HEAT[step][2]}">{text}</text>'
            )
        for name, value in self.rows:
            room = self.width - 27 - DIGIT * min(len(value), 8)
            shown = fitted(name, room, 11)
            most = int((self.width - 27 - width_of(shown, 11)) / DIGIT)
            parts.append(
                f'<text class="m" x="10" y="{y + 14}">{escape(shown)}</text><text class="c" x="{self.width - 9}" '
                f'y="{y + 14}" text-anchor="end">{escape(cut(value, most))}</text>'
            )
            y += ROW
        for output, kind in enumerate(node.output_kinds[1:], 1):
            name = escape(self.names[output]) if output < len(self.names) else kind
            parts.append(f'<text class="m" x="{self.width - 12}" y="{y + 14}" text-anchor="end">{name}</text>')
            y += ROW
        facts = (still.facts if still else "") or (node.facts[0] if node.facts else "")
        if self.low:
            facts = f"{facts.removeprefix('scalar ')}  {text}"
        parts.append(f'<text class="c m" x="10" y="{self.height - 8}">{escape(cut(facts, 18))}</text>')
        wide = 6 * len(node.device) + 9
        parts.append(
            f'<rect class="k" x="{self.width - wide - 7}" y="{self.height - 19}" width="{wide}" height="15" rx="4"'
            f'{dash}/><text class="c m" x="{self.width - 7 - wide / 2:g}" y="{self.height - 8}" text-anchor="middle">'
            f"{node.device}</text>"
        )
        return "".join(parts) + "</g>"


def _tile(hue: str, stroke: str) -> str:
    """An icon on a tint of its category; nothing without a path."""
    if not stroke:
        return ""
    colour, _ = icons.TILES[hue]
    return (
        f'<rect class="y {hue}" x="8" y="5" width="18" height="18" rx="5" fill="{colour}" fill-opacity=".15"/>'
        f'<g transform="translate(9 6)"><path class="i {hue}" fill="none" stroke="{colour}" stroke-width="1.3" '
        f'd="{stroke}"/></g>'
    )


def _input_name(schema: OperatorSchema | None, number: int) -> str:
    """As on the canvas (`inputName`): inputs of a repeated one are numbered."""
    if schema is None or not schema.inputs or schema.role == "split":
        return f"input {number + 1}"
    last = len(schema.inputs) - 1
    one = schema.inputs[number % (last + 1) if schema.role == "merge" else min(number, last)]
    return f"{one.name} {number - last + 1}" if one.repeated else one.name


def _told(node: messages.NodeView, schema: OperatorSchema | None) -> list[str]:
    """The rows of a card, as on the canvas (`argumentRows`): wired arguments, then the most telling one that is set."""
    known = {one.name: one for one in schema.arguments} if schema else {}
    wired, order = list(node.argument_inputs), list(known)

    def rank(name: str) -> tuple[int, int]:
        one = known.get(name)
        weight = 4 * one.common + 2 * one.required + one.tensor if one else 0
        return -weight, order.index(name) if one else 0

    own = [name for name, value in node.arguments.items() if name not in wired and name != "seed" and value is not None]
    own = [name for name in own if name not in known or known[name].default != node.arguments[name]]
    return [*wired, *(sorted(own, key=rank)[:1] if len(wired) < 2 else [])]


def _sheet(cards: Sequence[_Card], most: int) -> str:
    """All photos in one JPEG, of which each card shows its parts."""
    shown = [(card, photo, room) for card in cards for photo, room in card.pieces]
    if not shown:
        return ""
    data, cells, fitted = b"", [], []
    most = min(_PHOTOS, (most - _SHOWS * len(shown)) * 3 // 4)
    for width in _WIDTHS:
        scale = width / _WIDTH
        sizes = ((round(room.width * scale), round(room.height * scale)) for _, _, room in shown)
        fitted = [thumbnails.fitted(one[1], *size) for one, size in zip(shown, sizes, strict=True)]
        cells, data = images.atlas(fitted, small=width < _WIDTHS[0])
        if len(data) <= most:
            break
    name = f"ds{zlib.crc32(data):x}"
    for (card, _, room), photo, cell in zip(shown, fitted, cells, strict=True):
        x, y, wide, high = contained(photo, room)
        card.image += (
            f'<svg x="{x:.4g}" y="{HEAD + y:.4g}" width="{wide:.4g}" height="{high:.4g}" '
            f'viewBox="{cell.x} {cell.y} {cell.width} {cell.height}"><use href="#{name}"/></svg>'
        )
    # of the JPEG file: of another size it would be scaled, and cells show parts of their neighbours
    wide = max(cell.x + images.blocks(cell.width) for cell in cells)
    high = max(cell.y + images.blocks(cell.height) for cell in cells)
    address = f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"
    return f'<defs><image id="{name}" width="{wide}" height="{high}" href="{address}"/></defs>'


def _outputs(
    graph: messages.GraphView, at: messages.Position, places: Sequence[float], height: float,
    names: Mapping[str, Sequence[str]], stills: Mapping[str, Still],
) -> str:  # fmt: skip
    nodes = {node.key: node for node in graph.nodes}

    def told(ref: PortRef) -> str:
        known = nodes[ref.node].facts if ref.node in nodes else ()
        first = stills[ref.node].facts if ref.output == 0 and ref.node in stills else ""
        return first or (known[ref.output] if ref.output < len(known) else "")

    def row(y: float, ref: PortRef) -> str:
        several = names.get(ref.node, ())
        name, shape = several[ref.output] if ref.output < len(several) else ref.node, told(ref)
        # without its dtype where both have no room
        ways = (shape, shape.rpartition(" ")[0])
        shape = next((way for way in ways if len(name) + len(way) < 20 and "-D" not in way), "")
        return (
            f'<text x="14" y="{y:g}">{escape(cut(name, 20))}</text>'
            f'<text class="c m" x="{_WIDTH - 9}" y="{y:g}" text-anchor="end">{escape(shape)}</text>'
        )

    rows = "".join(row(place + 14, ref) for place, ref in zip(places, graph.outputs, strict=True))
    on_gpu = all(ref.node in nodes and nodes[ref.node].device != "cpu" for ref in graph.outputs)
    return (
        f'<g transform="translate({at.x:g} {at.y:g})"><rect class="k" width="{_WIDTH}" height="{height:g}" rx="8"'
        f'{"" if on_gpu else _DASH}/>'
        f'{_tile("slate", icons.stroke("outputs"))}<text class="b" x="32" y="18">outputs</text>{rows}'
        f'<text class="c m" x="10" y="{height - 8:g}">{_many(len(graph.outputs), "result")}</text></g>'
    )
