"""Types and work of the steps on a GPU: planned for every batch, or once for as long as nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import Step
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.parts import Part
from dali_studio.runtime.extents import check_sizes
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import BatchView, Work
from dali_studio.schema.declare import Operator
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import ReadsData

#: What a step gives: its arguments if they are needed, and how it sees its inputs.
Arguments = Callable[[], Args]


@dataclass(slots=True)
class Planned:
    """A step planned for a batch.

    Attributes
    ----------
    inputs : list
        Type and shapes of the inputs.
    meta : TensorMeta
        Of the result, which lies on the GPU.
    dtype : numpy.dtype
    work : Work
    constant : bool
        It holds for all batches with inputs of these types and shapes.
    parts : list
        Once it has been asked for, the step's `Part`, or ``None`` if it has none for this batch.
    """

    operator: type[Operator]
    inputs: list[tuple[TensorMeta, NDArray[np.int64]]]
    meta: TensorMeta
    dtype: np.dtype[Any]
    work: Work
    constant: bool
    parts: list[Part | None] = field(default_factory=list[Part | None])

    def fits(self, views: Sequence[BatchView]) -> bool:
        """Whether its types follow from these inputs."""
        for (meta, _), view in zip(self.inputs, views, strict=True):
            if meta is not view.meta and meta != view.meta:
                return False
        return True

    def recognises(self, views: Sequence[BatchView]) -> bool:
        """Whether it was planned for inputs of these shapes; their arrays become its own, which tells others so."""
        for (_, shapes), view in zip(self.inputs, views, strict=True):
            if not _equal(shapes, view.shapes):
                return False
            view.shapes = shapes
        return True

    def part(self, view: BatchView) -> Part | None:
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

    def plan(self, step: Step, arguments: Arguments, views: Sequence[BatchView]) -> Planned:
        """Type and work of a batch; those of the one before, if nothing has changed that they depend on.

        Where shapes are those of the batch before, they become the same array in `views`.
        """
        last = self._last.get(step.key)
        fits = last is not None and last.fits(views)
        if last is not None and fits and last.recognises(views) and last.constant:
            return last
        args = arguments()
        operator = self._registry.operator(step.operator)
        if last is not None and fits:
            meta, dtype, constant = last.meta, last.dtype, last.constant
        else:
            (found,) = self._registry.infer(step.operator, args, [view.meta for view in views])
            assert found.dtype is not None
            dtype = to_numpy(found.dtype)
            meta = gpu_meta(dtype, len(found.layout) if found.layout else found.ndim or 0, found.layout or "")
            constant = not (step.argument_inputs or operator.stateful or ReadsData in operator.traits)
        work = operator.plan(args, *views)
        check_sizes(work.shapes, dtype)
        if work.shapes.shape[1] != meta.ndim:
            meta = gpu_meta(dtype, work.shapes.shape[1], meta.layout or "")
        if last is not None and _equal(last.work.shapes, work.shapes):
            work.shapes = last.work.shapes  # the same array, so that later steps see at once that nothing changed
        made = Planned(operator, [(view.meta, view.shapes) for view in views], meta, dtype, work, constant)
        self._last[step.key] = made
        return made


def _equal(shapes: NDArray[np.int64], others: NDArray[np.int64]) -> bool:
    return shapes is others or (shapes.shape == others.shape and shapes.tobytes() == others.tobytes())


@lru_cache(maxsize=256)
def gpu_meta(dtype: np.dtype[Any], ndim: int, layout: str) -> TensorMeta:
    """The type of a batch in device memory."""
    return TensorMeta(from_numpy(dtype), ndim, layout, device="gpu")


def view_on_gpu(batch: DeviceBatch) -> BatchView:
    """What ``plan`` may know of a batch in device memory."""
    return BatchView(gpu_meta(batch.dtype, batch.shapes.shape[1], batch.layout), batch.shapes, None, batch.sources)
