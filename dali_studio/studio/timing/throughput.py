"""How fast a graph is as a pipeline: batches are made ahead, as in training, and nothing is measured inside."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import perf_counter

import numpy as np

from dali_studio.api.engine import Engine
from dali_studio.api.placement import gpu_missing
from dali_studio.graph.model import Graph
from dali_studio.runtime.workers import Cancelled
from dali_studio.schema.registry import Registry
from dali_studio.studio.protocol.run_messages import Speed

#: Seconds from the first batch on in which batches are not counted where a GPU takes part: memory is taken for batches
#: of other shapes, and decoders find out what they are good for. The first one loads compiled kernels.
WARM_UP = 0.5
#: A pause that took longer than this let the engine run ahead: what is waiting is not counted.
_PAUSED = 0.002


def close(engine: Engine) -> None:
    """Close an engine so that no memory of the GPU is kept; a batch that was broken off may have cycles of results."""
    if uses_gpu(engine):
        gc.collect()
    engine.close()


def uses_gpu(engine: Engine) -> bool:
    """Whether a step of it runs on a GPU."""
    return any(step.device != "cpu" for step in engine.plan.steps())


@dataclass(slots=True)
class Pace:
    """Batches that were made ahead, and how long each took; of those that are computed together, their mean."""

    samples: int = 0
    seconds: float = 0.0
    steps: list[float] = field(default_factory=list[float])

    def speed(self) -> Speed:
        """What a pipeline makes a second."""
        if not self.steps:
            return Speed()
        return Speed(
            samples_per_second=self.samples / self.seconds,
            median=float(np.median(self.steps)) * 1e3,
            p95=float(np.percentile(self.steps, 95)) * 1e3,
        )


class Throughput:
    """Runs graphs ahead and counts.

    Parameters
    ----------
    registry : Registry
    stopped : threading.Event
        Set by who wants no more.
    """

    def __init__(self, registry: Registry, stopped: threading.Event) -> None:
        self._registry, self._stopped = registry, stopped
        self._engine: Engine | None = None

    def stop(self) -> None:
        """Break off the batch that is being made."""
        engine = self._engine
        if engine is not None:
            engine.cancel()

    def measure(
        self, graph: Graph, batches: int, pace: Pace, progress: Callable[[], None], pause: Callable[[], None]
    ) -> None:
        """Make `batches` batches and add what they took to `pace`; the first ones, which fill the queue, do not count.

        Raises
        ------
        DaliStudioError
            What a batch failed with.
        """
        try:
            engine = self._engine = Engine(graph, self._registry, devices=gpu_missing(graph) is None)
            if engine.feeders:  # a user's own source may end, and is not spent on measuring
                return
            engine.prefetch()
            skip, counted, before = engine.ahead + 1, 0, perf_counter()
            together, cold = engine.together, uses_gpu(engine)
            ready = inf
            while counted < batches and not self._stopped.is_set():
                number = 1 if skip else together
                samples = 0
                for _ in range(number):
                    engine.prefetch()
                    samples += max(len(batch) for batch in engine.result())
                now = perf_counter()
                ready = min(ready, now + WARM_UP)
                if skip:
                    skip -= 1
                    if cold and not skip:
                        skip = int(now < ready)
                    if not skip and engine.together != together:  # those that are under way do not count, either
                        together, skip = engine.together, engine.ahead
                else:
                    pace.steps.append((now - before) / number)
                    pace.seconds += now - before
                    pace.samples += samples
                    for _ in range(min(number, batches - counted)):
                        progress()
                    counted += number
                pause()
                before = perf_counter()
                if before - now > _PAUSED:
                    skip = engine.ahead
        except Cancelled:
            pass
        finally:
            engine = self._engine
            self._engine = None
            if engine is not None:
                close(engine)
