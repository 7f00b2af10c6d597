"""What a designer is asked about documents: saving one, and opening another in its place."""

from __future__ import annotations

from functools import partial, singledispatchmethod
from typing import TYPE_CHECKING, Any

import msgspec

from dali_studio.codegen.benchmark import with_benchmark
from dali_studio.codegen.names import identifier
from dali_studio.graph import document
from dali_studio.studio import gallery
from dali_studio.studio.data.files import typed_path, write_text
from dali_studio.studio.drawing import exports
from dali_studio.studio.drawing.picture import FILE
from dali_studio.studio.programs.own_text import source_in
from dali_studio.studio.protocol import messages, requests
from dali_studio.studio.view import kept_view

if TYPE_CHECKING:
    from dali_studio.studio.session import Session

#: How long a picture that is saved waits for its photos.
_PICTURE_TIMEOUT = 20.0


class Documents:
    """Handles the requests of `requests.DocumentRequest` for one session.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @singledispatchmethod
    def handle(self, message: Any) -> None:
        """Handle one request."""
        raise TypeError(f"no handler for {type(message).__name__}")

    @handle.register
    def _(self, message: requests.SaveDocument) -> None:
        session, path = self._session, typed_path(message.path)
        if not message.over:
            session.kept.written.spare(path)
        if message.what == "code":
            session.modules.write(session.graph, path.parent)
            write_text(path, with_benchmark(session.code().source, path if source_in(session.history) else None))
        elif message.what == "picture":
            picture = partial(session.answers.picture, _PICTURE_TIMEOUT, FILE)
            exports.write(session.graph, kept_view(session.history), session.registry, path, picture)
        elif message.what == "trace":
            write_text(path, session.runs.trace())
        else:
            session.save(path)
        session.kept.written.know(path)
        session.send(messages.Saved(path=str(path), what=message.what))
        session.announce()

    @handle.register
    def _(self, message: requests.OpenFolder) -> None:
        session = self._session
        graph = gallery.folder_graph(message.path or str(session.samples()), session.registry)
        if message.path:  # so that a new document is called as what it reads
            graph.options = msgspec.structs.replace(graph.options, name=identifier(typed_path(message.path).stem))
        session.replace(graph, {})

    @handle.register
    def _(self, message: requests.OpenText) -> None:
        self._session.replace(*document.loads(message.text, self._session.registry)[:2])

    @handle.register
    def _(self, message: requests.OpenRecipe) -> None:
        session = self._session
        session.replace(*gallery.open_recipe(message.name, session.registry, str(session.samples())))
