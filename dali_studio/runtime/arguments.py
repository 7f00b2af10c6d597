"""What the operators of a plan's steps are called with: arguments, seeds, and the place in the run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import Plan, Step
from dali_studio.core import random
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.runtime.behind import Behind
from dali_studio.runtime.failures import StepError
from dali_studio.runtime.frames import Frames
from dali_studio.runtime.iteration import Iteration
from dali_studio.runtime.loops import Loops
from dali_studio.runtime.steps import BoundStep, bind
from dali_studio.schema.arguments import Args, RunContext
from dali_studio.schema.registry import Registry

#: Gives host memory of so many bytes.
_Take = Callable[[int], NDArray[np.uint8]]


class StepArguments:
    """Makes the arguments of steps.

    Parameters
    ----------
    plan : Plan
    registry : Registry
    seed : int
        The pipeline's seed.
    loops : Loops
        Runs an operator's own loops.
    take : callable
        Memory for results.
    take_encoded : callable, optional
        Memory for what decoders on a GPU read.
    behind : Behind
        Counts what was drawn in branches.

    Attributes
    ----------
    ahead : bool
        Whether iterations follow each other, so that sources may fetch the next one.
    may_write : bool
        Whether operators may write files that they are told to.
    """

    def __init__(
        self, plan: Plan, registry: Registry, seed: int, loops: Loops, take: _Take, take_encoded: _Take | None,
        behind: Behind,
    ) -> None:  # fmt: skip
        self._registry, self._loops, self._behind = registry, loops, behind
        self._take, self._take_encoded = take, take_encoded
        self.ahead = self.may_write = False
        seeded = [s.seed_index for s in plan.steps() if s.seed_index is not None]
        self._seeds: list[int] = random.operator_seeds(seed, max(seeded) + 1).tolist() if seeded else []
        self._bound: dict[str, BoundStep] = {}
        #: Steps whose first result decoders on a GPU read.
        self._encoded = {step.inputs[0].node for step in plan.steps() if step.device == "mixed" and step.inputs}

    def bound(self, step: Step) -> BoundStep:
        """A step with its operator, always the same."""
        found = self._bound.get(step.key)
        if found is None:
            found = self._bound[step.key] = bind(step, self._registry, self._seeds)
        return found

    def opening(self, step: Step) -> Args:
        """The arguments with which a source is opened, before there is an iteration."""
        return self.bound(step).design_arguments(checkpointing=self._behind.asked, may_write=self.may_write)

    def of(
        self, now: Iteration, step: Step, indices: NDArray[np.int64] | None = None, frames: Frames | None = None
    ) -> Args:
        """The arguments for samples of a batch, all of them by default, or over the `frames` of its sequences.

        Raises
        ------
        ArgumentError
            If a value does not fit.
        """
        bound = self.bound(step)
        count = len(now.indices if indices is None else indices)
        return bound.arguments(now.results, count, partial(self._context, now, bound, indices), frames)

    def told(self, now: Iteration, step: Step, indices: NDArray[np.int64] | None) -> Args:
        """The same, where nobody else says whose they are if they do not fit."""
        try:
            return self.of(now, step, indices)
        except ArgumentError as error:
            raise StepError(step, error.sample, "", error) from error

    def _context(self, now: Iteration, bound: BoundStep, indices: NDArray[np.int64] | None) -> RunContext:
        request, policy = now.request, now.error_policy
        whole = request.indices is None and indices is None
        # previews do not know how many samples came this way: they draw what the whole batch would
        branch = indices is not None and request.indices is None and bound.schema.seeded
        so_far = request.samples_so_far
        if branch and indices is not None:
            so_far = self._behind.drawn(bound.step.key, request.iteration, len(indices))
        seed, so_far, offset = (bound.seed, so_far, 0) if request.stream is None else request.stream
        return RunContext(
            request.batch_size, now.indices if indices is None else indices, request.iteration,
            so_far, seed, partial(self._loops.run, bound.step.key), self._take_for(bound.step), self.ahead and whole,
            bound.step.requested_device, whole, policy.failed, partial(policy.accepts, bound.step), policy.too_large,
            branch, may_write=self.may_write, stream_offset=offset, iterations=request.iterations,
        )  # fmt: skip

    def _take_for(self, step: Step) -> _Take:
        """What gives memory for the results of a step."""
        if self._take_encoded is not None and step.role == "reader" and step.key in self._encoded:
            return self._take_encoded
        return self._take
