"""Designers that outlive their kernel: the browser opens a comm in a new one and brings the document with it."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
from IPython.core.getipython import get_ipython

from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.core.limits import MAX_DOCUMENT_BYTES
from dali_studio.graph import document
from dali_studio.graph.model import Graph
from dali_studio.samples import photos
from dali_studio.studio import findings, steps
from dali_studio.studio.programs import code_nodes
from dali_studio.studio.protocol import messages
from dali_studio.studio.protocol.comms import Comm, prepare
from dali_studio.studio.protocol.transmit import transmitter
from dali_studio.studio.session import Session

#: Under this name the browser opens comms.
TARGET = "dali_studio.designer"


class Attaching(msgspec.Struct, frozen=True):
    """What comes with the opening of a comm; its buffers are the document, its steps and its runs, compressed.

    Attributes
    ----------
    revision : int
        Where the count of changes goes on.
    document : str
        Under which name the kernel keeps the document for comms to come, so that a page that was reloaded finds its
        edits. Empty for a designer in a cell, which becomes a widget again.
    page : str
        The browser's page: a later comm of it takes the place of an earlier one.
    fresh : bool
        The text replaces what the kernel has kept.
    written : str
        When the file that the page knows was written; empty if it knows of none.
    model, height, variable : str, int, str
        Of a designer in a cell: the name of its widget, how high it is, and what the notebook called it.
    file, root : str, str
        The path that JupyterLab has for a document, and the folder in which it begins, if that is known.
    path, saved : str, bool
        Of a designer in a cell: its file, empty if it has none, and whether that said what the document says.
    """

    revision: int = 0
    document: str = ""
    page: str = ""
    fresh: bool = False
    written: str = ""
    model: str = ""
    height: int = 640
    variable: str = ""
    file: str = ""
    root: str = ""
    path: str = ""
    saved: bool = False


class Attached(msgspec.Struct, frozen=True, tag="attached"):
    """The first message to a view of a document, and the only one to a cell's: the kernel has it.

    Attributes
    ----------
    edited : bool
        What the kernel has kept is not what the text says.
    overtaken : bool
        Nor was the file written by a page that had the document open.
    """

    edited: bool = False
    overtaken: bool = False


class FileWritten(msgspec.Struct, frozen=True, tag="file_written"):
    """To the other pages of a document, when one has saved its file or loaded it again: they have it as well.

    Attributes
    ----------
    revision : int or None
        The revision that says what the file says, where it was loaded; what was saved says so itself.
    """

    revision: int | None = None


#: The steps and the runs of a session that is gone.
_Left = tuple[Any, str]


class _Kept:
    """The session of a document, and the comms of the pages that show it."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.comms: dict[str, Comm] = {}
        #: When the file was written that the document is a continuation of.
        self.written = ""

    def send(self, content: Any, buffers: list[bytes]) -> None:
        for comm in list(self.comms.values()):
            comm.send(content, buffers=buffers)

    def receive(self, content: Mapping[str, Any], page: str) -> None:
        if content.get("type") == "file_written":
            before, self.written = self.written, str(content.get("written"))
            if before != self.written:
                self.tell_others(page, FileWritten())
            if self.session is not None:
                self.session.called(_place(str(content.get("file", "")), str(content.get("root", ""))))
        elif self.session is not None:
            self.session.receive(content)

    def tell_others(self, page: str, written: FileWritten) -> None:
        for other, comm in list(self.comms.items()):
            if other != page:
                comm.send(msgspec.to_builtins(written))


_kept: dict[str, _Kept] = {}


def listen() -> None:
    """Take the browser's designers; the browser calls this in a kernel that knows nothing of them."""
    comms = cast(Any, get_ipython()).kernel.comm_manager
    comms.register_target(TARGET, attach)


def attach(comm: Comm, message: dict[str, Any]) -> None:
    """Open the document that `message` brings, for the view at the other end of `comm`."""
    prepare(comm)
    transmit = transmitter(lambda content, buffers: comm.send(content, buffers=buffers))
    try:
        asked = msgspec.convert(message["content"]["data"], Attaching)
        text, *before = (_inflated(bytes(buffer)) for buffer in message["buffers"])
        left = json.loads(before[0]) if before else None, "".join(before[1:2])
        new = bool(asked.document) and not text.strip()
        graph, view, found = (Graph(), {}, ()) if new else document.loads(text, default_registry())
    except DaliStudioError as error:
        transmit(messages.Refused(diagnostics=error.diagnostics), ())
        return
    except (zlib.error, msgspec.MsgspecError, LookupError, ValueError) as error:
        transmit(messages.Refused(diagnostics=(findings.unreadable(error),)), ())
        return
    if asked.document:
        _attach_document(comm, asked, graph, view, left)
    else:
        _attach_cell(asked, graph, view, left)
        comm.send(msgspec.to_builtins(Attached()))
    whole = code_nodes.opened(graph, view)
    if lost := tuple(one for one in found if not code_nodes.has_function(whole, one)):
        transmit(messages.Refused(diagnostics=lost), ())


def _recall(session: Session, left: _Left) -> None:
    directions, runs = left
    steps.recall(session.history, directions, session.modules)
    session.profiler.runs.recall(runs)


def _attach_cell(asked: Attaching, graph: Graph, view: dict[str, Any], left: _Left) -> None:
    """Make the widget of a cell again, unless another view of it has done so."""
    from dali_studio.studio.widget import Designer, designers  # noqa: PLC0415 - documents do without

    if asked.model not in designers:
        path = Path(asked.path) if asked.path else None
        again = Designer.again(
            graph, view, model_id=asked.model, height=asked.height, revision=max(asked.revision, 0),
            variable=asked.variable, path=path, saved=asked.saved and path is not None and path.is_file(),
        )  # fmt: skip
        _recall(again.session, left)


def _attach_document(comm: Comm, asked: Attaching, graph: Graph, view: dict[str, Any], left: _Left) -> None:
    """Take a comm to the session of its document, which is made with the first one and ends with the last."""
    kept = _kept.setdefault(asked.document, _Kept())
    known = kept.session
    session = kept.session = known or Session(
        graph, default_registry(), transmitter(kept.send), view=view, images=photos, revision=max(asked.revision, 0),
        place=asked.document, file=_place(asked.file, asked.root),
    )  # fmt: skip
    if known is None:
        _recall(session, left)
    kept.comms[asked.page] = comm
    session.called(_place(asked.file, asked.root))
    edited = known is not None and not asked.fresh and not known.kept.holds(graph, view)
    overtaken = edited and asked.written != kept.written
    if not overtaken:  # else the user is asked what to go on with
        kept.written = asked.written
    comm.send(msgspec.to_builtins(Attached(edited=edited, overtaken=overtaken)))
    if known is not None and asked.fresh:
        known.open(graph, view)
        kept.tell_others(asked.page, FileWritten(revision=known.revision))
    comm.on_msg(lambda message: kept.receive(message["content"]["data"], asked.page))

    def close(_: object) -> None:
        if kept.comms.get(asked.page) is comm:
            del kept.comms[asked.page]
        if not kept.comms and _kept.get(asked.document) is kept:
            del _kept[asked.document]
            session.close()

    comm.on_close(close)


def _place(file: str, root: str) -> Path | None:
    """Where a document's file is: below the folder of JupyterLab, or that of the kernel if this machine has none."""
    top = Path(os.path.expanduser(root))  # noqa: PTH111 - there may be no home
    whole = top / file if root and top.is_dir() else Path.cwd() / Path(file).name
    return whole if file and whole.parent.is_dir() else None


def _inflated(packed: bytes) -> str:
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(packed, MAX_DOCUMENT_BYTES)
    if unpacking.unconsumed_tail:
        raise ValueError("the document is too large")
    return text.decode()
