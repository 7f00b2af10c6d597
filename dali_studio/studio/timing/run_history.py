"""The runs of a designer, with the graphs that were run, so that two can be compared and one be gone back to.

They outlive their kernel: the browser keeps them, with documents of their graphs.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from time import strftime

import msgspec

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import document
from dali_studio.graph.difference import difference
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry
from dali_studio.studio.programs import code_nodes
from dali_studio.studio.protocol.run_messages import KnownRun, RunFinished, RunHistory, Speed, Trial

_MAX_RUNS = 50
#: Characters of the documents of the runs that the browser keeps.
_MAX_SIZE = 250_000


@dataclass(frozen=True, slots=True)
class _Kept:
    run: KnownRun
    graph: Graph


def name_of(graph: Graph) -> str:
    """Seven letters and digits that follow from what a graph computes; empty if it has no form in JSON."""
    try:
        return hashlib.sha256(document.dumps(graph, None).encode()).hexdigest()[:7]
    except DaliStudioError:
        return ""


def _text(graph: Graph) -> str:
    return document.dumps(graph, code_nodes.in_view(graph))


class RunsKept:
    """The newest runs."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._kept: deque[_Kept] = deque(maxlen=_MAX_RUNS)

    @property
    def runs(self) -> tuple[KnownRun, ...]:
        """All that are kept, the newest first."""
        return tuple(kept.run for kept in reversed(self._kept))

    def told(self) -> tuple[RunHistory, list[bytes]]:
        """What the browser is told, and the newest runs for `recall`."""
        kept = [(one.run, _text(one.graph)) for one in reversed(self._kept)]
        count = sum(size <= _MAX_SIZE for size in accumulate(len(text) for _, text in kept))
        packed = msgspec.json.encode(kept[:count][::-1])
        return RunHistory(runs=self.runs), [zlib.compress(packed, 1)]

    def recall(self, packed: str) -> None:
        """Take up the runs of a kernel that is gone; one that cannot be read is left out."""
        with suppress(msgspec.MsgspecError):
            for run, text in msgspec.json.decode(packed, type=list[tuple[KnownRun, str]]):
                with suppress(DaliStudioError):
                    graph, view, _ = document.loads(text, self._registry)
                    self._kept.append(_Kept(run, code_nodes.opened(graph, view)))

    def add(self, graph: Graph, finished: RunFinished) -> None:
        """Keep a run that was measured to its end."""
        held = sum(timing.host + timing.gpu_memory for timing in finished.timings)
        self._add(
            graph, finished.pipelined, when=finished.when, revision=finished.revision, batches=finished.batches,
            alone=finished.samples_per_second, held=held,
        )  # fmt: skip

    def add_trial(self, graphs: Sequence[Graph], trial: Trial) -> None:
        """Keep both measurements of a trial."""
        for graph, speed, revision in zip(graphs, (trial.before, trial.after), (trial.revision, -1), strict=True):
            self._add(graph, speed, when=strftime("%H:%M:%S"), revision=revision, batches=trial.batches, tried=True)

    def _add(
        self, graph: Graph, speed: Speed, *, when: str, revision: int, batches: int, alone: float = 0.0, held: int = 0,
        tried: bool = False,
    ) -> None:  # fmt: skip
        before = self._kept[-1] if self._kept else None
        number = before.run.number + 1 if before else 1
        changes = tuple(difference(before.graph, graph, self._registry).words()) if before else ()
        run = KnownRun(
            number=number, name=name_of(graph), when=when, revision=revision, batches=batches, alone=alone,
            pipelined=speed.samples_per_second, held=held, changes=changes, tried=tried,
        )  # fmt: skip
        self._kept.append(_Kept(run, graph.copy()))

    def of(self, graph: Graph) -> tuple[int, ...]:
        """The numbers of the runs of this very graph."""
        return tuple(kept.run.number for kept in self._kept if kept.graph == graph)

    def graph(self, number: str) -> Graph:
        """The graph of a run.

        Raises
        ------
        DaliStudioError
            DS209 if it is not kept any more.
        """
        for kept in self._kept:
            if str(kept.run.number) == number:
                return kept.graph
        message = f"There is no run {number} any more; the newest {_MAX_RUNS} are kept."
        raise DaliStudioError(Diagnostic(code="DS209", message=message, hint="Choose another one."))
