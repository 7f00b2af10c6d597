"""What ``fn.cat`` and ``fn.stack`` have in common."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.join import join, joining
from dali_studio.kernels.cuda.join import join_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, RangesOperator
from dali_studio.schema.traits import PerSample

#: As many as nvidia.dali takes.
MAX_INPUTS = 999


class Join(RangesOperator, abstract=True):
    """Writes the arrays of each sample one after the other; subclasses say along which axis, and what results."""

    category = "tensor"
    icon = "layers"
    inputs = (Input("input", repeated=(1, MAX_INPUTS)),)
    outputs = (Output("output"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")

    @classmethod
    def along(cls, args: Args, meta: TensorMeta) -> int | None:
        """The axis of the result; ``None`` as long as it is not known."""
        raise NotImplementedError

    @classmethod
    def joined(cls, axis: int, shapes: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Shapes of the results."""
        raise NotImplementedError

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        axis = cls.along(args, inputs[0].meta)
        assert axis is not None
        shapes = [batch.shapes for batch in inputs]
        made = cls.joined(axis, shapes)
        for number, one in enumerate(shapes):
            differs = one != shapes[0]
            if made.shape[1] == one.shape[1]:
                differs[:, axis] = False
            if differs.any():
                index = int(np.argmax(differs.any(axis=1)))
                first, other = (tuple(given[index].tolist()) for given in (shapes[0], one))
                raise ArgumentError(
                    f"input {number + 1} has the shape {other}, input 1 {first}; {cls.needed(axis)}.",
                    hint="Resize, crop or pad them to one shape.", sample=index, code="DS203",
                )  # fmt: skip
        return Work(made, {"axis": axis})

    @classmethod
    def needed(cls, axis: int) -> str:
        """What the shapes of the inputs must be."""
        raise NotImplementedError

    @classmethod
    def cpu(cls, work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        packed = [np.asarray(array, order="C") for array in inputs]
        join([Operand.of([array]) for array in packed], work.params["axis"], Operand.of([outputs[0]]))

    @classmethod
    def cpu_ranges(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> Callable[[int, int], None]:
        return joining(list(map(Operand.of_batch, inputs)), work.params["axis"], Operand.of_batch(outputs[0]))

    @classmethod
    def gpu(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        join_on_gpu(inputs, work.params["axis"], outputs[0], stream)


def check_alike(inputs: Sequence[TensorMeta]) -> TensorMeta:
    """What is known of all inputs, which must be of one type and number of axes."""
    first = inputs[0]
    for number, other in enumerate(inputs):
        if first.dtype is not None and other.dtype is not None and other.dtype != first.dtype:
            raise ArgumentError(
                f"input {number + 1} is {other.dtype.name}, input 1 {first.dtype.name}; one type is needed.",
                hint=f"Insert cast with dtype {first.dtype.name}.", code="DS203",
            )  # fmt: skip
        if first.ndim is not None and other.ndim is not None and other.ndim != first.ndim:
            raise ArgumentError(
                f"input {number + 1} has {other.ndim} axes, input 1 {first.ndim}; one number is needed.",
                hint="Bring tensors with the same number of axes.", code="DS203",
            )  # fmt: skip
    return first
