"""Icons and hues of operators: the designer and pictures of graphs take them from one file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

from dali_studio.schema.model import OperatorSchema

_FILE = Path(__file__).with_name("icons.json")
#: The colours of tiles, and of nodes that were given one, on a light page and on a dark one.
TILES = {
    "slate": ("#6c7683", "#87959d"), "blue": ("#1676cd", "#2092f9"), "purple": ("#5621a1", "#dac1fc"),
    "teal": ("#024a38", "#18f6de"), "orange": ("#7f3403", "#f98d07"), "green": ("#3f7d37", "#afe2a0"),
    "magenta": ("#703065", "#d76dc9"), "olive": ("#7d7806", "#fbda70"),
}  # fmt: skip


class _Icons(msgspec.Struct, frozen=True):
    """Paths on a grid of 16 by name; other names; words of operators and of categories, and what they suggest."""

    strokes: dict[str, str]
    aliases: dict[str, str]
    words: tuple[tuple[str, str], ...]
    hues: tuple[tuple[str, str], ...]


@cache
def _icons() -> _Icons:
    return msgspec.json.decode(_FILE.read_bytes(), type=_Icons)


def stroke(name: str) -> str:
    """The path of an icon."""
    return _icons().strokes[name]


def icon_of(schema: OperatorSchema) -> str:
    """The path of an operator's icon."""
    known = _icons()
    words = f"{schema.icon} {schema.name} {schema.category}".lower()
    name = schema.icon if schema.icon in known.strokes else known.aliases.get(schema.icon, "")
    return known.strokes[name or _first(known.words, words, "tensor")]


def hue_of(category: str) -> str:
    """The name of a category's hue."""
    return _first(_icons().hues, category.lower(), "slate")


def _first(patterns: tuple[tuple[str, str], ...], words: str, otherwise: str) -> str:
    return next((found for pattern, found in patterns if re.search(pattern, words)), otherwise)
