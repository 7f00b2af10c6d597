"""One opened gallery: requests come in, pictures and programs go out, computed on a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, singledispatchmethod
from pathlib import Path
from typing import Any

import msgspec

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.model import Graph
from dali_studio.runtime import thumbnails
from dali_studio.runtime.workers import Cancelled
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry
from dali_studio.studio import findings, insertion
from dali_studio.studio.outputs import images
from dali_studio.studio.protocol import gallery_messages as messages
from dali_studio.studio.tile_gallery import tiles
from dali_studio.studio.tile_gallery.pictures import Pictures
from dali_studio.studio.tile_gallery.renderer import TileRenderer, placed
from dali_studio.studio.view import languages
from dali_studio.studio.worker import Worker

Send = Callable[[messages.GalleryAnswer, Sequence[bytes]], None]
#: Jobs of the worker, most urgent first.
_JOBS = ("detail", "sweep", "tiles", "time")
#: Tiles that are sent together.
_TOGETHER = 6
#: Extents of a tile's picture that a browser may ask for.
_MIN_EXTENT, _MAX_EXTENT = 32, 800


class GallerySession:
    """The truth about one gallery.

    Parameters
    ----------
    registry : Registry
    send : callable
        Takes a message and its buffers; called from the kernel's loop and from the worker thread.
    pictures : callable
        Gives the pictures to begin with.
    samples : callable
        Gives the folder of sample photos.
    open_designer : callable
        Opens a graph, and returns the name of the model of its widget.
    """

    def __init__(
        self, registry: Registry, send: Send, pictures: Callable[[], Pictures], samples: Callable[[], Path],
        open_designer: Callable[[Graph], str],
    ) -> None:  # fmt: skip
        self._registry, self._send, self._samples, self._open = registry, send, samples, open_designer
        self._begin_with = pictures
        self._pictures: Pictures | None = None
        self._tiles = {tile.name: tile for tile in tiles.tiles(registry)}
        self._renderer = TileRenderer(registry)
        self._worker = Worker(_JOBS, self._begin, self._interrupt, self._failed)
        self._size = (266, 176)
        self._turn = 0

    def receive(self, content: Mapping[str, Any], buffers: Sequence[bytes | memoryview] = ()) -> None:
        """Handle what the browser sent; whatever is wrong with it goes back as `NotDone`."""
        try:
            request = msgspec.convert(content, messages.GalleryRequest)
        except (msgspec.ValidationError, TypeError, ValueError, RecursionError) as error:
            self._send(messages.NotDone(diagnostics=(findings.unreadable(error),)), ())
            return
        try:
            if isinstance(request, messages.UploadPicture):
                self._use(Pictures.brought(request.name, bytes(buffers[0]) if buffers else b""))
            else:
                self.handle(request)
        except Exception as error:  # noqa: BLE001 - a silent gallery would be worse than a finding
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        found = error.diagnostics if isinstance(error, DaliStudioError) else (findings.defect(error),)
        self._send(messages.NotDone(diagnostics=found), ())

    @singledispatchmethod
    def handle(self, request: Any) -> None:
        """Handle one request."""
        raise TypeError(f"no handler for {type(request).__name__}")

    @handle.register
    def _(self, request: messages.Browse) -> None:
        self._size = _bounded(request.width), _bounded(request.height)
        self._send(messages.GalleryOpened(tiles=tuple(self._tiles.values()), dialects=languages()), ())
        self._use(self._pictures or self._begin_with())

    @handle.register
    def _(self, request: messages.OpenPictures) -> None:
        samples = Pictures.of(self._samples(), "sample photos") if not request.path.strip() else None
        self._use(samples or Pictures.typed(request.path))

    @handle.register
    def _(self, request: messages.ChoosePicture) -> None:
        pictures = self._shown()
        pictures.number = request.number % len(pictures.paths)
        self._use(pictures)

    @handle.register
    def _(self, request: messages.ShowTiles) -> None:
        pictures, turn = self._shown(), self._turn
        waiting = [self._tiles[name] for name in dict.fromkeys(request.names) if name in self._tiles]

        def job() -> None:
            while waiting and turn == self._turn:
                some = waiting[:_TOGETHER]
                made = [(tile.name, self._renderer.result(tile, (), pictures, self._size)) for tile in some]
                del waiting[:_TOGETHER]
                items, atlas = placed(made)
                self._send(messages.TilePictures(turn=turn, items=items, done=not waiting), [atlas] if atlas else [])
                self._worker.relieve("tiles")

        self._worker.insist("tiles", job)

    @handle.register
    def _(self, request: messages.TryTile) -> None:
        tile, pictures, turn = self._tile(request.name), self._shown(), self._turn

        def job() -> None:
            try:
                message, pixels = self._renderer.detail(turn, tile, request.settings, pictures, request.dialect)
            except Cancelled:
                return  # a newer request of the same kind
            self._send(message, pixels)
            if not message.failed:
                self._worker.submit("time", measure)

        def measure() -> None:
            try:
                spent = self._renderer.time(tile, request.settings, pictures, partial(self._worker.relieve, "time"))
            except (Cancelled, DaliStudioError):
                return
            self._send(messages.TileTime(turn=turn, name=tile.name, milliseconds=spent), ())

        self._worker.submit("detail", job)

    @handle.register
    def _(self, request: messages.SweepTile) -> None:
        tile, pictures, turn = self._tile(request.name), self._shown(), self._turn

        def job() -> None:
            at = request.node, request.argument
            items, atlas = self._renderer.sweep(tile, request.settings, at, request.values, pictures)
            message = messages.TileSweep(
                turn=turn, name=tile.name, argument=request.argument, values=request.values, items=items
            )
            self._send(message, [atlas] if atlas else [])

        self._worker.insist("sweep", job)

    @handle.register
    def _(self, request: messages.TakeTile) -> None:
        tile = self._tile(request.name)
        graph = tiles.graph_of(tile, request.settings, self._shown().read, self._registry)
        if not request.into_graph:
            self._send(messages.Taken(model=self._open(graph), text=f"{tile.title} is open in a designer."), ())
            return
        schema = self._registry.schema(tile.name)
        arguments: dict[str, Value] = dict(graph.node(schema.node_name).arguments)
        self._send(messages.Taken(model="", text=insertion.insert(schema, arguments)), ())

    def _tile(self, name: str) -> messages.Tile:
        if name not in self._tiles:
            message = f"The gallery has no tile called {name!r}."
            raise DaliStudioError(Diagnostic(code="DS209", message=message, hint="Reload the page."))
        return self._tiles[name]

    def _shown(self) -> Pictures:
        if self._pictures is None:
            self._pictures = self._begin_with()
        return self._pictures

    def _use(self, pictures: Pictures) -> None:
        """Show the tiles on other pictures; the old ones stay if the new one cannot be read."""
        small = images.jpeg(thumbnails.fitted(pictures.picture(), *self._size))
        self._pictures = pictures
        self._turn += 1
        for job in _JOBS:
            self._worker.drop(job)
        message = messages.PicturesChosen(
            turn=self._turn, place=pictures.place, names=pictures.names(), number=pictures.number
        )
        self._send(message, [small])

    def _begin(self, job: str) -> None:
        self._renderer.workers.cancelled.clear()

    def _interrupt(self, job: str, other: str) -> None:
        if job != "time":  # it is short, and runs on threads of its own
            self._renderer.workers.cancelled.set()

    def wait(self, seconds: float = 60.0) -> bool:
        """Wait until all that was asked for is there; ``False`` if that took too long."""
        return self._worker.wait(seconds)

    def close(self) -> None:
        """End the threads."""
        self._worker.close()
        self._renderer.workers.cancelled.set()
        self._renderer.close()


def _bounded(extent: int) -> int:
    return min(max(extent, _MIN_EXTENT), _MAX_EXTENT)
