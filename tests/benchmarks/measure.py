"""Measuring two engines against each other, fairly.

Both compute ahead on threads of their own, so that two pipelines that live at once would share the cores even while one
is idle in the foreground. Hence blocks: a pipeline is built, warmed, measured and taken down before the other one
begins. A round is one block of each, in alternating order; the ratio of a round compares neighbours in time, and the
median over rounds is not moved by a disturbance of a few.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from programs import BATCH_SIZE, make

OURS, THEIRS = "dali_studio", "nvidia.dali"
#: Iterations before the clock starts: kernels load, queues and caches fill.
_WARM_UP = 4


@dataclass(slots=True)
class Comparison:
    """Rounds of one program over one data set, in samples per second."""

    program: str
    data: str
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    #: Mean absolute difference of the first batch, where both have run.
    difference: float | None = None

    @property
    def ratios(self) -> list[float]:
        return [mine / other for mine, other in zip(self.ours, self.theirs, strict=False)]

    def summary(self) -> dict[str, Any]:
        """Medians, spreads and every round, ready for JSON."""
        return {
            "program": self.program,
            "data": self.data,
            "ours": _spread(self.ours),
            "theirs": _spread(self.theirs),
            "ratio": _spread(self.ratios),
            "mean_absolute_difference": self.difference,
        }


def _spread(values: list[float]) -> dict[str, Any] | None:
    if not values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "rounds": values}


def compare(
    program: str, data: str, folder: str, *, rounds: int, seconds: float, peer: bool, progress: Callable[[str], None]
) -> Comparison:
    """Measure `program` over the files in `folder`; without `peer`, our side only."""
    result = Comparison(program, data)
    if peer:
        result.difference = _difference(program, folder)
    for number in range(rounds):
        order = (OURS, THEIRS) if number % 2 == 0 else (THEIRS, OURS)
        for prefix in order if peer else (OURS,):
            rate = block(prefix, program, folder, seconds)
            (result.ours if prefix == OURS else result.theirs).append(rate)
        progress(
            f"{program}, {data}, round {number + 1}: {result.ours[-1]:.0f}"
            + (f" : {result.theirs[-1]:.0f}" if peer else "")
        )
    return result


def block(prefix: str, program: str, folder: str, seconds: float) -> float:
    """Samples per second of a fresh pipeline over at least `seconds`."""
    pipe = make(prefix, program, folder)
    for _ in range(_WARM_UP):
        pipe.run()
    count, began = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - began) < seconds:
        pipe.run()
        count += 1
    _take_down(pipe)
    return count * BATCH_SIZE / elapsed


def _take_down(pipe: Any) -> None:
    if hasattr(pipe, "release"):
        pipe.release()
    del pipe
    gc.collect()


def _difference(program: str, folder: str) -> float:
    batches: list[list[Any]] = []
    for prefix in (OURS, THEIRS):
        pipe = make(prefix, program, folder)
        first = pipe.run()[0]
        batches.append([np.array(first.at(index), np.float64) for index in range(len(first))])
        _take_down(pipe)
    return float(np.mean([np.abs(mine - other).mean() for mine, other in zip(*batches, strict=True)]))
