"""What a designer is asked about outputs: sheets, draws, pairs, pixels, sound, arrays, and a picture of all of them."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial, singledispatchmethod
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dali_studio.codegen.emit import Emitted
from dali_studio.codegen.functions import Function
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.wording import plural
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.difference import difference
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import port_missing
from dali_studio.runtime.workers import Cancelled
from dali_studio.studio.autosave import PROGRAM
from dali_studio.studio.cards import summed
from dali_studio.studio.data.portable import portable
from dali_studio.studio.data.sources import folder_found
from dali_studio.studio.drawing.picture import CELL, Picture, draw
from dali_studio.studio.drawing.stills import Still
from dali_studio.studio.outputs import sounds
from dali_studio.studio.outputs.effects import Effects, EffectsJob
from dali_studio.studio.outputs.inquiries import Inquiries, SheetJob
from dali_studio.studio.outputs.twins import show_twin
from dali_studio.studio.programs import own_text
from dali_studio.studio.programs.completion import names_at
from dali_studio.studio.protocol import output_messages, requests
from dali_studio.studio.revision import Revision
from dali_studio.studio.tile_gallery import tiles
from dali_studio.studio.tile_gallery.pictures import Pictures
from dali_studio.studio.tile_gallery.renderer import TileRenderer, placed
from dali_studio.studio.view import OUTPUTS, graph_view, hues_of, marks_in, notes_in

if TYPE_CHECKING:
    from dali_studio.studio.session import Session

#: Recipes whose pictures are sent together.
_TOGETHER = 16
#: How many undo steps a comparison goes back.
_VERSIONS = 20


class Answers:
    """Handles the requests of `requests.OutputRequest` for one session; nothing changes by them.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inquiries = Inquiries(session.renderer.engine, session.send)
        self._effects = Effects(session.renderer.engine, session.send)
        #: The graph of the last picture with photos, and these.
        self._last: tuple[Graph, Mapping[str, Still]] = Graph(), {}

    @singledispatchmethod
    def handle(self, message: Any) -> None:
        """Handle one request."""
        raise TypeError(f"no handler for {type(message).__name__}")

    @handle.register
    def _(self, message: requests.RequestSheet) -> None:
        job = SheetJob(self._session.shown.request(), message)
        self._session.worker.insist(message.name, lambda: self._inquiries.sheet(job))

    @handle.register
    def _(self, message: requests.RequestEffects) -> None:
        job = EffectsJob(self._session.shown.request(), message)
        self._session.worker.insist("effects", lambda: self._effects.show(job))

    @handle.register
    def _(self, message: requests.RequestRecipes) -> None:
        session = self._session
        shown = [tile for tile in tiles.tiles(session.registry) if tile.example]
        size = message.width, message.height

        def job() -> None:
            pictures = Pictures.of(session.samples())
            with closing(TileRenderer(session.registry)) as renderer:
                for first in range(0, len(shown), _TOGETHER):
                    part = shown[first : first + _TOGETHER]
                    made = [(tile.name.removeprefix(tiles.EXAMPLES), renderer.result(tile, (), pictures, size))
                            for tile in part]  # fmt: skip
                    items, atlas = placed(made)
                    cells = [output_messages.RecipePicture(name=i.name, x=i.x, y=i.y, width=i.width, height=i.height)
                             for i in items]  # fmt: skip
                    session.send(output_messages.RecipePictures(items=tuple(cells)), [atlas] if atlas else [])
                    session.worker.relieve("recipes")

        session.worker.submit("recipes", job)

    @handle.register
    def _(self, message: requests.RequestFolder) -> None:
        self._session.worker.submit("folder", lambda: self._session.send(folder_found(message.path, message.name)))

    @handle.register
    def _(self, message: requests.RequestDraws) -> None:
        request = self._session.shown.request()
        self._session.worker.insist(f"draws {message.port.node}", lambda: self._inquiries.draws(request, message))

    @handle.register
    def _(self, message: requests.RequestPair) -> None:
        request = self._session.shown.request()
        self._session.worker.insist("pair", lambda: self._inquiries.pair(request, message, self._before, self._past))

    @handle.register
    def _(self, message: requests.RequestTwin) -> None:
        session = self._session
        request, text, notes = session.shown.request(), own_text.text_in(session.history), notes_in(session.history)
        functions, dialect = session.functions(), session.dialect

        def program(revision: Revision, more: Sequence[Function]) -> Emitted:
            return own_text.shown(text, revision, dialect, (*functions, *more), notes)

        job = partial(show_twin, session.renderer.engine, request, message.node, program)
        session.worker.insist("twin", lambda: session.send(*job()))

    @handle.register
    def _(self, message: requests.RequestPixel) -> None:
        request = self._session.shown.request()
        self._session.worker.insist("pixel", lambda: self._inquiries.pixel(request, message, self._before))

    @handle.register
    def _(self, message: requests.RequestSound) -> None:
        session = self._session

        def answer() -> None:
            request = session.shown.request()

            def sample(port: PortRef) -> Any:
                made = self._inquiries.output(request.revision, request.iteration, [request.sample], port)
                return np.asarray(made.samples[0])

            rate = sounds.rate_of(session.current().active, message.port, lambda port: float(sample(port)))
            channels, data = sounds.pcm(sample(message.port))
            note = "" if rate else f"Its rate is not known; it is played at {sounds.USUAL / 1000:g} kHz."
            made = output_messages.Sound(port=message.port, rate=rate or sounds.USUAL, channels=channels, note=note)
            session.send(made, [data])

        session.worker.insist("sound", answer)

    @handle.register
    def _(self, message: requests.RequestNames) -> None:
        def answer() -> None:
            line, column = message.line, message.column
            names = names_at(message.source, line, column)
            self._session.send(output_messages.Names(line=line, column=column, names=names))

        self._session.worker.submit("names", answer)

    def _before(self, steps: int) -> Revision:
        """The state some undo steps ago."""
        return self._session.current().like(self._session.history.before(steps))

    def _past(self) -> tuple[str, ...]:
        """What each of the last undo steps has changed, the newest first."""
        graphs, registry = self._session.history.back(_VERSIONS), self._session.registry
        return tuple("; ".join(difference(old, new, registry).words()) for new, old in pairwise(graphs))

    def output(self, port: PortRef, samples: Sequence[int] | None = None, seconds: float | None = None) -> Batch:
        """An output of the shown batch, as the canvas shows it.

        Parameters
        ----------
        samples
            Which ones; the shown one if not given.
        seconds
            How long to wait for it; without end if not given.

        Raises
        ------
        DaliStudioError
            If there is no such output, or it cannot be computed.
        TimeoutError
            If it took longer.
        """
        session = self._session
        missing = port_missing(session.graph, session.registry, port)
        if missing:
            found = Diagnostic(code="DS209", message=missing[0].upper() + missing[1:], hint="Choose another one.")
            raise DaliStudioError(found)
        request = session.shown.request()
        wanted = [request.sample] if samples is None else list(samples)
        made: Future[Batch] = Future()

        def job() -> None:
            try:
                made.set_result(self._inquiries.output(request.revision, request.iteration, wanted, port))
            except Cancelled:
                session.worker.submit("output", job)
            except BaseException as error:  # noqa: BLE001 - it is raised where it was asked for
                made.set_exception(error)

        session.worker.submit("output", job)
        return made.result(seconds)

    def picture(self, seconds: float | None = None, note: str = CELL) -> Picture:
        """A picture of the graph as it is now.

        Parameters
        ----------
        seconds : float, optional
            How long to wait for the photos, 0: not at all, with those of the last picture that no edit has changed;
            without them the cards say what they would give.
        note : str
            What stands below it.
        """
        session = self._session
        if seconds == 0:
            return self._picture(self._known(), note)
        made: list[Picture] = []
        done = threading.Event()

        def job() -> None:
            with suppress(DaliStudioError):  # there is nothing to see
                graph, stills = session.graph, session.renderer.stills(session.shown.request())
                self._last = graph, stills
                made.append(self._picture(stills, note))
            done.set()

        session.worker.insist("picture", job)
        done.wait(seconds)
        return made[0] if made else self._picture({}, note)

    def _known(self) -> Mapping[str, Still]:
        """The photos of the picture before, but for what was edited since and depends on it."""
        graph, (before, stills) = self._session.graph, self._last

        def said(of: Graph, key: str) -> object:
            return key in of and (of.node(key), of.inputs(key), of.argument_inputs(key))

        edited = {key for key in graph if said(graph, key) != said(before, key)}
        lost = edited.union(*map(graph.descendants, edited))
        return {key: still for key, still in stills.items() if key in graph and key not in lost}

    def _picture(self, stills: Mapping[str, Still], note: str) -> Picture:
        session = self._session
        now = session.current()
        graph, finished = graph_view(now), session.runs.finished
        schemas = {name: session.registry.schema(name) for name in {node.operator for node in graph.nodes}
                   if name in session.registry}  # fmt: skip
        merges = {key: one.merges[0] for key, one in now.cards.chances.items()}
        stills = {**stills, **{key: stills[merge] for key, merge in merges.items() if merge in stills}}
        words = f"{graph.name}: {plural(len(graph.nodes), 'operator')}, {plural(len(graph.outputs), 'output')}"
        autosave = session.kept.autosave
        made_of = {PROGRAM: autosave.program} if autosave is not None and autosave.program else {}
        travels = session.kept.text(portable(session.graph, session.registry, Path.cwd()), made_of)
        known = {key: output_schemas(session.graph, key, session.registry) or () for key in session.graph}
        names = {key: [one.name for one in ports] for key, ports in known.items() if len(ports) > 1}
        shown = {OUTPUTS, *(node.key for node in graph.nodes)}
        places = {key: place for key, place in session.positions.items() if key in shown}
        times = summed(finished.timings, now.cards) if finished else ()
        hues = hues_of(marks_in(session.history).values())
        drawn = draw(graph, places, stills, finished, times, words, note, names, schemas, hues)
        return replace(drawn, document=travels)
