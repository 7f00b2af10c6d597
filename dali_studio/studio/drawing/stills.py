"""What the cards of a saved picture have in the room of their picture, by the kind of the data: as on the canvas."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from dali_studio.studio.drawing import icons
from dali_studio.studio.outputs import images
from dali_studio.studio.protocol import bodies

#: The room of a picture, and that of a sequence: one frame, words beside it, and all frames below.
ROOM, WIDE = (148, 98), (332, 132)
_FRAME, _STRIP = (132, 88), 44
#: Values of a batch that are drawn, at most; the narrowest box with a name, in parts of the picture.
_BARS, _NAMED = 32, 0.12
#: Zeros and ones of so many samples are squares.
_DOTS = 8


@dataclass(frozen=True)
class Still:
    """What a card shows of sample number `sample`: its data, their picture if there is one, and the line below."""

    body: bodies.PreviewBody
    picture: images.Rgb | None
    facts: str
    sample: int = 0

    @property
    def text(self) -> str:
        """What a card without a picture says, in few words."""
        match self.body:
            case bodies.TextBody(text=text) | bodies.ValuesBody(text=text):
                return text
            case bodies.TableBody(rows=rows):
                return "; ".join(" ".join(row) for row in rows)
            case bodies.StatisticsBody(minimum=low, maximum=high, mean=mean):
                return f"{low:.3g} to {high:.3g}, mean {mean:.3g}"
            case _:
                return ""


class Box(NamedTuple):
    """A rectangle in the room of a picture."""

    x: float
    y: float
    width: float
    height: float

    def meets(self, other: Box) -> bool:
        """Whether they have a part in common."""
        apart = self.x >= other.x + other.width or other.x >= self.x + self.width
        return not (apart or self.y >= other.y + other.height or other.y >= self.y + self.height)


def pieces(still: Still, room: tuple[int, int]) -> list[tuple[images.Rgb, Box]]:
    """The parts of a card's picture, and the room of each."""
    body, picture, (width, height) = still.body, still.picture, room
    if picture is None:
        return []
    whole = Box(0, 0, width, height)
    if isinstance(body, bodies.WaveBody):
        lower = min(height * 0.6, picture.shape[0] * width / picture.shape[1])
        return [(picture, Box(0, height - lower, width, lower))]
    if not isinstance(body, bodies.PlanesBody | bodies.VolumeBody):
        return [(picture, whole)]
    frames = [picture[:, at : at + body.width] for at in range(0, picture.shape[1], body.width)]
    if isinstance(body, bodies.VolumeBody):
        part = Box(0, 0, width / 3, height) if room == WIDE else whole
        begins = accumulate((len(places) for places in body.shown[:2]), initial=0)
        along = zip(begins, body.shown, body.extents, strict=True)
        middles = [begin + places.index(count // 2) for begin, places, count in along]
        picked = middles if room == WIDE else middles[:1]
        return [(np.ascontiguousarray(frames[at]), part._replace(x=part.width * i)) for i, at in enumerate(picked)]
    if room != WIDE:
        return [(np.ascontiguousarray(frames[0]), whole)]
    across = _frame_width(len(frames)) / _STRIP
    strip = np.hstack([_cut(frame, across) for frame in frames])
    return [
        (np.ascontiguousarray(frames[0]), Box(0, 0, *_FRAME)),
        (strip, Box(0, height - _STRIP, _frame_width(len(frames)) * len(frames), _STRIP)),
    ]


def _frame_width(count: int) -> float:
    return min(WIDE[0] / count, 1.5 * _STRIP)


def _cut(image: images.Rgb, across: float) -> images.Rgb:
    """The middle of an image, `across` times as wide as it is high."""
    height, width = image.shape[:2]
    wide, high = max(1, min(width, round(height * across))), max(1, min(height, round(width / across)))
    left, top = (width - wide) // 2, (height - high) // 2
    return image[top : top + high, left : left + wide]


def contained(picture: images.Rgb, room: Box) -> Box:
    """Where a picture stands in a room that it does not fill."""
    high, wide = picture.shape[:2]
    scale = min(room.width / wide, room.height / high)
    width, height = wide * scale, high * scale
    return Box(room.x + (room.width - width) / 2, room.y + (room.height - height) / 2, width, height)


def drawn(still: Still, room: tuple[int, int], hue: str) -> str:
    """What stands over the pieces, or in place of them: SVG in the room's own numbers."""
    match still.body:
        case bodies.BoxesBody() if still.picture is not None:
            return _boxes(still.body, contained(still.picture, Box(0, 0, *room)), labels(still, room))
        case bodies.PointsBody(points=points) if still.picture is not None:
            at = contained(still.picture, Box(0, 0, *room))
            dots = "".join(f"M{at.x + x * at.width:.4g} {at.y + y * at.height:.4g}h.1" for x, y in points)
            return _twice(dots, 6, 4)
        case bodies.PlanesBody() if room == WIDE:
            return _frames(still.body)
        case bodies.VolumeBody() if room == WIDE:
            return _planes(still.body)
        case bodies.WaveBody():
            lower = sum(box.height for _, box in pieces(still, room))
            return _wave(still.body, room[0], room[1] - lower, hue)
        case bodies.StatisticsBody() if room[1] == ROOM[1]:
            return _histogram(still.body, room, hue)
        case bodies.ValuesBody(values=values):
            return _bars(values[:_BARS], still.sample, room[0]) or _lines(still.text, room[1])
        case _:
            return _lines(still.text, room[1])


def labels(still: Still, room: tuple[int, int]) -> list[tuple[str, Box]]:
    """The names of boxes, and where they stand."""
    body = still.body
    if not isinstance(body, bodies.BoxesBody) or still.picture is None:
        return []
    at = contained(still.picture, Box(0, 0, *room))
    right, bottom = at.x + at.width, at.y + at.height - 14
    found: list[tuple[str, Box]] = []
    for name, (x0, y0, x1, _) in zip(body.labels, body.boxes, strict=False):
        if name and x1 - x0 > _NAMED:
            wide = 6 * len(name) + 8
            x = max(at.x, min(at.x + x0 * at.width + 1.5, right - wide))
            found.append((name, Box(x, min(at.y + y0 * at.height + 1.5, bottom), wide, 14)))
    return found


def _twice(path: str, outer: float, inner: float, colour: str = "#fff") -> str:
    """Lines with a dark edge."""
    return "".join(
        f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{width:g}" stroke-linecap="round"/>'
        for stroke, width in (("#111", outer), (colour, inner))
    )


def _boxes(body: bodies.BoxesBody, at: Box, named: Sequence[tuple[str, Box]]) -> str:
    paths: dict[str, str] = {}
    of_white = ("#fff",) * len(body.boxes)
    for (left, top, right, bottom), colour in zip(body.boxes, body.colours or of_white, strict=False):
        paths[colour] = paths.get(colour, "") + (
            f"M{at.x + left * at.width:.4g} {at.y + top * at.height:.4g}h{(right - left) * at.width:.4g}"
            f"v{(bottom - top) * at.height:.4g}h{(left - right) * at.width:.4g}z"
        )
    return "".join(_twice(path, 4, 2, colour) for colour, path in paths.items()) + "".join(
        f'<rect x="{box.x:.4g}" y="{box.y:.4g}" width="{box.width}" height="14" fill="#111"/>'
        f'<text class="n" x="{box.x + 4:.4g}" y="{box.y + 10.5:.4g}">{escape(name)}</text>'
        for name, box in named
    )


def _frames(body: bodies.PlanesBody) -> str:
    """Which frame it is, and the edges of those below."""
    wide, top = _frame_width(len(body.shown)), WIDE[1] - _STRIP
    seconds = f"{body.times[0]:.2f} s of {body.times[-1]:.2f} s" if body.times else ""
    edges = "".join(f"M{wide * i:.4g} {top}v{_STRIP}" for i in range(1, len(body.shown)))
    blue = icons.TILES["blue"][0]
    return (
        f'<text class="b" x="144" y="20">frame {body.shown[0] + 1}<tspan dx="4" class="m" font-weight="400">'
        f'of {body.count}</tspan></text><text class="m" x="144" y="38">{seconds}</text>'
        f'<path d="{edges}" stroke="#fff" fill="none"/><rect class="i blue" x="1" y="{top + 1}" width="{wide - 2:.4g}" '
        f'height="{_STRIP - 2}" fill="none" stroke="{blue}" stroke-width="2"/>'
    )


def _planes(body: bodies.VolumeBody) -> str:
    """Where the planes cross, in their middles, and which they are."""
    width, height = WIDE[0] / 3, WIDE[1]
    cross = "".join(f"M{width * i:.4g} {height / 2}h{width:.4g}M{width * (i + 0.5):.4g} 0v{height}" for i in range(3))
    names = "".join(
        f'<rect x="{width * i + 4:.4g}" y="4" width="{6 * len(name) + 6}" height="16" rx="4" fill="#111"/>'
        f'<text class="n" x="{width * i + 7:.4g}" y="16">{name}</text>'
        for i, name in enumerate(f"{axis} {count // 2}" for axis, count in zip("zyx", body.extents, strict=True))
    )
    return f'<path d="{cross}" stroke="#fff" stroke-dasharray="4 3" fill="none"/>{names}'


def _wave(body: bodies.WaveBody, width: float, height: float, hue: str) -> str:
    """From the highest to the lowest value of each span, channels below each other."""
    lane, path = height / max(1, len(body.channels)), ""
    for channel, spans in enumerate(body.channels):
        middle, step = lane * (channel + 0.5), width / max(1, len(spans))
        scale = (lane / 2 - 3) / body.peak
        over = [f"{step * i:.4g} {middle - high * scale - 0.4:.4g}" for i, (_, high) in enumerate(spans)]
        under = [f"{step * i:.4g} {middle - low * scale + 0.4:.4g}" for i, (low, _) in enumerate(spans)]
        path += "M" + "L".join([*over, *reversed(under)]) + "z" if spans else ""
    return f'<path class="y {hue}" d="{path}" fill="{icons.TILES[hue][0]}"/>'


def _histogram(body: bodies.StatisticsBody, room: tuple[int, int], hue: str) -> str:
    width, most = room[0] - 18, max(*body.histogram, 1)
    pitch, floor = width / max(1, len(body.histogram)), room[1] - 34
    path = "".join(
        f"M{9 + pitch * i:.4g} {floor}v{-(floor - 6) * count / most:.4g}h{pitch - 0.8:.3g}V{floor}z"
        for i, count in enumerate(body.histogram)
    )
    below = f"mean {body.mean:.3g}  sd {body.deviation:.3g}".replace("-", "−")
    low, high = (f"{value:.3g}".replace("-", "−") for value in (body.minimum, body.maximum))
    return (
        f'<path class="y {hue}" d="{path}" fill="{icons.TILES[hue][0]}"/><text class="c m" x="9" y="{floor + 12}">{low}'
        f'</text><text class="c m" x="{9 + width}" y="{floor + 12}" text-anchor="end">{high}</text>'
        f'<text class="c m" x="9" y="{floor + 27}">{below}</text>'
    )


def _bars(batch: Sequence[float | None], sample: int, width: int) -> str:
    """The numbers of a batch beside each other; that of the shown sample stands out."""
    values = {i: value for i, value in enumerate(batch) if value is not None and math.isfinite(value)}
    if len(batch) <= _DOTS and all(value in (0, 1) for value in values.values()):
        return _dots(values, sample)
    low, high = min([0.0, *values.values()]), max([0.0, *values.values()])
    if len(values) < 2 or low == high:
        return ""
    pitch, tall = (width - 18) / len(batch), 26
    colour, _ = icons.TILES["magenta"]
    return "".join(
        f'<rect class="y magenta" x="{9 + pitch * i:.4g}" y="{31 - high_of:.3g}" width="{pitch - 2:.3g}" '
        f'height="{high_of:.3g}" rx="1" fill="{colour}" fill-opacity="{1 if i == sample else 0.4}"/>'
        for i, value in values.items()
        for high_of in [3 + (tall - 3) * (value - low) / (high - low)]
    )


def _dots(values: Mapping[int, float], sample: int) -> str:
    """Yes and no for each sample, as squares that are full or empty."""
    colour, blue = icons.TILES["magenta"][0], icons.TILES["blue"][0]
    now = (
        f'<rect class="i blue" x="{7 + 16 * sample}" y="9" width="18" height="18" rx="5" fill="none" stroke="{blue}" '
        'stroke-width="1.5"/>'
    )
    squares = "".join(
        f'<rect class="i magenta{" y" * bool(value)}" x="{10 + 16 * i}" y="12" width="12" height="12" rx="3" '
        f'fill="{colour if value else "none"}" fill-opacity=".6" stroke="{colour}" stroke-opacity=".6"/>'
        for i, value in values.items()
    )
    return squares + (now if sample in values else "")


def _lines(text: str, height: int) -> str:
    """Words in the room of a picture: the first bytes of a file, numbers."""
    lines = [line for part in text.splitlines() for line in textwrap.wrap(part, 23)][: height // 13]
    return "".join(f'<text class="l m" x="9" y="{13 + 13 * i}">{escape(line)}</text>' for i, line in enumerate(lines))
