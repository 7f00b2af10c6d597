"""What is kept of an opened document: in its file, beside it until somebody saves it, and in the browser."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph import document
from dali_studio.graph.history import History
from dali_studio.graph.model import Graph
from dali_studio.studio.autosave import MARK, Autosave
from dali_studio.studio.data.files import Written
from dali_studio.studio.outputs import pins
from dali_studio.studio.programs import code_nodes, own_text
from dali_studio.studio.protocol.messages import Position
from dali_studio.studio.steps import packed
from dali_studio.studio.view import kept_view, marks_in, marks_of, positions_in, positions_of


class Kept:
    """The copies of one opened document.

    Parameters
    ----------
    autosave
        Keeps edits that nobody has saved.
    place
        Under which name the browser keeps edits that no kernel has had, where that is not the autosave's.

    Attributes
    ----------
    path
        The document's file.
    saved
        What that file says: the graph, the user's texts, and what is on the canvas beside the cards.
    written
        The files that were read or written.
    """

    def __init__(self, autosave: Autosave | None, place: str) -> None:
        self.autosave = autosave
        self.place = autosave.mark["stem"] if autosave is not None else place
        self.written = Written()
        self.path: Path | None = None
        self.saved: tuple[Graph, *tuple[Mapping[str, Any], ...]] | None = None

    def open(self, history: History, path: Path | None) -> None:
        """Keep another document."""
        self._history, self.path, self.saved = history, path, None
        #: The place that views have given to a card by themselves, and those before, one of which a file may have.
        self._arranged = dict[str, tuple[Position, frozenset[Position | None]]]()
        if path is not None:
            self.written.know(path)

    def state(self) -> tuple[Graph, *tuple[Mapping[str, Any], ...]]:
        """What a file would say, but for the places of cards."""
        now = self._history
        return now.graph, own_text.words_in(now), marks_in(now), pins.in_view(now)

    def save(self, path: Path) -> None:
        """Write the document.

        Raises
        ------
        DaliStudioError
            If the file cannot be written.
        """
        document.save(self._history.graph, kept_view(self._history), path, self._history.registry)
        self.written.know(path)
        self.path, self.saved = path, self.state()
        if self.autosave is not None:
            self.autosave.drop()

    def remember(self, graph: Graph) -> None:
        """Keep what nobody has saved, if `graph` is still the newest."""
        if self.autosave is not None and graph is self._history.graph and self.state() != self.saved:
            self.autosave.keep(graph, kept_view(self._history), self._history.registry)

    def arrange(self, positions: Mapping[str, Position]) -> None:
        """Take the places that a view gives to cards in its own room, which is no edit."""
        places = positions_in(self._history)
        for key, place in positions.items():
            now = places.get(key)
            given, before = self._arranged.get(key, (None, frozenset[Position | None]()))
            self._arranged[key] = place, (before if given == now else frozenset()) | {now}
        self._history.places.update(positions)

    def holds(self, graph: Graph, view: Mapping[str, Any]) -> bool:
        """Whether a document says what this one says, but for places that it leaves open, or a view gave by itself."""
        now, places = self._history, positions_in(self._history)
        moved = False
        for key, place in positions_of(view).items():
            given, before = self._arranged.get(key, (None, ()))
            moved |= places.get(key) != place and not (given == places.get(key) and place in before)
        same_text = own_text.words_in(now).items() <= view.items()
        same_pins = pins.in_view(now).get(pins.VIEW) == view.get(pins.VIEW)
        same_view = same_text and same_pins and marks_of(view) == marks_in(now)
        return code_nodes.opened(graph, view) == now.graph and same_view and not moved

    def text(self, graph: Graph, more: Mapping[str, Any] = MappingProxyType({})) -> str:
        """The document as text, with `more` in its view; empty if a value has no JSON form."""
        try:
            return document.dumps(graph, {**kept_view(self._history), **more}, self._history.registry)
        except DaliStudioError:
            return ""

    def packed(self) -> list[bytes]:
        """The document for the browser, which outlives this process, with where its edits are kept; and its steps."""
        text = self.text(self._history.graph, {MARK: self.autosave.mark} if self.autosave is not None else {})
        self._history.text = text
        return [zlib.compress(text.encode(), 1), packed(self._history)] if text else []
