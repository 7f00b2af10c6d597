"""The sources of a plan: batch operators that are opened once, each of which is at a place of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dali_studio.compiler.plan import BatchStage, Plan, Step
from dali_studio.runtime.request import Request
from dali_studio.schema.arguments import Args
from dali_studio.schema.registry import Registry


@dataclass(slots=True)
class SourceState:
    """The state of a batch operator, and the iteration that it produces next."""

    state: Any
    iteration: int = 0


class Sources:
    """The batch operators of a plan.

    Parameters
    ----------
    plan : Plan
    registry : Registry
    opened : callable
        Opens the operator of a step, and gives its state.

    Attributes
    ----------
    states : dict
        Those that are open, by node.
    """

    def __init__(self, plan: Plan, registry: Registry, opened: Callable[[Step], Any]) -> None:
        self._steps = [stage.step for stage in plan.stages if isinstance(stage, BatchStage)]
        self._registry, self._opened = registry, opened
        self.states: dict[str, SourceState] = {}

    def open(self) -> None:
        """Open those that are not."""
        for step in self._steps:
            if step.key not in self.states:
                self.states[step.key] = SourceState(self._opened(step))

    def before(self, step: Step, request: Request, args: Args) -> Any:
        """The state before the requested iteration; the source must then make that one."""
        source = self.states.get(step.key)
        if source is None:
            source = self.states[step.key] = SourceState(self._opened(step))
        while source.iteration != request.iteration:
            seek = self._registry.operator(step.operator).seek
            source.iteration = seek(source.state, args, source.iteration, request.iteration)
            if source.iteration != request.iteration:
                request.on_the_way(step.key)
        source.iteration += request.iterations
        return source.state

    def restore(self, iteration: int, saved: Mapping[str, Mapping[str, Any]]) -> None:
        """Bring operators to what they have saved in front of an iteration; they must be open."""
        for step in self._steps:
            if step.key in saved:
                source = self.states[step.key]
                self._registry.operator(step.operator).restore(source.state, saved[step.key])
                source.iteration = iteration

    def close(self) -> None:
        """Close those that are open."""
        for step in self._steps:
            if step.key in self.states:
                self._registry.operator(step.operator).close(self.states[step.key].state)
