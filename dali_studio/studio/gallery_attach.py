"""The gallery in JupyterLab's sidebar: the browser opens a comm in the kernel of the designer in use."""

from __future__ import annotations

from typing import Any

from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.model import Graph
from dali_studio.samples import photos
from dali_studio.studio.comms import Comm
from dali_studio.studio.gallery_session import GallerySession
from dali_studio.studio.pictures import Pictures
from dali_studio.studio.transmit import transmitter

#: Under this name the browser opens comms.
TARGET = "dali_studio.gallery"

#: The galleries of the browser's pages: one that is loaded again has a new one, without having closed the old one.
_open: dict[str, GallerySession] = {}


def attach(comm: Comm, message: dict[str, Any]) -> None:
    """Begin a gallery for the page at the other end of `comm`."""
    page = str(message["content"]["data"].get("page", ""))
    send = transmitter(lambda content, buffers: comm.send(content, buffers=buffers))
    session = GallerySession(
        default_registry(), send, lambda: Pictures.of(photos(), "sample photos"), photos, _refuse_designer
    )
    if earlier := _open.pop(page, None):
        earlier.close()
    _open[page] = session
    comm.on_msg(lambda message: session.receive(message["content"]["data"], message["buffers"]))

    def close(_: object) -> None:
        if _open.get(page) is session:
            del _open[page]
        session.close()

    comm.on_close(close)


def _refuse_designer(graph: Graph) -> str:
    hint = "A click on a tile puts it into the pipeline that is open."
    raise DaliStudioError(
        Diagnostic(code="DS209", message=f"The sidebar opens no designer for {graph.options.name}.", hint=hint)
    )
