"""What a designer is asked to take from a text: pasted calls, transforms of other packages, an edited program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatchmethod
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph import document
from dali_studio.studio.aliases import added
from dali_studio.studio.places import written_places
from dali_studio.studio.programs import drafts, own_text
from dali_studio.studio.programs.pasting import added_marks, added_places, pasted, whole_program
from dali_studio.studio.protocol import requests
from dali_studio.studio.view import (
    differing,
    differing_after,
    functions_in,
    grown,
    marks_in,
    marks_of,
    named_marks,
    notes_in,
    unwritten,
)

if TYPE_CHECKING:
    from dali_studio.studio.session import Session


def _is_document(text: str) -> bool:
    return text.lstrip().startswith("{")


class Texts:
    """Handles the requests of `requests.TextRequest` for one session.

    Parameters
    ----------
    session : Session
    changed : callable
        Sends the graph, its images and its code.
    tell : callable
        Sends findings, if there are any.
    """

    def __init__(
        self, session: Session, changed: Callable[[], None], tell: Callable[[Sequence[Diagnostic]], None]
    ) -> None:  # fmt: skip
        self._session, self._changed, self._tell = session, changed, tell

    @singledispatchmethod
    def handle(self, message: Any) -> None:
        """Handle one request."""
        raise TypeError(f"no handler for {type(message).__name__}")

    def _open(self, text: str) -> None:
        graph, view, said = document.loads(text, self._session.registry)
        self._session.history.place({drafts.DRAFT: None})
        self._session.replace(graph, view)
        self._tell(said)

    @handle.register
    def _(self, message: requests.PasteCode) -> None:
        session = self._session
        if _is_document(message.text):
            if len(session.graph) == 0:
                self._open(message.text)
                return
            graph, _, _ = document.loads(message.text, session.registry)
            message = replace(message, text=emit(graph, session.registry, "dali_studio").source)
        program = whole_program(message.text)
        if program is not None and len(session.graph) == 0:
            session.replace(program.graph, program.view)
            self._tell(program.found)
            return
        found, noted = list[Diagnostic](), dict[str, object]()
        edits = pasted(message, session.graph, session.registry, found, noted)
        noted |= named_marks(marks_of(differing(found)))
        history = session.history
        history.apply(edits, places=added_places(message, edits, history, session.revision + 1, noted))
        self._changed()
        left = [one for one in found if one.code == "DS504"]
        self._tell(program.settings_left(session.graph.options) if program else left)

    @handle.register
    def _(self, message: requests.AddTransform) -> None:
        session, history = self._session, self._session.history
        edits = added(message, session.graph, session.registry, session.answers.output)
        noted = added_marks(message, edits, session.graph, session.registry)
        history.apply(edits, places=added_places(message, edits, history, session.revision + 1, noted))
        self._changed()

    @handle.register
    def _(self, message: requests.ApplyCode) -> None:
        session, history = self._session, self._session.history
        history.place({drafts.DRAFT: message.source})  # it stays where it is refused
        if _is_document(message.source):
            self._open(message.source)
            return
        before = session.code().source
        gone = unwritten(history, before, message.source)
        kept = {name: mark for name, mark in marks_in(history).items() if name not in gone}
        now = session.current(), functions_in(kept.values(), session.current().cards), notes_in(history)
        taken = own_text.taken(message.source, *now, before=before)
        history.place({drafts.DRAFT: None})
        session.dialect, edits = taken.dialect, taken.edits
        if edits:
            places = written_places(history, edits, session.revision + 1, message.laid)
            boxes = {**gone, **taken.boxes, **grown(places, kept, taken.joined)}
            noted = {**differing_after(history, (), taken.found), **named_marks(boxes)}
            history.apply(edits, places={**places, **noted, own_text.TEXT: taken.text})
        else:
            session.count_answer()
        self._changed()

    @handle.register
    def _(self, message: requests.KeepDraft) -> None:
        self._session.history.place({drafts.draft_at(message.key): message.source or None})
        self._session.announce()
