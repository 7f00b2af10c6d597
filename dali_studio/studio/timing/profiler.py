"""Run: whole batches, untapped, every node measured; then the same batches made ahead, with nothing measured inside."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import inf
from pathlib import Path
from statistics import median
from time import perf_counter, strftime

import msgspec

from dali_studio.api.engine import Engine
from dali_studio.api.placement import gpu_missing
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.progress import watched
from dali_studio.graph.bypass import rerouted
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.placement import on_cpu, on_gpu
from dali_studio.graph.validate import refusals, validate
from dali_studio.runtime.failures import FailedSample
from dali_studio.runtime.probe import NodeTime, Probe
from dali_studio.runtime.workers import Cancelled
from dali_studio.schema.model import Device
from dali_studio.schema.registry import Registry
from dali_studio.studio.protocol import messages, run_messages
from dali_studio.studio.protocol.run_messages import Speed, Timeline, Trial
from dali_studio.studio.timing.advice import Observed, Proposal, advise, cores
from dali_studio.studio.timing.failing import missed_files
from dali_studio.studio.timing.known_times import KnownTimes
from dali_studio.studio.timing.run_history import RunsKept
from dali_studio.studio.timing.throughput import WARM_UP, Pace, Throughput, close, uses_gpu
from dali_studio.studio.timing.timeline import timeline

#: Batches of a run of which nobody says how many: between these, while they take less than so many seconds.
_MIN_BATCHES, _USUAL, _MAX_BATCHES = 8, 20, 128
#: Fewer batches say nothing of the pipeline's speed: they may all lie ready, made ahead, when they are asked for.
_FEWEST_AHEAD = 4
_SHORT, _LONG = 0.4, 0.9
#: Seconds between two words on how far the nodes of a batch are.
_TOLD = 0.2
#: Files that a note names.
_NAMED_FILES = 3


@dataclass(slots=True)
class Measured:
    """What a run has given so far."""

    probe: Probe = field(default_factory=Probe)
    batches: int = 0
    seconds: float = 0.0
    devices: Mapping[str, Device] = field(default_factory=dict[str, Device])
    failed: tuple[Diagnostic, ...] = ()
    failed_in: int = -1
    samples: int = 0
    missed: tuple[FailedSample, ...] = ()
    wanted: int = _MIN_BATCHES

    def planned(self, asked: int, seconds: float) -> int:
        """How many batches are measured in all, of which these have taken so many seconds."""
        if asked:
            return asked
        each = max(seconds / max(self.batches, 1), 1e-6)
        return min(max(_MIN_BATCHES, min(_USUAL, round(_LONG / each)), round(_SHORT / each)), _MAX_BATCHES)


def _in_all(batches: int) -> int:
    """How many batches a run makes of which so many are measured."""
    return batches * 2 if batches >= _FEWEST_AHEAD else batches


class Profiler:
    """Runs a graph as a pipeline would and reports times.

    Parameters
    ----------
    registry : Registry
    send : callable
        Takes a message and its buffers.

    Attributes
    ----------
    known : KnownTimes
        What the runs have told about nodes on devices.
    runs : RunsKept
        The newest runs, with the graphs that were run.
    drawn : Timeline or None
        Of the last run.
    """

    def __init__(self, registry: Registry, send: Callable[[messages.KernelMessage, Sequence[bytes]], None]) -> None:
        self.registry, self._send = registry, send
        self.known = KnownTimes(registry)
        self.runs = RunsKept(registry)
        self.drawn: Timeline | None = None
        self._proposals: tuple[Proposal, ...] = ()
        self._begun = perf_counter()
        self._at = 0, 1
        self._stopped = threading.Event()
        self._throughput = Throughput(registry, self._stopped)
        self._engine: Engine | None = None

    def arm(self) -> None:
        """Forget an earlier `stop`."""
        self._stopped.clear()

    @property
    def running(self) -> bool:
        """Whether a run goes on."""
        return self._engine is not None

    def stop(self) -> None:
        """Stop the run that goes on; it reports what it measured so far."""
        self._stopped.set()
        engine = self._engine
        if engine is not None:
            engine.cancel()
        self._throughput.stop()

    def proposal(self, name: str) -> Proposal:
        """What the last run has proposed under a name.

        Raises
        ------
        DaliStudioError
            DS209 if it has not.
        """
        for proposal in self._proposals:
            if proposal.name == name:
                return proposal
        message = f"The last run has given no advice called {name!r}."
        raise DaliStudioError(Diagnostic(code="DS209", message=message, hint="Press Run."))

    def report_nothing(self, revision: int) -> None:
        """Report a run that was stopped before it began."""
        self._send(
            run_messages.RunFinished(
                revision=revision,
                batches=0,
                samples_per_second=0.0,
                milliseconds_per_batch=0.0,
                timings=(),
                stopped=True,
            ),
            [],
        )

    def run(
        self, graph: Graph, batches: int, revision: int, pause: Callable[[], None], until: str = ""
    ) -> run_messages.RunFinished:  # fmt: skip
        """Run and report.

        Parameters
        ----------
        graph : Graph
        batches : int
            Measured batches, made alone; the same number, if it is 4 or more, is then made ahead. 0: as many as fit
            into about a second, at least 8.
        revision : int
            Of the graph; it is part of the report.
        pause : callable
            Called between batches; the time it takes is not counted.
        until : str
            Name of the node up to which is run; all if empty.
        """
        self._begin(batches)
        part = rerouted(graph)
        part = part if not until else _up_to(part, self.registry, until)
        measured = self._measure(part, batches, self._progress, pause)
        made = measured.batches
        number = count(made + 1)

        def ahead() -> None:
            self._progress(next(number), 2 * made)

        whole = made > 0 and made >= measured.wanted and not measured.failed
        again = whole and _in_all(made) > made
        speed, failed = self._ahead(part, made, ahead, pause) if again else (Speed(), ())
        measured.failed = measured.failed or failed
        self.drawn = timeline(measured.probe, revision)
        if self.drawn is not None:
            self._send(self.drawn, [])
        finished = msgspec.structs.replace(self._finished(part, revision, measured, speed), until=until)
        if whole and not until and not finished.stopped:
            self.runs.add(graph, finished)
            self._send(*self.runs.told())  # first: what is shown as the last run outlives the kernel in the list, too
        self._send(finished, [])
        self.known.learn(part, measured.devices, measured.probe.summary())
        self._send(messages.Busy(busy=False), [])
        return finished

    def _ahead(
        self, graph: Graph, batches: int, progress: Callable[[], None], pause: Callable[[], None]
    ) -> tuple[Speed, tuple[Diagnostic, ...]]:
        pace = Pace()
        try:
            self._throughput.measure(graph, batches, pace, progress, pause)
        except DaliStudioError as error:
            return pace.speed(), error.diagnostics
        return pace.speed(), ()

    def compare_graphs(
        self, graph: Graph, batches: int, revision: int, pause: Callable[[], None], name: str, after: Graph
    ) -> None:  # fmt: skip
        """Measure two graphs in turns, each running ahead, and report both speeds.

        Parameters
        ----------
        graph : Graph
            As it is.
        batches, revision, pause
            As for `run`.
        name : str
            Part of the report.
        after : Graph
            As it would be.
        """
        self._begin(batches)
        parts = rerouted(graph), rerouted(after)
        paces, failed = (Pace(), Pace()), tuple[Diagnostic, ...]()
        done = count(1)
        total, progress = 4 * batches, lambda: self._progress(next(done), total)
        try:
            for turn in range(4):
                self._throughput.measure(parts[turn % 2], batches, paces[turn % 2], progress, pause)
        except DaliStudioError as error:
            failed = error.diagnostics
        trial = Trial(
            name=name, revision=revision, batches=len(paces[1].steps), before=paces[0].speed(), after=paces[1].speed(),
            stopped=self._stopped.is_set(), failed=failed,
        )  # fmt: skip
        if trial.batches and not trial.stopped and not failed:
            self.runs.add_trial((graph, after), trial)
            self._send(*self.runs.told())
        self._send(trial, [])
        self._send(messages.Busy(busy=False), [])

    def compare(self, graph: Graph, batches: int, revision: int, pause: Callable[[], None]) -> None:
        """Run the graph on the CPU and then on the GPU, and learn what each node takes there.

        The last run is reported like any other, save that the graph shown may be placed otherwise: what it says is kept
        by `known` only. Parameters are those of `run`.
        """
        self._begin(batches)
        failed: tuple[Diagnostic, ...] = ()
        for number, place in enumerate((on_cpu, on_gpu)):
            placed = place(rerouted(graph), self.registry)
            done = number * batches
            measured = self._measure(
                placed, batches, lambda n, total, done=done: self._progress(done + n, total), pause
            )
            failed = failed or measured.failed
            if measured.batches == batches:
                self.known.learn(placed, measured.devices, measured.probe.summary())
        if failed:
            self._send(messages.Refused(diagnostics=failed), [])
        self._send(messages.Busy(busy=False), [])

    def _begin(self, batches: int) -> None:
        self._begun, self._at = perf_counter(), (0, _in_all(batches or _MIN_BATCHES))
        self._send(messages.Busy(busy=True), [])

    def _progress(self, done: int, total: int, keys: Iterable[str] = (), samples: int = 0) -> None:
        self._at = done, total
        left = (perf_counter() - self._begun) / max(done, 1) * (total - done)
        told = run_messages.RunProgress(
            done=done, total=total, seconds_left=round(left, 1), keys=tuple(sorted(keys)), samples=samples
        )
        self._send(told, [])

    def _measure(
        self, graph: Graph, batches: int, progress: Callable[[int, int], None], pause: Callable[[], None]
    ) -> Measured:
        measured = Measured(wanted=batches or _MIN_BATCHES)

        def tell(_: float) -> None:
            now = measured.probe.newest
            if now is not None and not now.end:
                self._progress(*self._at, now.begun(), now.samples())

        with watched(tell, _TOLD, _TOLD):
            self._measure_into(measured, graph, batches, progress, pause)
        return measured

    def _measure_into(
        self, measured: Measured, graph: Graph, batches: int, progress: Callable[[int, int], None],
        pause: Callable[[], None],
    ) -> None:  # fmt: skip
        measured.failed = refusals(graph, self.registry, validate(graph, self.registry))
        if measured.failed:
            return
        begin, iterations = perf_counter(), 0
        try:
            # without a GPU the same graph is measured on the CPU, as its previews are computed there
            engine = self._engine = Engine(
                graph, self.registry, background=False, probe=measured.probe, devices=gpu_missing(graph) is None
            )
            measured.devices = {step.key: step.device for step in engine.plan.steps()}
            # sources that a user wrote may end; they are not spent on warming up
            cold = uses_gpu(engine) and not engine.feeders
            warm, ready = False, inf
            while measured.batches < measured.wanted and not self._stopped.is_set():
                engine.schedule()
                size = max(len(batch) for batch in engine.result())
                iterations += 1
                measured.batches += warm
                measured.samples += warm * size
                progress(measured.batches, _in_all(measured.wanted))
                paused = perf_counter()
                pause()
                begin += perf_counter() - paused
                ready = min(ready, paused + WARM_UP * cold)
                if not warm and paused >= ready:
                    warm = True
                    measured.probe.clear()
                    begin = perf_counter()
                elif warm:
                    measured.wanted = measured.planned(batches, perf_counter() - begin)
        except DaliStudioError as error:
            measured.failed, measured.failed_in = error.diagnostics, iterations
        except (Cancelled, StopIteration):
            pass  # what was measured until then is reported
        finally:
            measured.seconds = perf_counter() - begin
            if self._engine is not None:
                measured.missed = self._engine.failed_samples()
                close(self._engine)
            self._engine = None

    def _finished(
        self, graph: Graph, revision: int, measured: Measured, pipelined: Speed | None = None
    ) -> run_messages.RunFinished:
        done, seconds = measured.batches, measured.seconds
        times = measured.probe.summary() if done else {}
        wanted = [key for key in measured.devices if graph.node(key).device != "cpu"]
        absent = gpu_missing(graph) if wanted else None
        alone = seconds * 1e3 / done if done else 0.0
        spans = [batch.end - batch.begin for batch in measured.probe.batches] or [1]
        worked = sum(sum(batch.cpu.values()) for batch in measured.probe.batches)
        observed = Observed(
            milliseconds=median(spans) / 1e6, working=worked / sum(spans), times=times, cores=cores(),
            gpu=gpu_missing(graph) is None,
        )  # fmt: skip
        self._proposals = advise(graph, self.registry, observed)
        moved = "" if absent is None else f"All of it ran on the CPU: {absent.reason}."
        return run_messages.RunFinished(
            revision=revision,
            batches=done,
            samples_per_second=measured.samples / seconds if done else 0.0,
            milliseconds_per_batch=alone,
            timings=tuple(_timing(key, measured.devices.get(key, "cpu"), t) for key, t in sorted(times.items())),
            stopped=self._stopped.is_set(),
            failed=measured.failed,
            failed_in=measured.failed_in,
            note=" ".join(filter(None, (moved, _missed(measured.missed)))),
            pipelined=pipelined or Speed(),
            left_out=measured.probe.left_out,
            missed=missed_files(measured.missed),
            when=strftime("%H:%M:%S"),
            advice=tuple(proposal.advice() for proposal in self._proposals),
        )


def _up_to(graph: Graph, registry: Registry, key: str) -> Graph:
    """The pipeline that ends at a node."""
    part = graph.copy()
    schemas = output_schemas(graph, key, registry)
    part.set_outputs(PortRef(node=key, output=i) for i in range(len(schemas or ())))
    return part


def _missed(failed: Sequence[FailedSample]) -> str:
    """A sentence about files that `on_error` let the run go on without; a file counts once, however often it came."""
    files = [Path(source).name for source in sorted({sample.source for sample in failed})]
    if not files:
        return ""
    named = ", ".join(files[:_NAMED_FILES]) + (f" and {len(files) - _NAMED_FILES} more" if files[_NAMED_FILES:] else "")
    return f"Left out or replaced (on_error): {named}."


def _timing(key: str, device: Device, time: NodeTime) -> run_messages.NodeTiming:
    most = time.largest
    return run_messages.NodeTiming(
        key=key, device=device, milliseconds=time.median, p95=time.p95, share=time.share, cpu=time.cpu, gpu=time.gpu,
        copies=tuple(
            run_messages.CopyTiming(direction=c.direction, size=c.size, milliseconds=c.milliseconds)
            for c in time.copies
        ),
        host=time.host, gpu_memory=time.device, passing=time.passing, group=time.group,
        outputs=time.outputs,
        largest=most and run_messages.LargeSample(
            size=most.size, batch=most.batch, sample=most.sample, source=Path(most.source).name
        ),
    )  # fmt: skip
