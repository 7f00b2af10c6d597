"""Names and numbers of a saved picture, as the designer writes them, cut to the room that they have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import cast

from dali_studio.studio.drawing.stills import Still

_SIGNS = {"deg": "°", "": ""}
#: How wide letters are in parts of the size, in the widest of usual fonts (DejaVu Sans): narrow ones, wide ones, all
#: others; and how much wider bold ones are.
_NARROW, _BROAD, _BOLD = "fijlrt.,:;-|()[]' I", "mwMW…−", 1.13
#: Of the font of numbers, in px.
DIGIT = 6.02


def united(value: str, unit: str) -> str:
    """A number with the sign of its unit; other words as they are."""
    number = value.replace("−", "").replace(".", "").isdigit()
    return f"{value}{_SIGNS.get(unit, f' {unit}')}" if number else value


def drawn_number(source: Still | None, unit: str) -> str:
    """What a wire brings an argument: the number, where it is one, as the designer writes what is drawn."""
    text = source.text.strip() if source is not None and source.picture is None else ""
    try:
        number = float(text.replace("−", "-"))
    except ValueError:
        return text if 0 < len(text) <= 8 and "\n" not in text else "wired"
    return united(value_of(round(number, 1) if unit == "deg" else float(f"{number:.3g}")), unit)


def time_of(milliseconds: float) -> str:
    """As the designer writes times."""
    if milliseconds < 0.0995:
        return f"{milliseconds * 1e3:.0f} µs"
    value, unit = (milliseconds, "ms") if milliseconds < 999.5 else (milliseconds / 1e3, "s")
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def value_of(value: object) -> str:
    """The value of an argument: of a list its first parts, of a path its last."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return f"…/{PurePath(value).name}" if "/" in value or "\\" in value else value
    if isinstance(value, list | tuple):
        parts = list(cast("Sequence[object]", value))
        return ", ".join(value_of(part) for part in parts[:3]) + (" …" if len(parts) > 3 else "")
    return (f"{value:g}" if isinstance(value, float) else str(value)).replace("-", "−")


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide words are, in px: fonts differ, and none is at hand here."""
    parts = sum(0.38 if c in _NARROW else 0.98 if c in _BROAD else 0.63 for c in text)
    return parts * size * (_BOLD if bold else 1)


def fitted(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """As much of a name as has room."""
    ways = (cut(text, most) for most in range(len(text), 2, -1))
    return next((way for way in ways if width_of(way, size, bold=bold) <= room), "…")


def cut(text: str, most: int) -> str:
    """As the designer cuts names: as many characters of the end stay as of the beginning, or the number at the end.

    With it the letter before it stays where there is room.
    """
    if len(text) <= most:
        return text
    if ", " in text:  # several numbers: a part of one alone would be another
        return f"{text[: text.rfind(',', 0, most - 2) + 1]} …"
    number = re.search(r"\w?_?\d{1,4}$" if most > 7 else r"\d{1,4}$", text)
    end = len(number[0]) if number else most // 2
    return f"{text[: most - 1 - end]}…{text[-end:]}"
