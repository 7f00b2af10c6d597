"""Pictures and figures of tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dali_studio.api.engine import Engine
from dali_studio.api.folders import folder_readers
from dali_studio.codegen.emit import emit
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, errors
from dali_studio.graph.model import Graph
from dali_studio.runtime import thumbnails
from dali_studio.runtime.probe import Probe
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.registry import Registry
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.around import shown_of
from dali_studio.studio.outputs.images import Rgb
from dali_studio.studio.outputs.previews import PreviewEngine
from dali_studio.studio.outputs.renderers.still import still
from dali_studio.studio.protocol import gallery_messages as messages
from dali_studio.studio.protocol.gallery_messages import Setting, Tile
from dali_studio.studio.revision import Revision
from dali_studio.studio.tile_gallery import tiles
from dali_studio.studio.tile_gallery.pictures import Pictures

#: Extents of a picture in full, and of one in a sweep.
_FULL, _SWEPT = (1104, 756), (168, 112)
#: Results of a pipeline that are shown side by side, at most.
_SIDE_BY_SIDE = 4
#: Gray behind them, in light and in dark.
_GROUND = 128
#: Pictures and batches that a time is the median of; one more comes before, in which memory is taken.
_TIMED, _MEASURED = 4, 3


@dataclass(frozen=True, slots=True)
class Result:
    """What a tile makes of the chosen picture: the picture (of no size if there is none), its numbers, and words.

    `whole`: it is not shown as a half beside the chosen picture; `own`: it comes of samples of its own.
    """

    picture: Rgb
    whole: bool = False
    batch: Batch | None = None
    own: bool = False
    failed: tuple[Diagnostic, ...] = ()
    milliseconds: float = 0.0

    @property
    def note(self) -> str:
        """Why there is no picture."""
        return self.failed[0].message if self.failed else ""


NOTHING = np.zeros((0, 0, 3), np.uint8)


class TileRenderer:
    """Computes tiles with an engine of previews, which keeps what several of them share."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.workers = WorkerPool(2)
        self._engine = PreviewEngine(registry, self.workers)

    def result(self, tile: Tile, settings: Sequence[Setting], pictures: Pictures, size: tuple[int, int]) -> Result:
        """A tile's result on the chosen picture, no larger than `size`; `Cancelled` if something more urgent came."""
        try:
            read = {"files": pictures.copies()}
            return self._result(tiles.graph_of(tile, settings, read, self._registry), pictures, size)
        except DaliStudioError as error:
            return Result(NOTHING, failed=error.diagnostics)

    def _result(self, graph: Graph, pictures: Pictures, size: tuple[int, int]) -> Result:
        revision = Revision(graph, self._registry, 0, 1)
        probe = Probe()
        made = self._engine.compute(revision, 0, [0], probe=probe)
        spent = self._spent(graph, probe)
        ports = [port for port in graph.outputs if port in made.outputs and made.outputs[port].samples]
        stills = [(still(shown_of(revision, port, made.outputs)), made.outputs[port]) for port in ports]
        drawn = [(picture, batch) for picture, batch in stills if picture is not None]
        if not drawn:
            found = made.failed or errors(revision.validation.diagnostics)
            nothing = Diagnostic(code="DS305", message="There is no picture among its results.")
            return Result(NOTHING, failed=found or (nothing,))
        first, batch = drawn[0]
        own = not folder_readers(graph, self._registry)
        if len(drawn) > 1:
            several = _side_by_side([picture for picture, _ in drawn[:_SIDE_BY_SIDE]], size)
            return Result(several, True, batch, own, milliseconds=spent)
        given = pictures.picture()
        whole = own or not images.alike(first, given)
        return Result(thumbnails.fitted(first, *size), whole, batch, own, milliseconds=spent)

    def _spent(self, graph: Graph, probe: Probe) -> float:
        """Milliseconds of all that neither reads nor decodes."""
        schemas = {node.key: self._registry.schema(node.operator) for node in graph.nodes()}
        return sum(
            cost.median for key, cost in probe.summary().items()
            if schemas[key].role != "reader" and not any(port.kind == "encoded" for port in schemas[key].inputs)
        )  # fmt: skip

    def detail(
        self, turn: int, tile: Tile, settings: Sequence[Setting], pictures: Pictures, dialect: str
    ) -> tuple[messages.TileDetail, list[bytes]]:
        """A tile in full, with the buffers of the message."""
        result = self.result(tile, settings, pictures, _FULL)
        given = pictures.picture()
        pixels = [images.jpeg(thumbnails.fitted(given, *_FULL))]
        bins: tuple[tuple[int, ...], ...] = ()
        before: tuple[tuple[int, ...], ...] = ()
        facts = ""
        if result.batch is not None:
            sample, layout = result.batch.samples[0], result.batch.layout
            facts = images.info(sample)
            limits = (0.0, 255.0) if sample.dtype == np.uint8 else images.span_of(sample.astype(np.float32))
            bins = images.histogram(sample, layout, limits=limits)
            comparable = sample.dtype == np.uint8 and not result.own
            before = images.histogram(given, "HWC", limits=limits) if comparable else ()
            pixels.append(images.jpeg(result.picture))
        source, lines = self.program(tile, settings, pictures, dialect)
        return messages.TileDetail(
            turn=turn, name=tile.name, has_result=result.batch is not None, facts=facts, histogram=bins, before=before,
            source=source, lines=lines, failed=result.failed,
        ), pixels  # fmt: skip

    def program(
        self, tile: Tile, settings: Sequence[Setting], pictures: Pictures, dialect: str
    ) -> tuple[str, tuple[int, ...]]:
        """A program that does what the tile shows to all of the pictures, and the lines of the tile itself."""
        try:
            graph = tiles.graph_of(tile, settings, pictures.read, self._registry)
        except DaliStudioError:
            return "", ()
        made = emit(graph, self._registry, dialect)
        keys = {node.key for node in graph.nodes() if node.operator == tile.name}
        lines = {line for key in keys for line in made.lines.get(key, ())}
        return made.source, tuple(sorted(lines))

    def sweep(
        self, tile: Tile, settings: Sequence[Setting], at: tuple[str, str], values: Sequence[messages.Value],
        pictures: Pictures,
    ) -> tuple[tuple[messages.TilePicture, ...], bytes]:  # fmt: skip
        """A tile with each of several values of one argument."""
        node, argument = at
        others = [one for one in settings if (one.node, one.argument) != at]
        made = [
            self.result(tile, [*others, Setting(node=node, argument=argument, value=value)], pictures, _SWEPT)
            for value in values
        ]
        return placed([(tile.name, one) for one in made])

    def time(
        self, tile: Tile, settings: Sequence[Setting], pictures: Pictures, pause: Callable[[], None]
    ) -> float:  # fmt: skip
        """Milliseconds that the tile takes on the CPU for one picture, as large as it is, without reading it.

        `pause` is called between batches, whose times do not count what it takes.

        Raises
        ------
        DaliStudioError
            If it cannot be run.
        """
        graph = tiles.graph_of(tile, settings, {"files": (str(pictures.chosen()),) * _TIMED}, self._registry)
        probe = Probe()
        engine = Engine(graph, self._registry, background=False, probe=probe, devices=False)
        try:
            for number in range(_MEASURED + 1):
                engine.schedule()
                engine.result()
                if not number:
                    probe.clear()
                pause()
        finally:
            engine.close()
        return self._spent(graph, probe) / graph.options.batch_size

    def close(self) -> None:
        """End the threads."""
        self._engine.close()
        self.workers.close()


def placed(made: Sequence[tuple[str, Result]]) -> tuple[tuple[messages.TilePicture, ...], bytes]:
    """Results by name as they stand in an atlas."""
    drawn = [result.picture for _, result in made if result.picture.size]
    cells, atlas = images.atlas(drawn) if drawn else ([], b"")
    rest = iter(cells)
    items: list[messages.TilePicture] = []
    for name, result in made:
        cell = next(rest) if result.picture.size else images.Cell(0, 0, 0, 0)
        items.append(
            messages.TilePicture(
                name=name, x=cell.x, y=cell.y, width=cell.width, height=cell.height, whole=result.whole,
                note=result.note, milliseconds=result.milliseconds,
            )
        )  # fmt: skip
    return tuple(items), atlas


def _side_by_side(drawn: Sequence[Rgb], size: tuple[int, int]) -> Rgb:
    """Pictures in the parts of a box."""
    columns, rows = 2, (len(drawn) + 1) // 2
    width, height = size[0] // columns, size[1] // rows
    canvas = np.full((height * rows, width * columns, 3), _GROUND, np.uint8)
    for place, picture in enumerate(drawn):
        fitted = thumbnails.fitted(picture, width - 4, height - 4)
        y = place // columns * height + (height - fitted.shape[0]) // 2
        x = place % columns * width + (width - fitted.shape[1]) // 2
        canvas[y : y + fitted.shape[0], x : x + fitted.shape[1]] = fitted
    return canvas
