"""The plan: what an executor does in one iteration, in order. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dali_studio.graph.edits import PortRef
from dali_studio.schema.model import Device, Value


@dataclass(frozen=True, slots=True)
class Step:
    """One operator of the plan.

    Attributes
    ----------
    key : str
        The graph node it stands for.
    operator : str
        Registry name.
    seed_index : int or None
        Which of the pipeline's seeds it takes (``None``: none, or an explicit one among the arguments).
    window_sink : str or None
        Key of the later step of the same segment whose window is all that this step need compute, if there is one.
    device : {"cpu", "gpu", "mixed"}
        Where it runs. Steps on a GPU work on whole batches.
    requested_device : {"cpu", "gpu", "mixed"}
        The node's device, which some pixels depend on, also where the step runs on the CPU for want of a GPU.
    """

    key: str
    operator: str
    inputs: tuple[PortRef, ...]
    argument_inputs: Mapping[str, PortRef]
    outputs: tuple[PortRef, ...]
    arguments: Mapping[str, Value]
    objects: Mapping[str, object] = field(default_factory=dict[str, object])
    origin: str = ""
    role: str = ""
    seed_index: int | None = None
    window_sink: str | None = None
    device: Device = "cpu"
    requested_device: Device = "cpu"


@dataclass(frozen=True, slots=True)
class BatchStage:
    """One operator that needs (or makes) the whole batch."""

    step: Step


@dataclass(frozen=True, slots=True)
class Segment:
    """Per-sample operators: one task per sample runs all steps while the sample is in cache.

    Attributes
    ----------
    steps : tuple of Step
        In order.
    kept : frozenset of PortRef
        Results that leave the segment; all others live in scratch memory.
    """

    steps: tuple[Step, ...]
    kept: frozenset[PortRef]


@dataclass(frozen=True, slots=True)
class FusedStage:
    """Steps on a GPU, each the only reader of the one before, that one generated kernel computes.

    Attributes
    ----------
    steps : tuple of Step
        In order; only the result of the last exists.
    warps : int
        How many steps at the beginning are one resampling with the product of their matrices (approximate), or 0.
    instead : tuple of Stage
        What runs for a batch for which a step has no part.
    """

    steps: tuple[Step, ...]
    warps: int = 0
    instead: tuple[BatchStage | FusedStage, ...] = ()


Stage = BatchStage | Segment | FusedStage


@dataclass(frozen=True, slots=True)
class Plan:
    """Stages in order, and what is returned.

    Attributes
    ----------
    stages : tuple of Stage
    outputs : tuple of PortRef
    last_use : mapping of PortRef to int
        Index of the last stage that reads a result; outputs and taps are not listed.
    passes : tuple of str
        Names of the passes that made it.
    """

    stages: tuple[Stage, ...]
    outputs: tuple[PortRef, ...]
    last_use: Mapping[PortRef, int] = field(default_factory=dict[PortRef, int])
    passes: tuple[str, ...] = ()

    def steps(self) -> tuple[Step, ...]:
        """All steps in order."""
        return tuple(
            step
            for stage in self.stages
            for step in ((stage.step,) if isinstance(stage, BatchStage) else stage.steps)
        )
