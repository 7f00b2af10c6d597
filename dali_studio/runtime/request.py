"""What is asked of an executor: one iteration, and results that earlier plans have made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import Segment, Step
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import PortRef

#: Results of an iteration.
Store = dict[PortRef, Batch]
#: The outputs of an external source.
ExternalInput = tuple[Batch, ...]


class Cache(Protocol):
    """Where previews keep results between plans, by structural key."""

    def load(self, port: PortRef) -> Batch | None:
        """The result of an earlier plan, if it still holds."""

    def save(self, port: PortRef, batch: Batch) -> None:
        """Keep a result."""


@dataclass(slots=True)
class Request:
    """One iteration to run, or several that are computed together.

    Attributes
    ----------
    iteration : int
        The first one.
    samples_so_far : int
        Sum of the batch sizes of earlier iterations.
    batch_size : int
        Of one iteration.
    external_inputs : mapping of str to tuple of Batch
        What external sources got, by node; on a GPU only for nodes that are placed there.
    indices : ndarray or None
        Samples to compute (previews); ``None`` for all.
    on_the_way : callable
        Called now and then while a source, whose node's key it gets, is moved to the iteration; it may raise.
    stream : tuple of int or None
        Where operators draw random numbers, in place of their seeds and `samples_so_far`: the key, the upper half of
        the first sample's counter, and the number of draws below it.
    iterations : int
        How many are computed together, as if their samples were one batch (`runtime.groups`).
    """

    iteration: int
    samples_so_far: int
    batch_size: int
    external_inputs: Mapping[str, ExternalInput] = field(default_factory=dict[str, ExternalInput])
    indices: NDArray[np.int64] | None = None
    on_the_way: Callable[[str], None] = lambda node: None
    stream: tuple[int, int, int] | None = None
    iterations: int = 1


def computed(request: Request) -> NDArray[np.int64]:
    """The samples that are computed, of the batch or of the batches one after the other."""
    count = request.batch_size * request.iterations
    return np.arange(count, dtype=np.int64) if request.indices is None else request.indices


def select(batches: ExternalInput, request: Request) -> ExternalInput:
    """What an external source got, cut down to the samples that are computed."""
    if request.indices is None:
        return batches
    return tuple(replace(batch.select(request.indices), indices=None) for batch in batches)


def missing(stage: Segment, store: Store, cache: Cache) -> tuple[tuple[Step, ...], frozenset[PortRef]]:
    """The steps of a segment that must run: results found in the cache go to the store, what feeds them is left out."""
    needed: list[Step] = []
    wanted: set[PortRef] = set(stage.kept)
    for step in reversed(stage.steps):
        ports = [port for port in step.outputs if port in wanted]
        found = {port: cache.load(port) for port in ports}
        if ports and all(batch is not None for batch in found.values()):
            store.update({port: batch for port, batch in found.items() if batch is not None})
        elif ports:
            needed.insert(0, step)
            wanted.update(step.inputs)
    return tuple(needed), frozenset(port for step in needed for port in step.outputs if port in stage.kept)


def batch_size_clash(first: str, first_size: int, other: str, size: int) -> DaliStudioError:
    """The error for two sources that disagree on the size of an iteration."""
    return DaliStudioError(
        Diagnostic(
            code="DS304",
            node=other,
            message=f"{other} gave {size} samples, {first} gave {first_size}; all sources of an iteration must agree.",
            hint="Make the sources return batches of one size.",
        )
    )
