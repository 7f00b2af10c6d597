"""Types and work of the steps on a GPU: planned for every batch, or once for as long as nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import Step
from dali_studio.core.batch import Batch, meta_of
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.replay import Replays
from dali_studio.runtime.extents import check_sizes
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Operator
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import ReadsData, ReadsParameters

#: What a step gives: its arguments if they are needed, and how it sees its inputs.
Arguments = Callable[[], Args]


@dataclass(slots=True)
class Planned:
    """A step planned for a batch.

    Attributes
    ----------
    inputs : list
        Type and shapes of the inputs.
    metas : tuple of TensorMeta
        Of the results, which lie on the GPU.
    work : Work
    constant : bool
        It holds for all batches with inputs of these types and shapes.
    parts : list
        Once it has been asked for, the step's `Part`, or ``None`` if it has none for this batch.
    replays : Replays or None
        What was launched for it, and for those before it in one kernel (`chain`), once it has come up again.
    """

    operator: type[Operator]
    inputs: list[tuple[TensorMeta, NDArray[np.int64]]]
    metas: tuple[TensorMeta, ...]
    work: Work
    constant: bool
    parts: list[Part | None] = field(default_factory=list[Part | None])
    replays: Replays | None = None
    chain: tuple[Planned, ...] = ()

    @property
    def meta(self) -> TensorMeta:
        """Type of the first result."""
        return self.metas[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the first result."""
        return _dtype(self.metas[0])

    def fits(self, views: Sequence[Batch]) -> bool:
        """Whether its types follow from these inputs."""
        for (meta, _), view in zip(self.inputs, views, strict=True):
            if meta is not view.meta and meta != view.meta:
                return False
        return True

    def recognises(self, views: Sequence[Batch]) -> bool:
        """Whether it was planned for inputs of these shapes; their arrays become its own, which tells others so."""
        for (_, shapes), view in zip(self.inputs, views, strict=True):
            if not _equal(shapes, view.shapes):
                return False
            view.shapes = shapes
        return True

    def replays_behind(self, chain: tuple[Planned, ...]) -> Replays | None:
        """What was launched for it as the last of a chain, if all of that has come up again."""
        if any(one.replays is None for one in chain):
            return None
        if len(chain) != len(self.chain) or any(a is not b for a, b in zip(chain, self.chain, strict=True)):
            self.chain, self.replays = chain, Replays()
        return self.replays

    def part(self, view: Batch) -> Part | None:
        """The step's part for its input."""
        if not self.parts:
            self.parts.append(self.operator.part(self.work, view, self.dtype))
        return self.parts[0]


class Planner:
    """Plans steps; what does not depend on the batch is kept.

    Parameters
    ----------
    registry : Registry
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._last: dict[str, Planned] = {}

    def forget(self) -> None:
        """Forget what was planned: the next step of a name may be another one."""
        self._last.clear()

    def operator(self, step: Step) -> type[Operator]:
        """The operator of a step."""
        return self._registry.operator(step.operator)

    def plan(self, step: Step, arguments: Arguments, views: Sequence[Batch]) -> Planned:
        """Type and work of a batch; those of the one before, if nothing has changed that they depend on.

        Where shapes are those of the batch before, they become the same array in `views`.
        """
        last = self._last.get(step.key)
        fits = last is not None and last.fits(views)
        if last is not None and fits and last.recognises(views) and last.constant:
            if last.replays is None:
                last.replays = Replays()
            return last
        args = arguments()
        operator = self._registry.operator(step.operator)
        if last is not None and fits and last.work.layout is None:
            work = operator.plan(args, *views)
            if work.layout is None:  # the types are those of the batch before
                for meta, shapes in zip(last.metas, work.outputs, strict=True):
                    check_sizes(shapes, _dtype(meta))
                return self._keep(step, last, Planned(operator, _seen(views), last.metas, work, last.constant))
            metas, constant = last.metas, last.constant
        else:
            metas = self._registry.infer(step.operator, args, [view.meta for view in views])
            reads = ReadsData in operator.traits or (ReadsParameters in operator.traits and len(views) > 1)
            constant = not (step.argument_inputs or operator.stateful or reads)
            work = operator.plan(args, *views)
        if work.layout is not None:
            metas = (metas[0].with_(layout=work.layout), *metas[1:])
        metas = tuple(_on_gpu(meta, shapes) for meta, shapes in zip(metas, work.outputs, strict=True))
        return self._keep(step, last, Planned(operator, _seen(views), metas, work, constant))

    def _keep(self, step: Step, last: Planned | None, made: Planned) -> Planned:
        if last is not None and _equal(last.work.shapes, made.work.shapes):
            made.work.shapes = last.work.shapes  # the same array: later steps see at once that nothing changed
        self._last[step.key] = made
        return made


def _seen(views: Sequence[Batch]) -> list[tuple[TensorMeta, NDArray[np.int64]]]:
    return [(view.meta, view.shapes) for view in views]


def _dtype(meta: TensorMeta) -> np.dtype[Any]:
    assert meta.dtype is not None
    return to_numpy(meta.dtype)


def _equal(shapes: NDArray[np.int64], others: NDArray[np.int64]) -> bool:
    return shapes is others or (shapes.shape == others.shape and shapes.tobytes() == others.tobytes())


def _on_gpu(meta: TensorMeta, shapes: NDArray[np.int64]) -> TensorMeta:
    """The type of a result in device memory; refuses what no memory holds."""
    dtype = _dtype(meta)
    check_sizes(shapes, dtype)
    return meta_of(dtype, shapes.shape[1], meta.layout or "", "gpu")
