"""A step of a segment that has been planned for a batch: what it makes, and sequences computed frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.compiler.plan import Step
from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.frames import Frames
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Operator
from dali_studio.schema.sequences import is_sequence


@dataclass(slots=True)
class Output:
    """One result of a step."""

    port: PortRef
    meta: TensorMeta
    dtype: np.dtype[Any]
    shapes: NDArray[np.int64]
    extents: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])


@dataclass(slots=True)
class Settled:
    """What a step without anything random or fed has planned, which holds for inputs of the same types and shapes."""

    inputs: list[tuple[TensorMeta, NDArray[np.int64]]]
    count: int
    prepared: Prepared

    def holds(self, views: list[Batch], count: int) -> bool:
        """Whether these inputs are alike, or there are as many samples where there are none."""
        if not self.inputs:
            return count == self.count
        for (meta, shapes), view in zip(self.inputs, views, strict=True):
            alike = shapes is view.shapes or (
                shapes.shape == view.shapes.shape and shapes.tobytes() == view.shapes.tobytes()
            )
            if not alike or (meta is not view.meta and meta != view.meta):
                return False
        return True


@dataclass(slots=True)
class Prepared:
    """One step, ready to run on any sample."""

    step: Step
    operator: type[Operator]
    work: Work
    outputs: list[Output]
    indices: NDArray[np.int64] | None
    frames: Frames | None = None
    windows: list[tuple[int, ...]] | None = None
    in_place: bool = False
    allocates: bool = False
    has_batch_kernel: bool = False

    @property
    def output(self) -> PortRef:
        """The port of the first result."""
        return self.outputs[0].port


def frame_by_frame(
    item: Prepared, frames: Frames, position: int, views: list[Batch], arrays: list[NDArray[Any]],
    targets: list[NDArray[Any] | None],
) -> None:  # fmt: skip
    """Compute the frames of one sequence."""
    sequences = [is_sequence(view.meta) for view in views]
    for number, frame in enumerate(frames.of_sample(position)):
        inputs = [array[number] if apart else array for array, apart in zip(arrays, sequences, strict=True)]
        outputs = [target[number] for target in targets if target is not None]
        made = item.operator.cpu(item.work, frame, inputs, outputs)
        if made is not None and made is not outputs[0]:
            np.copyto(outputs[0], made)


def cut(shapes: NDArray[np.int64], windows: NDArray[np.int64], layout: str) -> NDArray[np.int64]:
    """Shapes with the extents of H and W replaced by those of the windows."""
    cut = shapes.copy()
    cut[:, layout.index("H")], cut[:, layout.index("W")] = windows[:, 2], windows[:, 3]
    return cut
