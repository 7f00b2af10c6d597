"""One opened document: edits come in, revisions, images and timings go out."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial, singledispatchmethod
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from dali_studio.api.reading.fragment import read_fragment
from dali_studio.codegen.dialects import find, installed_first
from dali_studio.codegen.emit import Emitted
from dali_studio.codegen.functions import Function
from dali_studio.codegen.names import identifier
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.random import resolve_pipeline_seed
from dali_studio.graph import document
from dali_studio.graph.card_edits import is_between, put_behind, unfolded
from dali_studio.graph.cards import PLAIN
from dali_studio.graph.difference import edits_to
from dali_studio.graph.edits import AddNode, PortRef
from dali_studio.graph.followers import followed
from dali_studio.graph.history import History
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry
from dali_studio.studio import code_nodes, exports, findings, gallery, messages, own_text, pins, requests, run_messages
from dali_studio.studio.aliases import added
from dali_studio.studio.answers import Answers
from dali_studio.studio.autosave import MARK, Autosave
from dali_studio.studio.cards import asked, told
from dali_studio.studio.files import Written, typed_path, write_text
from dali_studio.studio.picture import FILE
from dali_studio.studio.preview_renderer import PreviewRenderer, PreviewRequest
from dali_studio.studio.profiler import Profiler
from dali_studio.studio.repairs import offered
from dali_studio.studio.revision import Revision
from dali_studio.studio.runs import Runs
from dali_studio.studio.steps import packed
from dali_studio.studio.view import (
    ORIGIN,
    differing_after,
    functions_in,
    in_columns,
    kept_view,
    make_room,
    marks_in,
    marks_of,
    named_marks,
    notes_in,
    opened,
    places_of,
    positions_in,
    positions_of,
    revision_changed,
    with_cards,
    written_places,
)
from dali_studio.studio.worker import Worker

Send = Callable[[messages.KernelMessage, Sequence[bytes]], None]
#: Jobs of the worker, most urgent first.
JOBS = (
    "output", "names", "folder", "preview", "pixel", "ends", "pair", "draws", "detail", "sound", "data", "effects",
    "batch", "twin", "free", "code", "run", "picture", "strip", "recipes",
)  # fmt: skip
#: Those of the previews' engine.
_RENDERED = (
    "output", "preview", "pixel", "ends", "pair", "draws", "detail", "sound", "effects", "batch", "twin", "picture",
    "strip",
)  # fmt: skip
#: The largest whole number that the browser tells from the next.
_LAST_BATCH = 2**53 - 1
#: How long a picture that is saved waits for its photos.
_PICTURE_TIMEOUT = 20.0


class Session:
    """The truth about one designer.

    Parameters
    ----------
    graph : Graph
    registry : Registry
    send : callable
        Takes a message and its binary buffers; called from the kernel's loop and from the worker thread.
    view : mapping
        The document's view part (positions).
    path : Path, optional
        The document's file.
    saved : bool
        Whether that file says what is opened.
    images : callable
        Gives the folder of sample photos, on first need.
    revision : int
        Where the count of changes begins, for a document that was open before.
    autosave : Autosave, optional
        Keeps edits that nobody has saved.
    place : str
        Under which name the browser keeps edits that no kernel has had, where that is not the autosave's.
    """

    def __init__(
        self, graph: Graph, registry: Registry, send: Send, *, view: Mapping[str, Any] | None = None,
        path: Path | None = None, saved: bool = True, images: Callable[[], Path], revision: int = 0,
        autosave: Autosave | None = None, place: str = "",
    ) -> None:  # fmt: skip
        self._autosave = autosave
        self._place = autosave.mark["stem"] if autosave is not None else place
        self._revision_offset = revision
        self.registry, self._transmit, self.samples = registry, send, images
        self._lock = threading.Lock()
        self.written = Written()
        self.renderer = PreviewRenderer(registry, self.send, lambda: self.worker.waits("detail", "free", "run"))
        self.profiler = Profiler(registry, self.send)
        self.worker = Worker(JOBS, self._begin, self._interrupt, self._failed)
        self.dialect = next(iter(installed_first()))
        self.answers = Answers(self)
        self.runs = Runs(self, self._changed, self._announce_graph, self._measured)
        #: Where the graph took the place of another, and the revision since which the browser has each card.
        self._since: tuple[int, dict[str, int]] = 0, {}
        #: Called when nothing of an edit or a run is left to be done but pictures.
        self.settled: Callable[[], None] = lambda: None
        #: What the notebook calls the designer.
        self.variable: Callable[[], str] = lambda: ""
        self._open(graph, view or {}, path, revision)
        if not saved:
            self._saved = None

    def _open(self, graph: Graph, view: Mapping[str, Any], path: Path | None, revision: int) -> None:
        self.history = History(code_nodes.opened(graph, view), self.registry)
        self._modules = code_nodes.Modules()
        self._modules.know(self.history.graph)
        self.history.places.update(places_of(view))
        self.path = path
        if path is not None:
            self.written.know(path)
        self._pin_files = pins.PinFiles()
        self._lost: tuple[Diagnostic, ...] = ()
        self._settle_pins()
        self._seed = resolve_pipeline_seed(None)
        self._current: Revision | None = None
        self._detail: requests.RequestDetail | None = None
        self.sample = self.iteration = 0
        self._revision_offset = revision
        self._known_sent: tuple[run_messages.DeviceTime, ...] = ()
        if text := own_text.kept(view, self.current()):
            self.history.places[own_text.TEXT] = text
            self.dialect = text.dialect
        #: What the file says: the graph, the user's text, and what is on the canvas beside the cards.
        self._saved = self._state() if path is not None else None
        self.renderer.forget()

    def _state(self) -> tuple[Graph, str, Mapping[str, Any], Mapping[str, Any]]:
        return self.graph, own_text.source_in(self.history), marks_in(self.history), pins.in_view(self.history)

    @property
    def graph(self) -> Graph:
        """The graph as it is now."""
        return self.history.graph

    @property
    def positions(self) -> dict[str, messages.Position]:
        """Where the cards stand."""
        return positions_in(self.history)

    @property
    def revision(self) -> int:
        """Counts every change, over all documents opened in this session."""
        return self._revision_offset + self.history.revision

    def current(self) -> Revision:
        """The graph as it is now, with what follows from it; the same object until the graph changes."""
        known, held = self._current, pins.pins_in(self.history)
        if known is None or known.graph is not self.graph or known.number != self.revision or known.pins != held:
            chosen = self.graph.options.seed
            seed = self._seed if chosen is None else resolve_pipeline_seed(chosen)
            known = self._current = Revision(self.graph, self.registry, self.revision, seed, pins=held)
        return known

    def code(self, dialect: str | None = None) -> Emitted:
        """The program, in the chosen dialect if none is given."""
        text = own_text.text_in(self.history)
        return own_text.shown(text, self.current(), dialect or self.dialect, self.functions(), notes_in(self.history))

    def _pin(self, key: str) -> pins.Pin:
        """What a node gives for the shown batch, also if it is pinned."""
        held = self.history.place(pins.named_pins({key: None}))
        try:
            return pins.pinned(key, self.current(), self.answers.output, self.iteration)
        finally:
            self.history.place(held)

    def _settle_pins(self) -> None:
        self._lost += self._pin_files.settle(self.history, self._folder)

    def _tell_lost(self) -> None:
        if self._lost:
            self.send(messages.Refused(diagnostics=self._lost))
            self._lost = ()

    @property
    def _folder(self) -> Path:
        """Where the document is."""
        return self.path.parent if self.path else Path.cwd()

    def functions(self) -> tuple[Function, ...]:
        return functions_in(marks_in(self.history).values(), self.current().cards)

    def send(self, message: messages.KernelMessage, buffers: Sequence[bytes] = ()) -> None:
        """Send a message to every view; one at a time, since the worker sends as well."""
        with self._lock:
            self.runs.heard(message)
            self._transmit(told(message, self._current.cards if self._current else PLAIN), buffers)

    def close(self) -> None:
        """End the worker and give memory back."""
        self.worker.close()
        self.renderer.cancel()
        self.profiler.stop()
        self.renderer.close()

    # ------------------------------------------------------------------------------------------------------- receiving

    def receive(self, content: Mapping[str, Any]) -> None:
        """Handle what the browser sent; whatever is wrong with it goes back as a `Refused`."""
        try:
            # what is no JSON, such as half of a character or NaN, could not be sent back
            json.dumps(content, allow_nan=False, ensure_ascii=False).encode()
            message = msgspec.convert(content, requests.ClientMessage)
        except (msgspec.ValidationError, TypeError, ValueError, RecursionError) as error:
            self.send(messages.Refused(diagnostics=(findings.unreadable(error),)))
            return
        try:
            self.handle(asked(message, self.current().cards))
        except DaliStudioError as error:
            self.send(messages.Refused(diagnostics=error.diagnostics))
            self._announce()
        except Exception as error:  # noqa: BLE001 - a silent canvas would be worse than a finding
            self._failed(error)

    def _failed(self, error: BaseException) -> None:
        """Report what nobody expected."""
        found = error.diagnostics if isinstance(error, DaliStudioError) else (findings.defect(error),)
        self.send(messages.Refused(diagnostics=found))

    @singledispatchmethod
    def handle(self, message: Any) -> None:
        """Handle one message."""
        raise TypeError(f"no handler for {type(message).__name__}")

    @handle.register
    def _(self, message: requests.Ready) -> None:
        self.renderer.width = min(max(message.preview_width, 96), 800)
        self.send(opened(self.graph, self.registry, self.renderer.width))
        self._known_sent = ()
        self._announce()
        self.runs.tell_again(self._revision_offset)
        self.runs.saved(now=False)
        self._render(everything=True)

    @handle.register
    def _(self, message: requests.ApplyEdits) -> None:
        before = self.functions(), notes_in(self.history)
        edits = unfolded(message.edits, self.graph, self.registry)
        twins = followed(self.graph, self.registry, edits)
        held = pins.renamed(pins.pins_in(self.history), edits)
        held |= {key: self._pin(key) if held else None for key, held in message.pins.items()}
        # they stand before a merge, but will be behind it
        over = put_behind(message.edits, self.graph, self.registry)
        moved = [key for key, merge in over.items() if is_between(message.edits, key, merge)]
        put = {key: place for key, place in (self.positions | message.positions).items() if key not in moved}
        added = [AddNode(key=key, operator="") for key in moved if key in self.graph]
        room = message.positions
        if twins or moved:
            room = make_room(put, [*with_cards(self.graph, self.registry, [*edits, *twins]), *added])
        differing = differing_after(self.history, edits)
        places = {**room, **differing, **named_marks(message.marks), **pins.named_pins(held)}
        code = code_nodes.begun(self.graph, edits, self.registry, self.answers.output)
        self.history.apply([*edits, *code, *twins], message.gesture, places)
        if edits or message.pins:
            self._changed()
        else:  # cards were moved: images are as they were, and so is the code but for subgraphs and notes
            self._announce_graph()
            if (self.functions(), notes_in(self.history)) != before:
                self._send_code()

    @handle.register
    def _(self, message: requests.ApplyRepair) -> None:
        wanted, owners = (message.code, message.node, message.argument), self.current().cards.owners
        for repair, edits_with in offered(self.graph, self.registry, self.current().validation.diagnostics):
            named = any((repair.code, key, repair.argument) == wanted for key in (repair.node, owners.get(repair.node)))
            if named and message.title in ("", repair.title):
                edits = edits_with(self.samples)
                room = make_room(self.positions, with_cards(self.graph, self.registry, edits))
                # who asked for it may lay all cards out anew then, which is a part of this step
                self.history.apply(edits, f"repair {self.revision + 1}", room)
                break
        self._changed()  # also when the finding is gone: two views may press at once

    @handle.register
    def _(self, message: requests.Undo) -> None:
        if self.history.can_undo:
            self.history.undo()
        self._changed()  # also when there was nothing left: a burst of keys is no error, and it waits for its answer

    @handle.register
    def _(self, message: requests.Redo) -> None:
        if self.history.can_redo:
            self.history.redo()
        self._changed()

    @handle.register
    def _(self, message: requests.MoveNodes) -> None:
        self.history.places.update(message.positions)
        self.settled()

    @handle.register
    def _(self, message: requests.ChooseSample) -> None:
        if message.iteration > _LAST_BATCH:
            text, hint = f"There is no batch {message.iteration + 1:,}.", f"Choose one from 1 to {_LAST_BATCH + 1:,}."
            raise DaliStudioError(Diagnostic(code="DS105", message=text, hint=hint))
        turned = message.iteration != self.iteration
        self.iteration = max(message.iteration, 0)
        self.sample = min(max(message.sample, 0), self.graph.options.batch_size - 1)
        self._render(strip=turned)

    @handle.register
    def _(self, message: requests.RunRequest) -> None:
        self.runs.handle(message)

    @handle.register
    def _(self, message: requests.FreeMemory) -> None:
        def job() -> None:
            host, gpu = self.renderer.free()  # runs give theirs back at their end
            self.send(run_messages.MemoryFreed(host=host, gpu=gpu))

        self.worker.submit("free", job)

    @handle.register
    def _(self, message: requests.Stop) -> None:
        waited = self.worker.drop("run")
        self.profiler.stop()
        if waited:  # it had not begun: nobody else will say that it has ended
            self.profiler.report_nothing(self.revision)

    @handle.register
    def _(self, message: requests.RequestCode) -> None:
        self.dialect = find(message.dialect).name  # refuses an unknown one before it is kept
        self._send_code()

    @handle.register
    def _(self, message: requests.RequestDetail) -> None:
        self._detail = message if message.key else None
        self._render_detail()

    @handle.register
    def _(self, message: requests.OutputRequest) -> None:
        self.answers.handle(message)

    @handle.register
    def _(self, message: requests.PasteCode) -> None:
        edits = read_fragment(message.text, self.graph, self.registry)
        self.history.apply(edits, places=in_columns(edits, message.at, self.positions.values()))
        self._changed()

    @handle.register
    def _(self, message: requests.AddTransform) -> None:
        edits = added(message, self.graph, self.registry, self.answers.output)
        places = written_places(self.history, edits, self.revision + 1, message.laid)
        self.history.apply(edits, places=places or in_columns(edits, message.at, self.positions.values()))
        self._changed()

    @handle.register
    def _(self, message: requests.ApplyCode) -> None:
        now = self.current(), self.functions(), notes_in(self.history)
        taken = own_text.taken(message.source, *now, before=self.code().source)
        self.dialect, edits = taken.dialect, taken.edits
        if edits:
            places = written_places(self.history, edits, self.revision + 1, message.laid)
            differing = differing_after(self.history, (), taken.found)
            self.history.apply(edits, places={**places, **differing, own_text.TEXT: taken.text})
        else:  # no step, but an answer
            self._revision_offset += 1
        self._changed()

    @handle.register
    def _(self, message: requests.ApplyFunction) -> None:
        self.history.apply(code_nodes.written(self.graph, message.key, message.source, self.answers.output))
        try:
            self._modules.write(self.graph, self._folder)
        finally:
            self._changed()

    @handle.register
    def _(self, message: requests.SaveDocument) -> None:
        path = typed_path(message.path)
        if message.what in {"document", "code"} and not message.over:
            self.written.spare(path)
        if message.what == "code":
            self._modules.write(self.graph, path.parent)
            write_text(path, self.code().source)
            self.written.know(path)
        elif message.what == "picture":
            picture = partial(self.answers.picture, _PICTURE_TIMEOUT, FILE)
            exports.write(self.graph, kept_view(self.history), path, picture)
        elif message.what == "trace":
            write_text(path, self.runs.trace())
        else:
            self.save(path)
        self.send(messages.Saved(path=str(path), what=message.what))
        self._announce()

    @handle.register
    def _(self, message: requests.OpenFolder) -> None:
        graph = gallery.folder_graph(message.path or str(self.samples()), self.registry)
        if message.path:  # so that a new document is called as what it reads
            graph.options = msgspec.structs.replace(graph.options, name=identifier(typed_path(message.path).stem))
        self._replace(graph, {})

    @handle.register
    def _(self, message: requests.RestoreEdits) -> None:
        if self._autosave is not None and self._autosave.waiting:
            graph, view = self._autosave.take(self.registry)
            path, saved = self.path, self._saved
            self._open(graph, view, path, self.revision + 1)
            self._saved = saved
            self._show()

    @handle.register
    def _(self, message: requests.OpenText) -> None:
        self._replace(*document.loads(message.text, self.registry)[:2])

    @handle.register
    def _(self, message: requests.OpenRecipe) -> None:
        self._replace(*gallery.open_recipe(message.name, self.registry, str(self.samples())))

    # --------------------------------------------------------------------------------------------------------- actions

    def _replace(self, graph: Graph, view: Mapping[str, Any]) -> None:
        gesture = f"open {self.revision}"  # one step, which undo takes back
        places = {**dict.fromkeys(self.history.places), **places_of(view), ORIGIN: self.revision + 1}
        self.history.apply(edits_to(self.graph, code_nodes.opened(graph, view)), gesture, places)
        self._settle_pins()
        if text := own_text.kept(view, self.current()):
            self.history.apply((), gesture, {own_text.TEXT: text})
            self.dialect = text.dialect
        self.sample = self.iteration = 0
        self.renderer.resend()
        self._changed()

    def open(self, graph: Graph, view: Mapping[str, Any] | None = None, path: Path | None = None) -> None:
        """Show another graph."""
        self._open(graph, view or {}, path, self.revision + 1)
        self._show()

    def _show(self) -> None:
        self.send(opened(self.graph, self.registry, self.renderer.width))
        self._announce()
        self._render(everything=True)

    def save(self, path: Path) -> None:
        """Write the document.

        Raises
        ------
        DaliStudioError
            If the file cannot be written.
        """
        document.save(self.graph, kept_view(self.history), path)
        self.written.know(path)
        self.path, self._saved = path, self._state()
        self._settle_pins()
        self._tell_lost()
        if self._autosave is not None:
            self._autosave.drop()
        self.runs.saved(now=True)
        self._modules.write(self.graph, path.parent)

    def holds(self, graph: Graph, view: Mapping[str, Any]) -> bool:
        """Whether a document says what this one says, but for places of cards that it leaves open."""
        places = positions_of(view)
        moved = any(self.positions.get(key) != place for key, place in places.items())
        graph = code_nodes.opened(graph, view)
        same_text = own_text.in_view(self._state()[1]).items() <= view.items()
        same_pins = pins.in_view(self.history).get(pins.VIEW) == view.get(pins.VIEW)
        same_view = same_text and same_pins and marks_of(view) == marks_in(self.history)
        return graph == self.graph and same_view and not moved

    def _remember(self, graph: Graph) -> None:
        """Keep what nobody has saved."""
        if self._autosave is not None and graph is self.graph and self._state() != self._saved:
            self._autosave.keep(graph, kept_view(self.history))

    def text(self, graph: Graph, more: Mapping[str, Any] = MappingProxyType({})) -> str:
        """The document as text, with `more` in its view; empty if a value has no JSON form."""
        try:
            return document.dumps(graph, {**kept_view(self.history), **more})
        except DaliStudioError:
            return ""

    def _kept(self) -> list[bytes]:
        """The document for the browser, which outlives this process, with where its edits are kept; and its steps."""
        text = self.text(self.graph, {MARK: self._autosave.mark} if self._autosave is not None else {})
        self.history.text = text
        return [zlib.compress(text.encode(), 1), packed(self.history)] if text else []

    def _changed(self) -> None:
        self.sample = min(self.sample, self.graph.options.batch_size - 1)
        self._settle_pins()
        self._announce_graph()
        self._render()
        self._send_code()
        self._tell_lost()

    def _announce(self) -> None:
        self._announce_graph()
        self._send_code()
        self._tell_lost()

    def _announce_graph(self) -> None:
        waiting = self._autosave.waiting if self._autosave is not None else ""
        saved = self._state() == self._saved
        now = self.current()
        measured = self.runs.measured(now.active)
        told = revision_changed(self.history, now, self.path, saved, waiting, measured, self.variable(), self._place)
        origin, since = self._since
        since = since if origin == told.origin else {}
        self._since = told.origin, {node.key: since.get(node.key, told.revision) for node in told.graph.nodes}
        self.send(told, self._kept())

    def _send_known(self, revision: Revision) -> None:
        known = self.profiler.known.of(revision.active)
        if known != self._known_sent:
            self._known_sent = known
            self.send(run_messages.DeviceTimes(times=known))

    def _measured(self) -> None:
        self._send_known(self.current())
        self.settled()

    def _send_code(self) -> None:
        """Send the code, and the times that are known, when nobody waits for images."""
        revision, dialect, functions = self.current(), self.dialect, self.functions()
        text, notes = own_text.text_in(self.history), notes_in(self.history)

        def job() -> None:
            made = own_text.shown(text, revision, dialect, functions, notes)
            self.send(
                messages.Code(
                    revision=revision.number, dialect=dialect, source=made.source, lines=dict(made.lines),
                    diagnostics=made.diagnostics,
                )
            )  # fmt: skip
            self._send_known(revision)
            self._remember(revision.graph)
            self.settled()

        self.worker.submit("code", job)

    def request(self) -> PreviewRequest:
        """What the canvas shows now."""
        return PreviewRequest(self.current(), self.iteration, self.sample, self._since[1])

    def _render(self, *, everything: bool = False, strip: bool = False) -> None:
        request = self.request()
        if everything:
            self.renderer.resend()
        self.worker.submit("preview", lambda: self.renderer.cards(request))
        self.worker.insist("strip", lambda: self.renderer.strip(request, again=everything or strip))
        waited = self.worker.drop("detail")  # asked for another batch, perhaps a far one
        if waited or (self._detail and not self._detail.whole):
            self._render_detail()

    def _render_detail(self) -> None:
        request, wanted = self.request(), self._detail
        if wanted is not None:
            real = request.revision.cards.real(PortRef(node=wanted.key, output=wanted.output))
            wanted = msgspec.structs.replace(wanted, key=real.node, output=real.output)
            self.worker.submit("detail", lambda: self.renderer.detail(request, wanted))

    def _begin(self, job: str) -> None:
        if job in _RENDERED:
            self.renderer.begin()
        elif job == "run":
            self.profiler.arm()

    def _interrupt(self, job: str, other: str) -> None:
        if job in _RENDERED and other not in {"code", "names", "folder"}:  # which take less time than it
            self.renderer.cancel()
        elif job == other == "run":  # more urgent jobs are done between its batches
            self.profiler.stop()
