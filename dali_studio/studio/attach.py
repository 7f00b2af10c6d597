"""Designers that outlive their kernel: the browser opens a comm in a new one and brings the document with it."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, Protocol, cast

import msgspec
from IPython.core.getipython import get_ipython

from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.core.limits import MAX_DOCUMENT_BYTES
from dali_studio.graph import document
from dali_studio.samples import photos
from dali_studio.studio import findings, messages
from dali_studio.studio.session import Session
from dali_studio.studio.transmit import transmitter

#: Under this name the browser opens comms.
TARGET = "dali_studio.designer"


class Comm(Protocol):
    """The part of a comm that is used."""

    def send(self, data: Any, metadata: None = None, buffers: list[bytes] | None = None) -> None:
        """Send a message to the browser."""
        ...

    def on_msg(self, callback: Callable[[dict[str, Any]], None]) -> None:
        """Call `callback` with each message of the browser."""
        ...

    def on_close(self, callback: Callable[[dict[str, Any]], None]) -> None:
        """Call `callback` when the browser closes the comm."""
        ...


class Attaching(msgspec.Struct, frozen=True):
    """What comes with the opening of a comm; its buffer is the compressed document."""

    revision: int = 0


def listen() -> None:
    """Take the browser's designers; the browser calls this in a kernel that knows nothing of them."""
    shell = cast(Any, get_ipython())
    shell.kernel.comm_manager.register_target(TARGET, attach)


def attach(comm: Comm, message: dict[str, Any]) -> None:
    """Open the document that `message` brings, for the view at the other end of `comm`."""
    transmit = transmitter(lambda content, buffers: comm.send(content, buffers=buffers))
    try:
        asked = msgspec.convert(message["content"]["data"], Attaching)
        text = _inflated(bytes(message["buffers"][0]))
        graph, view, found = document.loads(text, default_registry())
    except DaliStudioError as error:
        transmit(messages.Refused(diagnostics=error.diagnostics), ())
        return
    except (zlib.error, msgspec.MsgspecError, LookupError, ValueError) as error:
        transmit(messages.Refused(diagnostics=(findings.unreadable(error),)), ())
        return
    session = Session(graph, default_registry(), transmit, view=view, images=photos, revision=max(asked.revision, 0))
    comm.on_msg(lambda message: session.receive(message["content"]["data"]))
    comm.on_close(lambda _: session.close())
    if found:
        transmit(messages.Refused(diagnostics=found), ())


def _inflated(packed: bytes) -> str:
    unpacking = zlib.decompressobj()
    text = unpacking.decompress(packed, MAX_DOCUMENT_BYTES)
    if unpacking.unconsumed_tail:
        raise ValueError("the document is too large")
    return text.decode()
