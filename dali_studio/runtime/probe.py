"""Probes: what the executor measures, by node."""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field
from time import perf_counter_ns

import numpy as np


@dataclass(frozen=True, slots=True)
class NodeTime:
    """Time of one node.

    Attributes
    ----------
    median, p95 : float
        Milliseconds per batch, summed over the threads that worked on it.
    share : float
        Part of the time of all nodes, 0 to 1.
    """

    median: float
    p95: float
    share: float


class Probe:
    """Collects nanoseconds by node and iteration; safe to call from all workers."""

    now = staticmethod(perf_counter_ns)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current: defaultdict[str, int] = defaultdict(int)
        self._batches: list[dict[str, int]] = []
        self.walls: list[int] = []

    def add(self, times: dict[str, int]) -> None:
        """Add one task's times to the current iteration."""
        with self._lock:
            for key, value in times.items():
                self._current[key] += value

    def finish(self, wall: int) -> None:
        """End the current iteration, which took `wall` nanoseconds."""
        with self._lock:
            self._batches.append(dict(self._current))
            self._current.clear()
            self.walls.append(wall)

    def clear(self) -> None:
        """Forget what was measured so far."""
        with self._lock:
            self._batches.clear()
            self._current.clear()
            self.walls.clear()

    def summary(self) -> dict[str, NodeTime]:
        """Times of every node over the finished iterations."""
        keys = {key for batch in self._batches for key in batch}
        table = {key: np.array([batch.get(key, 0) for batch in self._batches]) / 1e6 for key in keys}
        total = sum(float(np.median(values)) for values in table.values()) or 1.0
        return {
            key: NodeTime(float(np.median(v)), float(np.percentile(v, 95)), float(np.median(v)) / total)
            for key, v in table.items()
        }


@dataclass(slots=True)
class Stopwatch:
    """Times of one task, kept local to its thread until it ends."""

    probe: Probe | None
    times: dict[str, int] = field(default_factory=dict[str, int])
    _start: int = 0

    def start(self) -> None:
        """Begin a step."""
        if self.probe is not None:
            self._start = perf_counter_ns()

    def stop(self, key: str) -> None:
        """End the step of node `key`."""
        if self.probe is not None:
            self.times[key] = self.times.get(key, 0) + perf_counter_ns() - self._start

    def report(self) -> None:
        """Hand the times over."""
        if self.probe is not None:
            self.probe.add(self.times)
