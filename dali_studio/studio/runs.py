"""What a designer is asked about runs: measuring, advice, the model's target, earlier states."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial, singledispatchmethod
from typing import TYPE_CHECKING, Any

from dali_studio.api.placement import gpu_missing
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.difference import difference, edits_to
from dali_studio.graph.model import Graph
from dali_studio.studio.data.files import typed_path
from dali_studio.studio.data.sources import also_there, look_into, pointed_at
from dali_studio.studio.protocol import messages, requests, run_messages
from dali_studio.studio.protocol.run_messages import FileRemains, GraphDifference, Reproduction, SavedStates
from dali_studio.studio.snapshots import Snapshots
from dali_studio.studio.timing.failing import path_of, remains, reproduction
from dali_studio.studio.timing.profile import Profile
from dali_studio.studio.timing.timeline import chrome_trace
from dali_studio.studio.view import TARGET, kept_view, origin_in

if TYPE_CHECKING:
    from dali_studio.studio.revision import Revision
    from dali_studio.studio.session import Session

#: Batches of a run, and samples a second that no model takes.
_MAX_BATCHES, _MAX_SPEED = 10_000, 1e12
#: What is said about a run.
_SAID = (messages.Busy, run_messages.RunProgress, run_messages.RunFinished, messages.Timeline)


class Runs:
    """Handles the requests of `requests.RunRequest` for one session.

    Parameters
    ----------
    session : Session
    changed : callable
        Called when the graph has changed.
    announce : callable
        Called when only the view part has changed.
    """

    def __init__(self, session: Session, changed: Callable[[], None], announce: Callable[[], None]) -> None:
        self._session, self._changed, self._announce = session, changed, announce
        self._said: dict[type[messages.KernelMessage], messages.KernelMessage] = {}
        self._ran: tuple[Graph, int] | None = None
        #: The times on other devices that the views have.
        self.known_told: tuple[run_messages.DeviceTime, ...] = ()

    @singledispatchmethod
    def handle(self, message: Any) -> None:
        """Handle one request."""
        raise TypeError(f"no handler for {type(message).__name__}")

    @handle.register
    def _(self, message: requests.Run) -> None:
        if message.until:
            self._session.graph.node(message.until)
        self._submit(partial(self._session.profiler.run, until=message.until), message.batches, least=0)

    @handle.register
    def _(self, message: requests.CompareDevices) -> None:
        absent = gpu_missing(self._session.graph)
        if absent is not None:
            text = f"Devices cannot be compared here: {absent.reason}."
            raise DaliStudioError(Diagnostic(code="DS206", message=text, hint=f"{absent.hint}."))
        self._submit(self._session.profiler.compare, message.batches)

    @handle.register
    def _(self, message: requests.TryAdvice) -> None:
        profiler = self._session.profiler
        after = self._session.current().variant(profiler.proposal(message.name).edits).graph
        self._submit(partial(profiler.compare_graphs, name=message.name, after=after), message.batches)

    @handle.register
    def _(self, message: requests.TakeAdvice) -> None:
        self._session.history.apply(self._session.profiler.proposal(message.name).edits)
        self._changed()

    @handle.register
    def _(self, message: requests.SetTarget) -> None:
        speed = message.samples_per_second
        if not 0 <= speed < _MAX_SPEED:
            text = f"{speed:g} samples per second is no speed of a model."
            raise DaliStudioError(Diagnostic(code="DS105", message=text, hint="Give a number from 0."))
        self._session.history.apply((), places={TARGET: speed or None})
        self._announce()

    @handle.register
    def _(self, message: requests.RequestDifference) -> None:
        found = difference(self._state(message.before), self._state(message.after), self._session.registry)
        lines = tuple(found.lines("→"))
        self._session.send(
            GraphDifference(before=message.before, after=message.after, difference=found, lines=lines)
        )  # fmt: skip

    @handle.register
    def _(self, message: requests.OpenState) -> None:
        session = self._session
        session.history.apply(edits_to(session.graph, session.modules.named(self._state(message.name))))
        self._changed()

    @handle.register
    def _(self, message: requests.RequestFile) -> None:
        graph, registry = self._session.graph, self._session.registry
        found = path_of(graph, registry, message.node, message.source)
        picture, part, aspect, words = remains(found[0]) if found else (b"", 0.0, 1.0, "The file is not there.")
        path = str(found[0].absolute()) if found else ""
        made = FileRemains(
            node=message.node, source=message.source, path=path, words=words, part=part, aspect=aspect
        )
        self._session.send(made, [picture] if picture else [])

    @handle.register
    def _(self, message: requests.RequestReproduction) -> None:
        session = self._session
        program = reproduction(
            session.current().active, session.registry, message.node, message.source, session.dialect
        )  # fmt: skip
        session.send(Reproduction(node=message.node, source=message.source, program=program))

    @handle.register
    def _(self, message: requests.RequestData) -> None:
        session, graph = self._session, self._session.current().active
        graph.node(message.key)
        found = [one for one in session.current().validation.diagnostics if one.node == message.key]
        if wrong := [one for one in found if one.severity == "error"]:  # such as that nothing to read is given
            raise DaliStudioError(wrong)
        session.worker.submit(
            "data", lambda: session.send(*look_into(graph, session.registry, message.key))
        )  # fmt: skip

    @handle.register
    def _(self, message: requests.PointReader) -> None:
        session = self._session
        edits = pointed_at(session.graph, session.registry, message.key, typed_path(message.path))
        session.history.apply((*edits, *also_there(session.graph, edits)))
        self._changed()

    def _state(self, name: str) -> Graph:
        """The graph of a run or of a saved state; as it is now if the name is empty."""
        session = self._session
        if not name:
            return session.graph
        if session.kept.path is None or name.isdecimal():
            return session.profiler.runs.graph(name)
        return Snapshots(session.kept.path).graph(name, session.registry)

    def saved(self, *, now: bool) -> None:
        """Tell in which states the document was saved; if it was saved `now`, keep the state first."""
        session = self._session
        if session.kept.path is None:
            return
        snapshots = Snapshots(session.kept.path)
        if now:
            snapshots.keep(session.graph, kept_view(session.history))
        session.send(SavedStates(snapshots=snapshots.all()))

    def heard(self, message: messages.KernelMessage) -> None:
        """Keep what is said about a run, for a view that comes back."""
        if isinstance(message, _SAID):
            self._said[type(message)] = message

    @property
    def finished(self) -> run_messages.RunFinished | None:
        """What was said at the end of the last run."""
        said = self._said.get(run_messages.RunFinished)
        return said if isinstance(said, run_messages.RunFinished) else None

    def measured(self, graph: Graph) -> int:
        """The revision of the newest run, if it was one of this graph, else -1: an undo makes its times hold again."""
        return self._ran[1] if self._ran is not None and self._ran[0] == graph else -1

    def tell_again(self, since: int) -> None:
        """Say again which runs there were, and all of the last one, if it was one of a revision from `since`."""
        send, finished, busy = self._session.send, self.finished, self._said.get(messages.Busy)
        since = max(since, origin_in(self._session.history))
        if finished is not None and finished.revision >= since:
            send(finished)
            if said := self._said.get(messages.Timeline):
                send(said)
        if (kept := self._session.profiler.runs).runs:
            send(*kept.told())
        if isinstance(busy, messages.Busy) and busy.busy:
            send(busy)
            if progress := self._said.get(run_messages.RunProgress):
                send(progress)

    def tell_known(self, revision: Revision) -> None:
        """Say what is known of times on other devices, if the views do not have it."""
        known = self._session.profiler.known.of(revision.active)
        if known != self.known_told:
            self.known_told = known
            self._session.send(run_messages.DeviceTimes(times=known))

    def _submit(
        self, measure: Callable[[Graph, int, int, Callable[[], None]], object], batches: int, least: int = 1
    ) -> None:  # fmt: skip
        session = self._session
        graph, count, revision = session.graph, min(max(batches, least), _MAX_BATCHES), session.revision
        self._ran = graph, revision
        pause = partial(session.worker.relieve, "run")  # previews go on between batches

        def job() -> None:
            measure(graph, count, revision, pause)
            if (run := self.finished) and run.failed:  # perhaps not at the only sample of its batch
                session.renderer.suspects.update(d.node for d in run.failed if d.node)
                session.worker.insist("strip", partial(session.renderer.strip, session.shown.request(), again=False))
            self.tell_known(session.current())
            session.settled()

        session.worker.submit("run", job)

    def profile(self, batches: int) -> Profile:
        """Run whole batches, measure every node, and wait for the result; a run that goes on is stopped.

        Raises
        ------
        DaliStudioError
            What a batch failed with.
        """
        made, profiler = Future[Profile](), self._session.profiler

        def measure(graph: Graph, count: int, revision: int, pause: Callable[[], None]) -> None:
            try:
                run = profiler.run(graph, count, revision, pause)
                made.set_result(Profile(graph.options.name, run, profiler.drawn))
            except BaseException as error:  # noqa: BLE001 - it is raised where it was asked for
                made.set_exception(error)

        self._submit(measure, batches, least=0)
        try:
            profile = made.result()
        except KeyboardInterrupt:
            profiler.stop()
            raise
        if profile.run.failed:
            raise DaliStudioError(profile.run.failed)
        return profile

    def trace(self) -> str:
        """What the threads did in the last run, as Chrome's and Perfetto's viewers read it.

        Raises
        ------
        DaliStudioError
            DS304 if there was no run.
        """
        drawn = self._session.profiler.drawn
        if drawn is None:
            found = Diagnostic(code="DS304", message="No run was measured yet.", hint="Press Run first.")
            raise DaliStudioError(found)
        return chrome_trace(drawn, self._session.graph.options.name)
