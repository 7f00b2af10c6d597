"""Pictures of graphs as PNG: what `picture.draw` writes, drawn by matplotlib. Other SVG files are not understood."""

from __future__ import annotations

import base64
import cmath
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from dali_studio.studio.outputs.images import Rgb

_SVG, _HREF = "{http://www.w3.org/2000/svg}", "href"
#: Pixels for each px of the picture, and the most that a side may have.
_SCALE, _MAX_SIDE = 2.0, 12_000
_DPI = 100
#: What the classes of the style sheet say.
_STYLES: dict[str, dict[str, str]] = {
    "b": {"font-weight": "600", "font-size": "12"},
    "o": {"font-weight": "600", "font-size": "9", "fill": "#fff"},
    "m": {"fill": "#5f6368"}, "l": {"font-size": "9", "mono": "1"},
    "n": {"font-size": "10", "fill": "#fff"}, "c": {"font-size": "10", "mono": "1"},
    "k": {"fill": "#fff", "stroke": "#bdc1c6"}, "w": {"fill": "none", "stroke-width": "2"},
    "h": {"fill": "none", "stroke": "#f6f7f8", "stroke-width": "5"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Place:
    x: float = 0.0
    y: float = 0.0
    style: tuple[tuple[str, str], ...] = ()

    def inside(self, element: ET.Element) -> _Place:
        moved = re.match(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
        x, y = map(float, moved.groups()) if moved else (0.0, 0.0)
        return replace(self, x=self.x + x, y=self.y + y, style=(*self.style, *_own(element)))

    def of(self, element: ET.Element) -> dict[str, str]:
        return dict((*self.style, *_own(element)))


def _own(element: ET.Element) -> list[tuple[str, str]]:
    classes = [_STYLES[name] for name in element.get("class", "").split() if name in _STYLES]
    return [*((k, v) for style in classes for k, v in style.items()), *element.attrib.items()]


def png(svg: str) -> bytes:
    """The picture as PNG, at twice its size unless that is too large."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow to import, and seldom needed
    from matplotlib.figure import Figure  # noqa: PLC0415 - as above

    root = ET.fromstring(svg)  # noqa: S314 - our own text
    width, height = float(root.get("width", "1")), float(root.get("height", "1"))
    scale = min(_SCALE, _MAX_SIDE / max(width, height))
    figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI * scale)
    axes: Any = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    _Drawing(axes, {e.get("id", ""): e for e in root.iter() if e.get("id")}).children(root, _Place())
    target = io.BytesIO()
    FigureCanvasAgg(figure).print_png(target)
    return target.getvalue()


class _Drawing:
    """Draws elements in their order, each over those before."""

    def __init__(self, axes: Any, named: dict[str, ET.Element]) -> None:
        self._axes = axes
        self._named = named
        self._order = 0
        self._photos: dict[str, Rgb] = {}

    def children(self, parent: ET.Element, place: _Place) -> None:
        for element in parent:
            draw = getattr(self, f"_{element.tag.removeprefix(_SVG)}", None)
            if draw is not None:
                self._order += 1
                draw(element, place)

    def _g(self, element: ET.Element, place: _Place) -> None:
        self.children(element, place.inside(element))

    def _use(self, element: ET.Element, place: _Place) -> None:
        moved = replace(place, x=place.x + float(element.get("x", "0")), y=place.y + float(element.get("y", "0")))
        self._g(self._named[element.get(_HREF, "#").removeprefix("#")], moved)

    def _rect(self, element: ET.Element, place: _Place) -> None:
        from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415 - as above

        x, y, width, height, radius = (float(element.get(name, "0")) for name in ("x", "y", "width", "height", "rx"))
        style = f"round,pad=0,rounding_size={radius:g}"
        self._patch(FancyBboxPatch((place.x + x, place.y + y), width, height, boxstyle=style), place.of(element))

    def _circle(self, element: ET.Element, place: _Place) -> None:
        from matplotlib.patches import Circle  # noqa: PLC0415 - as above

        x, y, radius = (float(element.get(name, "0")) for name in ("cx", "cy", "r"))
        self._patch(Circle((place.x + x, place.y + y), radius), place.of(element))

    def _path(self, element: ET.Element, place: _Place) -> None:
        from matplotlib.patches import PathPatch  # noqa: PLC0415 - as above
        from matplotlib.path import Path  # noqa: PLC0415 - as above

        points, codes = zip(*_steps(element.get("d", "")), strict=True)
        path = Path(np.add(points, (place.x, place.y)), codes)
        path.should_simplify = False  # dots are short lines
        self._patch(PathPatch(path), place.of(element))

    def _patch(self, patch: Any, style: dict[str, str]) -> None:
        # lengths of lines are in points of the figure
        points = 72 / _DPI
        patch.set(facecolor=style.get("fill", "#000"), edgecolor=style.get("stroke", "none"), zorder=self._order)
        patch.set_alpha(float(style["fill-opacity"]) if "fill-opacity" in style else None)
        patch.set(linewidth=float(style.get("stroke-width", "1")) * points)
        patch.set_capstyle(style.get("stroke-linecap", "butt"))
        if "stroke-dasharray" in style:
            on, off = (float(v) / float(style.get("stroke-width", "1")) for v in style["stroke-dasharray"].split())
            patch.set_linestyle((0, (on, off)))
        self._axes.add_patch(patch)

    def _text(self, element: ET.Element, place: _Place) -> None:
        style = place.of(element)
        x, y = place.x + float(element.get("x", "0")), place.y + float(element.get("y", "0"))
        side = {"end": "right", "middle": "center"}.get(style.get("text-anchor", ""), "left")
        family = "DejaVu Sans Mono" if "mono" in style else "DejaVu Sans"
        size = float(style.get("font-size", "11")) * (72 / _DPI) * 0.92
        words = "".join([element.text or "", *(f"  {part.text or ''}" for part in element)])
        # a dollar sign is no formula here
        self._axes.text(
            x, y, words.replace("$", r"\$"), fontsize=size, family=family, ha=side, va="baseline",
            weight="bold" if style.get("font-weight") == "600" else "normal", color=style.get("fill", "#1f2328"),
            zorder=self._order,
        )  # fmt: skip

    def _svg(self, element: ET.Element, place: _Place) -> None:
        """A part of the sheet of photos."""
        x, y, width, height = (float(element.get(name, "0")) for name in ("x", "y", "width", "height"))
        left, top, wide, high = (int(float(v)) for v in element.get("viewBox", "0 0 1 1").split())
        used = next(iter(element), None)
        if used is None:
            return
        photo = self._photo(used.get(_HREF, "#").removeprefix("#"))[top : top + high, left : left + wide]
        x, y = x + place.x, y + place.y
        # an extent would change the limits of the axes
        limits = self._axes.get_xlim(), self._axes.get_ylim()
        self._axes.imshow(
            photo, extent=(x, x + width, y + height, y), zorder=self._order, interpolation="antialiased", aspect="auto"
        )
        self._axes.set(xlim=limits[0], ylim=limits[1])

    def _photo(self, name: str) -> Rgb:
        if name not in self._photos:
            import simplejpeg  # noqa: PLC0415 - of pictures with photos alone

            data = self._named[name].get(_HREF, "").partition(",")[2]
            self._photos[name] = simplejpeg.decode_jpeg(base64.b64decode(data), colorspace="RGB")
        return self._photos[name]


#: How many numbers each command of a path takes at a time.
_TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "A": 7, "Z": 0}
#: Lines that stand for an arc.
_CHORDS = 24
_Point = tuple[float, float]


def _steps(path: str) -> Iterator[tuple[_Point, int]]:
    """Points and what leads to them, of matplotlib's paths. Of arcs, those of circles are known."""
    move, line, bow, curve, close = 1, 2, 3, 4, 79
    x = y = 0.0
    begin, pull = (x, y), (x, y)
    for command, text in re.findall(r"([MLHVCSQAZmlhvcsqaz])([^MLHVCSQAZmlhvcsqaz]*)", path):
        numbers = [float(n) for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?", text)]
        kind, takes = command.upper(), _TAKES[command.upper()]
        for at in range(0, len(numbers), takes) if takes else (0,):
            by_x, by_y = (x, y) if command.islower() else (0.0, 0.0)
            given = numbers[at : at + takes]
            match kind:
                case "Z":
                    yield (x, y), close
                    x, y = begin
                    continue
                case "H":
                    ends = [(by_x + given[0], y)]
                case "V":
                    ends = [(x, by_y + given[0])]
                case "A":
                    ends = _arc((x, y), (by_x + given[5], by_y + given[6]), given[0], bool(given[3]), bool(given[4]))
                case _:
                    ends = [(by_x + a, by_y + b) for a, b in zip(given[::2], given[1::2], strict=True)]
            if kind == "S":
                ends = [(2 * x - pull[0], 2 * y - pull[1]), *ends]
            if kind in "CS":
                pull = ends[1]
            begins = kind == "M" and at == 0
            (x, y) = ends[-1]
            begin = (x, y) if begins else begin
            code = bow if kind == "Q" else curve if kind in "CS" else move if begins else line
            yield from ((end, code) for end in ends)


def _arc(begin: _Point, end: _Point, radius: float, large: bool, sweep: bool) -> list[_Point]:
    """Points on an arc of a circle."""
    one, other = complex(*begin), complex(*end)
    half = (other - one) / 2
    high = max(radius**2 - abs(half) ** 2, 0.0) ** 0.5 * (1 if large != sweep else -1)
    centre = one + half + 1j * half / abs(half) * high
    turn = cmath.phase((other - centre) / (one - centre)) % math.tau - (0.0 if sweep else math.tau)
    points = [centre + (one - centre) * cmath.exp(1j * turn * k / _CHORDS) for k in range(1, _CHORDS + 1)]
    return [(point.real, point.imag) for point in points]
