"""Run: whole batches, untapped, every node measured."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from dali_studio.api.engine import Engine
from dali_studio.api.placement import gpu_missing
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, errors
from dali_studio.graph.model import Graph
from dali_studio.graph.placement import on_cpu, on_gpu
from dali_studio.graph.validate import validate
from dali_studio.runtime.failures import FailedSample
from dali_studio.runtime.probe import NodeTime, Probe
from dali_studio.runtime.workers import Cancelled
from dali_studio.schema.model import Device
from dali_studio.schema.registry import Registry
from dali_studio.studio import messages
from dali_studio.studio.known_times import KnownTimes

#: Seconds in which batches are made and not counted where a GPU takes part: its decoders open in the background. One
#: batch is never counted: memory is taken and compiled kernels are loaded there.
_WARM_UP = 0.5
#: Files that a note names.
_NAMED_FILES = 3


@dataclass(slots=True)
class _Measured:
    """What a run has given so far."""

    probe: Probe = field(default_factory=Probe)
    batches: int = 0
    seconds: float = 0.0
    devices: Mapping[str, Device] = field(default_factory=dict[str, Device])
    failed: tuple[Diagnostic, ...] = ()
    samples: int = 0
    missed: tuple[FailedSample, ...] = ()


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
    """

    def __init__(self, registry: Registry, send: Callable[[messages.KernelMessage, Sequence[bytes]], None]) -> None:
        self.registry, self._send = registry, send
        self.known = KnownTimes(registry)
        self._stopped = threading.Event()
        self._engine: Engine | None = None

    def arm(self) -> None:
        """Forget an earlier `stop`."""
        self._stopped.clear()

    def stop(self) -> None:
        """Stop the run that goes on; it reports what it measured so far."""
        self._stopped.set()
        engine = self._engine
        if engine is not None:
            engine.cancel()

    def report_nothing(self, revision: int) -> None:
        """Report a run that was stopped before it began."""
        self._send(
            messages.RunFinished(
                revision=revision,
                batches=0,
                samples_per_second=0.0,
                milliseconds_per_batch=0.0,
                timings=(),
                stopped=True,
            ),
            [],
        )

    def run(self, graph: Graph, batches: int, revision: int, pause: Callable[[], None]) -> None:
        """Run and report.

        Parameters
        ----------
        graph : Graph
        batches : int
            Measured batches.
        revision : int
            Of the graph; it is part of the report.
        pause : callable
            Called between batches; the time it takes is not counted.
        """
        self._send(messages.Busy(busy=True), [])
        measured = self._measure(graph, batches, lambda done: self._progress(done, batches), pause)
        self._send(self._finished(graph, revision, measured), [])
        self.known.learn(graph, measured.devices, measured.probe.summary())
        self._send(messages.Busy(busy=False), [])

    def compare(self, graph: Graph, batches: int, revision: int, pause: Callable[[], None]) -> None:
        """Run the graph on the CPU and then on the GPU, and learn what each node takes there.

        The last run is reported like any other, save that the graph shown may be placed otherwise: what it says is kept
        by `known` only. Parameters are those of `run`.
        """
        self._send(messages.Busy(busy=True), [])
        failed: tuple[Diagnostic, ...] = ()
        for number, place in enumerate((on_cpu, on_gpu)):
            placed = place(graph, self.registry)
            done = number * batches
            measured = self._measure(placed, batches, lambda n, done=done: self._progress(done + n, 2 * batches), pause)
            failed = failed or measured.failed
            if measured.batches == batches:
                self.known.learn(placed, measured.devices, measured.probe.summary())
        if failed:
            self._send(messages.Refused(diagnostics=failed), [])
        self._send(messages.Busy(busy=False), [])

    def _progress(self, done: int, total: int) -> None:
        self._send(messages.RunProgress(done=done, total=total), [])

    def _measure(
        self, graph: Graph, batches: int, progress: Callable[[int], None], pause: Callable[[], None]
    ) -> _Measured:
        measured = _Measured()
        needed = graph.reachable(registry=self.registry)
        found = errors(validate(graph, self.registry).diagnostics)
        # What no output depends on is left out of the run, with its faults.
        measured.failed = tuple(d for d in found if not d.node or d.node in needed)
        if measured.failed:
            return measured
        begin = perf_counter()
        try:
            # without a GPU the same graph is measured on the CPU, as its previews are computed there
            engine = self._engine = Engine(
                graph, self.registry, background=False, probe=measured.probe, devices=gpu_missing(graph) is None
            )
            measured.devices = {step.key: step.device for step in engine.plan.steps()}
            # sources that a user wrote may end; they are not spent on warming up
            on_gpu = any(device != "cpu" for device in measured.devices.values()) and not engine.feeders
            ready = begin + _WARM_UP * on_gpu
            warm = False
            while measured.batches < batches and not self._stopped.is_set():
                engine.schedule()
                made = engine.result()
                measured.batches += warm
                measured.samples += warm * max(len(batch) for batch in made)
                progress(measured.batches)
                paused = perf_counter()
                pause()
                begin += perf_counter() - paused
                if not warm and paused >= ready:
                    warm = True
                    measured.probe.clear()
                    begin = perf_counter()
        except DaliStudioError as error:
            measured.failed = error.diagnostics
        except (Cancelled, StopIteration):
            pass  # what was measured until then is reported
        finally:
            measured.seconds = perf_counter() - begin
            if self._engine is not None:
                measured.missed = self._engine.failed_samples()
                self._engine.close()
            self._engine = None
        return measured

    def _finished(self, graph: Graph, revision: int, measured: _Measured) -> messages.RunFinished:
        done, seconds = measured.batches, measured.seconds
        times = measured.probe.summary() if done else {}
        wanted = [key for key in measured.devices if graph.node(key).device != "cpu"]
        absent = gpu_missing(graph) if wanted else None
        moved = "" if absent is None else f"All of it ran on the CPU: {absent.reason}."
        return messages.RunFinished(
            revision=revision,
            batches=done,
            samples_per_second=measured.samples / seconds if done else 0.0,
            milliseconds_per_batch=seconds * 1e3 / done if done else 0.0,
            timings=tuple(_timing(key, measured.devices.get(key, "cpu"), t) for key, t in sorted(times.items())),
            stopped=self._stopped.is_set(),
            failed=measured.failed,
            note=" ".join(filter(None, (moved, _missed(measured.missed)))),
        )


def _missed(failed: Sequence[FailedSample]) -> str:
    """A sentence about files that `on_error` let the run go on without; a file counts once, however often it came."""
    files = sorted({sample.source for sample in failed})
    if not files:
        return ""
    named = ", ".join(files[:_NAMED_FILES]) + (f" and {len(files) - _NAMED_FILES} more" if files[_NAMED_FILES:] else "")
    return f"These could not be read or decoded, and the run went on (on_error): {named}."


def _timing(key: str, device: Device, time: NodeTime) -> messages.NodeTiming:
    return messages.NodeTiming(
        key=key, device=device, milliseconds=time.median, p95=time.p95, share=time.share, cpu=time.cpu, gpu=time.gpu,
        copies=tuple(
            messages.CopyTiming(direction=c.direction, size=c.size, milliseconds=c.milliseconds) for c in time.copies
        ),
        host=time.host, gpu_memory=time.device, passing=time.passing, group=time.group,
    )  # fmt: skip
