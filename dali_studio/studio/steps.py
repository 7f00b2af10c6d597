"""Undo steps that outlive their kernel: the browser keeps the documents of the states that they lead to."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from itertools import accumulate
from typing import Any

import msgspec

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph import document
from dali_studio.graph.difference import edits_to
from dali_studio.graph.history import History, Step
from dali_studio.studio.programs import code_nodes
from dali_studio.studio.programs.drafts import drafts_in
from dali_studio.studio.programs.own_text import TEXT, kept, source_in
from dali_studio.studio.protocol.messages import Position
from dali_studio.studio.revision import Revision
from dali_studio.studio.view import places_of

#: Characters of the documents of each direction, so that an edit of a large graph does not wait for them.
_MAX_SIZE = 250_000


def packed(history: History) -> bytes:
    """The steps of a history, for `recall`."""
    return zlib.compress(json.dumps([_near(texts) for texts in history.texts]).encode(), 1)


def _near(texts: list[str]) -> list[str]:
    whole = texts[: texts.index("")] if "" in texts else texts
    return whole[: sum(size <= _MAX_SIZE for size in accumulate(map(len, whole)))]


def recall(history: History, directions: Any, modules: code_nodes.Modules) -> None:
    """Give a history that was just opened the steps of the one that `packed` was made of."""
    with suppress(msgspec.ValidationError):
        undo, redo = msgspec.convert(directions, tuple[list[str], list[str]])
        history.recall(_steps(history, undo, modules), _steps(history, redo, modules))


def _steps(history: History, texts: list[str], modules: code_nodes.Modules) -> list[Step]:
    """From each state to the next one; what cannot be read ends them."""
    steps: list[Step] = []
    graph, source = history.graph, source_in(history)
    places = dict(history.places)
    for text in texts:
        try:
            found, view, _ = document.loads(text, history.registry)
        except DaliStudioError:
            break
        state = code_nodes.opened(found, view, modules)
        wanted = {**places_of(view), **drafts_in(places)}  # they are in no step
        if view.get("program", "") == source:
            wanted[TEXT] = places.get(TEXT)
        else:
            wanted[TEXT] = kept(view, Revision(state, history.registry, 0, 0))
        # a card that goes keeps its place
        there = {**{key: place for key, place in places.items() if isinstance(place, Position)}, **wanted}
        changed = {key: there.get(key) for key in {**places, **there} if places.get(key) != there.get(key)}
        steps.append(Step(edits_to(graph, state), places=changed, text=text))
        graph, places, source = state, there, view.get("program", "")
    return steps
