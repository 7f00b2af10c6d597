"""One opened document: edits come in, revisions, images and timings go out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial, singledispatchmethod
from pathlib import Path
from typing import Any

import msgspec

from dali_studio.codegen.dialects import find, installed_first
from dali_studio.codegen.emit import Emitted
from dali_studio.codegen.functions import Function
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.random import resolve_pipeline_seed
from dali_studio.graph.card_edits import is_between, put_behind, unfolded
from dali_studio.graph.cards import PLAIN
from dali_studio.graph.difference import edits_to
from dali_studio.graph.edits import AddNode
from dali_studio.graph.history import History
from dali_studio.graph.labels.followers import followed
from dali_studio.graph.model import Graph
from dali_studio.graph.record import written_otherwise
from dali_studio.graph.written import WrittenFunction
from dali_studio.schema.registry import Registry
from dali_studio.studio import findings, jobs
from dali_studio.studio.answers import Answers
from dali_studio.studio.autosave import Autosave
from dali_studio.studio.cards import asked, boxed, told, whole_boxes, with_coins
from dali_studio.studio.data.files import file_name
from dali_studio.studio.documents import Documents
from dali_studio.studio.kept import Kept
from dali_studio.studio.outputs import pins
from dali_studio.studio.outputs.preview_renderer import PreviewRenderer
from dali_studio.studio.places import make_room, with_cards
from dali_studio.studio.programs import code_nodes, drafts, own_text
from dali_studio.studio.programs.boxes import box_of_repair
from dali_studio.studio.protocol import messages, requests, run_messages
from dali_studio.studio.repairs import offered
from dali_studio.studio.revision import Revision
from dali_studio.studio.runs import Runs
from dali_studio.studio.shown import Shown
from dali_studio.studio.texts import Texts
from dali_studio.studio.timing.profiler import Profiler
from dali_studio.studio.view import (
    ORIGIN,
    boxed_in,
    differing_after,
    functions_in,
    marks_in,
    named_marks,
    notes_in,
    opened,
    places_of,
    positions_in,
    revision_changed,
)
from dali_studio.studio.worker import Worker

Send = Callable[[messages.KernelMessage, Sequence[bytes]], None]
#: Seconds within which a run ends by itself when it is stopped, before a function of a code node is ended.
_SOON = 0.5


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
    file : Path, optional
        The document's file where JupyterLab writes it.
    found : sequence of Diagnostic, optional
        What was found when the document was read, told once.
    """

    def __init__(
        self, graph: Graph, registry: Registry, send: Send, *, view: Mapping[str, Any] | None = None,
        path: Path | None = None, saved: bool = True, images: Callable[[], Path], revision: int = 0,
        autosave: Autosave | None = None, place: str = "", file: Path | None = None, found: Sequence[Diagnostic] = (),
    ) -> None:  # fmt: skip
        self._revision_offset = revision
        self.registry, self._transmit, self.samples = registry, send, images
        self._lock = threading.Lock()
        self.kept = Kept(autosave, place)
        #: From which programs import functions of code nodes.
        self.modules = code_nodes.Modules(file_name(file) if file else "")
        self._file = file
        self.renderer = PreviewRenderer(registry, self.send, lambda: self.worker.waits("detail", "free", "run"))
        self.profiler = Profiler(registry, self.send)
        used = {"renderer": self.renderer, "profiler": self.profiler}
        self.worker = Worker(jobs.JOBS, partial(jobs.begin, **used), partial(jobs.interrupt, **used), self._failed)
        self.dialect = next(iter(installed_first()))
        self.answers = Answers(self)
        self._documents, self._texts = Documents(self), Texts(self, self._changed, self._tell)
        self.runs = Runs(self, self._changed, self._announce_graph)
        #: Where the graph took the place of another, and the revision since which the browser has each card.
        self._since: tuple[int, dict[str, int]] = 0, {}
        #: The step that is being done.
        self._answers = ""
        #: Called when an edit has come, and when nothing of an edit or a run is left to be done but pictures.
        self.begun: Callable[[], None] = lambda: None
        self.settled: Callable[[], None] = lambda: None
        #: Gives what functions are tried with.
        self._sample = partial(self.answers.output, seconds=code_nodes.TRIAL)
        #: Functions that images may wait for.
        self._called: list[WrittenFunction] = []
        #: What the notebook calls the designer.
        self.variable: Callable[[], str] = lambda: ""
        self._open(graph, view or {}, path, revision)
        self._lost += tuple(found)
        if not saved:
            self.kept.saved = None

    def _open(self, graph: Graph, view: Mapping[str, Any], path: Path | None, revision: int) -> None:
        if path is not None:
            self.modules.call(path)
        self.history = History(code_nodes.opened(graph, view, self.modules), self.registry)
        self.modules.texts.clear()
        self.modules.know(self.history.graph)
        self.history.places.update(places_of(view))
        self.kept.open(self.history, path)
        self._pin_files = pins.PinFiles()
        self._lost = written_otherwise(graph, self.registry)
        self._settle_pins()
        self._seed = resolve_pipeline_seed(None)
        self._current: Revision | None = None
        self.shown = Shown(self)
        self._revision_offset = revision
        self.runs.known_told = ()
        self.history.place(drafts.drafts_of(view))
        if text := own_text.kept(view, self.current()):
            self.history.places[own_text.TEXT] = text
            self.dialect = text.dialect
        if path is not None:
            self.kept.saved = self.kept.state()
        self.renderer.forget()

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

    def count_answer(self) -> None:
        """Count one more change: there was no step, but there is an answer."""
        self._revision_offset += 1

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
            return pins.pinned(key, self.current(), self.answers.output, self.shown.iteration)
        finally:
            self.history.place(held)

    def _settle_pins(self) -> None:
        self._lost += self._pin_files.settle(self.history, self._folder)

    def _tell(self, found: Sequence[Diagnostic]) -> None:
        left = tuple(one for one in found if not code_nodes.has_function(self.graph, one))
        if left:
            self.send(messages.Refused(diagnostics=left))

    def _tell_lost(self) -> None:
        self._tell(self._lost)
        self._lost = ()

    @property
    def _folder(self) -> Path:
        """Where the document is."""
        file = self.kept.path or self._file
        return file.parent if file else Path.cwd()

    @property
    def since(self) -> dict[str, int]:
        """Since which revision the browser has each card."""
        return self._since[1]

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
        self._answers = getattr(message, "id", "")  # of a step
        try:
            self.handle(asked(message, self.current().cards))
        except DaliStudioError as error:
            self.send(messages.Refused(diagnostics=error.diagnostics))
            self.announce()
        except Exception as error:  # noqa: BLE001 - a silent canvas would be worse than a finding
            self._failed(error)
        finally:
            self._answers = ""

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
        self.runs.known_told = ()
        self.announce()
        self.runs.tell_again(self._revision_offset)
        self.runs.saved(now=False)
        self.shown.render(everything=True)

    @handle.register
    def _(self, message: requests.ApplyEdits) -> None:
        before = self.functions(), notes_in(self.history)
        edits = unfolded(whole_boxes(self.history, message.edits), self.graph, self.registry)
        twins = followed(self.graph, self.registry, edits)
        held = pins.renamed(pins.pins_in(self.history), edits)
        held |= {key: self._pin(key) if held else None for key, held in message.pins.items()}
        # they stand before a merge, but will be behind it
        over = put_behind(message.edits, self.graph, self.registry)
        moved = [key for key, merge in over.items() if is_between(message.edits, key, merge)]
        put = {key: place for key, place in (self.positions | message.positions).items() if key not in moved}
        added = [AddNode(key=key, operator="") for key in moved if key in self.graph]
        room, boxes = message.positions, with_coins(self.history, message.edits, self.registry, edits)
        if twins or moved or boxes:
            room = make_room(put, [*with_cards(self.graph, self.registry, [*edits, *twins]), *added])
        places = {**boxed(room, self.positions, boxes, self.history), **differing_after(self.history, edits),
                  **pins.named_pins(held), **named_marks(message.marks),
                  **own_text.with_renames(self.history, edits)}  # fmt: skip
        code = code_nodes.begun(self.graph, edits, self.registry, self._sample, self.modules)
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
                boxes = box_of_repair(repair.code, repair.title, edits, self.graph, self.registry)
                drawn = with_cards(self.graph, self.registry, edits)
                room = make_room(self.positions, drawn, (*boxed_in(self.history), *boxes.values()))
                # who asked for it may lay all cards out anew then, which is a part of this step
                self.history.apply(edits, f"repair {self.revision + 1}", {**room, **named_marks(boxes)})
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
        self.kept.arrange(message.positions)
        self.settled()

    @handle.register
    def _(self, message: requests.ChooseSample) -> None:
        self.shown.choose(message)

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
        waited, running = self.worker.drop("run"), self.profiler.running
        self.profiler.stop()
        # Without a run it is images that somebody stops: those of other samples would go on.
        code_nodes.end_calls(self.graph, after=_SOON if running else 0, refuse=not running)
        if waited:  # it had not begun: nobody else will say that it has ended
            self.profiler.report_nothing(self.revision)

    @handle.register
    def _(self, message: requests.RequestCode) -> None:
        self.dialect = find(message.dialect).name  # refuses an unknown one before it is kept
        self._send_code()

    @handle.register
    def _(self, message: requests.RequestDetail) -> None:
        self.shown.look_at(message)

    @handle.register
    def _(self, message: requests.OutputRequest) -> None:
        self.answers.handle(message)

    @handle.register
    def _(self, message: requests.ApplyFunction) -> None:
        with nullcontext() if self.profiler.running else code_nodes.replacing(self.graph, message.key):
            made = code_nodes.written(self.graph, message.key, message.source, self._sample, self.modules)
            self.history.apply(made)
            self.history.place({drafts.draft_at(message.key): None})
            try:
                self.modules.write(self.graph, self._folder)
            finally:
                self._changed()

    @handle.register
    def _(self, message: requests.TextRequest) -> None:
        self._texts.handle(message)

    @handle.register
    def _(self, message: requests.DocumentRequest) -> None:
        self._documents.handle(message)

    @handle.register
    def _(self, message: requests.RestoreEdits) -> None:
        autosave, saved = self.kept.autosave, self.kept.saved
        if autosave is None or not autosave.waiting:
            return
        graph, view = autosave.take(self.registry)
        if self.history.can_undo:
            self.replace(graph, view)
            self.modules.know(self.graph)
        else:
            self._open(graph, view, self.kept.path, self.revision + 1)
            self.kept.saved = saved
            self._show()

    # --------------------------------------------------------------------------------------------------------- actions

    def replace(self, graph: Graph, view: Mapping[str, Any]) -> None:
        """Put another graph in the place of this one, as a step."""
        gesture = f"open {self.revision}"  # one step, which undo takes back
        places = {**dict.fromkeys(self.history.places), **places_of(view), ORIGIN: self.revision + 1}
        self._lost += written_otherwise(graph, self.registry)
        self.history.apply(edits_to(self.graph, code_nodes.opened(graph, view, self.modules)), gesture, places)
        self._settle_pins()
        if text := own_text.kept(view, self.current()):
            self.history.apply((), gesture, {own_text.TEXT: text})
            self.dialect = text.dialect
        self.shown.sample = self.shown.iteration = 0
        self.renderer.resend()
        self._changed()

    def open(self, graph: Graph, view: Mapping[str, Any] | None = None, path: Path | None = None) -> None:
        """Show another graph."""
        self._open(graph, view or {}, path, self.revision + 1)
        self._show()

    def _show(self) -> None:
        self.send(opened(self.graph, self.registry, self.renderer.width))
        self.announce()
        self.shown.render(everything=True)

    def called(self, file: Path | None) -> None:
        """Take where JupyterLab writes the document: the modules of its functions, and pinned data, lie beside it."""
        if file is None or file == self._file:
            return
        self._file = file
        self._settle_pins()
        if self.modules.call(file) and code_nodes.in_view(self.graph):
            self.count_answer()  # the program imports others
        try:
            self.modules.write(self.graph, self._folder)
        except DaliStudioError as error:
            self._tell(error.diagnostics)
        self.announce()

    def save(self, path: Path) -> None:
        """Write the document.

        Raises
        ------
        DaliStudioError
            If the file cannot be written.
        """
        self.kept.save(path)
        if self.modules.call(path) and code_nodes.in_view(self.graph):
            self.count_answer()
        self._settle_pins()
        self._tell_lost()
        self.runs.saved(now=True)
        self.modules.write(self.graph, path.parent)

    def _changed(self) -> None:
        self._settle_pins()
        self._announce_graph()
        self.shown.render()
        self._send_code()
        self._tell_lost()

    def announce(self) -> None:
        """Send what the views show of the graph, but images."""
        self._announce_graph()
        self._send_code()
        self._tell_lost()

    def _announce_graph(self) -> None:
        if not self.profiler.running:  # it goes on with the functions that it began with
            self._called = code_nodes.called(self.graph, self._called)
        kept = self.kept
        waiting, saved = kept.autosave.waiting if kept.autosave is not None else "", kept.state() == kept.saved
        now = self.current()
        told = revision_changed(self.history, now, kept.path, saved, waiting, self.variable(), kept.place)
        ran = self.profiler.runs.of(now.graph)
        told = msgspec.structs.replace(told, measured=self.runs.measured(now.graph), runs=ran, answers=self._answers)
        origin, since = self._since
        since = since if origin == told.origin else {}
        self._since = told.origin, {node.key: since.get(node.key, told.revision) for node in told.graph.nodes}
        self.send(told, kept.packed())

    def _send_code(self) -> None:
        """Send the code, and the times that are known, when nobody waits for images."""
        self.begun()
        revision, dialect, functions = self.current(), self.dialect, self.functions()
        text, notes = own_text.text_in(self.history), notes_in(self.history)

        def job() -> None:
            made = own_text.shown(text, revision, dialect, functions, notes)
            self.send(messages.Code(
                revision=revision.number, dialect=dialect, source=made.source, lines=dict(made.lines),
                diagnostics=made.diagnostics,
            ))  # fmt: skip
            self.runs.tell_known(revision)
            self.kept.remember(revision.graph)
            self.settled()

        self.worker.submit("code", job)
