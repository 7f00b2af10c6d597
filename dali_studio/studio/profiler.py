"""Run: whole batches, untapped, every node measured."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from time import perf_counter

from dali_studio.api.engine import Engine
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

    def report_nothing(self) -> None:
        """Report a run that was stopped before it began."""
        self._send(
            messages.RunFinished(
                batches=0, samples_per_second=0.0, milliseconds_per_batch=0.0, timings=(), stopped=True
            ),
            [],
        )

    def run(self, graph: Graph, batches: int) -> None:
        """Run and report."""
        self._send(messages.Busy(busy=True), [])
        failed: tuple[Diagnostic, ...] = errors(validate(graph, self.registry).diagnostics)
        probe = Probe()
        done = 0
        begin = perf_counter()
        if not failed:
            try:
                engine = self._engine = Engine(graph, self.registry, background=False, probe=probe)
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
            except DaliStudioError as error:
                failed = error.diagnostics
            except (Cancelled, StopIteration):
                pass  # what was measured until then is reported
            finally:
                if self._engine is not None:
                    self._engine.close()
                self._engine = None
        self._send(self._finished(graph, probe, done, perf_counter() - begin, failed), [])
        self._send(messages.Busy(busy=False), [])

    def _finished(
        self, graph: Graph, probe: Probe, done: int, seconds: float, failed: tuple[Diagnostic, ...]
    ) -> messages.RunFinished:
        times = probe.summary() if done else {}
        return messages.RunFinished(
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
