"""Iterations of few samples that a pipeline computes together, as if their samples were one batch.

A small batch takes as long as one that keeps the GPU busy: what it costs is the host's work for an iteration, and the
time that kernels take to begin and end. On the CPU it is the first alone, and threads that have no samples to share.
Where every sample follows from its place in the run alone, iterations that lie ahead can be one batch, of which each
gets its samples: the same numbers, at a part of the costs.
"""

from __future__ import annotations

from typing import Protocol

from dali_studio.compiler.plan import Plan, Step
from dali_studio.runtime.request import Store
from dali_studio.schema.declare import overrides
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import MixesSamples, PerSample, SpansIterations

#: Samples of a group, at most.
SAMPLES = 128
#: Bytes of device memory that a run may hold for groups, roughly: as many single iterations as these would hold are
#: computed together, which hold less together.
_MEMORY = 640 << 20
#: Iterations at the beginning that are computed one by one: kernels are compiled, and it turns out what they need.
_ALONE = 4
#: Samples of those iterations of a group that are computed together behind its decoders, at most: decoding is what
#: takes as long for few pictures as for many.
BEHIND = 32
#: Groups that are decoded or of which there are iterations left to be computed.
AHEAD = 2
#: On the CPU, seconds and bytes of results up to which a group is so small that the next one has twice as many
#: iterations.
_SHORT, _FEW_BYTES = 2e-3, 8 << 20
#: Times `_SHORT` above which a group takes too long, and how many in a row have to: others may have had the processor.
_TOO_LONG, _IN_A_ROW = 4, 3


def groups_for(plan: Plan, registry: Registry, batch_size: int, memory: Memory, limit: int | None) -> Groups | None:
    """How many iterations of a plan are computed together; ``None`` where each must be computed by itself.

    They may be together where files come from readers and are decoded on the device "mixed", or all is done on the CPU,
    no sample depends on others, and nothing has to be known of single iterations: which samples are left out, and what
    operators save.
    """
    if _joins_on_gpu(plan, registry):
        return Groups(batch_size, memory, limit)
    return QuickGroups(batch_size) if _joins_on_cpu(plan, registry) else None


def saves_memory(plan: Plan, registry: Registry, batch_size: int) -> bool:
    """Whether groups of several iterations are to be expected on a GPU, which are to take little more than one."""
    return 2 * batch_size <= SAMPLES and _joins_on_gpu(plan, registry)


def _joins_on_gpu(plan: Plan, registry: Registry) -> bool:
    steps = plan.steps()
    decodes = any(step.device == "mixed" and step.role != "copy" for step in steps)
    return decodes and all(_spans(step, registry) for step in steps)


def _joins_on_cpu(plan: Plan, registry: Registry) -> bool:
    steps = plan.steps()
    reads = any(step.role == "reader" for step in steps)
    return reads and all(step.device == "cpu" and _spans(step, registry) for step in steps)


def _spans(step: Step, registry: Registry) -> bool:
    operator = registry.operator(step.operator)
    if step.objects or overrides(operator, "save") or overrides(operator, "decode"):
        return False
    if str(step.arguments.get("on_error") or "raise") != "raise" or MixesSamples in operator.traits:
        return False
    if step.role == "reader" and step.device != "cpu":
        return False
    return step.role == "copy" or PerSample in operator.traits or SpansIterations in operator.traits


class Memory(Protocol):
    """What knows of device memory (`runtime.executor`)."""

    @property
    def device_memory(self) -> int:
        """Bytes that are held."""
        ...

    def trim(self) -> None:
        """Give idle device memory back."""


class Groups:
    """How many iterations are computed together on a GPU: as many as memory allows.

    Parameters
    ----------
    batch_size : int
    memory : Memory
    limit : int, optional
        Bytes of device memory that the user lets the run take; groups are to take half of them.

    Attributes
    ----------
    now, most : int
        Iterations of the last group, and of one at most.
    behind : int
        Iterations that are computed together behind the decoders.
    """

    def __init__(self, batch_size: int, memory: Memory, limit: int | None = None) -> None:
        self.most, self.behind = max(SAMPLES // batch_size, 1), max(BEHIND // batch_size, 1)
        self._memory, self._limit = memory, limit // 2 if limit else _MEMORY
        self.now, self._left = 1, _ALONE

    def next(self) -> int:
        """How many iterations are to be computed next."""
        if self._left:
            self._left -= 1
        elif self.now < self.most or (self.most > 1 and self._memory.device_memory > self._limit):
            self._fit()
        return self.now

    def _fit(self) -> None:
        """Take as many as memory allows, as far as the last ones tell."""
        held = max(self._memory.device_memory, 1)
        fits, before = max(self.now * self._limit // held, 1), self.now
        self.most = self.now = min(self.most, fits)
        if self.now < before:  # larger pictures have come
            self._memory.trim()
            self._left = _ALONE

    def took(self, iterations: int, seconds: float, made: Store) -> None:
        """Take note of a group whose results are there."""

    def give_up(self) -> None:
        """Compute iterations one by one from now on."""
        self.most = self.now = 1


class QuickGroups(Groups):
    """The same on the CPU: as many as take little time, most of which would be Python's for each of them.

    Parameters
    ----------
    batch_size : int
    """

    def __init__(self, batch_size: int) -> None:  # pyright: ignore[reportMissingSuperCall] - no memory to ask for
        self.now, self.most = 1, max(SAMPLES // batch_size, 1)
        self.behind = self.most
        self._long = 0

    def next(self) -> int:
        """How many iterations are to be computed next."""
        return self.now

    def took(self, iterations: int, seconds: float, made: Store) -> None:
        """Take note of a group whose results are there."""
        if iterations != self.now:  # it was asked for before the last one that counted
            return
        self._long = self._long + 1 if seconds > _TOO_LONG * _SHORT else 0
        if self._long == _IN_A_ROW:
            self.now, self._long = max(self.now // 2, 1), 0
        elif seconds <= _SHORT and self.now < self.most and sum(one.size for one in made.values()) <= _FEW_BYTES:
            self.now = min(2 * self.now, self.most)


def part(made: Store, batch_size: int, first: int, count: int = 1) -> Store:
    """The results of some iterations of those that `made` has."""
    begin, end = batch_size * first, batch_size * (first + count)
    # the same for all results of a pipeline, mostly
    sources = {id(batch.sources): batch.sources[begin:end] if len(batch.sources) else () for batch in made.values()}
    return {port: batch.part(begin, end, sources[id(batch.sources)]) for port, batch in made.items()}
