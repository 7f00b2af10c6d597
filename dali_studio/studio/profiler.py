"""Run: whole batches, untapped, every node measured."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from time import perf_counter

from dali_studio.api.engine import Engine
from dali_studio.api.placement import gpu_is_there
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, errors
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate
from dali_studio.runtime.probe import Probe
from dali_studio.runtime.workers import Cancelled
from dali_studio.schema.registry import Registry
from dali_studio.studio import messages

#: Unmeasured batches at the start: memory is taken and compiled kernels are loaded there.
_WARM_UP = 1


class Profiler:
    """Runs a graph as a pipeline would and reports times.

    Parameters
    ----------
    registry : Registry
    send : callable
        Takes a message and its buffers.
    """

    def __init__(self, registry: Registry, send: Callable[[messages.KernelMessage, Sequence[bytes]], None]) -> None:
        self.registry, self._send = registry, send
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
        needed = graph.reachable(registry=self.registry)
        found = errors(validate(graph, self.registry).diagnostics)
        # What no output depends on is left out of the run, with its faults.
        failed: tuple[Diagnostic, ...] = tuple(d for d in found if not d.node or d.node in needed)
        probe = Probe()
        done = 0
        begin = perf_counter()
        if not failed:
            try:
                # without a GPU the same graph is measured on the CPU, as its previews are computed there
                engine = self._engine = Engine(
                    graph, self.registry, background=False, probe=probe, devices=gpu_is_there(graph)
                )
                for number in range(_WARM_UP + batches):
                    if self._stopped.is_set():
                        break
                    if number == _WARM_UP:
                        probe.clear()
                        begin = perf_counter()
                    engine.schedule()
                    engine.result()
                    done = max(number + 1 - _WARM_UP, 0)
                    self._send(messages.RunProgress(done=done, total=batches), [])
                    paused = perf_counter()
                    pause()
                    begin += perf_counter() - paused
            except DaliStudioError as error:
                failed = error.diagnostics
            except (Cancelled, StopIteration):
                pass  # what was measured until then is reported
            finally:
                if self._engine is not None:
                    self._engine.close()
                self._engine = None
        self._send(self._finished(graph, revision, probe, done, perf_counter() - begin, failed), [])
        self._send(messages.Busy(busy=False), [])

    def _finished(
        self, graph: Graph, revision: int, probe: Probe, done: int, seconds: float, failed: tuple[Diagnostic, ...]
    ) -> messages.RunFinished:
        times = probe.summary() if done else {}
        return messages.RunFinished(
            revision=revision,
            batches=done,
            samples_per_second=done * graph.options.batch_size / seconds if done else 0.0,
            milliseconds_per_batch=seconds * 1e3 / done if done else 0.0,
            timings=tuple(
                messages.NodeTiming(key=key, milliseconds=t.median, p95=t.p95, share=t.share)
                for key, t in sorted(times.items())
            ),
            stopped=self._stopped.is_set(),
            failed=failed,
        )
