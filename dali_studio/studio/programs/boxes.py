"""What a program has as functions, and others add at once, as one card each: boxes that are entered."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

import msgspec

from dali_studio.api.default import default_registry
from dali_studio.api.reading.text import ProgramText
from dali_studio.graph.apply import AnyEdit, apply
from dali_studio.graph.cards import Cards, cards_in
from dali_studio.graph.edits import AddNode
from dali_studio.graph.labels.guard import CODE
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry
from dali_studio.studio.protocol.messages import Group

#: The package whose functions make hundreds of steps, and how many are more than those of any line without it.
_LIBRARY, _MANY = "auto_aug", 50
#: As many cards are no box.
_FEW = 5
#: A repair that adds as many is seen as it is.
_OF_REPAIR = 4
#: A program of a person's own has boxes where it has more cards: these are seen at once.
_SEEN = 20
#: A box of a larger part of all cards would hide what the program is.
_PART = 0.75


def boxed(keys: Sequence[str], title: str, cards: Cards, few: int = _FEW, about: str = "") -> dict[str, Group]:
    """A box of nodes, by the name of its mark; none of a few cards."""
    if sum(key not in cards.owners for key in keys) <= few:
        return {}
    return {f"box {keys[0]}": Group(keys=tuple(keys), title=title, subgraph=True, collapsed=True, about=about)}


def box_of_added(
    edits: Sequence[AnyEdit], title: str, graph: Graph, registry: Registry, few: int = _FEW
) -> dict[str, Group]:  # fmt: skip
    """A box of what edits add to a graph, but for what other nodes read that it reads again."""
    after, _ = apply(graph, edits, registry)
    added = [edit.key for edit in edits if isinstance(edit, AddNode)]
    behind = {key: after.descendants(key) for key in added}
    between = {key for keys in behind.values() for key in keys if key not in behind
               and not after.descendants(key).isdisjoint(added)}  # fmt: skip
    inner = [key for key, keys in behind.items() if between.isdisjoint(keys)]
    return boxed(inner, title, cards_in(after, registry), few)


def box_of_repair(
    code: str, title: str, edits: Sequence[AnyEdit], graph: Graph, registry: Registry
) -> dict[str, Group]:  # fmt: skip
    """That of what moves labels, such as "crop boxes"."""
    words = re.sub(r"\b(the|too)\b ?", "", title.lower()).strip()
    return box_of_added(edits, words, graph, registry, _OF_REPAIR) if code == CODE else {}


def renamed_boxes(boxes: Mapping[str, Group], names: Mapping[str, str]) -> dict[str, Group]:
    """Boxes of nodes that are called otherwise; those that have no name are in none."""
    inner = [(box, tuple(names[key] for key in box.keys if key in names)) for box in boxes.values()]
    return {f"box {keys[0]}": msgspec.structs.replace(box, keys=keys) for box, keys in inner if keys}


def boxes_of(text: ProgramText) -> dict[str, Group]:
    """Boxes of the calls of a text's functions and of `auto_aug`.

    Those within an `if` are none: with what others have of its condition they are one card.
    """
    return _called_in(text, text.function, cards_in(text.graph, default_registry()), len(text.graph))


def boxes_of_own(text: ProgramText) -> dict[str, Group]:
    """Those of a program that a person has written, where it has more cards than are seen at once.

    A function of nearly all of them is no box, but those that it calls are.
    """
    cards = cards_in(text.graph, default_registry())
    count = len(text.graph) - len(cards.owners)
    return _called_in(text, text.function, cards, _PART * count) if count > _SEEN else {}


def _called_in(text: ProgramText, function: ast.FunctionDef, cards: Cards, most: float) -> dict[str, Group]:
    functions, found = {one.name: one for one in text.functions}, dict[str, Group]()
    for step in text.steps_of(function):
        value = step.node.value if isinstance(step.node, ast.Assign) else None
        name = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
        if name in functions and sum(key not in cards.owners for key in step.made) > most:
            found |= _called_in(text, functions[name], cards, most)
        elif name in functions or (_LIBRARY in text.text and len(step.made) > _MANY):
            about = (ast.get_docstring(functions[name]) or "").partition("\n")[0] if name in functions else ""
            found |= boxed(step.made, name.rpartition(".")[2], cards, about=about)
    return found
