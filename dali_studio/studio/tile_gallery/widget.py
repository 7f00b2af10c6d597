"""The gallery's widget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import anywidget
import traitlets

from dali_studio.api.default import default_registry
from dali_studio.graph.model import Graph
from dali_studio.samples import photos
from dali_studio.studio import front_end
from dali_studio.studio.protocol.comms import prepare
from dali_studio.studio.protocol.transmit import transmitter
from dali_studio.studio.tile_gallery.pictures import Pictures
from dali_studio.studio.tile_gallery.session import GallerySession
from dali_studio.studio.widget import Designer


class Gallery(anywidget.AnyWidget):
    """Shows what operators and example pipelines do to your pictures, in a notebook.

    A tile opens with sliders, a row of values, the time that it takes here, and its code, which can be taken into a
    cell, a designer or the pipeline of the designer that was used last.

    Parameters
    ----------
    pictures : path or None
        A picture, or a folder of them; the sample photos if not given. The browser can bring others.
    height : int
        Height in pixels.

    Examples
    --------
    >>> gallery = Gallery("path/to/photos")  # doctest: +SKIP
    >>> gallery.designer                      # what was opened from it last  # doctest: +SKIP
    """

    _esm = front_end.LOADER
    _bundle = traitlets.Unicode().tag(sync=True)
    _height = traitlets.Int(640).tag(sync=True)

    def __init__(self, pictures: str | Path | None = None, *, height: int = 640) -> None:
        front_end.check()
        begin = Pictures.of(photos(), "sample photos") if pictures is None else Pictures.typed(str(pictures))
        super().__init__(_height=height, _bundle=front_end.bundle("gallery")[0])
        prepare(self.comm)
        send = transmitter(cast("Callable[[Any, list[bytes]], None]", self.send))
        self.session = GallerySession(default_registry(), send, lambda: begin, photos, self._open)
        #: The designer that was opened from it last.
        self.designer: Designer | None = None
        self.on_msg(self._receive)

    def _receive(self, widget: object, content: Any, buffers: list[memoryview]) -> None:
        if content == {"type": "bundle"}:
            self.send(content, list(front_end.bundle("gallery")[1]))
        else:
            self.session.receive(content, buffers)

    def _open(self, graph: Graph) -> str:
        self.designer = Designer(graph, height=self._height)
        return str(self.designer.model_id)

    def close(self) -> None:
        """End the widget and its threads; a designer that was opened from it stays."""
        if "session" in vars(self):
            self.session.close()
        super().close()

    def __repr__(self) -> str:
        return "Gallery()"
