"""Running fused stages: several steps on a GPU by one generated kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from dali_studio.compiler.plan import FusedStage, Step
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.warp import Affine, composed_part
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import BatchView, Work
from dali_studio.schema.registry import Registry

Planner = Callable[[Step, Callable[[], Args], Sequence[BatchView]], tuple[TensorMeta, Work]]


class Fusion:
    """Turns the steps of a fused stage into one launch.

    Parameters
    ----------
    registry : Registry
    stream : GpuStream
    plan : callable
        Type and work of a step, given how to make its arguments and its input.
    """

    def __init__(self, registry: Registry, stream: GpuStream, plan: Planner) -> None:
        self._registry, self._stream, self._plan = registry, stream, plan
        self._parts: dict[str, tuple[Work, Part | None]] = {}

    def run(
        self, stage: FusedStage, args: Callable[[Step], Args], image: DeviceBatch, view: BatchView,
        failures: Callable[[Step], AbstractContextManager[None]],
    ) -> DeviceBatch | None:  # fmt: skip
        """Enqueue the kernel.

        Parameters
        ----------
        args : callable
            Makes a step's arguments for this batch.
        image : DeviceBatch
            The input of the first step, seen as `view`.
        failures : callable
            Names the step in what fails inside.

        Returns
        -------
        DeviceBatch or None
            The result of the last step; ``None`` if one of the steps has no part for this batch.
        """
        parts: list[Part] = []
        maps: list[Affine] = []
        dtypes: list[Any] = []
        for number, step in enumerate(stage.steps):
            with failures(step):
                meta, work = self._plan(step, lambda step=step: args(step), [view])
                assert meta.dtype is not None
                dtypes.append(to_numpy(meta.dtype))
                if number < stage.warps:
                    found = self._registry.operator(step.operator).affine(work, view)
                    if found is None:
                        return None
                    maps.append(found)
                    part = composed_part(maps) if len(maps) == stage.warps else None
                else:
                    part = self._part(step, work, view, dtypes[-1])
                    if part is None:
                        return None
            if part is not None:
                parts.append(part)
            meta = TensorMeta(meta.dtype, work.shapes.shape[1], meta.layout or "", device="gpu")
            view = BatchView(meta, work.shapes, None, view.sources)
        del dtypes[: len(dtypes) - len(parts)]  # those between steps that are one resampling
        with failures(stage.steps[-1]):
            made = self._stream.empty(view.shapes, dtypes.pop(), view.meta.layout or "", view.sources)
            chains.run(image, made, parts, dtypes, self._stream)
        return made

    def _part(self, step: Step, work: Work, view: BatchView, dtype: Any) -> Part | None:
        """The step's part; that of the iteration before, if the work is the same."""
        last = self._parts.get(step.key)
        if last is not None and last[0] is work:
            return last[1]
        part = self._registry.operator(step.operator).part(work, view, dtype)
        self._parts[step.key] = work, part
        return part
