"""Steps of a plan as an executor calls them: what it needs of each in every iteration is looked up once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dali_studio.compiler.plan import Step
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.frames import Frames
from dali_studio.schema.arguments import Args, RunContext
from dali_studio.schema.declare import Operator
from dali_studio.schema.model import OperatorSchema
from dali_studio.schema.registry import Registry
from dali_studio.schema.values import wire_dtype


@dataclass(slots=True)
class BoundStep:
    """A step with its operator.

    Attributes
    ----------
    wires : tuple
        Arguments that edges feed: name, where the values come from, and their type, or ``None`` for any.
    seed : int
        The operator's seed.
    memory : dict
        What `Args` and the operator make of constant values.
    """

    step: Step
    operator: type[Operator]
    schema: OperatorSchema
    wires: tuple[tuple[str, PortRef, DALIDataType | None], ...]
    seed: int
    memory: dict[Any, Any] = field(default_factory=dict[Any, Any])
    #: Types of inputs that are accepted, where nothing else may change.
    _accepted: list[TensorMeta] = field(default_factory=list[TensorMeta])

    def check(self, args: Args, metas: list[TensorMeta], registry: Registry) -> None:
        """Refuse inputs of these types if the operator does; raises `ArgumentError`."""
        if metas != self._accepted:
            registry.infer(self.step.operator, args, metas)
            self._accepted = [] if self.wires else metas

    def arguments(
        self, results: Mapping[PortRef, Batch], count: int, context: Callable[[], RunContext],
        frames: Frames | None = None,
    ) -> Args:  # fmt: skip
        """The arguments over a batch of `count` samples, or over the `frames` of its sequences.

        Raises
        ------
        ArgumentError
            DS203 for values of another type than the argument's; sources that declare no type pass validation with
            them.
        """
        if not self.wires:
            count, starts = (count, None) if frames is None else (len(frames), frames.starts)
            return Args(self.schema, self.step.arguments, {}, count, self.step.objects, context, self.memory, starts)
        argument_inputs: dict[str, Batch] = {}
        for name, port, wanted in self.wires:
            batch = argument_inputs[name] = results[port]
            if wanted is not None and batch.meta.dtype is not wanted:
                found = batch.meta.dtype
                raise ArgumentError(
                    f"the values are {found.name if found else 'of no type'}; {name} takes {wanted.name} exactly.",
                    hint=f"Insert a cast to {wanted.name}.", argument=name, code="DS203",
                )  # fmt: skip
        step = self.step
        if frames is None:
            rows = {name: batch.samples for name, batch in argument_inputs.items()}
        else:
            rows, count = frames.arguments(argument_inputs), len(frames)
        starts = None if frames is None else frames.starts
        metas = {name: batch.meta for name, batch in argument_inputs.items()}
        return Args(self.schema, step.arguments, rows, count, step.objects, context, self.memory, starts, metas)

    def design_arguments(self, *, checkpointing: bool = False, may_write: bool = False) -> Args:
        """The arguments before there is an iteration."""
        context = None
        if self.schema.seeded:
            nothing = np.empty(0, np.int64)
            context = RunContext(
                0, nothing, seed=self.seed, device=self.step.requested_device, checkpointing=checkpointing,
                may_write=may_write,
            )  # fmt: skip
        argument_inputs = dict.fromkeys(self.step.argument_inputs)
        return Args(self.schema, self.step.arguments, argument_inputs, 0, self.step.objects, context)


def bind(step: Step, registry: Registry, seeds: Sequence[int]) -> BoundStep:
    """Look up what there is to know of a step; `seeds` are those that the pipeline hands out."""
    operator = registry.operator(step.operator)
    schema = operator.schema
    wires: list[tuple[str, PortRef, DALIDataType | None]] = []
    for name, port in step.argument_inputs.items():
        argument = schema.argument(name)
        wires.append((name, port, None if argument is None else wire_dtype(argument)))
    explicit = step.arguments.get("seed") if schema.seeded else None
    drawn = 0 if step.seed_index is None else seeds[step.seed_index]
    seed = int(drawn if explicit is None else explicit)  # pyright: ignore[reportArgumentType] - an int argument
    return BoundStep(step, operator, schema, tuple(wires), seed)
